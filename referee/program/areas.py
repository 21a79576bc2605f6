"""The table that a game's program shows, made areas from JSON."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from referee.rules.scene import Area, Card, Facts, Grid, Group, Row, Text, Token, Track

_DEEPEST = 8
"""How deep groups may lie in each other."""
_LONGEST = 1000
"""Characters that a text of an area may have."""
_MOST_STEPS = 1000
"""Places that a track may have."""


class _RawRow(msgspec.Struct, frozen=True, tag="row", tag_field="t"):
    """A row before it is known which of its items are cards: msgspec cannot read these."""

    label: str
    items: list[dict[str, Any]] = []
    seat: int | None = None
    note: str = ""
    most: Annotated[int, Meta(ge=0)] = 0


class _RawGroup(msgspec.Struct, frozen=True, tag="group", tag_field="t"):
    """A group whose areas are still to be read."""

    label: str
    areas: list[dict[str, Any]]
    seat: int | None = None
    hidden: bool = False


_AnyRaw = _RawRow | _RawGroup | Track | Grid | Facts | Text


def areas_of(raw: Sequence[dict[str, Any]], seats: int, *, depth: int = 0) -> list[Area]:
    """Return areas from the JSON of `referee.rules.scene`; a `Map` needs a ground, and is none.

    Raises msgspec.ValidationError where one is wrong, and says which: also where one is about a
    seat that is not there, or holds a text that a terminal would obey.
    """
    if depth > _DEEPEST:
        raise msgspec.ValidationError(f"groups lie in each other more than {_DEEPEST} deep")
    areas: list[Area] = []
    for at, each in enumerate(raw):
        try:
            area = _area(each, seats, depth)
            _check(area, seats)
            areas.append(area)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"area {at}: {error}") from None
    return areas


def _area(raw: dict[str, Any], seats: int, depth: int) -> Area:
    area: _AnyRaw = msgspec.convert(raw, _AnyRaw)
    match area:
        case _RawRow():
            items = [_item(item) for item in area.items]
            return Row(area.label, items, area.seat, area.note, area.most)
        case _RawGroup():
            inner = areas_of(area.areas, seats, depth=depth + 1)
            return Group(area.label, inner, area.seat, area.hidden)
    return area


def _item(raw: dict[str, Any]) -> Card | Token:
    """Return a thing of a row: only tokens have a kind."""
    return msgspec.convert(raw, Token) if "kind" in raw else msgspec.convert(raw, Card)


def _check(area: Area, seats: int) -> None:
    """Raise msgspec.ValidationError for an area of the right form that nobody can draw."""
    match area:
        case Grid():
            rows = [len(row) for row in area.cells]
            if area.owner and [len(row) for row in area.owner] != rows:
                raise msgspec.ValidationError("`owner` has not the shape of `cells`")
            if len(area.rows) not in (0, len(rows)):
                raise msgspec.ValidationError("`rows` are not as many as there are")
            if area.columns and {*rows} != {len(area.columns)}:
                raise msgspec.ValidationError("`columns` are not as many as there are in each row")
            if any(not (0 <= y < len(rows) and 0 <= x < rows[y]) for y, x in area.marked):
                raise msgspec.ValidationError("`marked` holds a square that is not there")
        case Facts() if area.seats and len(area.seats) != len(area.rows):
            raise msgspec.ValidationError("`seats` are not as many as `rows`")
        case Text() if area.seats and len(area.seats) != len(area.lines):
            raise msgspec.ValidationError("`seats` are not as many as `lines`")
        case Track():
            if not 0 <= area.high - area.low <= _MOST_STEPS:
                raise msgspec.ValidationError(f"a track has from 1 to {_MOST_STEPS + 1} places")
            if any(not area.low <= mark.at <= area.high for mark in area.marks):
                raise msgspec.ValidationError("a mark lies beside its track")
    _check_values(area, seats)


def _check_values(value: Any, seats: int, field: str = "") -> None:
    """Raise msgspec.ValidationError for odd texts and for seats that are not there."""
    if isinstance(value, str):
        if len(value) > _LONGEST:
            raise msgspec.ValidationError(f"a text is longer than {_LONGEST} characters")
        if not value.isprintable():
            raise msgspec.ValidationError(f"the text {value[:40]!r} holds what cannot be printed")
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name != "areas":  # of a group, which were looked at one by one
                _check_values(getattr(value, name), seats, name)
    elif isinstance(value, Sequence):
        for each in value:
            _check_values(each, seats, field)
    elif field in _SEATS and value is not None and not 0 <= value < seats:
        raise msgspec.ValidationError(f"it is about seat {value}, and there are {seats}")


_SEATS = ("seat", "seats", "owner")
"""Fields that hold numbers of seats."""
