"""The boards of the games, by name; each is a module with a function `board`."""

from collections.abc import Mapping

from arena.report.boards import plain
from arena.report.scene import Board, Ground
from referee.lazy import Lazy

BOARDS: Mapping[str, Board] = Lazy(
    {
        name: f"arena.report.boards.{name}:board"
        for name in (
            *("cold_war", "guerra", "world_war", "war", "steal_war", "pyanitsa"),
            *("tod_und_leben", "casino_war", "khan", "duel"),
        )
    }
)


def board_of(game: str) -> Board:
    """Return a game's own board, or one that any game may have."""
    return BOARDS.get(game, plain.board)


GROUNDS: Mapping[str, Ground] = Lazy({"world_war": "arena.report.boards.world_war:GROUND"})
"""The grounds of those games that are played on a map."""
