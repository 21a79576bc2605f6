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
from tests.arena.cli.test_rank import Ranks, ranks, refused, told
from tests.arena.conftest import Arena
from tests.arena.stats.deals import deals_of
from tests.arena.tables.test_sources import Book
from tests.golden import Golden

__all__ = ["ranks"]  # a fixture


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


# --- rank


class ByScore(Ranks):
    """`arena rank --by score`."""

    def told(self, *words: object) -> dict[str, Any]:
        return super().told("--by", "score", *words)

    def text(self, *words: object) -> str:
        return super().text("--by", "score", *words)

    def refused(self, *words: object) -> str:
        return super().refused("--by", "score", *words)

    def order(self, *words: object) -> list[tuple[str, float | None]]:
        return [(row["bot"], row["score"]) for row in self.rows(*words)]


@pytest.fixture
def scores(arena: Arena) -> ByScore:
    return ByScore(arena)


def test_means_and_errors_are_those_of_the_deals(arena: Arena, scores: ByScore, book: Book) -> None:
    one, other = scores.rows(book.folder)
    assert [one["bot"], other["bot"]] == ["A", "B"]
    assert (one["score"], other["score"]) == (4.5, 3.5)
    # 15.5 and 6.5 are the squares about the means, of three deals
    error = widened(3) * (15.5 / 2 / 3) ** 0.5
    assert one["score_error"] == round(error, 4)
    assert other["score_error"] == round(widened(3) * (6.5 / 2 / 3) ** 0.5, 4)
    assert (one["score_deals"], other["score_deals"]) == (3, 3)
    text = scores.text(book.folder)
    assert text.startswith("Rank Bot Score ± 2σ Rating ± 2σ Matches")
    assert f" 1-2 A 4.50 ± {2 * error:.2f} " in text
    assert "Score: the Troops on the table at the end; the mean of a match, more is" in text
    assert "Left out" not in text
    beside = scores.rows(book.folder, "--times", "--faults")[0]
    assert (beside["score"], beside["decisions"]) == (4.5, 12)
    table = arena("rank", book.folder, "--by", "score", "--format", "csv").stdout
    assert [(row["bot"], row["score"]) for row in csv.DictReader(table.splitlines())] == [
        *(("A", "4.5"), ("B", "3.5"))
    ]


def test_by_rating_is_the_default_and_shows_none(ranks: Ranks, book: Book) -> None:
    plain = ranks.told(book.folder)
    assert ranks.told(book.folder, "--by", "rating") == plain
    assert "score" not in plain["standings"][0]


def test_the_order_is_that_of_the_scores_and_ranks_stay(
    ranks: Ranks, scores: ByScore, tmp_path: Path
) -> None:
    book = Book(tmp_path / "cup", "guerra", "AB")
    for number in range(5):
        book.play(number, 0, 1, scores=[(1, 9), (2, 8)])
    assert [(row["bot"], row["score"], row["wins"]) for row in scores.rows(book.folder)] == [
        *(("B", 8.5, 0), ("A", 1.5, 10))
    ]
    assert scores.told(book.folder)["gaps"] == ranks.told(book.folder)["gaps"]


def test_where_less_is_better_the_least_comes_first(
    scores: ByScore, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GAMES["guerra"], "less_is_better", True)
    assert [bot for bot, _ in scores.order(book.folder)] == ["B", "A"]
    assert "less is better" in scores.text(book.folder)


def test_a_deal_with_a_match_without_scores_is_left_out_and_told(
    scores: ByScore, book: Book
) -> None:
    keys = ("bot", "score", "score_error", "score_deals")
    before = [[row[key] for key in keys] for row in scores.rows(book.folder)]
    book.play(3, 0, 1, scores=[(100, 0), None])
    book.play(4, 0, scores=[(100, 0)])  # a deal that is not whole waits with its scores
    found = scores.told(book.folder)
    assert [[row[key] for key in keys] for row in found["standings"]] == before
    assert [row["deals"] for row in found["standings"]] == [4, 4]
    assert (found["scored"], found["unscored"], found["scored_waiting"]) == (6, 1, 1)
    assert (
        "Left out of the scores: 1 match has none (a seat forfeited, or they are from before "
        "scores were stored), and 1 other match of their deals."
    ) in scores.text(book.folder)


def test_fewer_than_three_deals_have_no_error(scores: ByScore, tmp_path: Path) -> None:
    book = Book(tmp_path / "cup", "guerra", "ABC")  # of whom C played no deal, and comes last
    book.play(0, 0, 1, scores=[(-1, -9), (-2, -8)])
    assert scores.order(book.folder) == [("A", -1.5), ("B", -8.5), ("C", None)]
    assert {row["score_error"] for row in scores.rows(book.folder)} == {None}
    said = "Scores without an error, from fewer than 3 deals: A, B."
    assert said in scores.text(book.folder)


def test_a_league_without_any_scores_is_told_how_many_lack_them(
    scores: ByScore, book: Book, tmp_path: Path
) -> None:
    none = Book(tmp_path / "none", "guerra", "AB")
    none.play(0, 0, 1)
    said = scores.refused(none.folder)
    assert "no whole deal of " in said
    assert "as 2 matches have none (a seat forfeited, or they are from before" in said
    several = "--by score shows a single league: name only one."
    assert several in scores.refused(book.folder, none.folder)


def test_a_game_without_scores_is_told(scores: ByScore, tmp_path: Path) -> None:
    book = Book(tmp_path / "cup", "cold_war", "ABCD")
    book.play(0, 0, 1, 2, 3)
    said = scores.refused(book.folder)
    assert "--by score: cold_war has no scores; leave it out to rank by rating." in said


def test_a_file_is_ranked_by_its_scores(scores: ByScore, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("match,bot,place,score\nm,A,1,3\nm,B,2,9\n")
    assert scores.order(file) == [("B", 9.0), ("A", 3.0)]
    assert "Score: the mean of a match, more is better." in scores.text(file)
    file.write_text("match,bot,place\nm,A,1\nm,B,2\n")
    assert f"--by score: {file} has no scores; leave it out" in scores.refused(file)


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
    for row in found:
        bots = [seat["bot"] for seat in row["seats"]]
        assert dict(zip(bots, row["scores"], strict=True))["A"] >= 0
        assert "numbers" not in row
    assert found[0]["scores"] in ([10, 2], [2, 10])
    others = told(arena("matches", duel.folder, "--format", "json"))["matches"]
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
    said = refused(arena("matches", duel.folder, "--columns", "match,deal,match"))
    assert "--columns: 'match' is there twice; take one out." in said


def test_an_unknown_column_is_told_with_those_there_are(
    arena: Arena, duel: Book, golden: Golden
) -> None:
    for form in ("simple", "csv", "json"):
        words = ("--columns", "match,scores", "--format", form)
        said = refused(arena("matches", duel.folder, *words))
    golden(said)


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
    assert (facts["score"], facts["numbers"]) == (
        *("the cards at the end", {"battles": "the battles fought"}),
    )
    assert not {"score", "numbers"} & told(arena("games", "cold_war", "--format", "json")).keys()
