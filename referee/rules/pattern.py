"""What a pattern allows and costs: all its texts, where there are few, and how often it may try."""

import re
from collections.abc import Iterator
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]  # no public module parses a pattern
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST_TEXTS = 4096
MOST_TRIES = 10**6
"""A pattern that may be tried in more ways than this can keep whoever matches it for hours."""
_BEGINS = (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING)
_ENDS = (ops.AT_END, ops.AT_END_STRING)


def texts_of(pattern: str) -> list[str]:
    """Return every text that a pattern allows from its beginning to its end, in a fixed order.

    Raises OverflowError.
    """
    items = [*parser.parse(pattern)]
    if len(items) < 2 or items[0] not in _at(_BEGINS) or items[-1] not in _at(_ENDS):
        raise OverflowError
    return [*dict.fromkeys(_row(items[1:-1]))]


def _at(places: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    return [(ops.AT, place) for place in places]


def _row(items: Any) -> list[str]:
    """Return the texts of some parts one behind the other."""
    found = [""]
    for item in items:
        following = [*_item(*item)]
        if len(found) * len(following) > MOST_TEXTS:
            raise OverflowError
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
        raise OverflowError


# --- what it costs


def tries(pattern: str, longest: int) -> int:
    """Return in how many ways a pattern may be tried on a text of up to so many characters.

    It is a bound, and counted no further than a little beyond MOST_TRIES. Raises ValueError for
    what is no pattern.
    """
    try:
        re.compile(pattern)
        parsed = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"the pattern cannot be read: {error}") from None
    items = [*parsed]
    starts = 1 if items and items[0] in _at(_BEGINS) else longest + 1
    if items and items[-1][0] in _REPEATS and _ways_of(items[-1][1][2], longest) == 1:
        items.pop()  # nothing comes after it that could fail
    return min(starts * _ways_of(items, longest), MOST_TRIES + 1)


_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_PLAIN = (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN, ops.AT, ops.GROUPREF)


def _ways_of(items: Any, longest: int) -> int:
    ways = 1
    for kind, value in items:
        ways = min(ways * _ways(kind, value, longest), MOST_TRIES + 1)
    return ways


def _ways(kind: Any, value: Any, longest: int) -> int:
    """Return in how many ways one part may be tried."""
    if kind in _PLAIN:
        return 1
    if kind is ops.SUBPATTERN:
        return _ways_of(value[3], longest)
    if kind is ops.ATOMIC_GROUP:
        return _ways_of(value, longest)
    if kind in (ops.ASSERT, ops.ASSERT_NOT):
        return _ways_of(value[1], longest)
    if kind is ops.BRANCH:
        each_ways = [_ways_of(each, longest) for each in value[1]]
        firsts = [each[0] if len(each) else None for each in value[1]]
        are_literals = all(first and first[0] is ops.LITERAL for first in firsts)
        letters = {chr(first[1]).casefold() for first in firsts if first} if are_literals else {}
        return max(each_ways) if len(letters) == len(firsts) else sum(each_ways)  # a letter decides
    if kind in _REPEATS:
        least, most, repeated = value
        each, most = _ways_of(repeated, longest), min(most, longest)
        if each == 1:
            return max(int(most) - int(least) + 1, 1)
        ways, power = 0, 1
        for times in range(int(most) + 1):
            ways += power if times >= least else 0
            power *= each
            if power > MOST_TRIES:
                return MOST_TRIES + 1
        return max(ways, 1)
    return MOST_TRIES + 1
