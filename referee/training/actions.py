"""The moves of a game as numbers, for programs that learn: one number a move, or a row of numbers.

Rows are made from the forms of the game's replies, so that a game need not say anything more. A
form that holds any text, or a number without a greatest, has no end, and there are no such actions.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

import msgspec

from protocol.errors import ArenaError
from referee.rules.field import Wrong
from referee.rules.form import kind_of
from referee.rules.game import Game, Move

MOST_MOVES = 4096
"""Up to so many moves of a game's forms have a number each."""


class AllMoves:
    """Moves of one game with its seats and its options, each with a number, in a fixed order."""

    def __init__(
        self,
        moves: Iterable[tuple[str, Move]],
        read: Callable[[str, Move], Move] = lambda _, move: move,
    ) -> None:
        self._read = read
        self.decisions: list[str] = []
        """By number, the decision that the move answers."""
        self.moves: list[Move] = []
        """By number, the move."""
        self.by_decision: dict[str, list[int]] = {}
        """The numbers of the moves that answer a decision."""
        self._numbers: dict[tuple[str, bytes], int] = {}
        for decision, move in moves:
            key = decision, _encode(move)
            if self._numbers.setdefault(key, len(self.moves)) == len(self.moves):
                self.by_decision.setdefault(decision, []).append(len(self.moves))
                self.decisions.append(decision)
                self.moves.append(move)

    def __len__(self) -> int:
        return len(self.moves)

    def number(self, decision: str, move: Move) -> int:
        """Return the number of a listed move; a KeyError is an error of the game."""
        return self._numbers[decision, _encode(self._read(decision, move))]


class Rows:
    """Moves of a game as rows of numbers, all of one length, with a part for each decision.

    A row answers the decision that is asked by that part; the others mean nothing then. Every row
    gives a move of the right form, which the rules may refuse, and every legal move has a row.
    Raises ArenaError for a form without an end, or if the game never asks anything.
    """

    def __init__(self, game: Game) -> None:
        if not game.decisions:
            raise ArenaError(f"{game.name} has no actions: no seat is ever asked for a move.")
        self._kinds = {decision: kind_of(form) for decision, form in game.decisions.items()}
        self.sizes: list[int] = []
        """How many numbers, from 0 on, each place may take."""
        self.parts: dict[str, slice] = {}
        """By decision, its part of a row."""
        for decision, kind in self._kinds.items():
            begin = len(self.sizes)
            try:
                self.sizes += kind.sizes()
            except Wrong as endless:
                raise ArenaError(
                    f"{game.name} has no end of moves, and so no actions for PettingZoo: in the"
                    f" decision {decision}, {endless}."
                ) from None
            self.parts[decision] = slice(begin, len(self.sizes))

    def move(self, decision: str, row: Sequence[int]) -> Move:
        """Return the move that a row gives for a decision."""
        move: Move = self._kinds[decision].made(map(int, row[self.parts[decision]]))
        return move

    def row(self, decision: str, move: Move) -> list[int]:
        """Return a row that gives a legal move; its other parts are 0."""
        row = [0] * len(self.sizes)
        row[self.parts[decision]] = self._kinds[decision].numbers(self.read(decision, move))
        return row

    def read(self, decision: str, move: Move) -> Move:
        """Return a legal move with the fields that its form has."""
        found: Move = self._kinds[decision].read(move)
        return found

    @property
    def count(self) -> int:
        """How many rows differ in what they say for some decision: at least as many as moves."""
        return sum(math.prod(self.sizes[part]) for part in self.parts.values())

    def every_move(self) -> Iterator[tuple[str, Move]]:
        """Yield each decision with what its rows give, some moves more than once."""
        for decision, part in self.parts.items():
            for numbers in product(*map(range, self.sizes[part])):
                yield decision, self._kinds[decision].made(iter(numbers))


def actions_of(game: Game) -> AllMoves | Rows:
    """Return the moves by number, or as rows if they are too many for a number each.

    Those with a number are the ones that the game yields in `all_moves`, or else all that its forms
    allow. Raises ArenaError as Rows does.
    """
    listed = [(decision, move) for decision, moves in game.all_moves() for move in moves]
    if listed:
        return AllMoves(listed)
    rows = Rows(game)
    return AllMoves(rows.every_move(), rows.read) if rows.count <= MOST_MOVES else rows


_encode = msgspec.json.Encoder(order="sorted").encode
