"""Cold War's numbers: how many plays there are, and how long they go on at random."""

from collections.abc import Iterator
from itertools import product
from random import Random

from referee.games.cold_war.forms import GAIN, REACH
from referee.games.cold_war.game import ColdWar, ColdWarOptions
from referee.rules.options import new_game
from tests.benchmarks.figures.figure import Figure

AMPLE = 100
"""So many missiles on every marker and in reserve forbid nothing."""


def figures() -> Iterator[Figure]:
    """Yield the number of all plays, by trying out every entry."""
    game = new_game(ColdWar, 4, ColdWarOptions(), "figures")
    assert isinstance(game, ColdWar)
    game.reserve[0] = AMPLE
    game.markers[0] = [0, AMPLE, AMPLE, AMPLE]
    arms = _legal(game, "arm", "add", range(REACH + 1))
    shifts = _legal(game, "shift", "move", range(-REACH, REACH + 1))
    yield Figure("plays: arms, shifts and three attacks", 927, arms + shifts + 3)
    game.reserve[0] = REACH - GAIN - 1
    fewer = _legal(game, "arm", "add", range(REACH + 1))
    yield Figure("arms that need a reserve of 8", 91, arms - fewer)
    yield Figure("a random game's first round is won", 0, _won_in_round_1(300))


def _legal(game: ColdWar, play: str, field: str, entries: range) -> int:
    """Return how many plays of a kind seat 0 may make."""
    return sum(
        game.refusal(0, {"play": play, field: [0, *rest]}) is None
        for rest in product(entries, repeat=3)
    )


def _won_in_round_1(games: int) -> int:
    won = 0
    for seed in range(games):
        game, rng = new_game(ColdWar, 4, ColdWarOptions(), str(seed)), Random(seed)
        game.apply({seat: game.sample(seat, rng) for seat in game.deciders()})
        won += not game.deciders()
    return won
