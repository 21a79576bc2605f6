"""All the texts that a pattern allows, where there are few of them, as for the names of cards."""

from collections.abc import Iterator
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]  # no public module parses a pattern
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST_TEXTS = 4096
_BEGINS = (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING)
_ENDS = (ops.AT_END, ops.AT_END_STRING)


class TooManyTextsError(Exception):
    """A pattern allows more texts than MOST_TEXTS, or what is not followed up here."""


def texts_of(pattern: str) -> list[str]:
    """Return every text that a pattern allows from its beginning to its end, in a fixed order.

    Raises TooManyTextsError.
    """
    items = [*parser.parse(pattern)]
    if len(items) < 2 or items[0] not in _at(_BEGINS) or items[-1] not in _at(_ENDS):
        raise TooManyTextsError
    return [*dict.fromkeys(_row(items[1:-1]))]


def _at(places: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    return [(ops.AT, place) for place in places]


def _row(items: Any) -> list[str]:
    """Return the texts of some parts one behind the other."""
    found = [""]
    for item in items:
        following = [*_item(*item)]
        if len(found) * len(following) > MOST_TEXTS:
            raise TooManyTextsError
        found = [before + after for before, after in product(found, following)]
    return found


def _item(kind: Any, value: Any) -> Iterator[str]:
    """Yield the texts of one part."""
    if kind is ops.LITERAL:
        yield chr(value)
    elif kind is ops.RANGE:
        yield from map(chr, range(value[0], min(value[1], value[0] + MOST_TEXTS) + 1))
    elif kind is ops.IN:
        for each in value:
            yield from _item(*each)
    elif kind is ops.BRANCH:
        for each in value[1]:
            yield from _row(each)
    elif kind is ops.SUBPATTERN and not (value[1] or value[2]):  # flags, as in (?i:...)
        yield from _row(value[3])
    elif kind in (ops.MAX_REPEAT, ops.MIN_REPEAT) and value[1] <= MOST_TEXTS:
        least, most, repeated = value
        for times in range(least, most + 1):
            yield from _row([*repeated] * times)
    else:
        raise TooManyTextsError
