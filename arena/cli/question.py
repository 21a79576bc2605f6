"""One decision put to a person: the choices as lines, and the move that an answer means."""

import json
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from random import Random

from arena.cli.spelled import fits, forms_of, is_known, spelled, vocabulary
from arena.cli.typed import SEPARATORS, Schema, Shape, known_words, readings, shapes, spoken_field
from protocol.errors import ArenaError
from referee.game import Decision, Game, Move, Observation

MOST_LISTED = 24
WIDTH = 80
SHORT = 50
"""An example of at most so many characters stands in the prompt itself."""
TRIES = 200
"""So many moves are tried to see which forms they can have ..."""
SPELLED = 8
"""... and so many of each are put in words, of which the best is shown."""


class Question:
    """One decision as a person is asked it."""

    def __init__(self, game: Game, seat: int, decision: Decision, view: Observation) -> None:
        self._game = game
        self._seat = seat
        self._decision = decision
        self._schema = game.decisions[decision.name]
        self._known = known_words(decision.limits, decision.legal, view)
        self._menu = self._numbered(decision.legal or [])
        self._forms = [] if self._menu else list(self._possible())

    def _possible(self) -> Iterator[tuple[Schema, str]]:
        """Yield the forms that moves have here, each with an example in words.

        They are those of many random moves, among which nothing is that an option of the game or
        the state of the table rules out.
        """
        rng = Random(0)  # noqa: S311 - it guards no secret
        forms = forms_of(self._schema)
        moves = [
            self._game.canonical(self._seat, self._game.sample(self._seat, rng))
            for _ in range(TRIES if len(forms) > 1 else 1)
        ]
        for form in forms:
            found = [move for move in moves if fits(form, move)]
            if found:
                words = (spelled(self._schema, move, self._known) for move in found[:SPELLED])
                yield form, min(words, key=_worth)

    @property
    def _example(self) -> str:
        """The one that shows most."""
        return min((example for _, example in self._forms), key=_worth)

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
            nothing = "; Enter alone says nothing" if self.silence() else ""
            return "\n".join([*lines, f"Write it as it is to be heard{nothing}."])
        for usage in dict.fromkeys(_shape(form).usage for form, _ in self._forms):
            lines += _indented(usage, "  > ")
        example = f"For example: {self._example}   " if len(self._example) <= SHORT else ""
        return "\n".join([*lines, f"{example}(? for help)"])

    def _limits(self) -> dict[str, object]:
        return self._decision.limits or {}

    def help(self) -> str:
        """Return the forms of the move with their fields; those not possible now come last."""
        if self._menu:
            return "Choose by number, or type words that only one of these contains:\n" + _listed(
                self._menu
            )
        lines: list[str] = []
        for form, example in self._forms:
            lines += _explained(_shape(form))
            if not spoken_field(self._schema):
                lines += _indented(f"for example: {example}", "    ")
        possible = [form for form, _ in self._forms]
        others = [_shape(form).usage for form in forms_of(self._schema) if form not in possible]
        if others:
            lines += _indented(f"Not possible now: {'; '.join(dict.fromkeys(others))}", "")
        return "\n".join(lines)

    def silence(self) -> Move | None:
        """Return the move of saying nothing, where one may."""
        field = spoken_field(self._schema)
        move = {field: ""} if field else None
        return None if move is None or self._game.check(self._seat, move) else move

    def words(self, move: Move) -> str:
        """Return a move in words."""
        return self._game.describe(self._seat, move)

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
        if self._menu:
            raise ArenaError("That is not understood. Try a number.")
        raise ArenaError("\n".join(self._mistake(line)))

    def _mistake(self, line: str) -> Iterator[str]:
        """Yield what may be wrong with a line that cannot be read as a move."""
        said = "That is not understood. Try ?."
        words = SEPARATORS.sub(" ", line).split()
        known = [*self._known, *vocabulary(self._schema)]
        strange = next((word for word in words if not is_known(word, known)), None)
        if strange is not None:
            near = get_close_matches(strange, known, 1)
            yield f"{said} {strange!r} means nothing here." + "".join(
                f" Did you mean {word}?" for word in near
            )
            return
        yield f"{said} It goes like this:"
        usages = {_shape(form).usage: example for form, example in self._forms}
        begun = {usage for usage in usages if words and usage.startswith(f"{words[0]} ")}
        for usage, example in usages.items():
            if usage in (begun or usages):
                yield from _indented(usage, "  > ")
                yield from _indented(f"for example: {example}", "    ")

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


def _worth(example: str) -> tuple[bool, int, int]:
    """Return the less the more an example shows, if it is short."""
    empty = sum(word in ("none", "0") for word in example.split())
    return len(example) > SHORT, empty, -len(example)


def _shape(form: Schema) -> Shape:
    (shape,) = shapes(form)
    return shape


def _explained(shape: Shape) -> Iterator[str]:
    yield from textwrap.wrap(f"{shape.usage}: {shape.description}", WIDTH)
    for name, text in shape.fields:
        yield from _indented(f"{name}: {text}", "    ")


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
