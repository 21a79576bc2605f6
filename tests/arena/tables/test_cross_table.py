"""The cross-table: who beat whom, and how surely; also on a real terminal."""

import csv
import io
import json
from pathlib import Path

import pytest

from arena.cli.rating import rated
from arena.stats.outcomes import Result
from arena.tables.cross_table import Cell, cross_table
from arena.tables.field import Field
from arena.tables.table import render
from tests.arena.stats.deals import results
from tests.arena.tables.fields import field as of_matches
from tests.arena.terminal import at_terminal
from tests.golden import Golden


def field(*matches: tuple[str, Result], bots: str = "", **more: int) -> Field:
    return of_matches(matches, bots, **more)


def text(field: Field, cell: Cell | None = None) -> str:
    return render(cross_table(field, rated(field), cell), "simple")


def cells(field: Field, cell: Cell | None = None) -> dict[str, list[str]]:
    found = {}
    for line in text(field, cell).partition("\n\n")[0].splitlines()[2:]:
        _, bot, *values = line.split()
        found[bot] = values
    return found


DUELS = field(*results("A > B", copies=20), *results("B > A", "A = B", copies=2))
TABLES = field(*results("A > B > C", copies=9), *results("C > B = A", copies=3))


def test_cells_say_who_leads_surely_and_can_be_chosen() -> None:
    assert cells(DUELS) == {"A": ["·", "20/2/2+"], "B": ["2/2/20-", "·"]}
    # larger matches show the mean place of the row's bot
    assert cells(TABLES)["A"] == ["·", "1.25+", "1.25"]
    assert cells(TABLES)["C"] == ["2.50", "2.50", "·"]
    assert cells(DUELS, "points")["A"] == ["·", "87.5+"]
    assert cells(DUELS, "places")["B"] == ["1.83-", "·"]
    assert cells(TABLES, "wins")["A"] == ["·", "9/3/0+", "9/0/3"]
    # one win is no lead, and two that did not meet have a dash
    assert cells(field(*results("A > B", "B > C")))["A"] == ["·", "1/0/0", "-"]


def test_rows_and_columns_are_in_the_order_of_the_leaderboard_and_groups_apart() -> None:
    upside_down = field(*results("C > B", "B > A", "C > A", copies=10))
    assert list(cells(upside_down)) == ["C", "B", "A"]
    assert cells(upside_down)["C"] == ["·", "10/0/0+", "10/0/0+"]
    groups = field(*results("A > B", "B > C", "X > Y", copies=8), bots="alone")
    first, second, notes = text(groups).split("\n\n")
    assert [line.split()[:2] for line in first.splitlines()[2:]] == [
        *(["1", "A"], ["2", "B"], ["3", "C"])
    ]
    assert second.splitlines()[0].split() == ["#", "Bot", "4", "5"]
    assert "2 groups of bots never met each other: one table for each." in notes
    assert "Met no other bot: alone." in notes


def test_a_league_without_results_is_all_notes() -> None:
    empty = field(bots="A B", missing=6)
    assert text(empty).startswith("0 matches in 0 whole deals.")
    assert "6 matches are missing; `arena run cup` plays what is missing." in text(empty)
    assert json.loads(render(cross_table(empty, rated(empty)), "json"))["encounters"] == []


def cycle(bots: str, copies: int = 20) -> list[tuple[str, Result]]:
    a, b, c = bots
    return results(f"{a} > {b}", f"{b} > {c}", f"{c} > {a}", copies=copies)


def flat(field: Field) -> str:
    return " ".join(text(field).split())


def test_a_cycle_is_named_unless_it_may_be_chance_and_three_of_many_are() -> None:
    said = "A cycle, which no rating shows: A surely beats B, B C, and C A."
    assert said in flat(field(*cycle("ABC")))
    assert "cycle" not in text(field(*cycle("ABC", copies=3)))
    many = field(*cycle("ABC"), *cycle("ADE"), *cycle("AFG"), *cycle("AHI"), *results("B > D"))
    assert flat(many).count("A cycle, which no rating shows") == 3
    assert "There are 4 such cycles." in flat(many)
    assert len(json.loads(render(cross_table(many, rated(many)), "json"))["cycles"]) == 4


def test_json_and_csv_have_a_row_for_every_ordered_pair(golden: Golden) -> None:
    told = json.loads(render(cross_table(DUELS, rated(DUELS)), "json"))
    rows = told.pop("encounters")
    golden("\n".join(f"{key}: {value}" for key, value in rows[0].items()))
    assert [(row["bot"], row["other"], row["lead"]) for row in rows] == [
        ("A", "B", 1),
        ("B", "A", -1),
    ]
    assert told == {**DUELS.facts, "cycles": []}
    lines = list(csv.DictReader(io.StringIO(render(cross_table(DUELS, rated(DUELS)), "csv"))))
    assert [list(line) for line in lines] == [list(row) for row in rows]


@pytest.mark.slow  # a terminal, and a process for each way to ask for no colour
@pytest.mark.parametrize(
    ("words", "env", "is_coloured"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1", "COLUMNS": "40"}, False),
        ((), {"TERM": "dumb"}, False),
        (("--format", "github"), {}, False),
    ],
    ids=str,
)
def test_on_a_terminal_marks_are_coloured_unless_that_is_not_wanted(
    tmp_path: Path, words: tuple[str, ...], env: dict[str, str], is_coloured: bool
) -> None:
    places = {"a_bot_with_a_long_name": 1, "another_of_them": 2}
    lines = (json.dumps({"deal": str(number), "places": places}) for number in range(20))
    (tmp_path / "results.jsonl").write_text("\n".join(lines))
    with at_terminal("table", tmp_path / "results.jsonl", *words, **{"TERM": "xterm", **env}) as at:
        assert at.end() == 0
    assert ("\x1b[32m20/0/0+\x1b[0m" in at.shown) == is_coloured
    assert ("\x1b" in at.shown) == is_coloured
    if "COLUMNS" in env:  # it folds and splits
        assert max(map(len, at.shown.splitlines())) <= 40
        assert at.shown.count("#  Bot") == 2
