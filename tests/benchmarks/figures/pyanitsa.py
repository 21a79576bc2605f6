"""The numbers of P'yanitsa's rules page: the chance of a tie, and fixed habits."""

from collections.abc import Iterator
from fractions import Fraction

from referee.games.pyanitsa.game import Pyanitsa
from tests.benchmarks.figures.figure import Figure, share
from tests.benchmarks.figures.war import CYCLING_GAMES, first_war, guarded, highest, lowest, played


def figures() -> Iterator[Figure]:
    """Yield each number of the page with what was found."""
    yield from first_war(Pyanitsa, 2, Fraction(3, 35))
    games = played(Pyanitsa, (highest, lowest), CYCLING_GAMES)
    told = "highest v lowest first: at the guard"
    yield share(told, 0.94, guarded(games), len(games), CYCLING_GAMES)
    for habit in (highest, lowest):
        games = played(Pyanitsa, (habit, habit), CYCLING_GAMES)
        yield Figure(f"both {habit.__name__} first: at the guard", 0, guarded(games))
