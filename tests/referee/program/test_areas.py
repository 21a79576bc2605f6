"""Areas from JSON: what the scene of any game is written as, is read again."""

import json

import msgspec
import pytest

from referee.program.areas import areas_of
from referee.scene import (
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
    again = areas_of(written(AREAS))
    assert again == AREAS
    assert written(again) == written(AREAS)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([{"t": "grid", "label": "x"}], "area 0: Object missing required field `cells`"),
        ([{"t": "text", "label": "", "lines": []}, {}], "area 1: Object missing required field"),
        ([{"t": "row", "label": "x", "items": [{"kind": "die"}]}], "missing required field `text`"),
        ([{"t": "group", "label": "", "areas": [{"t": "sea"}]}], "area 0: area 0: Invalid value"),
        (written([Map("Land", [None], [""])]), "area 0: Invalid value 'map'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(raw: list[dict[str, object]], words: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=words):
        areas_of(raw)


def test_groups_within_groups_have_an_end() -> None:
    raw: dict[str, object] = {"t": "text", "label": "", "lines": []}
    for _ in range(500):
        raw = {"t": "group", "label": "", "areas": [raw]}
    with pytest.raises(msgspec.ValidationError, match="8 deep"):
        areas_of([raw])
