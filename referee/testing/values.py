"""JSON as it is, and as bots send it: what is plain, what was changed, what is no move at all."""

import copy
import json
import math
import unicodedata
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from protocol.lines import INTEGER_LIMIT
from referee.rules.game import Move

WIDTH = 80
"""The columns of a terminal."""
JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 4, 2.0, 0.5, 10**20, "", "0", "\ud800", [], {}, [[]], [0], {"": 0},
)  # fmt: skip


def snapshot(value: Any) -> str:
    """Return `value` as text, to compare it with what it is later."""
    return msgspec.json.encode(value).decode()


def not_plain(value: Any, where: str, *, structs: bool = False) -> str | None:
    """Return what in `value` is no JSON as it is; None if all is: no tuples, no NaN.

    With `structs`, structures of msgspec may stand for objects, and its Raw for JSON that is ready,
    as in a view.
    """
    if type(value) is dict:
        for key, entry in value.items():
            if type(key) is not str:
                return f"{where} has the key {short_of(key)}, which is no text"
            if found := not_plain(entry, f"{where}.{key}", structs=structs):
                return found
        return None
    if type(value) is list:
        found_in = (
            not_plain(entry, f"{where}[{at}]", structs=structs) for at, entry in enumerate(value)
        )
        return next((found for found in found_in if found), None)
    if structs and isinstance(value, msgspec.Struct):
        entries = {name: getattr(value, name) for name in value.__struct_fields__}
        return not_plain(entries, where, structs=structs)
    if structs and isinstance(value, msgspec.Raw):
        return _not_ready(bytes(value), where)
    if type(value) is float and not math.isfinite(value):
        return f"{where} is {value}, which JSON does not have"
    if type(value) is int and abs(value) > INTEGER_LIMIT:
        return f"{where} is {value}, beyond 2**53, where many languages lose digits"
    if value is None or type(value) in (str, int, float, bool):
        return None
    return f"{where} is a {type(value).__name__}, {short_of(value)}"


def _not_ready(ready: bytes, where: str) -> str | None:
    """Return what is wrong with JSON that stands in a view as it is sent."""
    try:
        value = msgspec.json.decode(ready)
    except msgspec.DecodeError as error:
        return f"{where} is ready JSON that cannot be read: {error}"
    if msgspec.json.encode(value) != ready:
        return f"{where} is ready JSON with spaces or line ends, or else not as msgspec writes it"
    return None


def short_of(value: Any) -> str:
    """Return the beginning of a value as text."""
    return repr(value)[:60]


def columns(line: str) -> int:
    """Return how many columns of a terminal a line takes."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in line)


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container within `value` with every key or index of it."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from spots(value[key])


def mutant(move: Move, rng: Random) -> Move:
    """Return `move` with one thing in it replaced, taken away, repeated or added."""
    changed: Move = json.loads(json.dumps(move))
    container, key = rng.choice([*spots(changed), (changed, "extra")])
    change = rng.choice(("replace", "remove", "repeat"))
    if key == "extra" or change == "replace":
        container[key] = rng.choice(JUNK)
    elif change == "remove":
        del container[key]
    elif isinstance(container, list):
        container.append(container[key])
    else:
        container[key] = [container[key]]
    return changed


def misnumbered(move: Move) -> Iterator[Move]:
    """Yield `move` with each of its whole numbers as a float, or as true or false."""
    for at, (container, key) in enumerate(spots(move)):
        number = container[key]
        if type(number) is int:
            for wrong in (float(number), bool(number)):
                if wrong == number:
                    changed = copy.deepcopy(move)
                    inside, there = list(spots(changed))[at]
                    inside[there] = wrong
                    yield changed


def any_object(words: Sequence[str], rng: Random) -> dict[str, Any]:
    """Return a JSON object that often uses `words`."""
    return {_word(words, rng): _anything(words, rng, 3) for _ in range(rng.randrange(6))}


def _anything(words: Sequence[str], rng: Random, depth: int) -> Any:
    kind = rng.randrange(8 if depth else 6)
    if kind == 6:
        return [_anything(words, rng, depth - 1) for _ in range(rng.randrange(5))]
    if kind == 7:
        return {
            _word(words, rng): _anything(words, rng, depth - 1) for _ in range(rng.randrange(4))
        }
    if kind == 5:
        return rng.choice(JUNK)
    if kind == 4:
        return rng.choice((rng.randint(-(2**70), 2**70), rng.uniform(-5, 15)))
    return rng.randint(-3, 12) if kind == 3 else _word(words, rng)


def _word(words: Sequence[str], rng: Random) -> str:
    if words and rng.random() < 0.9:
        return rng.choice(words)
    return "".join(chr(rng.randrange(32, 0x300)) for _ in range(rng.randrange(4)))


def spoil(value: Any) -> None:
    """Change everything within `value` that can be changed."""
    for container, key in list(spots(value)):
        container[key] = "spoilt"
