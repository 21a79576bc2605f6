"""How often the truth lies within two errors, and how often bots are told apart wrongly."""

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from statistics import fmean
from typing import NamedTuple

from arena.stats.likelihood import BETA, Ties
from arena.stats.ratings import Ratings, fit, rank_intervals
from tests.arena.stats.deals import deals_of
from tests.benchmarks.calibration.figures import Line, Mean, mean_of, root_mean_square
from tests.benchmarks.calibration.league import Kind, Plan, Row, Simulated, simulated

TITLE = "How often the truth lies within two errors (aim: 0.93 to 0.97)"
HEADERS = "field", "deals", "missed", "shown", "cover", "pairs", "ranks", "apart", "wrong"
NOTE = """\
deals: the fewest of a bot. missed, shown: root mean squares of errors, true and on the leaderboard.
cover: bots within two errors. pairs: their differences likewise. ranks: true ranks in the interval.
apart, wrong: pairs told apart, and those of them that are equal or in the other order."""
AIM = 0.93, 0.97
MOST_WRONG = 0.025
"""Of the pairs of unequal bots, the share that may be told apart the wrong way round."""
LUCKS = 0.0, 0.5, 0.8, 0.95
FEW = 5, 10, 20, 29
"""Deals."""
FIELDS: Mapping[tuple[int, Kind], tuple[int, int, int]] = {
    (2, "ranking"): (6, 12, 400),
    (2, "draws"): (6, 12, 400),
    (4, "ranking"): (5, 12, 300),
    (4, "winner"): (5, 12, 400),
    (4, "pair"): (5, 12, 400),
    (6, "ranking"): (6, 36, 150),
    (6, "winner"): (6, 60, 350),
    (6, "pair"): (6, 60, 350),
}
"""Bots, deals for each line-up, and leagues, by seats and kind.

Many small leagues say more than few large ones: a fit takes its time by distinct results, and
the bots of a league share its chance.
"""


def rows() -> list[Row]:
    """Return every kind of match at every share of luck, and fields that may be difficult."""
    regular = [
        Row(f"{seats} seats, {kind}, luck {luck:g}",
            Plan(bots=bots, seats=seats, kind=kind, luck=luck, deals=deals), leagues)
        for (seats, kind), (bots, deals, leagues) in FIELDS.items()
        for luck in LUCKS
    ]  # fmt: skip
    return [
        *regular,
        Row("independent deals", Plan(bots=6, deals=12, mirrored=False), 400),
        Row("independent, 4 seats, winner",
            Plan(bots=5, deals=12, seats=4, kind="winner", mirrored=False), 400),
        Row("independent, 4 seats, pair",
            Plan(bots=5, deals=12, seats=4, kind="pair", mirrored=False), 400),
        Row("equal bots", Plan(bots=6, deals=12, spread=0.0), 400),
        Row("spread 1.5", Plan(bots=6, deals=12, spread=1.5), 400),
        Row("spread 8.33", Plan(bots=6, deals=12, spread=8.33), 400),
        Row("4 seats, winner, spread 8.33",
            Plan(bots=5, deals=12, seats=4, kind="winner", spread=8.33), 400),
        Row("2 bots", Plan(bots=2, deals=60), 1000),
        Row("3 bots", Plan(bots=3, deals=30), 1000),
        Row("20 bots", Plan(bots=20, deals=2), 100),
        Row("8 bots, a third of the deals", Plan(bots=8, deals=24, share=1 / 3), 300),
        Row("first seat better (64 %)", Plan(bots=6, deals=12, edge=BETA / 2), 400),
        Row("good or bad hands", Plan(bots=6, deals=12, shape="good or bad"), 400),
        Row("luck with heavy tails", Plan(bots=6, deals=12, shape="heavy tails"), 400),
        *(Row(f"8 bots, spread {spread:g}", Plan(bots=8, deals=12, spread=spread), 300)
          for spread in (10, 12.5, 16.7, 30)),
        Row("8 bots, spread 16.7, 50 deals each", Plan(bots=8, deals=50, spread=16.7), 200),
        *(Row(f"8 bots, spread {spread:g}, {7 * each} deals",
              Plan(bots=8, deals=each, spread=spread), 200)
          for spread in (8.33, 15, 30) for each in (1, 2, 5)),
        *(Row(f"5 bots, 4 seats, spread 12, {4 * each} deals",
              Plan(bots=5, seats=4, deals=each, spread=12), 200) for each in (2, 5)),
        *(Row(f"2 bots, {deals} deals of one match", Plan(bots=2, deals=deals, copies=1), 400)
          for deals in (5, 10, 20)),
        Row("6 seats, three pairs", Plan(bots=6, seats=6, kind="pairs", deals=60), 350),
        *(Row(f"2 bots, {deals} deals", Plan(bots=2, deals=deals), 600) for deals in FEW),
        *(Row(f"2 equals, {deals} deals of 4 times the same",
              Plan(bots=2, deals=deals, copies=4, spread=0.0), 600) for deals in FEW),
        *(Row(f"6 bots, {5 * each} deals", Plan(bots=6, deals=each), 300) for each in (1, 2, 4, 6)),
        *(Row(f"6 equals, {5 * each} deals of 4 times the same",
              Plan(bots=6, deals=each, copies=4, spread=0.0), 300) for each in (1, 2, 4, 6)),
        Row("8 equals, one match", Plan(bots=8, seats=8, deals=1, copies=1, spread=0.0), 300),
    ]  # fmt: skip


class Observed(NamedTuple):
    """What the leaderboard says of one league, held against the truth."""

    deals: int
    """The fewest of a bot."""
    misses: Sequence[float]
    """By bot, in mu points: rating less truth, both measured from the mean of the group."""
    errors: Sequence[float]
    """By bot: what is shown."""
    cover: float
    """The share of the bots whose truth lies within two errors."""
    pairs: float
    """The share of the pairs whose true difference lies within two errors of the difference."""
    ranks: float
    """The share of the bots whose rank interval holds the true rank, or ranks, of its equals."""
    apart: float
    """The share of the pairs that are told apart."""
    wrong: float
    """The share of the pairs that are told apart, but equal or in the other order."""


def observed(league: Simulated, ties: Ties = "unordered") -> Observed:
    """Rate a league and compare."""
    skills = league.skills
    ratings = fit(deals_of(league.matches), ties=ties)
    misses = _misses(ratings, skills)
    errors = {bot: ratings.bots[bot].error for bot in misses}
    intervals, ranks = rank_intervals(ratings), _true_ranks(ratings, skills)
    pairs = [pair for group in ratings.groups for pair in combinations(group, 2)]
    orders = [order for group in ratings.groups for order in permutations(group, 2)]
    apart = [order for order in orders if ratings.separated(*order)]
    return Observed(
        deals=min(ratings.bots[bot].deals for bot in misses),
        misses=list(misses.values()),
        errors=list(errors.values()),
        cover=fmean(abs(misses[bot]) < 2 * errors[bot] for bot in misses),
        pairs=fmean(
            abs(misses[one] - misses[two]) < 2 * ratings.error_between(one, two)
            for one, two in pairs
        ),
        ranks=fmean(
            intervals[bot][0] <= first and last <= intervals[bot][1]
            for bot, (first, last) in ranks.items()
        ),
        apart=len(apart) / len(pairs),
        wrong=sum(skills[better] <= skills[worse] for better, worse in apart) / len(pairs),
    )


def _misses(ratings: Ratings, skills: Mapping[str, float]) -> dict[str, float]:
    misses = {}
    for group in ratings.groups:
        leads = {bot: ratings.bots[bot].mu - skills[bot] for bot in group}
        level = fmean(leads.values())
        misses.update({bot: lead - level for bot, lead in leads.items()})
    return misses


def _true_ranks(ratings: Ratings, skills: Mapping[str, float]) -> dict[str, tuple[int, int]]:
    """Return the first and the last rank of each bot's equals in its group."""
    ranks = {}
    for group in ratings.groups:
        for bot in group:
            better = sum(skills[other] > skills[bot] for other in group)
            worse = sum(skills[other] < skills[bot] for other in group)
            ranks[bot] = 1 + better, len(group) - worse
    return ranks


def measured(row: Row) -> Line:
    """Play and rate the leagues of a row."""
    found = [observed(simulated(row.plan, f"{row.name} {n}")) for n in range(row.leagues)]
    cover = mean_of([each.cover for each in found])
    wrong = mean_of([each.wrong for each in found])
    cells = (
        row.name,
        min(each.deals for each in found),
        f"{root_mean_square(miss for each in found for miss in each.misses):.2f}",
        f"{root_mean_square(error for each in found for error in each.errors):.2f}",
        cover,
        mean_of([each.pairs for each in found]),
        f"{fmean(each.ranks for each in found):.3f}",
        f"{fmean(each.apart for each in found):.2f}",
        f"{wrong.value:.4f}",
    )
    return Line(cells, faults(cover, wrong, row.plan))


def faults(cover: Mean, wrong: Mean, plan: Plan) -> list[str]:
    """Return in words what is not as it should be."""
    low, high = AIM
    found = []
    if not low <= cover.value <= high:
        beyond = max(low - cover.value, cover.value - high)
        surely = "" if beyond > 2 * cover.error else ", perhaps by chance"
        width = "narrow" if cover.value < low else "wide"
        found.append(f"the bars are too {width}{surely}: {cover}")
    if wrong.value > (MOST_WRONG if plan.spread else 2 * MOST_WRONG):
        found.append(f"too many pairs are told apart wrongly: {wrong}")
    return found
