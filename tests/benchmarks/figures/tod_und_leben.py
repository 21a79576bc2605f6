"""The number of Tod und Leben's rules page: the chance that the first pair ties."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from referee.games.tod_und_leben.game import PACK, TodUndLeben, TodUndLebenOptions
from referee.rules.chance import Chance
from tests.benchmarks.figures.figure import Figure, mean, share

FIRST_TIE = Fraction(3, 31)
CARDS_EACH = 16
GAMES = 50_000


def figures() -> Iterator[Figure]:
    """Yield the number of the page with what was found, and what seats that are alike win."""
    pairs = [*combinations(PACK, 2)]
    ties = Fraction(sum(a[0] == b[0] for a, b in pairs), len(pairs))
    yield Figure("first pair ties, exact", float(FIRST_TIE), float(ties))
    games = [
        TodUndLeben(seats=2, options=TodUndLebenOptions(), chance=Chance(f"figures {number}"))
        for number in range(GAMES)
    ]
    tied = sum(game.packs[0][0][0] == game.packs[1][0][0] for game in games)
    yield share("first pair ties", float(FIRST_TIE), tied, GAMES)
    yield mean("cards that A wins", CARDS_EACH, [game.cards_won[0] for game in games])
