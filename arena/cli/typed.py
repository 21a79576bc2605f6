"""A move from the words that a person typed, by the JSON Schema of the decision.

Fields may be named or not, and stand in any case, shortened, with or without commas and brackets:
`attack 5o 7e`, `arm 0 2 1 1`, `armies alaska 3 peru 2`. Words can often be read in several ways;
all are returned, the likeliest first, and the rules of the game choose.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from protocol.errors import ArenaError
from referee.game import Move

Schema = Mapping[str, Any]
Words = tuple[str, ...]
Reading = tuple[Any, Words]
"""A value, and the words that are left after it."""

MOST_READINGS = 2000
MOST_TRIES = 50_000
"""So many values are looked for in a line before it is given up as a riddle."""
LEAST_PREFIX = 2
NOTHING = frozenset({"none", "null", "nothing", "nobody", "-"})
YES_NO = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}
SEPARATORS = re.compile(r"""[\s,;:=(){}\[\]"']+""")


class Shape(NamedTuple):
    """One of the forms a move may have, in words."""

    usage: str
    description: str
    fields: list[tuple[str, str]]
    """Names and descriptions."""


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


def readings(schema: Schema, line: str, known: Sequence[str]) -> list[Move]:
    """Return the moves that `line` may mean; raise ArenaError for JSON that is none."""
    if line.lstrip().startswith("{"):
        return [_json(line)]
    if field := spoken_field(schema):
        return [{field: line}]
    words = tuple(word for word in SEPARATORS.split(line) if word)
    reader = _Reader(known)
    found: list[Move] = []
    for move, rest in islice(reader.read(schema, words), MOST_READINGS):
        if not rest and isinstance(move, dict) and move not in found:
            found.append(move)
    return found


def spoken_field(schema: Schema) -> str | None:
    """Return the name of the only field if it takes any text, which is then the whole line."""
    fields = schema.get("properties", {})
    if len(fields) == 1:
        ((name, kind),) = fields.items()
        if kind.get("type") == "string" and not kind.keys() & {"pattern", "enum", "const"}:
            return str(name)
    return None


def shapes(schema: Schema) -> list[Shape]:
    """Return the forms a move may have, to be shown to a person."""
    return [
        Shape(
            _usage(form),
            str(form.get("description", "")),
            [
                (name, str(kind.get("description", "")))
                for name, kind in _fields(form).items()
                if "const" not in kind
            ],
        )
        for form in schema.get("oneOf") or schema.get("anyOf") or [schema]
    ]


def _json(line: str) -> Move:
    try:
        move = json.loads(line)
    except ValueError as error:
        raise ArenaError(f"this is not JSON: {error}.") from None
    if not isinstance(move, dict):
        raise ArenaError("a move is a JSON object: {...}.")
    return move


def _fields(form: Schema) -> dict[str, Schema]:
    fields = form.get("properties", {})
    return {name: kind for name, kind in fields.items() if kind is not False}


def _usage(form: Schema) -> str:
    required = form.get("required", ())
    words = []
    for name, kind in _fields(form).items():
        if "const" in kind:
            words.append(_word(kind["const"]))
        elif kind.get("type") != "null" and kind.get("maxItems") != 0:
            word = _placeholder(name, kind)
            words.append(word if name in required else f"[{name} {word}]")
    return " ".join(words) or _called(form)


def _called(form: Schema) -> str:
    """Return the first word of a form's description, by which a person may call it."""
    return SEPARATORS.split(str(form.get("description", "")).rstrip("."))[0].lower()


def _placeholder(name: str, kind: Schema) -> str:
    if "enum" in kind:
        return "|".join(map(_word, kind["enum"]))
    if "items" in kind and (fields := _fields(kind["items"])):
        return f"({_usage({**kind['items'], 'properties': fields})}) ..."
    if kind.get("type") == "array":
        return f"{name.upper()} ..."
    if kind.get("type") == "object":
        return "(NAME NUMBER) ..."
    return "yes|no" if kind.get("type") == "boolean" else name.upper()


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _json_of(value)


def _json_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class _Reader:
    """Reads words by a schema, with every way to go on where there are several."""

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known
        self._tries = MOST_TRIES

    def read(self, schema: Schema, words: Words) -> Iterator[Reading]:
        self._tries -= 1
        if self._tries < 0:
            return
        if "const" in schema:
            yield from self._one_of([schema["const"]], words)
        elif "enum" in schema:
            yield from self._one_of(schema["enum"], words)
        elif forms := schema.get("oneOf") or schema.get("anyOf"):
            for form in forms:
                yield from self._form({"type": schema.get("type"), **form}, words)
        else:
            kinds = schema.get("type", "object")
            for kind in kinds if isinstance(kinds, list) else [kinds]:
                yield from self._of_kind(kind, schema, words)

    def _form(self, form: Schema, words: Words) -> Iterator[Reading]:
        yield from self.read(form, words)
        if words and words[0].lower() == _called(form):
            yield from self.read(form, words[1:])

    def _of_kind(self, kind: Any, schema: Schema, words: Words) -> Iterator[Reading]:
        match kind:
            case "null":
                yield None, words
                if words and words[0].lower() in NOTHING:
                    yield None, words[1:]
            case "boolean":
                if words and words[0].lower() in YES_NO:
                    yield YES_NO[words[0].lower()], words[1:]
            case "integer" | "number":
                if words and re.fullmatch(r"[+-]?\d{1,18}", words[0]):
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
            texts = {form: value for value in values for form in (_word(value), _json_of(value))}
            yield from ((texts[text], words[1:]) for text in _matches(words[0], list(texts)))

    def _texts(self, schema: Schema, word: str) -> list[str]:
        """Return the texts that `word` may stand for, known ones first."""
        fits = re.compile(schema.get("pattern", "")).search
        found = list(filter(fits, _matches(word, self._known)))
        if found:
            return found
        return list(filter(fits, dict.fromkeys([word, word.upper(), word.lower()])))

    def _array(self, schema: Schema, words: Words) -> Iterator[Reading]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(words))
        if words and words[0].lower() in NOTHING and not least:
            yield [], words[1:]
        yield from self._items(schema.get("items", {}), least, most, words)

    def _items(self, item: Schema, least: int, most: int, words: Words) -> Iterator[Reading]:
        if most > 0 and words:
            for value, rest in self.read(item, words):
                if len(rest) < len(words):
                    for values, end in self._items(item, least - 1, most - 1, rest):
                        yield [value, *values], end
        if least <= 0:
            yield [], words

    def _object(self, schema: Schema, words: Words) -> Iterator[Reading]:
        fields = _fields(schema)
        entry = schema.get("additionalProperties")
        if isinstance(entry, Mapping) and not fields:
            yield from self._pairs(entry, words)
        else:
            missing = [name for name in schema.get("required", fields) if name in fields]
            yield from self._fields_in(fields, missing, words)

    def _pairs(self, entry: Schema, words: Words) -> Iterator[Reading]:
        if len(words) >= LEAST_PREFIX:
            for name in self._texts({}, words[0]):
                for value, rest in self.read(entry, words[1:]):
                    for others, end in self._pairs(entry, rest):
                        yield {name: value, **others}, end
        yield {}, words

    def _fields_in(
        self, fields: Mapping[str, Schema], missing: list[str], words: Words
    ) -> Iterator[Reading]:
        """Read the fields left: a named one where a name stands, else the next one required."""
        named = _matches(words[0], list(fields)) if words else []
        turns = [(name, words[1:]) for name in named] + [(name, words) for name in missing[:1]]
        for name, begin in turns:
            others = {other: kind for other, kind in fields.items() if other != name}
            left = [other for other in missing if other != name]
            for value, rest in self.read(fields[name], begin):
                for more, end in self._fields_in(others, left, rest):
                    yield {name: value, **more}, end
        if not missing:
            yield {}, words


def _matches(word: str, texts: Sequence[str]) -> list[str]:
    """Return the texts that are `word` in any case, or else those that begin with it."""
    small = word.lower()
    same = [text for text in texts if text.lower() == small]
    if same or len(small) < LEAST_PREFIX:
        return same
    return [text for text in texts if text.lower().startswith(small)]
