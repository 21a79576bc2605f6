"""The program that a new bot begins with, filled in for a game from the game's own description.

A starter is a whole program that knows nothing of a game. In its comments it has places for what
is known: `{{each decision}}` and `{{end}}` around what stands there once for every decision, with
its `{{name}}`, and lines with `{{about}}` or `{{view}}`, of which each becomes as many as needed.
"""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from arena.text import safe
from protocol.errors import ArenaError
from referee.rules.game import Decision, Game, plain
from referee.rules.options import new_game, read_options

_WIDTH = 96  # of a comment, the sign of the comment included
_WALKED = 400  # decisions of one match in which each is looked for
_WORDS = 6  # of a choice that are written out
_BLOCK = re.compile(r"^(.*)\{\{(about|view)\}\}$")
_NAME = re.compile(r"[\w .-]+")


def filled(source: str, game: type[Game]) -> str:
    """Return a starter's source with the decisions of a game, their fields, and those of a view.

    Raises ArenaError for a decision whose name cannot stand in a program.
    """
    dealt = new_game(game, game.seat_counts[0], read_options(game, {}), "1")
    view = plain(dealt.view((*dealt.deciders(), 0)[0]))
    told = in_words(dealt)
    words = {"game": game.name, "seats": str(dealt.seats)}
    lines: list[str] = []
    repeated: list[str] | None = None
    for line in source.splitlines():
        if line.endswith("{{each decision}}"):
            repeated = []
        elif line.endswith("{{end}}"):
            for name, about in told.items():
                _check_name(name, game)
                lines += _written(repeated or (), {"name": name}, {"about": about})
            repeated = None
        elif repeated is not None:
            repeated.append(line)
        else:
            lines += _written([line], words, {"view": _fields(_examples(view))})
    return "".join(f"{line}\n" for line in lines)


def in_words(game: Game) -> dict[str, list[tuple[str, str]]]:
    """Return what is to be known of each decision of a game that was dealt, by its name.

    It is in paragraphs, each with its indent. The game is played on.
    """
    met = _met(game)
    return {name: _about(schema, met.get(name, {})) for name, schema in game.schemas().items()}


def _check_name(name: str, game: type[Game]) -> None:
    if not _NAME.fullmatch(name):
        raise ArenaError(
            f"{game.name} has a decision {name!r}, for which no program can be begun: "
            f"its author should call it by letters, digits, '_', '-', '.' and spaces."
        )


def _met(game: Game) -> dict[str, dict[bool, Decision]]:
    """Play on at random; return the decisions that soon come up, by whether moves were listed."""
    met: dict[str, dict[bool, Decision]] = {}
    rng = Random(1)  # noqa: S311 - an example, the same each time
    for _ in range(_WALKED):
        seats = game.deciders()
        if not seats:
            break
        for seat in seats:
            decision = game.decision(seat)
            met.setdefault(decision.name, {}).setdefault(decision.legal is not None, decision)
        game.apply({seat: game.sample(seat, rng) for seat in seats})
    return met


def _written(
    lines: Iterable[str], words: Mapping[str, str], blocks: Mapping[str, Sequence[tuple[str, str]]]
) -> Iterator[str]:
    """Yield lines of a starter with their places filled in."""
    for line in lines:
        block = _BLOCK.match(line)
        if block and block[2] in blocks:
            for indent, text in blocks[block[2]]:
                yield from _wrapped(block[1], indent, text)
        else:
            yield re.sub(
                r"\{\{(\w+)\}\}", lambda found: words.get(found[1], found[0]), line
            ).rstrip()


def _wrapped(sign: str, indent: str, text: str) -> Iterator[str]:
    """Yield a paragraph as lines of a comment; `indent` stands before all but the first."""
    # A backslash at a line's end, or before a `u` in Java, would mean something in a comment.
    text = safe(" ".join(text.split())).replace("\\u", "\\ u")
    width = max(_WIDTH - len(sign), 40)
    for line in textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False):
        end = " |" if line.endswith("\\") else ""
        yield f"{sign}{line}{end}"


def _about(schema: Mapping[str, Any], met: Mapping[bool, Decision]) -> list[tuple[str, str]]:
    """Return what is to be known of a decision, in paragraphs with their indents."""
    about = [("", str(schema.get("description", ""))), *_form(schema)]
    for form in schema.get("oneOf", schema.get("anyOf", ())):
        title = str(form.get("description", "")).rstrip(".") or "One form of it"
        about += [("", f"{title}:"), *_form(form)]
    if True in met:
        also = ", or sampled where there would be too many" if False in met else ""
        about.append(("", f"All legal moves are listed{also}."))
    elif False in met:
        about.append(("", "Moves are not listed, but sampled."))
    if False in met:
        limits = json.dumps(plain(met[False].limits or {}), ensure_ascii=False)
        about.append(("", f"Limits, such as: {_short(limits, 160)}"))
    return about


def _form(schema: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields of a move in one of its forms."""
    needed = schema.get("required", ())
    fields = {}
    for name, field in schema.get("properties", {}).items():
        if not isinstance(field, Mapping):  # False: a field that this form may not have
            continue
        if "const" in field:
            fields[name] = _kind(field)
        else:
            left_out = "" if name in needed else "; may be left out"
            fields[f"{name} ({_kind(field)}{left_out})"] = str(field.get("description", ""))
    return _fields(fields)


def _fields(fields: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return a paragraph for each field."""
    return [("  ", f"- {name}: {told}" if told else f"- {name}") for name, told in fields.items()]


def _kind(schema: Mapping[str, Any]) -> str:
    """Return in words which values a schema takes, as far as that is said in a few."""
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        values = [json.dumps(value, ensure_ascii=False) for value in schema["enum"]]
        if len(values) > _WORDS:
            return f"{', '.join(values[:_WORDS])} or {len(values) - _WORDS} others"
        return " or ".join(values)
    forms = schema.get("oneOf", schema.get("anyOf"))
    if forms and "type" not in schema:
        return " or ".join(dict.fromkeys(map(_kind, forms)))
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " or ".join(_kind({**schema, "type": kind}) for kind in kinds)
    if kinds == "array":
        return _list_kind(schema)
    if kinds == "object":
        within = ", ".join(schema.get("properties", ()))
        return f"an object of {within}" if within else "an object"
    words = {"string": "text", "boolean": "true or false", "null": "null"}
    if kinds in ("integer", "number"):
        return _number_kind(schema)
    return words.get(str(kinds), "any value")


def _number_kind(schema: Mapping[str, Any]) -> str:
    words = "a whole number" if schema["type"] == "integer" else "a number"
    if "minimum" in schema:
        words += f" from {schema['minimum']}"
    if "maximum" in schema:
        words += f" to {schema['maximum']}"
    return words


def _list_kind(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if most == 0:
        return "an empty list"
    items = schema.get("items")
    of = _kind(items) if isinstance(items, Mapping) and items else "values"
    count = f" of {least}" if least == most else ""
    return f"a list{count}, each {of}"


def _examples(view: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a view, each with its value as JSON, cut short."""
    return {
        name: _short(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        for name, value in view.items()
    }


def _short(text: str, room: int = 64) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"
