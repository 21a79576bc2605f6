"""Guerra's numbers: the opening, how long games last, and the length of one without a blow."""

import statistics
from collections.abc import Iterator
from random import Random

from referee.games.guerra.game import Guerra, GuerraOptions
from referee.rules.game import Game, Move, plain
from referee.rules.options import new_game
from tests.benchmarks.figures.figure import Figure, mean

GAMES = 3000
BATCHES = 10


def figures() -> Iterator[Figure]:
    """Yield what the page states, most of it of random games."""
    yield from _opening()
    played = [_at_random(seed) for seed in range(GAMES)]
    yield mean("random play: turns", 97, [turns for turns, _ in played], page_error=0.5)
    yield mean("random play: decisions", 170, [taken for _, taken in played], page_error=2)
    longest = [max(turns for turns, _ in played[at::BATCHES]) for at in range(BATCHES)]
    error = statistics.stdev(longest)
    yield Figure(f"random play: longest of {GAMES}, turns", 149, max(longest), error)
    yield Figure("random play: games that meet the guard", 0, sum(t >= 200 for t, _ in played))
    game = _dealt(0)
    while game.deciders():
        game.apply({seat: _incorporation(game, seat) for seat in game.deciders()})
    yield Figure("both only incorporate: turns", 68, game.turn)
    yield Figure("both only incorporate: places", 1, max(game.places()))


def _opening() -> Iterator[Figure]:
    game = _dealt(0)
    while game.asked == "deploy":
        game.apply({seat: game.default(seat) for seat in game.deciders()})
    a, b = game.armies
    yield Figure("turn 1: A's hand and pack", 5 + 29, len(a.hand) + len(a.pack))
    yield Figure("turn 1: B's hand and pack", 4 + 30, len(b.hand) + len(b.pack))


def _dealt(seed: int) -> Guerra:
    game = new_game(Guerra, 2, GuerraOptions(), f"figures {seed}")
    assert isinstance(game, Guerra)
    return game


def _at_random(seed: int) -> tuple[int, int]:
    """Return the turns and decisions of a random game."""
    game, rng, taken = _dealt(seed), Random(seed), 0
    while seats := game.deciders():
        game.apply({seat: game.sample(seat, rng) for seat in seats})
        taken += len(seats)
    return game.turn, taken


def _incorporation(game: Game, seat: int) -> Move:
    """Return the default, or the first card of the hand to the Rearguard."""
    hand = plain(game.view(seat))["hand"]
    if game.decision(seat).name != "orders" or not hand:
        return game.default(seat)
    card = min(hand, key=lambda card: not card.startswith("10"))
    return {"action": "incorporate", "transfers": [], "card": card, "zone": "rearguard"}
