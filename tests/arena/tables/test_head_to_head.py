"""Two bots against each other: the rows, the sentence, and who can be asked for."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.cli.rating import rated
from arena.stats.outcomes import Result
from arena.tables.field import Field
from arena.tables.head_to_head import head_to_head
from arena.tables.table import render
from tests.arena.conftest import Arena
from tests.arena.tables.fields import field
from tests.golden import Golden

Played = list[tuple[str, Result]]


def deal(name: str, *matches: str) -> Played:
    """Matches of one deal: bots by seat, each with its place, as in `A1 B2`."""
    return [
        (name, Result(tuple(w[0] for w in text.split()), tuple(int(w[1:]) for w in text.split())))
        for text in matches
    ]


def deals(number: int, *matches: str) -> Played:
    return [match for n in range(number) for match in deal(f"{matches} {n}", *matches)]


DUELS = field(
    [
        *deals(30, "A1 B2", "B2 A1"),  # A wins from both seats
        *deals(12, "A1 B2", "B1 A2"),  # whoever sits first wins
        *deals(6, "A1 B1", "B1 A2"),
    ],
    faults={"B": {"late": 2, "illegal": 1}},
    forfeits={"B": 1},
)
TABLES = field([*deals(10, "A1 B2 C3", "C1 A2 B2"), *deals(5, "A1 C2 D3")])


def text(field: Field, bot: str = "A", other: str = "B") -> str:
    return render(head_to_head(field, rated(field), bot, other), "simple")


def shown(field: Field, bot: str = "A", other: str = "B") -> str:
    return " ".join(text(field, bot, other).split())


def told(field: Field, bot: str = "A", other: str = "B") -> dict[str, Any]:
    return json.loads(render(head_to_head(field, rated(field), bot, other), "json"))  # type: ignore[no-any-return]


def rows(field: Field) -> dict[tuple[str, int | None], tuple[object, ...]]:
    return {
        (row["bot"], row["seat"]): tuple(
            row[key] for key in ("matches", "deals", "wins", "draws", "losses", "points")
        )
        for row in head_to_head(field, rated(field), "A", "B").rows
    }


def test_both_bots_have_a_row_in_all_and_one_for_each_seat_that_is_known() -> None:
    assert rows(DUELS) == {
        ("A", None): (96, 48, 72, 6, 18, 75 / 96),
        ("A", 0): (48, 48, 42, 6, 0, 45 / 48),
        ("A", 1): (48, 48, 30, 0, 18, 30 / 48),
        ("B", None): (96, 48, 18, 6, 72, 21 / 96),
        ("B", 0): (48, 48, 18, 0, 30, 18 / 48),
        ("B", 1): (48, 48, 0, 6, 42, 3 / 48),
    }
    unknown = field(deals(5, "A1 B2"), by_seat=False)
    assert list(rows(unknown)) == [("A", None), ("B", None)]
    assert "Seat" not in shown(unknown)
    # only matches of both count, and larger ones show mean places
    assert rows(TABLES)["A", None] == (20, 10, 10, 10, 0, 0.75)
    assert {*rows(TABLES)} == {*(("A", None), ("A", 0), ("A", 1), ("B", None), ("B", 1), ("B", 2))}
    line = text(TABLES).splitlines()[2]
    assert line.split()[:5] == ["A", "any", "20", "10", "10/10/0"]
    assert line.split()[-1] == "1.50"
    assert "Place" not in shown(DUELS)


def test_who_leads_how_surely_is_said_in_sentences_with_faults(golden: Golden) -> None:
    golden(text(DUELS))
    facts, turned = told(DUELS), told(DUELS, "B", "A")
    assert facts["win_chance"] == pytest.approx(72 / 96, abs=0.03)
    assert turned["rating_gap"] == -facts["rating_gap"]
    assert facts["faults"] == {"A": {}, "B": {"illegal": 1, "late": 2}}
    assert facts["forfeits"] == {"A": 0, "B": 1}
    for one in ("By their own matches A is surely ahead of B: ", "A surely leads by "):
        assert one in shown(DUELS, "B", "A")
    two, even = field(deals(2, "A1 B2")), field([*deals(5, "A1 B2"), *deals(4, "A2 B1")])
    golden(text(two))
    golden(text(even))


def test_two_that_never_met_are_compared_if_anything_links_them(golden: Golden) -> None:
    apart = field([*deals(9, "A1 C2"), *deals(9, "C1 D2"), *deals(9, "X1 Y2")], bots="B")
    golden(text(apart, "A", "D"))
    assert told(apart, "A", "D")["encounters"] == []
    for other in ("X", "B"):
        assert "their ratings cannot be compared." in shown(apart, "A", other)
        assert told(apart, "A", other)["win_chance"] is None


def test_mistakes_are_one_line(arena: Arena, played: Path) -> None:
    for words, said in (
        (("--between", "one", "tow"), "Did you mean 'two'?"),
        (("--between", "one", "x"), "Known: illegal, one, two"),
        (("--between", "one", "one"), "name two different bots"),
        (("--between", "one", "\x1b[2J"), "has no bot '\\x1b[2J'"),
        (("--between", "one", "two", "--cells", "wins"), "--cells is about the cross-table"),
    ):
        result = arena("table", played, *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
        assert "\x1b" not in result.stderr
