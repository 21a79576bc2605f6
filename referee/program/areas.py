"""The table that a game's program shows, made areas from JSON."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from referee.scene import Area, Card, Facts, Grid, Group, Row, Text, Token, Track

_DEEPEST = 8
"""How deep groups may lie in each other."""


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


def areas_of(raw: Sequence[dict[str, Any]], *, depth: int = 0) -> list[Area]:
    """Return areas from the JSON that `referee.scene` writes; a `Map` needs a ground, and is none.

    Raises msgspec.ValidationError where one is wrong, and says which.
    """
    if depth > _DEEPEST:
        raise msgspec.ValidationError(f"groups lie in each other more than {_DEEPEST} deep")
    areas: list[Area] = []
    for at, each in enumerate(raw):
        try:
            areas.append(_area(each, depth))
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"area {at}: {error}") from None
    return areas


def _area(raw: dict[str, Any], depth: int) -> Area:
    area: _AnyRaw = msgspec.convert(raw, _AnyRaw)
    match area:
        case _RawRow():
            items = [_item(item) for item in area.items]
            return Row(area.label, items, area.seat, area.note, area.most)
        case _RawGroup():
            inner = areas_of(area.areas, depth=depth + 1)
            return Group(area.label, inner, area.seat, area.hidden)
    return area


def _item(raw: dict[str, Any]) -> Card | Token:
    """Return a thing of a row: only tokens have a kind."""
    return msgspec.convert(raw, Token) if "kind" in raw else msgspec.convert(raw, Card)
