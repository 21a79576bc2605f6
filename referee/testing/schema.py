"""Does a move fit the JSON Schema of its decision? What games need of it, and nothing silent.

A keyword that is not known here is named, never passed over: a schema that is checked in part
would seem to fit. Users of a game need no further package for that.
"""

import operator
import re
from collections.abc import Iterator, Mapping
from typing import Any

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
