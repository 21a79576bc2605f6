"""Every move that a game's decisions may list, each with a fixed number.

It serves those who want a number in place of a move, as a learner with one output for each.
"""

import msgspec

from protocol.errors import ArenaError
from referee.game import Game, Move
from referee.games import GAMES


class AllMoves:
    """The moves of one game with its number of seats and its options, in a fixed order.

    Raises ArenaError for a game whose moves have no numbers here.
    """

    def __init__(self, game: Game) -> None:
        self.decisions: list[str] = []
        """By number, the decision that the move answers."""
        self.moves: list[Move] = []
        """By number, the move."""
        self._numbers: dict[tuple[str, bytes], int] = {}
        for decision, moves in game.all_moves():
            for move in moves:
                key = decision, _encode(move)
                if self._numbers.setdefault(key, len(self.moves)) == len(self.moves):
                    self.decisions.append(decision)
                    self.moves.append(move)
        if not self.moves:
            have = [name for name in GAMES if GAMES[name].all_moves is not Game.all_moves]
            raise ArenaError(
                f"the moves of {game.name} have no numbers; those of {', '.join(have)} have."
            )

    def __len__(self) -> int:
        return len(self.moves)

    def number(self, decision: str, move: Move) -> int:
        """Return the number of a move that is listed; a KeyError is an error of this module."""
        return self._numbers[decision, _encode(move)]


_encode = msgspec.json.Encoder(order="sorted").encode
