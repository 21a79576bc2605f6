"""How often tables of equals separate some pair, and how often the likelier bot is the better."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import permutations
from statistics import fmean

from arena.stats.pairs import Neighbours, Pair, neighbours, pairs
from arena.stats.ratings import SEPARATED, Ratings, fit
from arena.stats.together import errors_together
from tests.arena.stats.deals import deals_of
from tests.benchmarks.calibration.figures import Line
from tests.benchmarks.calibration.league import Plan, Row, simulated

TITLE = "How often tables of equals separate some pair, and how often the likelier bot is better"
BINS = (0.5, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 1.0)
HEADERS = (
    *("field", "pair by pair", "together"),
    *(f"{100 * low:g} to {100 * high:g} %" for low, high in BINS),
    "in brackets",
    "half of the neighbours",
)
NOTE = """\
pair by pair, together: the share of tables of equals in which some pair is separated.
The others: of pairs of unequal bots of which one is said to be better with such a chance, the mean
of these chances, and the share in which it is. In brackets: of pairs that are not separated, the
share of which the deals that they need, by their true skills, lie where they are said to. Half of
the neighbours: the same of what half of those neighbours need that are not separated, by league."""
MOST_TABLES = 0.07
"""Of tables of equals, which are to be 0.0455 and are counted in some hundred leagues."""
MOST_OFF = 0.05


def rows() -> list[Row]:
    """Return equal fields of several sizes, and unequal ones."""
    sizes = (6, 12, 0.8), (12, 4, 0.8), (12, 4, 0.0), (20, 4, 0.8)
    equal = [Plan(bots=bots, deals=deals, spread=0.0, luck=luck) for bots, deals, luck in sizes]
    tables = Plan(bots=8, seats=4, deals=3, spread=0.0)
    unequal = [Plan(bots=6, deals=deals, spread=spread)
               for spread in (1.5, 3.0) for deals in (4, 12)]  # fmt: skip
    return [
        *(Row(f"{plan.bots} equals, luck {plan.luck:g}", plan, 300) for plan in equal),
        Row("8 equals, 4 seats", tables, 300),
        *(Row(f"6 bots, spread {plan.spread:g}, {5 * plan.deals} deals", plan, 300)
          for plan in unequal),
        Row("5 bots, 4 seats, spread 1.5", Plan(bots=5, seats=4, deals=8, spread=1.5), 300),
    ]  # fmt: skip


def measured(row: Row) -> Line:
    """Simulate a row's leagues, and count."""
    leagues = [simulated(row.plan, f"{row.name} {number}") for number in range(row.leagues)]
    fits = [fit(deals_of(league.matches)) for league in leagues]
    blank = "-"
    if not row.plan.spread:
        shares = [
            sum(_separates(each, errors) for each in fits) / len(fits)
            for errors in (SEPARATED, errors_together(row.plan.bots))
        ]
        faults = [f"together {shares[1]:.3f}"] if shares[1] > MOST_TABLES else []
        return Line(
            (row.name, *(f"{share:.3f}" for share in shares), *[blank] * (len(BINS) + 2)), faults
        )
    said: defaultdict[int, float] = defaultdict(float)
    true: Counter[int] = Counter()
    count: Counter[int] = Counter()
    brackets: list[bool] = []
    halves: list[bool] = []
    for league, each in zip(leagues, fits, strict=True):
        if close := neighbours(each):
            halves.append(_half_holds(close, league.skills, each))
        for pair in pairs(each):
            if not pair.is_separated and pair.error is not None:
                brackets.append(_holds(pair, league.skills, each))
            if pair.better is not None:
                where = max(number for number, (low, _) in enumerate(BINS) if pair.better >= low)
                count[where] += 1
                said[where] += pair.better
                true[where] += league.skills[pair.bot] > league.skills[pair.other]
    cells, faults = [], []
    for number in range(len(BINS)):
        if not count[number]:
            cells.append(blank)
            continue
        mean, share = said[number] / count[number], true[number] / count[number]
        cells.append(f"{mean:.3f}: {share:.3f}")
        if abs(mean - share) > MOST_OFF:
            faults.append(cells[-1])
    held = (f"{fmean(brackets):.3f}", f"{fmean(halves):.3f}")
    return Line((row.name, blank, blank, *cells, *held), faults)


def _holds(pair: Pair, skills: Mapping[str, float], ratings: Ratings) -> bool:
    """Return whether as many more deals as a pair needs, whoever is better, were said."""
    return _is_between(_needed(pair, skills, ratings), pair.more_from, pair.more_to)


def _half_holds(close: Neighbours, skills: Mapping[str, float], ratings: Ratings) -> bool:
    """Return whether as many more deals as half of some neighbours need were said."""
    needed = sorted(_needed(pair, skills, ratings) for pair in close.pairs)
    return _is_between(needed[(len(needed) - 1) // 2], close.more_from, close.more_to)


def _is_between(needed: float, *ends: int | None) -> bool:
    low, high = (math.inf if end is None else end for end in ends)
    return low <= needed <= high


def _needed(pair: Pair, skills: Mapping[str, float], ratings: Ratings) -> float:
    """Return how many more deals a pair needs by its true skills, whoever is better."""
    lead = skills[pair.bot] - skills[pair.other]
    deals = min(ratings.bots[bot].deals for bot in (pair.bot, pair.other))
    assert pair.error is not None
    needed = deals * ((SEPARATED * pair.error / lead) ** 2 - 1) if lead else math.inf
    return math.inf if math.isinf(needed) else max(1.0, math.ceil(needed))


def _separates(ratings: Ratings, errors: float) -> bool:
    return any(ratings.separated(*order, errors) for order in permutations(ratings.bots, 2))
