"""The other way round from `typed`: which form a move has, and the words to type for it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.cli.typed import NOTHING, YES_NO, Schema, readings
from referee.game import Move

_KINDS: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def forms_of(schema: Schema) -> list[Schema]:
    """Return the forms a move may have."""
    return list(schema.get("oneOf") or schema.get("anyOf") or [schema])


def fits(schema: Schema, value: Any) -> bool:
    """Return whether a value is as a schema says, by those of its words that tell forms apart."""
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(isinstance(value, _KINDS[kind]) for kind in kinds):
        return False
    if isinstance(value, str):
        return re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, list):
        return schema.get("minItems", 0) <= len(value) <= schema.get(
            "maxItems", len(value)
        ) and all(fits(schema.get("items", {}), item) for item in value)
    if isinstance(value, Mapping):
        fields = schema.get("properties", {})
        other = schema.get("additionalProperties", not fields)
        kinds = {name: fields.get(name, other) for name in value}
        return all(name in value for name in schema.get("required", ())) and all(
            kind is not False and fits(kind or {}, value[name]) for name, kind in kinds.items()
        )
    return True


def vocabulary(schema: Schema) -> list[str]:
    """Return the words of a schema itself that a person may type: fields and fixed values."""
    found: list[Any] = []
    todo: list[Any] = [schema]
    while todo:
        kind = todo.pop()
        if isinstance(kind, Mapping):
            fields = kind.get("properties", {})
            found += [*fields, *kind.get("enum", ()), kind.get("const")]
            todo += [*fields.values(), kind.get("items")]
            todo += [*kind.get("oneOf", ()), *kind.get("anyOf", ())]
    return [word for word in found if isinstance(word, str)]


def is_known(word: str, known: Sequence[str]) -> bool:
    """Return whether a word may be a number, one for yes, no or nothing, or the start of a text."""
    small = word.lower()
    return (
        re.fullmatch(r"[+-]?\d+", word) is not None
        or small in NOTHING
        or small in YES_NO
        or any(text.lower().startswith(small) for text in known)
    )


def spelled(schema: Schema, move: Move, known: list[str]) -> str:
    """Return words that are read as this move first of all, or else the move as JSON."""
    for words in _tries(schema, move):
        if next(iter(readings(schema, words, known)), None) == move:
            return words
    return json.dumps(move)


def _tries(schema: Schema, move: Move) -> Iterator[str]:
    form = next((form for form in forms_of(schema) if fits(form, move)), schema)
    required = form.get("required", ())
    yield _words((name if name not in required else "", value) for name, value in move.items())
    yield _words(move.items())


def _words(fields: Any) -> str:
    parts = [part for name, value in fields for part in (name, _said(value)) if part]
    return " ".join(parts)


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return _words(value.items())
    if isinstance(value, list):
        return " ".join(map(_said, value)) or "none"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return str(value)
