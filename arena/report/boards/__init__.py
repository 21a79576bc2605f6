"""The boards of all games, by name; each is a module with a function `board`."""

from collections.abc import Mapping

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


GROUNDS: Mapping[str, Ground] = Lazy({"world_war": "arena.report.boards.world_war:GROUND"})
"""The grounds of those games that are played on a map."""
