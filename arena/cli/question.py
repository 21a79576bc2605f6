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
        self._menu = self._numbered(decision.legal or [])

    def _numbered(self, legal: list[Move]) -> dict[int, tuple[str, Move]]:
        """Return each listed move in words, by its number, or by the one number in it."""
        numbers = [_only_number(move) for move in legal]
        labels = range(1, len(legal) + 1) if None in numbers else numbers
        menu: dict[int, tuple[str, Move]] = {}
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
        for name, value in self._limits().items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                lines.append(f"  {name}:")
                lines += [line for entry in value for line in _indented(_plain(entry), "    ")]
            else:
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
            if int(line) not in self._menu:
                raise ArenaError(f"Choose one of the numbers {_counted(list(self._menu))}.")
            return self._menu[int(line)][1]
        asked = _split(line)
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


def _indented(text: str, indent: str) -> list[str]:
    further = " " * (len(indent) + 2)
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=further)


def _split(text: str) -> list[str]:
    return [word for word in SEPARATORS.split(text.lower().replace(".", " ")) if word]


def _listed(menu: dict[int, tuple[str, Move]]) -> str:
    lines = [f"{number:4}  {text}" for number, (text, _) in list(menu.items())[:MOST_LISTED]]
    if len(menu) > MOST_LISTED:
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
