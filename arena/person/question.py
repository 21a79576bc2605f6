"""One decision put to a person: the choices as lines, and the move that an answer means."""

import json
import re
import textwrap
from difflib import get_close_matches
from random import Random
from typing import Any

from arena.person.typed import (
    SEPARATORS,
    Schema,
    field_input,
    fields_of,
    fits,
    forms_of,
    is_known,
    known_words,
    readings,
    spelled,
    spoken_field,
    usage,
)
from protocol.errors import ArenaError
from referee.rules.game import Decision, Game, Move, Observation

MOST_LISTED = 24
WIDTH = 80
SHORT = 50
"""An example of at most so many characters stands in the prompt itself."""
TRIES = 200
"""So many moves are tried to see which forms they can have ..."""
SPELLED = 8
"""... and so many of each are put in words, of which the best is shown."""

Menu = dict[int, tuple[str, Move]]
"""Listed moves with their words, each by the number that chooses it."""


class Question:
    """One decision as a person is asked it."""

    def __init__(self, game: Game, seat: int, decision: Decision, view: Observation) -> None:
        self._game = game
        self._seat = seat
        self._limits = decision.limits or {}
        self._schema = game.schemas()[decision.name]
        self._known = known_words(decision.limits, decision.legal, view)
        self._menu = self._numbered(decision.legal or [])
        self._forms = [] if self._menu else self._possible()

    def _possible(self) -> list[tuple[Schema, str]]:
        """Return the forms that moves have here, each with an example in words.

        They are those of many random moves, among which nothing is that an option of the game or
        the state of the table rules out.
        """
        rng = Random(0)  # noqa: S311 - it guards no secret
        forms = forms_of(self._schema)
        samples = (
            self._game.sample(self._seat, rng) for _ in range(TRIES if len(forms) > 1 else 1)
        )
        read = (self._game.read(self._seat, move) for move in samples)
        moves = [move for move in read if not isinstance(move, str)]
        possible = []
        for form in forms:
            found = [move for move in moves if fits(form, move)]
            if found:
                words = (spelled(self._schema, move, self._known) for move in found[:SPELLED])
                possible.append((form, min(words, key=_worth)))
        return possible or [(self._schema, json.dumps(moves[0]))]

    def _numbered(self, legal: list[Move]) -> Menu:
        """Return each listed move in words, by its number, or by the one number in it."""
        numbers = [_only_number(move) for move in legal]
        labels = range(1, len(legal) + 1) if None in numbers else numbers
        menu: Menu = {}
        texts: set[str] = set()
        for label, move in zip(labels, legal, strict=True):
            text = self._game.describe(self._seat, move)
            menu[label or 0] = (f"{text} {json.dumps(move)}" if text in texts else text, move)
            texts.add(text)
        return menu

    def choices(self) -> str:
        """Return what may be chosen, as lines."""
        if self._menu:
            return _listed(self._menu)
        lines = textwrap.wrap(str(self._schema.get("description", "")), WIDTH)
        for name, value in self._limits.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                lines.append(f"  {name}:")
                lines += [line for entry in value for line in _indented(_plain(entry), "    ")]
            else:
                lines += _indented(f"{name}: {_plain(value)}", "  ")
        if spoken_field(self._schema):
            nothing = "; Enter alone says nothing" if self.silence() else ""
            return "\n".join([*lines, f"Write it as it is to be heard{nothing}."])
        for words in dict.fromkeys(usage(form) for form, _ in self._forms):
            lines += _indented(words, "  > ")
        example = min((example for _, example in self._forms), key=_worth)
        shown = f"For example: {example}   " if len(example) <= SHORT else ""
        return "\n".join([*lines, f"{shown}(? for help)"])

    def menu(self) -> dict[str, str]:
        """Return the listed moves in words, each by what chooses it; none where moves are made."""
        return {str(number): text for number, (text, _) in self._menu.items()}

    def words(self) -> list[str]:
        """Return the words that an answer may hold: what may be completed, or taken by a click."""
        return [] if self._menu or spoken_field(self._schema) else self._known

    def inputs(self) -> list[dict[str, Any]]:
        """Return the possible forms of a move that is made, each with what its fields take.

        The words of a field, or its name and its words if it is not `required`, one field after the
        other, are a line to be answered with.
        """
        return [
            {
                "usage": usage(form),
                "about": form.get("description", ""),
                "example": example,
                "fields": [
                    {**field_input(name, kind), "name": name, "required": name in form["required"]}
                    for name, kind in fields_of(form).items()
                ],
            }
            for form, example in self._forms
        ]

    def help(self) -> str:
        """Return the forms of the move with their fields; those not possible now come last."""
        if self._menu:
            return "Choose by number, or type words that only one of these contains:\n" + _listed(
                self._menu
            )
        lines: list[str] = []
        for form, example in self._forms:
            lines += textwrap.wrap(f"{usage(form)}: {form.get('description', '')}", WIDTH)
            for name, kind in fields_of(form).items():
                if "const" not in kind:
                    lines += _indented(f"{name}: {kind.get('description', '')}", "    ")
            if not spoken_field(self._schema):
                lines += _indented(f"for example: {example}", "    ")
        possible = [form for form, _ in self._forms]
        others = [usage(form) for form in forms_of(self._schema) if form not in possible]
        if others:
            lines += _indented(f"Not possible now: {'; '.join(dict.fromkeys(others))}", "")
        return "\n".join(lines)

    def silence(self) -> Move | None:
        """Return the move that says nothing, if it is legal."""
        field = spoken_field(self._schema)
        move = {field: ""} if field else None
        return None if move is None or self._game.refusal(self._seat, move) else move

    def answer(self, line: str) -> Move:
        """Return the legal move that is meant; raise ArenaError that says why if there is none."""
        listed = self._from_menu(line) if self._menu else None
        if listed is not None:
            return listed
        refusals = []
        for move in readings(self._schema, line, self._known):
            read = self._game.read(self._seat, move)
            if not isinstance(read, str):
                return read
            refusals.append(read)
        if refusals:
            raise ArenaError(f"Not possible: {refusals[0]}.")
        if self._menu:
            raise ArenaError("That is not understood. Try a number.")
        raise ArenaError(f"That is not understood. Try ?. {self._mistake(line)}")

    def _mistake(self, line: str) -> str:
        """Return what may be wrong with a line that cannot be read as a move."""
        words = SEPARATORS.sub(" ", line).split()
        fixed = " ".join(map(usage, forms_of(self._schema))).lower()
        known = [*self._known, *re.findall(r"[\w-]+", fixed)]
        for word in words:
            if not is_known(word, known):
                near = "".join(f" Did you mean {it}?" for it in get_close_matches(word, known, 1))
                return f"{word!r} means nothing here.{near}"
        lines = ["It goes like this:"]
        examples = {usage(form): example for form, example in self._forms}
        begun = [form for form in examples if words and form.startswith(f"{words[0]} ")]
        for form in begun or examples:
            lines += _indented(form, "  > ")
            lines += _indented(f"for example: {examples[form]}", "    ")
        return "\n".join(lines)

    def _from_menu(self, line: str) -> Move | None:
        """Return the listed move of a number, or the only one with these words."""
        if line.isdecimal():
            if int(line) not in self._menu:
                raise ArenaError(f"Choose one of the numbers {_counted(list(self._menu))}.")
            return self._menu[int(line)][1]
        asked = _split(line)
        same = [move for text, move in self._menu.values() if text == line.strip()]
        if len(same) == 1:
            return same[0]
        if (named := self._game.named(self._seat, line.strip())) is not None:
            return named  # by a name that the game knows beside its own words, as books have it
        meant = {
            number: (text, move)
            for number, (text, move) in self._menu.items()
            if all(any(word.startswith(part) for word in _split(text)) for part in asked)
        }
        if len(meant) == 1:
            ((_, move),) = meant.values()
            return move
        if meant and len(meant) < len(self._menu):
            raise ArenaError("Which of these?\n" + _listed(meant))
        return None


def _worth(example: str) -> tuple[bool, int, int]:
    """Return a key that is the smaller the more an example shows, if it is short."""
    empty = sum(word in ("none", "0") for word in example.split())
    return len(example) > SHORT, empty, -len(example)


def _indented(text: str, indent: str) -> list[str]:
    further = " " * (len(indent) + 2)
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=further)


def _split(text: str) -> list[str]:
    return [word for word in SEPARATORS.split(text.lower().replace(".", " ")) if word]


def _listed(menu: Menu) -> str:
    """Return a menu as lines: in one column, or in several where it is long."""
    entries = [f"{number:4}  {text}" for number, (text, _) in menu.items()]
    width = max(map(len, entries)) + 2
    columns = 1 if len(entries) <= MOST_LISTED else max(1, WIDTH // width)
    shown = entries if len(entries) <= MOST_LISTED * columns else entries[:MOST_LISTED]
    height = -(-len(shown) // columns)
    lines = [
        "".join(entry.ljust(width) for entry in shown[at::height]).rstrip() for at in range(height)
    ]
    if len(shown) < len(entries):
        lines.append(f"   … {len(menu)} in all; a word or two shows those that match")
    return "\n".join(lines)


def _only_number(move: Move) -> int | None:
    values = list(move.values())
    return values[0] if len(values) == 1 and type(values[0]) is int else None


def _counted(numbers: list[int]) -> str:
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))) and len(numbers) > 2:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _plain(value: object) -> str:
    """Return a JSON value as short words."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(entry)}" for name, entry in value.items()) or "-"
    if isinstance(value, list):
        nested = any(isinstance(entry, list | dict) for entry in value)
        return (", " if nested else " ").join(map(_plain, value)) or "-"
    return value if isinstance(value, str) else json.dumps(value)
