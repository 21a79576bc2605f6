"""`arena rank --by score` and `arena matches --columns`: figures, order, and what is refused."""

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

    words = ("rank", "--by", "score")

    def order(self, *words: object) -> list[tuple[str, float | None]]:
        return [(row["bot"], row["score"]) for row in self.rows(*words)]


@pytest.fixture
def scores(arena: Arena) -> ByScore:
    return ByScore(arena)


def test_means_and_errors_are_those_of_the_deals(ranks: Ranks, scores: ByScore, book: Book) -> None:
    one, other = scores.rows(book.folder)
    assert [(row["bot"], row["score"]) for row in (one, other)] == [("A", 4.5), ("B", 3.5)]
    # 15.5 is the sum of the squares about the mean, of three deals
    error = widened(3) * (15.5 / 2 / 3) ** 0.5
    assert one["score_error"] == round(error, 4)
    assert (one["score_deals"], other["score_deals"]) == (3, 3)
    text = scores.text(book.folder)
    assert text.startswith("Rank Bot Score ± 2σ Rating ± 2σ Matches")
    assert f" 1-2 A 4.50 ± {2 * error:.2f} " in text
    assert "Score: the Troops on the table at the end; the mean of a match, more is" in text
    assert "Left out" not in text
    beside = scores.rows(book.folder, "--times", "--faults")[0]
    assert (beside["score"], beside["decisions"]) == (4.5, 12)
    assert "score" not in ranks.rows(book.folder)[0]


def test_the_order_is_that_of_the_scores_and_ranks_stay(
    ranks: Ranks, scores: ByScore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Book(tmp_path / "cup", "guerra", "AB")
    for number in range(5):
        book.play(number, 0, 1, scores=[(1, 9), (2, 8)])
    assert scores.order(book.folder) == [("B", 8.5), ("A", 1.5)]
    assert scores.told(book.folder)["gaps"] == ranks.told(book.folder)["gaps"]
    monkeypatch.setattr(GAMES["guerra"], "less_is_better", True)
    assert scores.order(book.folder) == [("A", 1.5), ("B", 8.5)]
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
        "Left out of the scores: 1 match has none (a seat forfeited)"
        ", and 1 other match of their deals."
    ) in scores.text(book.folder)


def test_fewer_than_three_deals_have_no_error(scores: ByScore, tmp_path: Path) -> None:
    book = Book(tmp_path / "cup", "guerra", "ABC")  # of whom C played no deal, and comes last
    book.play(0, 0, 1, scores=[(-1, -9), (-2, -8)])
    assert scores.order(book.folder) == [("A", -1.5), ("B", -8.5), ("C", None)]
    assert {row["score_error"] for row in scores.rows(book.folder)} == {None}
    said = "Scores without an error, from fewer than 3 deals: A, B."
    assert said in scores.text(book.folder)


def test_what_has_no_scores_is_told(scores: ByScore, book: Book, tmp_path: Path) -> None:
    none = Book(tmp_path / "none", "guerra", "AB")
    none.play(0, 0, 1)
    cold = Book(tmp_path / "cold", "cold_war", "ABCD")
    cold.play(0, 0, 1, 2, 3)
    for folders, said in (
        ([none.folder], "as 2 matches have none (a seat forfeited)"),
        ([book.folder, none.folder], "--by score shows a single league: name only one."),
        ([cold.folder], "--by score: cold_war has no scores; leave it out to rank by rating."),
    ):
        assert said in scores.refused(*folders)


def test_a_file_is_ranked_by_its_scores(scores: ByScore, tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("match,bot,place,score\nm,A,1,3\nm,B,2,9\n")
    assert scores.order(file) == [("B", 9.0), ("A", 3.0)]
    assert "Score: the mean of a match, more is better;" in scores.text(file)
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


def test_matches_show_what_their_game_counts_in_the_columns_asked_for(
    arena: Arena, book: Book, tmp_path: Path, golden: Golden
) -> None:
    duels = Book(tmp_path / "duels", "duel", "AB")  # it has a number of its own and no scores
    duels.play(0, 0, numbers={"turns": 17})
    duels.play(0, 1)  # one from before

    def found(made: Book, *words: str) -> list[dict[str, Any]]:
        return list(told(arena("matches", made.folder, *words, "--format", "json"))["matches"])

    for row in found(book):
        assert (len(row["scores"]), "numbers" in row) == (len(row["seats"]), False)
    text = arena("matches", book.folder, "--format", "github").stdout
    assert "Scores by seat: the Troops on the table at the end." in text
    assert text.splitlines()[2].split("|")[-2].strip() in ("10, 2", "2, 10")
    assert [row["numbers"] for row in found(duels)] == [{"turns": 17}, None]
    assert "scores" not in found(duels)[0]
    columns = ("--columns", "turns, rotation,match")
    rows = found(duels, *columns)
    assert [[*row.items()][:2] for row in rows] == [
        [("turns", 17), ("rotation", 0)],
        [("turns", None), ("rotation", 1)],
    ]
    csv_text = arena("matches", duels.folder, *columns, "--format", "csv").stdout
    assert csv_text.splitlines()[0] == "turns,rotation,match"
    golden(arena("matches", duels.folder, *columns).stdout)
    for wrong in ("match,deal,match", "match,scores"):
        golden(refused(arena("matches", duels.folder, "--columns", wrong)))
