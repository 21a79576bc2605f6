"""The numbers of Steal War's rules page: the deal, and the chance of a first war."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from referee.games.steal_war.game import StealWar, StealWarOptions
from referee.games.steal_war.trick import DECK, Holdings
from referee.rules.chance import Chance
from tests.benchmarks.figures.figure import Figure, share

FIRST_WAR = Fraction(79, 1431)
"""For two seats and two jokers."""
DEALT = {2: (27, 0), 3: (18, 0), 4: (13, 2)}
"""By seats, the cards of each, and those left out."""
GAMES = 20_000


def figures() -> Iterator[Figure]:
    """Yield each number of the page with what was found."""
    for seats, (each, aside) in DEALT.items():
        held = Holdings(seats, Chance("any"))
        yield Figure(f"{seats} seats: cards each", each, len(held.packs[-1]))
        yield Figure(f"{seats} seats: cards left out", aside, len(held.aside))
    pairs = [*combinations(DECK, 2)]
    ties = Fraction(sum(a[0] == b[0] for a, b in pairs), len(pairs))
    yield Figure("first war, 2 seats, exact", float(FIRST_WAR), float(ties))
    options = StealWarOptions(max_tricks=1)
    wars = sum(
        StealWar(seats=2, options=options, chance=Chance(f"figures {number}")).trick.war > 0
        for number in range(GAMES)
    )
    yield share("first war, 2 seats", float(FIRST_WAR), wars, GAMES)
