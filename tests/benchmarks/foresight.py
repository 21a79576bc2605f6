"""Prints how often a league separates two bots that differ by the lead which it is said to show.

    python -m tests.benchmarks.foresight

Two bots differ by the least share of the points that docs/ratings.md foresees, and the others lie
half way between them. They should be separated in five of six leagues (about four minutes on one
core).
"""

import math
import random
from collections.abc import Iterator
from itertools import combinations
from statistics import NormalDist

from tabulate import tabulate

from arena.stats.likelihood import BETA
from arena.stats.outcomes import Result
from arena.stats.ratings import FEWEST_DEALS, SEPARATED, fit, widened
from tests.arena.stats.deals import deals_of
from tests.benchmarks.calibration.league import Plan, deal_of

MEASURES = (
    "arena/stats/covariance.py arena/stats/gaussian.py "
    "arena/stats/likelihood.py arena/stats/links.py arena/stats/outcomes.py "
    "arena/stats/propagation.py arena/stats/ratings.py arena/stats/spreads.py"
)
LEAGUES = 200
MORE = 1.0
"""Errors beyond those that separate: with them, five of six such leads are seen as surely."""
NORMAL = NormalDist()
BETTER, WORSE = "00", "01"
HEADERS = ("league", "deals a bot", "share of the points", "separated")
PLANS = (
    Plan(bots=2, deals=10, luck=0.0),
    Plan(bots=2, deals=50, luck=0.0),
    Plan(bots=2, deals=200, luck=0.0),
    Plan(bots=6, deals=6, luck=0.0),
    Plan(bots=6, deals=50, luck=0.0),
    Plan(bots=12, deals=5, luck=0.0),
    Plan(bots=6, deals=10, luck=0.5),
    Plan(bots=6, deals=10, luck=0.8),
    Plan(bots=6, deals=10, luck=0.0, kind="draws"),
    Plan(bots=5, seats=4, deals=8, luck=0.0),
    Plan(bots=8, seats=4, deals=3, luck=0.0),
    Plan(bots=6, seats=6, deals=20, luck=0.0),
    Plan(bots=8, seats=4, deals=3, luck=0.0, kind="winner"),
    Plan(bots=8, seats=4, deals=3, luck=0.8, kind="winner"),
)


def least_share(deals: float, *, bots: int, seats: int, matches: int) -> float | None:
    """Return the share of the points from which two bots are separated, in five leagues of six.

    It is what the better one takes against the other where both sit. Each of so many `bots` plays
    so many `deals` of so many `matches`, whose results do not depend on the deal and are no draws:
    mirrored luck and draws only make it less. None if no lead would be seen in so few deals.
    """
    if deals < FEWEST_DEALS:
        return None
    a_match = 0.25  # the variance of what one bot takes from an equal
    square = a_match * seats * (bots - 1) / (bots * (seats - 1) * matches * deals)
    lead = (SEPARATED * widened(round(deals)) + MORE) * math.sqrt(square)
    return NORMAL.cdf(lead / NORMAL.pdf(0))


def deals_each(plan: Plan) -> float:
    """Return how many deals each bot plays."""
    lineups = len(list(combinations(range(plan.bots), plan.seats)))
    return lineups * plan.deals * plan.seats / plan.bots


def share_of(plan: Plan) -> float:
    """Return the share of the points from which two bots are said to be separated."""
    share = least_share(
        deals_each(plan), bots=plan.bots, seats=plan.seats, matches=1 if plan.copies else plan.seats
    )
    assert share is not None
    return share


def separated(plan: Plan, leagues: int = LEAGUES) -> float:
    """Return in how many leagues two bots are separated that differ by that share."""
    chance = random.Random(f"{plan}")
    lead = BETA * 2**0.5 * NORMAL.inv_cdf(share_of(plan))
    skills = dict.fromkeys((f"{bot:02}" for bot in range(plan.bots)), 0.0)
    skills |= {BETTER: lead / 2, WORSE: -lead / 2}

    def matches() -> Iterator[tuple[str, Result]]:
        for number, bots in enumerate(combinations(sorted(skills), plan.seats)):
            for deal in range(plan.deals):
                for result in deal_of(plan, bots, skills, chance):
                    yield f"{number} {deal}", result

    fits = (fit(deals_of(list(matches()))) for _ in range(leagues))
    return sum(each.separated(BETTER, WORSE) for each in fits) / leagues


def row(plan: Plan) -> list[object]:
    """Return the table's row of a league."""
    kind = {"ranking": "", "draws": ", equals draw in 30 %", "winner": ", one winner"}[plan.kind]
    return [
        f"{plan.bots} bots, {plan.seats} seats{kind}, luck {plan.luck:g}",
        round(deals_each(plan)),
        f"{100 * share_of(plan):.1f} %",
        f"{separated(plan):.3f}",
    ]


if __name__ == "__main__":
    print(tabulate(map(row, PLANS), HEADERS, disable_numparse=True))
