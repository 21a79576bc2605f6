"""The table of circles: what it says where there are some, and where there are none."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from arena.tables.circles import KEYS, circles_table
from arena.tables.field import Field
from arena.tables.table import render
from tests.arena.conftest import Arena
from tests.arena.stats.deals import duels
from tests.arena.tables.fields import field as of_matches
from tests.golden import Golden


def field(*won: tuple[str, str, int, int]) -> Field:
    """The field of duels: two bots, and how many deals each won."""
    return of_matches(duels(*won))


def text(of: Field) -> str:
    return render(circles_table(of), "simple")


def words(of: Field) -> str:
    return " ".join(text(of).split())


CIRCLE = (
    *(("paper", "rock", 60, 20), ("rock", "scissors", 60, 20), ("paper", "scissors", 20, 60)),
    *((bot, "zero", 60, 20) for bot in ("paper", "rock", "scissors")),
)
LINE = (
    *((one, two, 56, 24) for one, two in ("AB", "BC", "CD")),
    *((one, two, 68, 12) for one, two in ("AC", "BD")),
    ("A", "D", 75, 5),
)


def test_a_circle_is_named_and_sent_by_lot(golden: Golden) -> None:
    golden(text(field(*CIRCLE)))
    assert max(map(len, text(field(*CIRCLE)).splitlines())) <= 80


def test_programs_are_told_all_of_it() -> None:
    told = json.loads(render(circles_table(field(*CIRCLE)), "json"))
    (cycle,) = told["cycles"]
    assert (cycle["bots"], cycle["points"]) == (["paper", "rock", "scissors"], [0.75, 0.75, 0.75])
    (rest,) = told["unexplained"]
    assert rest["is_sure"]
    assert rest["share"] == pytest.approx(0.5, abs=0.1)
    assert [tuple(row) for row in told["lottery"]] == [KEYS] * 4
    assert sum(row["weight"] for row in told["lottery"]) == pytest.approx(1, abs=1e-3)


def test_where_there_is_no_circle_it_says_so() -> None:
    said = words(field(*LINE))
    assert "No circles are found" in said
    assert "which beats" not in said
    assert "A 100 %" in said
    for won, told in (
        ((20, 20), "No circles are found. What part of how the bots differ"),
        ((60, 20), "no three beat each other in a circle"),
    ):
        said = words(field(*[(one, two, *won) for one, two in combinations("ABCD", 2)]))
        assert told in said
    assert "One number a bot, such as a rating, cannot say" in said
    empty = Field(name="cup", bots=("A", "B"), deals={})
    assert "0 matches" in words(empty)
    assert render(circles_table(empty), "csv") == ",".join(KEYS)
    assert "Too few pairs met" in words(field(("A", "B", 3, 1)))
    ring = (("A", "B", 60, 20), ("B", "C", 60, 20), ("C", "D", 9, 9), ("A", "D", 9, 9))
    assert "2 pairs never met" in words(field(*ring))


def test_groups_stand_apart() -> None:
    apart = field(*CIRCLE, ("X", "Y", 3, 3), ("Y", "Z", 3, 3), ("X", "Z", 3, 3))
    said = words(apart)
    assert "Group 1: One number a bot" in said
    assert "Group 2: No circles are found" in said
    told = json.loads(render(circles_table(apart), "json"))
    assert [each["group"] for each in told["unexplained"]] == [1, 2]


def test_the_command_shows_it_alone(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    lines = [{"places": {"A": 1, "B": 2}}] * 6 + [{"places": {"B": 1, "C": 2}}] * 6
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "To send" in arena("table", path, "--cycles").stdout
    for others in (("--cells", "points"), ("--between", "A", "B")):
        refused = arena("table", path, "--cycles", *others)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "--cycles is a table of its own" in refused.stderr
