"""One decision put to a person: the choices as lines, and the move that an answer means."""

import json
import textwrap

from arena.cli.typed import SEPARATORS, Shape, known_words, readings, shapes, spoken_field
from protocol.errors import ArenaError
from referee.game import Decision, Game, Move, Observation

MOST_LISTED = 24
WIDTH = 80


class Question:
    """One decision as a person is asked it."""

    def __init__(self, game: Game, seat: int, decision: Decision, view: Observation) -> None:
        self._game = game
        self._seat = seat
        self._decision = decision
        self._schema = game.decisions[decision.name]
        self._known = known_words(decision.limits, decision.legal, view)
        legal = decision.legal or []
        self._numbers = [number for move in legal if (number := _only_number(move)) is not None]
        self._menu = {} if len(self._numbers) == len(legal) else self._described(legal)

    def _described(self, legal: list[Move]) -> dict[str, Move]:
        menu: dict[str, Move] = {}
        for move in legal:
            text = self._game.describe(self._seat, move)
            menu[f"{text} {json.dumps(move)}" if text in menu else text] = move
        return menu

    def choices(self) -> str:
        """Return what may be chosen, as lines."""
        if self._menu:
            return _listed(dict(enumerate(self._menu, start=1)))
        lines = textwrap.wrap(str(self._schema.get("description", "")), WIDTH)
        if self._numbers:
            (field,) = (self._decision.legal or [{}])[0]
            return "\n".join([*lines, f"  {field}: {_counted(self._numbers)}"])
        for name, value in self._limits().items():
            lines += _indented(f"{name}: {_plain(value)}", "  ")
        if spoken_field(self._schema):
            return "\n".join([*lines, "Write it as it is to be heard."])
        for usage in dict.fromkeys(shape.usage for shape in self._shapes()):
            lines += _indented(usage, "  > ")
        return "\n".join([*lines, "(? for help)"])

    def _limits(self) -> dict[str, object]:
        return self._decision.limits or {}

    def _shapes(self) -> list[Shape]:
        """Return the forms of the move; only one, where the limits name just its fields."""
        forms = shapes(self._schema)
        named = [form for form in forms if {name for name, _ in form.fields} == {*self._limits()}]
        return named or forms

    def help(self) -> str:
        """Return every form of the move with its fields."""
        lines: list[str] = []
        for shape in self._shapes():
            lines += textwrap.wrap(f"{shape.usage}: {shape.description}", WIDTH)
            for name, text in shape.fields:
                lines += _indented(f"{name}: {text}", "    ")
        return "\n".join(lines)

    def answer(self, line: str) -> Move:
        """Return the legal move that is meant; raise ArenaError to tell why there is none."""
        listed = self._from_menu(line)
        if listed is not None:
            return listed
        moves = readings(self._schema, line, self._known)
        refusals = []
        for move in moves:
            refusal = self._game.check(self._seat, move)
            if refusal is None:
                return self._game.canonical(self._seat, move)
            refusals.append(refusal)
        if refusals:
            raise ArenaError(f"Not possible: {refusals[0]}.")
        raise ArenaError(
            "That is not understood." + (" Try a number." if self._menu else " Try ?.")
        )

    def _from_menu(self, line: str) -> Move | None:
        if not self._menu:
            return None
        if line.isdecimal():
            number = int(line)
            if not 1 <= number <= len(self._menu):
                raise ArenaError(f"Choose a number from 1 to {len(self._menu)}.")
            return list(self._menu.values())[number - 1]
        asked = _split(line)
        meant = {
            number: text
            for number, text in enumerate(self._menu, start=1)
            if all(any(word.startswith(part) for word in _split(text)) for part in asked)
        }
        if len(meant) == 1:
            ((_, text),) = meant.items()
            return self._menu[text]
        if meant and len(meant) < len(self._menu):
            raise ArenaError("Which of these?\n" + _listed(meant))
        return None


def _indented(text: str, indent: str) -> list[str]:
    further = " " * (len(indent) + 2)
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=further)


def _split(text: str) -> list[str]:
    return [word for word in SEPARATORS.split(text.lower().replace(".", " ")) if word]


def _listed(texts: dict[int, str]) -> str:
    lines = [f"{number:4}  {text}" for number, text in list(texts.items())[:MOST_LISTED]]
    if len(texts) > MOST_LISTED:
        lines.append(f"   … {len(texts)} in all; a word or two shows those that match")
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
