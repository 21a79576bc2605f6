"""For each game, how to replace what a seat may not know by another possibility.

The conformance suite holds what a seat is shown before and after against each other. A new game
needs one entry here.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from referee.game import Game
from referee.games.guerra import Guerra

Scramble = Callable[[Any, int, Random], None]
"""Deals anew, in place, whatever a seat may not know."""


def nothing_is_hidden(_game: Game, _seat: int, _rng: Random) -> None:
    """Stand in where every seat sees all, sealed choices apart, or where nobody decides."""


def scramble_guerra(game: Guerra, seat: int, rng: Random) -> None:
    """Deal anew the other seat's hand and both packs."""
    own, other = game.armies[seat], game.armies[1 - seat]
    rng.shuffle(own.pack)
    unseen = [*other.hand, *other.pack]
    rng.shuffle(unseen)
    other.hand[:], other.pack[:] = unseen[: len(other.hand)], unseen[len(other.hand) :]


SCRAMBLES: dict[str, Scramble] = {"cold_war": nothing_is_hidden, "guerra": scramble_guerra}
"""For each game, how to replace what a seat may not know by another possibility."""
