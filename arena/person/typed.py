"""Moves in words, by the JSON Schema of their decision: read from a line, and put in words.

Fields may be named or not, and stand in any case, shortened, with or without commas and brackets:
`attack 5o 7e`, `arm 0 2 1 1`, `armies alaska 3 peru 2`. Words can often be read in several ways;
all are returned, the likeliest first, and the rules of the game choose.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from protocol.errors import ArenaError
from referee.rules.game import Move

Schema = Mapping[str, Any]
Words = tuple[str, ...]
Reading = tuple[Any, Words]
"""A value, and the words that are left after it."""

MOST_TRIES = 50_000
"""So many values are looked for in a line before reading it is given up."""
MOST_WORDS = 200
"""In one line: reading nests as deep as a list is long."""
LEAST_PREFIX = 2
SEPARATORS = re.compile(r"""[\s,;:=(){}\[\]"']+""")

_NUMBER = re.compile(r"[+-]?\d{1,18}")
_NOTHING = ("none", "null", "nothing", "nobody", "-")
_SAID: dict[str, tuple[str, ...]] = {
    "true": ("yes", "y", "true"),
    "false": ("no", "n", "false"),
    "null": _NOTHING,
    "[]": _NOTHING,
}
"""What people say for some JSON; the first is what they are shown."""


def forms_of(schema: Schema) -> list[Schema]:
    """Return the forms a value may have, each with what holds for all of them."""
    forms = schema.get("oneOf") or schema.get("anyOf")
    if forms is None:
        return [schema]
    own = {"oneOf", "anyOf", "description"}
    shared = {key: entry for key, entry in schema.items() if key not in own}
    return [{**shared, **form} for form in forms]


def fields_of(form: Schema) -> dict[str, Schema]:
    """Return the fields that an object of this form may have."""
    fields = form.get("properties", {})
    return {name: kind for name, kind in fields.items() if kind is not False}


def spoken_field(schema: Schema) -> str | None:
    """Return the name of the only field if it takes any text, which is then the whole line."""
    fields = schema.get("properties", {})
    if len(fields) == 1:
        ((name, kind),) = fields.items()
        if kind.get("type") == "string" and not kind.keys() & {"pattern", "enum", "const"}:
            return str(name)
    return None


def usage(form: Schema) -> str:
    """Return how to type a form: its fixed words, and in capitals the names of what varies."""
    words = []
    for name, kind in fields_of(form).items():
        if "const" in kind:
            words.append(_ways(kind["const"])[0])
        elif kind.get("type") != "null" and kind.get("maxItems") != 0:
            word = _placeholder(name, kind)
            words.append(word if name in form.get("required", ()) else f"[{name} {word}]")
    return " ".join(words) or _called(form)


def _placeholder(name: str, kind: Schema) -> str:
    if "enum" in kind:
        return "|".join(_ways(value)[0] for value in kind["enum"])
    if fields_of(kind.get("items", {})):
        return f"({usage(kind['items'])}) ..."
    match kind.get("type"):
        case "array":
            return f"{name.upper()} ..."
        case "object":
            return "(NAME NUMBER) ..."
        case "boolean":
            return "yes|no"
        case _:
            return name.upper()


def field_input(name: str, kind: Schema) -> dict[str, Any]:
    """Return what a field takes: its one word, one of some words, a number, or text."""
    found: dict[str, Any] = {"about": kind.get("description", "")}
    if "const" in kind:
        return {**found, "word": _ways(kind["const"])[0]}
    if "enum" in kind or kind.get("type") == "boolean":
        return {**found, "choices": [_ways(each)[0] for each in kind.get("enum", (True, False))]}
    if kind.get("type") in ("integer", "number"):
        return {**found, "low": kind.get("minimum"), "high": kind.get("maximum")}
    if kind.get("type") == "null" or kind.get("maxItems") == 0:
        return {**found, "word": _NOTHING[0]}
    return {**found, "hint": _placeholder(name, kind)}


def _called(form: Schema) -> str:
    """Return the first word of a form's description, by which a person may call it."""
    return SEPARATORS.split(str(form.get("description", "")).rstrip("."))[0].lower()


def known_words(*values: Any) -> list[str]:
    """Return all texts in JSON values, in which a person's words are looked for."""
    found: dict[str, None] = {}
    todo = list(values)
    while todo:
        value = todo.pop(0)
        if isinstance(value, str):
            found[value] = None
        elif isinstance(value, Mapping):
            todo += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            todo += value
    return [word for word in found if word]


def matches(word: str, texts: Sequence[str]) -> list[str]:
    """Return the texts that are `word` in any case, or else those that begin with it."""
    small = word.lower()
    same = [text for text in texts if text.lower() == small]
    if same or len(small) < LEAST_PREFIX:
        return same
    return [text for text in texts if text.lower().startswith(small)]


def is_known(word: str, known: Sequence[str]) -> bool:
    """Return whether a word may be a number, one for yes, no or nothing, or the start of a text."""
    said = any(word.lower() in ways for ways in _SAID.values())
    return said or bool(_NUMBER.fullmatch(word) or matches(word, known))


def readings(schema: Schema, line: str, known: Sequence[str]) -> Iterable[Move]:
    """Return the moves that `line` may mean.

    Raises ArenaError for JSON that is none, and for a line that is too long for a move.
    """
    if line.lstrip().startswith("{"):
        try:
            return [json.loads(line)]
        except (ValueError, RecursionError) as error:
            raise ArenaError(f"this is not JSON: {error}.") from None
    if field := spoken_field(schema):
        return [{field: line}]
    words = tuple(word for word in SEPARATORS.split(line) if word)
    if len(words) > MOST_WORDS:
        raise ArenaError(f"these are {len(words)} words; a move has at most {MOST_WORDS}.")
    return _Reader(known).moves(schema, words)


def fits(form: Schema, move: Move) -> bool:
    """Return whether a move can have a form: whether its words can be read by it."""
    words = tuple(_words(move))
    return move in _Reader(list(dict.fromkeys(words))).moves(form, words)


def spelled(schema: Schema, move: Move, known: Sequence[str]) -> str:
    """Return words that are read as this move first of all, or else the move as JSON."""
    form = next((form for form in forms_of(schema) if fits(form, move)), schema)
    for unnamed in (form.get("required", ()), ()):
        line = " ".join(_words(move, unnamed))
        if next(iter(readings(schema, line, known)), None) == move:
            return line
    return json.dumps(move)


def _words(value: Any, unnamed: Sequence[str] = ()) -> Iterator[str]:
    """Yield a value in words, some of its fields without their names."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            if name not in unnamed:
                yield name
            yield from _words(entry)
    elif isinstance(value, list) and value:
        for entry in value:
            yield from _words(entry)
    else:
        yield _ways(value)[0]


def _ways(value: Any) -> tuple[str, ...]:
    """Return the words for a value, the one to be shown first."""
    if isinstance(value, str):
        return (value,)
    text = json.dumps(value)
    return _SAID.get(text, (text,))


class _Reader:
    """Reads words by a schema, with every way to go on where there are several."""

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known
        self._tries = MOST_TRIES

    def moves(self, schema: Schema, words: Words) -> Iterator[Move]:
        """Yield the moves that all the words may mean."""
        for move, rest in self._read(schema, words):
            if not rest and isinstance(move, dict):
                yield move

    def _read(self, schema: Schema, words: Words) -> Iterator[Reading]:
        self._tries -= 1
        if self._tries < 0:
            return
        if "const" in schema:
            yield from self._one_of([schema["const"]], words)
        elif "enum" in schema:
            yield from self._one_of(schema["enum"], words)
        elif (forms := forms_of(schema)) != [schema]:
            for form in forms:
                yield from self._read(form, words)
                if words and words[0].lower() == _called(form):
                    yield from self._read(form, words[1:])
        else:
            kinds = schema.get("type", "object")
            for kind in kinds if isinstance(kinds, list) else [kinds]:
                yield from self._of_kind(kind, schema, words)

    def _of_kind(self, kind: Any, schema: Schema, words: Words) -> Iterator[Reading]:
        match kind:
            case "null":
                yield None, words
                yield from self._one_of([None], words)
            case "boolean":
                yield from self._one_of([True, False], words)
            case "integer" | "number":
                if words and _NUMBER.fullmatch(words[0]):
                    yield int(words[0]), words[1:]
            case "string":
                if words:
                    yield from ((text, words[1:]) for text in self._texts(schema, words[0]))
            case "array":
                yield from self._array(schema, words)
            case _:
                yield from self._object(schema, words)

    def _one_of(self, values: Iterable[Any], words: Words) -> Iterator[Reading]:
        if words:
            texts = {text: value for value in values for text in _ways(value)}
            yield from ((texts[text], words[1:]) for text in matches(words[0], list(texts)))

    def _texts(self, schema: Schema, word: str) -> list[str]:
        """Return the texts that `word` may stand for, known ones first."""
        has_pattern = re.compile(schema.get("pattern", "")).search
        found = list(filter(has_pattern, matches(word, self._known)))
        if found:
            return found
        return list(filter(has_pattern, dict.fromkeys([word, word.upper(), word.lower()])))

    def _array(self, schema: Schema, words: Words) -> Iterator[Reading]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(words))
        if not least:
            yield from self._one_of([[]], words)
        yield from self._items(schema.get("items", {}), least, most, words)

    def _items(self, item: Schema, least: int, most: int, words: Words) -> Iterator[Reading]:
        if most > 0 and words:
            for value, rest in self._read(item, words):
                if len(rest) < len(words):
                    for values, end in self._items(item, least - 1, most - 1, rest):
                        yield [value, *values], end
        if least <= 0:
            yield [], words

    def _object(self, schema: Schema, words: Words) -> Iterator[Reading]:
        fields = fields_of(schema)
        entry = schema.get("additionalProperties")
        if isinstance(entry, Mapping) and not fields:
            yield from self._pairs(entry, words)
        else:
            missing = [name for name in schema.get("required", fields) if name in fields]
            yield from self._fields(fields, missing, words)

    def _pairs(self, entry: Schema, words: Words) -> Iterator[Reading]:
        if len(words) >= 2:
            for name in self._texts({}, words[0]):
                for value, rest in self._read(entry, words[1:]):
                    for others, end in self._pairs(entry, rest):
                        yield {name: value, **others}, end
        yield {}, words

    def _fields(
        self, fields: Mapping[str, Schema], missing: list[str], words: Words
    ) -> Iterator[Reading]:
        """Read the fields left: a named one where a name stands, else the next one required."""
        named = matches(words[0], list(fields)) if words else []
        turns = [(name, words[1:]) for name in named] + [(name, words) for name in missing[:1]]
        for name, begin in turns:
            others = {other: kind for other, kind in fields.items() if other != name}
            left = [other for other in missing if other != name]
            for value, rest in self._read(fields[name], begin):
                for more, end in self._fields(others, left, rest):
                    yield {name: value, **more}, end
        if not missing:
            yield {}, words
