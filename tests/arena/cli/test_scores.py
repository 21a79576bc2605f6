"""`arena rank --by score` and `arena matches --columns`: figures, order, and what is refused."""

import csv
from pathlib import Path
from typing import Any

import pytest

from arena.stats.outcomes import Result
from arena.stats.ratings import fit, widened
from arena.stats.scores import Scores
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from referee.games import GAMES
from tests.arena.cli.test_rank import refused, told
from tests.arena.conftest import Arena
from tests.arena.stats.deals import deals_of
from tests.arena.tables.test_sources import Book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Three whole deals of A and B in guerra.

    By deal, A has 7, 1.5 and 5 on average, and B 4, 1.5 and 5; their places are A's.
    """
    made = Book(tmp_path / "cup", "guerra", "AB")
    made.play(0, 0, 1, scores=[(10, 2), (4, 6)])
    made.play(1, 0, 1, scores=[(1, 0), (2, 3)])
    made.play(2, 0, 1, scores=[(5, 5), (5, 5)])
    return made


def rows(arena: Arena, book: Book, *words: str) -> list[dict[str, Any]]:
    found = told(arena("rank", book.folder, "--by", "score", *words, "--format", "json"))
    assert isinstance(found["standings"], list)
    return found["standings"]


def flat(text: str) -> str:
    return " ".join(text.split())


# --- rank


def test_means_and_errors_are_those_of_the_deals(arena: Arena, book: Book) -> None:
    one, other = rows(arena, book)
    assert [one["bot"], other["bot"]] == ["A", "B"]
    assert (one["score"], other["score"]) == (4.5, 3.5)
    # 15.5 and 6.5 are the squares about the means, of three deals
    assert one["score_error"] == round(widened(3) * (15.5 / 2 / 3) ** 0.5, 4)
    assert other["score_error"] == round(widened(3) * (6.5 / 2 / 3) ** 0.5, 4)
    assert (one["score_deals"], other["score_deals"]) == (3, 3)


def test_the_text_shows_them_beside_the_ratings_and_says_what_they_count(
    arena: Arena, book: Book
) -> None:
    text = arena("rank", book.folder, "--by", "score").stdout
    head, _, first = text.splitlines()[:3]
    assert flat(head).startswith("Rank Bot Score ± 2σ Rating ± 2σ Matches")
    error = 2 * widened(3) * (15.5 / 2 / 3) ** 0.5
    assert flat(first).startswith(f"1-2 A 4.50 ± {error:.2f} ")
    assert "Score: the Troops on the table at the end; the mean of a match, more is" in text
    assert "Left out" not in text


def test_csv_has_their_columns(arena: Arena, book: Book) -> None:
    text = arena("rank", book.folder, "--by", "score", "--format", "csv").stdout
    found = list(csv.DictReader(text.splitlines()))
    assert [(row["bot"], row["score"], row["score_deals"]) for row in found] == [
        ("A", "4.5", "3"),
        ("B", "3.5", "3"),
    ]


def test_by_rating_is_the_default_and_shows_none(arena: Arena, book: Book) -> None:
    plain = arena("rank", book.folder, "--format", "json").stdout
    assert arena("rank", book.folder, "--by", "rating", "--format", "json").stdout == plain
    assert "score" not in plain


def test_the_order_is_that_of_the_scores_and_ranks_stay(arena: Arena, tmp_path: Path) -> None:
    book = Book(tmp_path / "cup", "guerra", "AB")
    for number in range(5):
        book.play(number, 0, 1, scores=[(1, 9), (2, 8)])
    found = rows(arena, book)
    assert [(row["bot"], row["score"], row["wins"]) for row in found] == [
        ("B", 8.5, 0),
        ("A", 1.5, 10),
    ]
    facts = [
        told(arena("rank", book.folder, *words, "--format", "json"))["gaps"]
        for words in ((), ("--by", "score"))
    ]
    assert facts[0] == facts[1]


def test_where_less_is_better_the_least_comes_first(
    arena: Arena, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GAMES["guerra"], "less_is_better", True)
    assert [row["bot"] for row in rows(arena, book)] == ["B", "A"]
    assert "less is better" in flat(arena("rank", book.folder, "--by", "score").stdout)


def test_a_deal_with_a_match_without_scores_is_left_out_and_told(arena: Arena, book: Book) -> None:
    before = rows(arena, book)
    book.play(3, 0, 1, scores=[(100, 0), None])
    found = told(arena("rank", book.folder, "--by", "score", "--format", "json"))
    after = found["standings"]
    assert isinstance(after, list)
    keys = ("bot", "score", "score_error", "score_deals")
    assert [[row[key] for key in keys] for row in after] == [
        [row[key] for key in keys] for row in before
    ]
    assert [row["deals"] for row in after] == [4, 4]
    assert (found["scored"], found["unscored"], found["scored_waiting"]) == (6, 1, 1)
    text = flat(arena("rank", book.folder, "--by", "score").stdout)
    assert (
        "Left out of the scores: 1 match has none (a seat forfeited, or they are from before "
        "scores were stored), and 1 other match of their deals." in text
    )


def test_a_deal_that_is_not_whole_waits_with_its_scores(arena: Arena, book: Book) -> None:
    before = [row["score"] for row in rows(arena, book)]
    book.play(3, 0, scores=[(100, 0)])
    assert [row["score"] for row in rows(arena, book)] == before


def test_fewer_than_three_deals_have_no_error(arena: Arena, tmp_path: Path) -> None:
    book = Book(tmp_path / "cup", "guerra", "AB")
    book.play(0, 0, 1, scores=[(1, 9), (2, 8)])
    assert [(row["score"], row["score_error"]) for row in rows(arena, book)] == [
        (8.5, None),
        (1.5, None),
    ]
    text = flat(arena("rank", book.folder, "--by", "score").stdout)
    assert "Scores without an error, from fewer than 3 deals: A, B." in text


def test_a_league_without_any_scores_is_told_how_many_lack_them(
    arena: Arena, tmp_path: Path
) -> None:
    book = Book(tmp_path / "cup", "guerra", "AB")
    book.play(0, 0, 1)
    said = refused(arena("rank", book.folder, "--by", "score"))
    assert "no whole deal of " in said
    assert "as 2 matches have none (a seat forfeited, or they are from before" in said


def test_a_game_without_scores_is_told(arena: Arena, tmp_path: Path) -> None:
    book = Book(tmp_path / "cup", "cold_war", "ABCD")
    book.play(0, 0, 1, 2, 3)
    said = refused(arena("rank", book.folder, "--by", "score"))
    assert "--by score: cold_war has no scores; leave it out to rank by rating." in said


def test_a_file_is_ranked_by_its_scores(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("match,bot,place,score\nm,A,1,3\nm,B,2,9\n")
    found = told(arena("rank", file, "--by", "score", "--format", "json"))["standings"]
    assert isinstance(found, list)
    assert [(row["bot"], row["score"]) for row in found] == [("B", 9.0), ("A", 3.0)]
    text = flat(arena("rank", file, "--by", "score").stdout)
    assert "Score: the mean of a match, more is better." in text
    file.write_text("match,bot,place\nm,A,1\nm,B,2\n")
    said = refused(arena("rank", file, "--by", "score"))
    assert f"--by score: {file} has no scores; leave it out to rank by rating." in said


def test_several_leagues_are_not_ranked_by_score(arena: Arena, book: Book, tmp_path: Path) -> None:
    other = Book(tmp_path / "other", "guerra", "AB")
    other.play(0, 0, 1)
    said = refused(arena("rank", book.folder, other.folder, "--by", "score"))
    assert "--by score shows a single league: name only one." in said


def test_times_and_faults_stand_beside_them(arena: Arena, book: Book) -> None:
    found = rows(arena, book, "--times", "--faults")
    assert found[0]["score"] == 4.5
    assert found[0]["decisions"] == 12


def test_groups_that_never_met_stay_apart_whatever_they_scored() -> None:
    pairs = {("a", "b"): (1, 2), ("c", "d"): (9, 8)}
    deals = deals_of([(f"{pair}{n}", Result(pair, (1, 2))) for pair in pairs for n in range(3)])
    scores = Scores()
    for pair, scored in pairs.items():
        scores.add([(pair, scored)], 3)
    field = Field(name="file", bots=tuple("abcd"), deals=deals, scores=scores)
    found = leaderboard(field, fit(deals, bots=field.bots), by="score").rows
    assert [(row["group"], row["bot"], row["score"]) for row in found] == [
        *[(1, "b", 2.0), (1, "a", 1.0)],
        *[(2, "c", 9.0), (2, "d", 8.0)],
    ]


def test_bots_that_played_no_deal_come_last(arena: Arena, tmp_path: Path) -> None:
    book = Book(tmp_path / "cup", "guerra", "ABC")
    book.play(0, 0, 1, scores=[(-5, -9), (-5, -9)])
    assert [(row["bot"], row["score"]) for row in rows(arena, book)] == [
        ("A", -5.0),
        ("B", -9.0),
        ("C", None),
    ]


# --- matches


@pytest.fixture
def duel(tmp_path: Path) -> Book:
    """A match of duel, which has a number of its own and no scores; one is from before."""
    made = Book(tmp_path / "duels", "duel", "AB")
    made.play(0, 0, numbers={"turns": 17})
    made.play(0, 1)
    return made


def test_scores_and_numbers_stand_in_json_where_the_game_counts_them(
    arena: Arena, book: Book, duel: Book
) -> None:
    found = told(arena("matches", book.folder, "--format", "json"))["matches"]
    assert isinstance(found, list)
    for row in found:
        by_bot = {
            seat["bot"]: score for seat, score in zip(row["seats"], row["scores"], strict=True)
        }
        assert by_bot[("A")] >= 0
        assert "numbers" not in row
    assert found[0]["scores"] in ([10, 2], [2, 10])
    others = told(arena("matches", duel.folder, "--format", "json"))["matches"]
    assert isinstance(others, list)
    assert [row["numbers"] for row in others] == [{"turns": 17}, None]
    assert "scores" not in others[0]


def test_people_see_scores_by_seat(arena: Arena, book: Book) -> None:
    text = arena("matches", book.folder, "--limit", "1", "--format", "github").stdout
    head, _, first = ([cell.strip() for cell in line.split("|")] for line in text.splitlines()[:3])
    assert head[1:-1] == [
        *("Match", "Deal", "Places by seat", "Ended", "Decisions", "Faults", "Scores")
    ]
    assert first[-2] in ("10, 2", "2, 10")
    assert "Scores by seat: the Troops on the table at the end." in text


def test_columns_are_those_asked_for_in_that_order(arena: Arena, duel: Book) -> None:
    words = ("matches", duel.folder, "--columns", "turns, rotation,match")
    found = list(csv.reader(arena(*words, "--format", "csv").stdout.splitlines()))
    assert found[0] == ["turns", "rotation", "match"]
    assert [row[:2] for row in found[1:]] == [["17", "0"], ["", "1"]]
    text = arena(*words).stdout
    assert text.splitlines()[0].split() == ["Turns", "Rotation", "Match"]
    assert [line.split()[:2] for line in text.splitlines()[2:4]] == [["17", "0"], ["-", "1"]]
    assert "turns: the turns of both seats together." in text
    assert told(arena(*words, "--format", "json"))["matches"] == [
        dict(zip(found[0], [number, int(row[1]), row[2]], strict=True))
        for number, row in zip((17, None), found[1:], strict=True)
    ]


def test_all_columns_together_are_the_list(arena: Arena, duel: Book) -> None:
    plain = arena("matches", duel.folder, "--format", "csv").stdout
    names = plain.splitlines()[0]
    assert names == "match,deal,rotation,seats,reason,decisions,faults,numbers"
    assert arena("matches", duel.folder, "--format", "csv", "--columns", names).stdout == plain


@pytest.mark.parametrize("form", ["simple", "csv", "json"])
def test_an_unknown_column_is_told_with_those_there_are(
    form: str, arena: Arena, duel: Book
) -> None:
    said = refused(arena("matches", duel.folder, "--columns", "match,scores", "--format", form))
    assert (
        "there is no column 'scores' in matches of duel; there are match, deal, rotation," in said
    )
    assert said.endswith("decisions, faults, sandbox, numbers, turns.\n")


def test_a_column_that_is_there_twice_is_told(arena: Arena, duel: Book) -> None:
    said = refused(arena("matches", duel.folder, "--columns", "match,deal,match"))
    assert "--columns: 'match' is there twice; take one out." in said


def test_bots_that_left_are_marked_only_where_bots_are_shown(arena: Arena, duel: Book) -> None:
    file = duel.folder / "league.toml"
    file.write_text(file.read_text().replace('name = "B"', 'name = "C"'))
    assert "no longer in the league" in arena("matches", duel.folder).stdout
    assert (
        "no longer in the league" not in arena("matches", duel.folder, "--columns", "turns").stdout
    )


# --- games


def test_a_game_says_what_it_counts(arena: Arena) -> None:
    text = arena("games", "war").stdout
    assert "\nScore: the cards at the end\nNumber of a match: battles, the battles fought\n" in text
    facts = told(arena("games", "war", "--format", "json"))
    assert facts["score"] == "the cards at the end"
    assert facts["numbers"] == {"battles": "the battles fought"}
    assert not {"score", "numbers"} & told(arena("games", "cold_war", "--format", "json")).keys()
