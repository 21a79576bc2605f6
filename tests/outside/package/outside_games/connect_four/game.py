"""Connect Four: two drop discs into columns; four in a line win."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, ClassVar

from msgspec import Meta

from referee.chance import Chance
from referee.form import AnyForm, Form
from referee.game import Decision, Game, Move, Observation, Options, twin
from referee.scene import Area, Grid

WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The directions of a line, as steps of row and column."""
MOST_COLUMNS = 10


class ConnectFourOptions(Options, frozen=True, kw_only=True):
    """The options of Connect Four."""

    columns: Annotated[int, Meta(ge=4, le=MOST_COLUMNS, description="Columns of the board.")] = 7
    rows: Annotated[int, Meta(ge=4, le=10, description="Rows of the board.")] = 6


class Drop(Form, forbid_unknown_fields=True):
    """The column into which a disc is dropped."""

    column: Annotated[int, Meta(ge=0, lt=MOST_COLUMNS, description="From the left, from 0.")]


class ConnectFour(Game):
    """One play of Connect Four."""

    name = "connect_four"
    title = "Two drop discs into columns; four in a line win."
    seat_counts = range(2, 3)
    options_type = ConnectFourOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"drop": Drop}
    typical_decisions = 30
    has_chance = False

    options: ConnectFourOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.board: list[list[int | None]] = [
            [None] * self.options.columns for _ in range(self.options.rows)
        ]
        self.to_move = 0
        self.last: tuple[int, int] | None = None
        self.winner: int | None = None

    def deciders(self) -> Sequence[int]:
        """Return the seat in turn, until somebody has won or the board is full."""
        return () if self.reason else (self.to_move,)

    def decision(self, seat: int) -> Decision:
        """Return the question for a column, with those that are not full."""
        return Decision("drop", legal=[{"column": column} for column in self._open()])

    def view(self, seat: int) -> Observation:
        """Return the board, its top row first."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": None if self.reason else "drop",
            "to_move": self.to_move,
            "board": self.board,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return why no disc can be dropped there."""
        column = move["column"]
        if column >= self.options.columns:
            return f"there is no column {column}; the last is {self.options.columns - 1}"
        return None if column in self._open() else f"column {column} is full"

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Drop a disc; where one column is left, its discs follow by themselves."""
        self._drop(moves[self.to_move]["column"])
        while not self.reason and len(left := self._open()) == 1:
            self._drop(left[0])

    def default(self, seat: int) -> Move:
        """Return the first column that is not full."""
        return {"column": self._open()[0]}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return any column that is not full."""
        return {"column": rng.choice(self._open())}

    def places(self) -> list[int]:
        """Return 1 for the winner and 2 for the other, or 1 for both."""
        return [1 if self.winner in (None, seat) else 2 for seat in range(2)]

    def resample(self, seat: int, rng: Random) -> "ConnectFour":
        """Return a copy: nothing is hidden."""
        return twin(self, rng)

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        """Yield a move for each column."""
        yield "drop", [{"column": column} for column in range(self.options.columns)]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the board."""
        signs = {None: "", 0: "X", 1: "O"}
        turn = self.reason or f"seat {self.to_move} drops {signs[self.to_move]}"
        return [
            Grid(
                f"Connect Four, {turn}",
                [[signs[owner] for owner in row] for row in self.board],
                owner=self.board,
                columns=[str(column) for column in range(self.options.columns)],
                marked=[self.last] if self.last else [],
            )
        ]

    def describe(self, seat: int, move: Move) -> str:
        """Return where the disc goes."""
        return f"seat {seat} drops into column {move['column']}"

    def _open(self) -> list[int]:
        return [column for column, top in enumerate(self.board[0]) if top is None]

    def _drop(self, column: int) -> None:
        row = max(row for row, cells in enumerate(self.board) if cells[column] is None)
        self.board[row][column] = self.to_move
        self.last = (row, column)
        if any(self._line(row, column, way) >= 4 for way in WAYS):
            self.winner, self.reason = self.to_move, "line"
        elif not self._open():
            self.reason = "full"
        self.to_move = 1 - self.to_move

    def _line(self, row: int, column: int, way: tuple[int, int]) -> int:
        """Return how many discs of one seat stand in a line through a square."""
        return 1 + sum(self._run(row, column, (sign * way[0], sign * way[1])) for sign in (1, -1))

    def _run(self, row: int, column: int, step: tuple[int, int]) -> int:
        owner, count = self.board[row][column], 0
        row, column = row + step[0], column + step[1]
        while (
            0 <= row < self.options.rows
            and 0 <= column < self.options.columns
            and self.board[row][column] == owner
        ):
            count += 1
            row, column = row + step[0], column + step[1]
        return count
