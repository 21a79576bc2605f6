"""What is wrong with many a reply, in words for the bot's author."""

from collections.abc import Collection
from typing import Any

from referee.game import Move

_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number with a point",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def kind(value: Any) -> str:
    """Return what kind of JSON value this is."""
    return _KINDS[type(value)]


def missing(move: Move, *fields: str) -> str | None:
    """Return which of `fields` is not in `move`, or None."""
    for field in fields:
        if field not in move:
            return f'"{field}" is missing'
    return None


def wrong_fields(move: Move, *fields: str) -> str | None:
    """Return which of `fields` is missing in `move`, or what it has besides; None if neither."""
    if reason := missing(move, *fields):
        return reason
    for field in move:
        if field not in fields:
            known = ", ".join(f'"{name}"' for name in fields)
            return f"{field[:30]!r} is no field of this reply, which has only {known}"
    return None


def no_list(value: object, field: str, things: str = "cards") -> str | None:
    """Return why the value of a `field` is no list of `things`; None if it is a list."""
    if isinstance(value, list):
        return None
    return f'"{field}" must be a list of {things}, not {kind(value)}'


def wrong_card(
    card: object, known: Collection[str], example: str, what: str = "a card"
) -> str | None:
    """Return why `card` is none of the `known` names, which are `what`; None if it is one."""
    if not isinstance(card, str):
        return f"a card is written like {example}, not as {kind(card)}"
    if card not in known:
        return f"{card[:20]!r} is not {what}; a card is written like {example}"
    return None
