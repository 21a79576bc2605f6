"""Each kind of area as a terminal draws it: its form, its width, wide letters, nothing to show."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.cards import EMPTY, back, face_down, french
from referee.rules.drawing import drawn
from referee.rules.scene import (
    Area,
    Card,
    Facts,
    Grid,
    Ground,
    Group,
    Map,
    Mark,
    Place,
    Row,
    Text,
    Token,
    Track,
)
from referee.rules.words import width
from tests.golden import Golden

AB = ("A", "B")
GROUND = Ground(
    [Place("north", 0, 0, "up"), Place("west", 0, 9, "down"), Place("east", 9, 9, "down")],
    [(0, 1), (1, 2)],
)


def cards(codes: str) -> list[Card]:
    return [french(code) for code in codes.split()]


def pair(*rows: Row) -> list[Area]:
    """Return the same rows of both seats."""
    return [Group("", rows, seat) for seat in (0, 1)]


WON = Row("", [french("7H", "won"), face_down("8H"), french("9H", "lost"), french("TH", "won")])
TOLD = [Card("7", "oros"), Card("Ace"), Card(suit="joker"), french("KD", count=3)]
HAS = [Token("wood", "token", 2), Token("egypt", "cannon", code="egypt (cannon)")]
WIDE = Row("手", [Token("日本", "word"), Token("e\u0301", "word"), Token("中国", "word")])
SCREEN = Group("Behind", [Row("Hand", cards("7H")), Facts("Hoard", (), [["nothing"]])], hidden=True)
LATELY = ["draws", "stops", "passes", "ends the turn"]
FIGHT = Group("Fight", [Row("", cards("7H"), 0), Row("loot", cards("8H"), 1)])
HEXAGONS = [["X", "", ""], ["", "O", ""], ["", "", "X"]]
SQUARES = Grid("", [["", "", "12"]], [[0, None, 1]])
WORLD = Map("World", [0, 1, 1], ["3", "12", "1"], marked=[1], arrows=[(1, 0)])

DRAWN: dict[str, tuple[list[Area], dict[str, Any]]] = {
    "rows stand in line, of nothing is a dash, and tokens and piles are counted": (
        [
            *(Row("Hand", cards("7H TC")), Row("Deck", [back(30)], note="shuffled")),
            *(Row("Empty"), Row("Place", [EMPTY]), Row("Told", TOLD), Row("Has", HAS)),
            Row("Pile", cards("7H 8H 9H"), most=1),
        ],
        {},
    ),
    "what stands out is explained once below": ([WON, WON], {}),
    "a long row goes on below its first item and breaks no item": (
        [Row("Hand", [*cards("7H 8H 9H TH JH"), back(12)])],
        {"most": 20},
    ),
    "wide letters take their room": ([WIDE, Row("ab", [Token("x", "word")])], {"most": 14}),
    # seats and groups
    "what belongs to a seat is headed by it and the viewer's is said": ([FIGHT], {"seat": 1}),
    "names begin with a capital where a line begins": (
        [Group("", [Row("Hand", cards("7H")), Row("Pack")], 0)],
        {"names": ["seat 0"]},
    ),
    "groups of the same rows are a table": (
        pair(Row("Hand", cards("7H")), Row("Pack", [back(3)])),
        {},
    ),
    "groups too wide for a table stand below each other": (
        pair(Row("Hand", cards("7H " * 27)), Row("Pack")),
        {},
    ),
    "what is hidden from the others says so": ([SCREEN], {}),
    "what is hidden says so where there is little room": ([SCREEN], {"most": 30}),
    # tables and words
    "a table has its numbers to the right and its seats first": (
        [Facts("Money", ("Has", "Note"), [["7", "poor"], ["1000", ""]], (0, 1))],
        {"seat": 1},
    ),
    "tables about no seats, a single fact, and no rows": (
        [
            Facts("Rates", ("What", "Pays"), [["wood", "2"], ["gold", "10"]]),
            *(Facts("Turn 3", (), [["in turn", "asked"]], [1]), Facts("Lately", (), [])),
        ],
        {},
    ),
    "a table too wide is folded where it is widest": (
        [Facts("", ("Who", "What"), [["ann", "one two three four five"]])],
        {"most": 20},
    ),
    "lines stand beside or below their label and are folded": (
        [Text("Round 3", ["all bet"]), Text("Lately", ["one two three four five", "six"])],
        {"most": 16},
    ),
    "a line without a label is alone": ([Text("", ["alone"])], {}),
    "what a seat did one after the other is a paragraph": (
        [Text("Lately", LATELY, (0, 0, 1, 0))],
        {"seat": 0, "most": 28},
    ),
    # tracks, squares and maps
    "a track is drawn with its marks, and told alone if it is too long or of nothing": (
        [
            Track("Life", 0, 5, [Mark(2, "2", 0), Mark(4, "4+", 1)], note="of 5"),
            Track("Line", -2, 2, [Mark(-1, "●", name="pawn at -1")], ("B", "A")),
            Track("Points", 0, 100, [Mark(7, "7", 0)]),
            Track("Life", 0, 0, []),
        ],
        {},
    ),
    "marks at one place are a hash and far ones stand at the end": (
        [Track("Life", 0, 3, [Mark(1, "1", 0), Mark(1, "1", 1), Mark(9, "x")])],
        {},
    ),
    "a track without room is told alone": ([Track("Life", 0, 5, [Mark(2, "2", 0)])], {"most": 20}),
    "a grid has its labels and its marks, and is slanted for hexagons": (
        [
            Grid(
                "Board",
                [["", "O"], ["X", ""]],
                (),
                ("2", "1"),
                ("a", "b"),
                [(1, 0)],
                note="X moves",
            ),
            Grid("", HEXAGONS, rows=("1", "2", "3"), columns=("a", "b", "c"), slanted=True),
        ],
        {},
    ),
    "squares that hold nothing but an owner show its sign": ([SQUARES], {}),
    "the sign of an owner may be a digit": ([SQUARES], {"names": ["seat 0", "seat 1"]}),
    "a map is its places by region, what happens there and one's neighbours": (
        [WORLD],
        {"ground": GROUND, "seat": 0, "most": 30},
    ),
    "a place that nobody holds has a dash": (
        [Map("World", [None, 0, 1], ["", "1", "1"])],
        {"ground": GROUND},
    ),
}


@pytest.mark.parametrize("what", DRAWN)
def test_an_area_is_drawn(what: str, golden: Golden) -> None:
    areas, given = DRAWN[what]
    names = given.get("names", AB)
    golden(drawn(areas, names, **{key: each for key, each in given.items() if key != "names"}))


def test_nothing_is_nothing() -> None:
    assert drawn([Text("", [])], AB) == drawn([], AB, most=40) == ""
    assert "  - " not in drawn([WORLD], AB, ground=GROUND)


WORDS = st.text(st.sampled_from("ab -日é😀\u0301"), max_size=30)
SEATS = st.none() | st.integers(0, 1)
ITEMS = st.lists(
    st.builds(
        Card, WORDS, st.sampled_from(["", "oros", "hearts"]), code=WORDS, count=st.integers(0, 9)
    )
    | st.builds(Token, WORDS, WORDS, st.integers(0, 9)),
    max_size=20,
)
TABLES = st.integers(1, 4).flatmap(
    lambda count: st.builds(
        Facts,
        WORDS,
        st.lists(WORDS, min_size=count, max_size=count),
        st.lists(st.lists(WORDS, min_size=count, max_size=count), max_size=4),
    )
)
MARKS = st.lists(st.builds(Mark, st.integers(-99, 99), WORDS, SEATS, WORDS), max_size=4)
SIMPLE = (
    st.builds(Row, WORDS, ITEMS, SEATS, WORDS)
    | st.builds(Track, WORDS, st.integers(-9, 0), st.integers(0, 50), MARKS)
    | TABLES
    | st.builds(Text, WORDS, st.lists(WORDS, max_size=4))
    | st.builds(Grid, WORDS, st.lists(st.lists(WORDS, max_size=5), max_size=4))
    | st.builds(Map, WORDS, st.just([0, None, 1]), st.lists(WORDS, min_size=3, max_size=3))
)
AREAS = st.recursive(
    SIMPLE,
    lambda inner: st.builds(Group, WORDS, st.lists(inner, max_size=4), SEATS, st.booleans()),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=400, derandomize=True)
@given(st.lists(AREAS, max_size=6), st.integers(20, 90), SEATS)
def test_whatever_a_scene_holds_no_line_is_wider_than_asked_for(
    areas: list[Area], most: int, seat: int | None
) -> None:
    text = drawn(areas, AB, seat, GROUND, most)
    assert all(width(line) <= most for line in text.splitlines())
    assert not any(line.endswith(" ") for line in text.splitlines())
