"""JSON as it is and as bots send it: what is plain, what fits a schema, what is no move at all."""

import copy
import json
import math
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from protocol.lines import INTEGER_LIMIT
from referee.rules.game import Move

Schema = Mapping[str, Any] | bool

NOTES = frozenset(
    ("$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated")
)
"""Keywords that describe and demand nothing."""
_LISTS_OF_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS_OF_SCHEMAS = ("properties", "$defs", "patternProperties")
_SCHEMAS = ("items", "contains", "additionalProperties", "propertyNames", "not")
_VALUES = (
    *("type", "enum", "const", "required", "uniqueItems", "pattern", "multipleOf", "$ref"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
    *("minItems", "maxItems", "minProperties", "maxProperties"),
)
KNOWN = frozenset((*NOTES, *_LISTS_OF_SCHEMAS, *_MAPS_OF_SCHEMAS, *_SCHEMAS, *_VALUES))
_TYPES: dict[str, Any] = {
    "null": type(None),
    "boolean": bool,
    "string": str,
    "array": list,
    "object": dict,
}
_BOUNDS = {
    "minimum": operator.ge,
    "maximum": operator.le,
    "exclusiveMinimum": operator.gt,
    "exclusiveMaximum": operator.lt,
    "multipleOf": lambda number, step: number % step == 0,
}
_LENGTHS = {"minLength": operator.ge, "maxLength": operator.le}
_ITEMS = {"minItems": operator.ge, "maxItems": operator.le}
_PROPERTIES = {"minProperties": operator.ge, "maxProperties": operator.le}


def within(schema: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a schema and every schema within it, each with its place."""
    yield where, schema
    if isinstance(schema, Mapping):
        for word in _MAPS_OF_SCHEMAS:
            for name, inner in schema.get(word, {}).items():
                yield from within(inner, f"{where}.{name}")
        for word in _LISTS_OF_SCHEMAS:
            for at, inner in enumerate(schema.get(word, ())):
                yield from within(inner, f"{where}.{word}[{at}]")
        for word in _SCHEMAS:
            if word in schema:
                yield from within(schema[word], f"{where}.{word}")


def malformed(schema: Any) -> str | None:
    """Return what is no schema within `schema`, or is a keyword not known here; None if nothing."""
    for where, inner in within(schema):
        place = f" in {where[1:]}" if where else ""
        if isinstance(inner, bool):
            continue
        if not isinstance(inner, Mapping):
            return f"a schema{place} is a {type(inner).__name__}"
        for word in inner:
            if word not in KNOWN:
                return f"the keyword {word!r}{place} is not known to check-game"
        kinds = inner.get("type", [])
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            if kind not in (*_TYPES, "integer", "number"):
                return f"there is no type {kind!r}{place}"
    return None


def misfit(schema: Schema, value: Any, root: Schema | None = None) -> str | None:
    """Return how `value` does not fit `schema`; None if it does."""
    root = schema if root is None else root
    if isinstance(schema, bool):
        return None if schema else f"nothing may stand where {value!r} does"
    if found := _simple(schema, value) or _number(schema, value) or _text(schema, value):
        return found
    checks = (_array, _object, _combined)
    return next((found for check in checks if (found := check(schema, value, root))), None)


def _is(kind: str, value: Any) -> bool:
    if kind in ("integer", "number"):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and (kind == "number" or value == value // 1)
    return isinstance(value, _TYPES[kind])


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON: true is not 1, and 1.0 is 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


def _simple(schema: Mapping[str, Any], value: Any) -> str | None:
    if "type" in schema:
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(_is(kind, value) for kind in kinds):
            return f"{value!r} is not of type {' or '.join(kinds)}"
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        return f"{value!r} is none of {schema['enum']}"
    if "const" in schema and not _same(value, schema["const"]):
        return f"{value!r} is not {schema['const']!r}"
    return None


def _number(schema: Mapping[str, Any], value: Any) -> str | None:
    return _broken(schema, value, value, _BOUNDS) if _is("number", value) else None


def _text(schema: Mapping[str, Any], value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    if "pattern" in schema and re.search(schema["pattern"], value) is None:
        return f"{value!r} does not match {schema['pattern']!r}"
    return _broken(schema, value, len(value), _LENGTHS)


def _array(schema: Mapping[str, Any], value: Any, root: Schema) -> str | None:
    if not isinstance(value, list):
        return None
    first = schema.get("prefixItems", ())
    for at, entry in enumerate(value):
        inner = first[at] if at < len(first) else schema.get("items", True)
        if found := misfit(inner, entry, root):
            return found
    if schema.get("uniqueItems"):
        for at, entry in enumerate(value):
            if any(_same(entry, other) for other in value[:at]):
                return f"{entry!r} stands twice in {value!r}"
    inside = schema.get("contains", True)
    if "contains" in schema and all(misfit(inside, entry, root) for entry in value):
        return f"nothing in {value!r} is what it must contain"
    return _broken(schema, value, len(value), _ITEMS)


def _object(schema: Mapping[str, Any], value: Any, root: Schema) -> str | None:
    if not isinstance(value, dict):
        return None
    for name in schema.get("required", ()):
        if name not in value:
            return f"{name!r} is missing in {value!r}"
    for name, entry in value.items():
        if found := misfit(schema.get("propertyNames", True), name, root):
            return found
        inner = [schema["properties"][name]] if name in schema.get("properties", {}) else []
        inner += [
            each
            for pattern, each in schema.get("patternProperties", {}).items()
            if re.search(pattern, name)
        ]
        for each in inner or [schema.get("additionalProperties", True)]:
            if found := misfit(each, entry, root):
                return f"{name!r}: {found}"
    return _broken(schema, value, len(value), _PROPERTIES)


def _broken(
    schema: Mapping[str, Any], value: Any, measure: Any, rules: Mapping[str, Any]
) -> str | None:
    for word, holds in rules.items():
        if word in schema and not holds(measure, schema[word]):
            return f"{value!r} breaks {word} {schema[word]!r}"
    return None


def _combined(schema: Mapping[str, Any], value: Any, root: Schema) -> str | None:
    if "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].removeprefix("#").split("/")[1:]:
            target = target[part]
        if found := misfit(target, value, root):
            return found
    for inner in schema.get("allOf", ()):
        if found := misfit(inner, value, root):
            return found
    for word, most in (("anyOf", None), ("oneOf", 1)):
        if word in schema:
            found_in = [misfit(inner, value, root) for inner in schema[word]]
            if not 1 <= found_in.count(None) <= (most or len(found_in)):
                which = next((each for each in found_in if each), "several forms fit at once")
                return f"{value!r} fits {found_in.count(None)} forms of {word}: {which}"
    if "not" in schema and misfit(schema["not"], value, root) is None:
        return f"{value!r} is what it must not be"
    return None


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
                return f"{where} has the key {repr(key)[:60]}, which is no text"
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
    return f"{where} is a {type(value).__name__}, {repr(value)[:60]}"


def _not_ready(ready: bytes, where: str) -> str | None:
    """Return what is wrong with JSON that stands in a view as it is sent."""
    try:
        value = msgspec.json.decode(ready)
    except msgspec.DecodeError as error:
        return f"{where} is ready JSON that cannot be read: {error}"
    if msgspec.json.encode(value) != ready:
        return f"{where} is ready JSON with spaces or line ends, or else not as msgspec writes it"
    return None


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
