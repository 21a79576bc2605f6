"""Areas from JSON: what the scene of any game is written as, is read again."""

import json

import msgspec
import pytest

from referee.program.areas import areas_of
from referee.rules.scene import (
    Area,
    Card,
    Facts,
    Grid,
    Group,
    Map,
    Mark,
    Row,
    Text,
    Token,
    Track,
)

AREAS: list[Area] = [
    Row("Hand", [Card("7", "oros"), Card(), Token("3", "die")], seat=1),
    Group("Behind the screen", [Track("Way", 0, 9, [Mark(4, "x")])], seat=0, hidden=True),
    Grid("Board", [["", "X"]], [[None, 1]], marked=[(0, 1)]),
    Facts("Seats", ["gold"], [["1"], ["2"]], [0, 1]),
    Text("Lately", ["seat 0 waits"]),
]


def written(areas: list[Area]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(msgspec.json.encode(areas))
    return found


def test_areas_are_read_as_they_were_written() -> None:
    again = areas_of(written(AREAS), 2)
    assert again == AREAS
    assert written(again) == written(AREAS)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([{"t": "grid", "label": "x"}], "area 0: Object missing required field `cells`"),
        ([{"t": "text", "label": "", "lines": []}, {}], "area 1: Object missing required field"),
        ([{"t": "row", "label": "x", "items": [{"kind": "die"}]}], "missing required field `text`"),
        ([{"t": "group", "label": "", "areas": [{"t": "sea"}]}], "area 0: area 0: Invalid value"),
        (written([Text("\x1b[2J", [])]), "holds what cannot be printed"),
        (written([Text("", ["\u202e"])]), "holds what cannot be printed"),
        (written([Row("", [Token("x", "die", name="\r")])]), "holds what cannot be printed"),
        (written([Text("", ["x" * 1001])]), "longer than 1000 characters"),
        (written([Row("", seat=2)]), "about seat 2, and there are 2"),
        (written([Row("", seat=-1)]), "about seat -1, and there are 2"),
        (written([Track("", 0, 9, [Mark(4, "x", 7)])]), "about seat 7"),
        (written([Track("", 0, 9, [Mark(-1, "x")])]), "a mark lies beside its track"),
        (written([Track("", 0, 10**12)]), "from 1 to 1001 places"),
        (written([Grid("", [["", "X"]], [[5, 1]])]), "about seat 5"),
        (written([Grid("", [["", "X"]], [[1]])]), "`owner` has not the shape"),
        (written([Grid("", [[""]], rows=["a", "b"])]), "`rows` are not as many"),
        (written([Grid("", [[""]], columns=["a", "b"])]), "`columns` are not as many"),
        (written([Grid("", [[""]], marked=[(0, -1)])]), "`marked` holds a square"),
        (written([Facts("", [], [["1"]], [0, 1])]), "`seats` are not as many as `rows`"),
        (written([Text("", ["1"], [0, 1])]), "`seats` are not as many as `lines`"),
        (written([Group("", [Row("", seat=2)])]), "area 0: area 0: it is about seat 2"),
        (written([Map("Land", [None], [""])]), "area 0: Invalid value 'map'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(raw: list[dict[str, object]], words: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=words):
        areas_of(raw, 2)


def test_groups_within_groups_have_an_end() -> None:
    raw: dict[str, object] = {"t": "text", "label": "", "lines": []}
    for _ in range(500):
        raw = {"t": "group", "label": "", "areas": [raw]}
    with pytest.raises(msgspec.ValidationError, match="8 deep"):
        areas_of([raw], 2)
