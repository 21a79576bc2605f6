"""How well the ratings order the bots, beside other methods on the same results."""

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from trueskill import TrueSkill

from arena.stats.outcomes import Result
from arena.stats.ratings import fit
from arena.stats.standings import standings
from tests.arena.stats.deals import deals_of
from tests.benchmarks.calibration.figures import Line, mean_of
from tests.benchmarks.calibration.league import Plan, Row, Simulated, simulated

try:
    from openskill.models import PlackettLuce
except ImportError:
    PlackettLuce = None

TITLE = "Kendall's tau with the true order: ours, and how far others are above or below it"
NOTE = (
    "trueskill and openskill: match by match, in a random order. Luck 0.8; spread 8.33 or as said."
)
OTHERS = "trueskill", "openskill", "points"
HEADERS = "field", "matches", "ours", *OTHERS

Order = dict[str, float]
"""What a method says of the bots; more is better."""


def rows() -> list[Row]:
    """Return fields that play all of their deals, and the same that play a fifth of them."""
    wide = 8.33
    fields = {
        "2 seats, ranking, spread 3": Plan(bots=20, deals=2),
        "2 seats, ranking": Plan(bots=20, deals=2, spread=wide),
        "2 seats, draws": Plan(bots=20, deals=2, spread=wide, kind="draws"),
        "4 seats, ranking": Plan(bots=8, seats=4, deals=1, spread=wide),
        "4 seats, winner": Plan(bots=8, seats=4, deals=1, spread=wide, kind="winner"),
        "4 seats, pair": Plan(bots=8, seats=4, deals=1, spread=wide, kind="pair"),
        "6 seats, pair": Plan(bots=8, seats=6, deals=1, spread=wide, kind="pair"),
    }
    return [
        Row(f"{name}{played}", replace(plan, share=share), 80)
        for played, share in (("", 1.0), (", a fifth", 0.2))
        for name, plan in fields.items()
    ]


def measured(row: Row) -> Line:
    """Play the leagues of a row and order the bots by every method."""
    matches, found = [], []
    for number in range(row.leagues):
        seed = f"{row.name} {number}"
        league = simulated(row.plan, seed)
        matches.append(len(league.matches))
        orders = said(league, random.Random(seed))
        found.append({method: tau(league.skills, order) for method, order in orders.items()})
    others = [[each[method] - each["ours"] for each in found if method in each]
              for method in OTHERS]  # fmt: skip
    cells = (
        row.name,
        round(mean_of(matches).value),
        mean_of([each["ours"] for each in found]),
        *(f"{mean_of(leads):+.3f}" if leads else "not installed" for leads in others),
    )
    return Line(cells)


def said(league: Simulated, chance: random.Random) -> dict[str, Order]:
    """Return the order of every method; those that go match by match see a random order."""
    deals = deals_of(league.matches)
    table = standings(deals, fit(deals, bots=league.skills))
    results = [result for _, result in league.matches]
    chance.shuffle(results)
    orders = {
        "ours": {row.bot: row.mu for row in table},
        "trueskill": by_trueskill(league.skills, results),
        "points": {row.bot: row.points or 0.0 for row in table},
    }
    if PlackettLuce is not None:
        orders["openskill"] = by_openskill(league.skills, results)
    return orders


def by_trueskill(bots: Iterable[str], results: Sequence[Result]) -> Order:
    """Rate match by match, as the package is usually called."""
    env = TrueSkill()
    rated = {bot: env.create_rating() for bot in bots}
    for line_up, places in results:
        new = env.rate([(rated[bot],) for bot in line_up], ranks=places)
        rated.update(zip(line_up, [own for (own,) in new], strict=True))
    return {bot: rating.mu for bot, rating in rated.items()}


def by_openskill(bots: Iterable[str], results: Sequence[Result]) -> Order:
    """Rate match by match with openskill's Plackett-Luce model."""
    model = PlackettLuce()
    rated = {bot: model.rating() for bot in bots}
    for line_up, places in results:
        new = model.rate([[rated[bot]] for bot in line_up], ranks=list(places))
        rated.update(zip(line_up, [own for (own,) in new], strict=True))
    return {bot: rating.mu for bot, rating in rated.items()}


def tau(truth: Mapping[str, float], order: Mapping[str, float]) -> float:
    """Return the pairs in the right order less those in the wrong one, as a share of all pairs.

    A pair that is said to be equal is neither.
    """
    pairs = list(combinations(truth, 2))
    right = sum(
        math.copysign(1, lead) * math.copysign(1, truth[one] - truth[two])
        for one, two in pairs
        if (lead := order[one] - order[two])
    )
    return right / len(pairs)
