"""How often circles of bots are found where there are some, and where there are none."""

import math
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist, fmean

from arena.stats.cycles import Circles
from arena.stats.encounters import points_by_deal
from arena.stats.likelihood import BETA
from arena.stats.lottery import lottery, maximal
from arena.stats.margins import margins
from tests.arena.stats.deals import deals_of
from tests.benchmarks.calibration.figures import Line
from tests.benchmarks.calibration.league import Plan, Row, circle_between, simulated

TITLE = "How often circles are found, and how true their share and the lottery are"
HEADERS = "field", "found", "three named", "share", "said", "cover", "lottery"
NOTE = """\
found: tables that are said to have circles. three named: those in which three bots surely are one.
share, said: what one number leaves of the variance, true and as the mean of what is said; cover:
how often it lies within two errors. lottery: bots whose true weight lies in the bar of 95 %."""
LEAST_FOUND, MOST_FALSE = 0.95, 0.05
SIXTY = BETA * math.sqrt(2) * NormalDist().inv_cdf(0.6)
"""The lead by which 60 % of matches are won, in mu points."""


def rows() -> list[Row]:
    """Return fields with circles, three camps of which each beats the next, and without any."""
    planted = [
        Row(f"{bots} bots, spread {spread:g}, luck {luck:g}",
            Plan(bots=bots, deals=50, spread=spread, luck=luck, circle=SIXTY), leagues)
        for bots, spread, luck, leagues in (
            (8, 0.0, 0.0, 100), (8, 0.0, 0.8, 100), (8, 3.0, 0.0, 100), (8, 3.0, 0.8, 100),
            (12, 3.0, 0.0, 60), (20, 3.0, 0.0, 40),
        )
    ]  # fmt: skip
    outsiders = [
        Row(f"3 of 8 bots, {share}", Plan(bots=8, deals=50, circle=lead, outside=5), 100)
        for share, lead in (("60 %", SIXTY), ("70 %", 2 * SIXTY))
    ]
    none = [
        *(Plan(bots=8, deals=deals) for deals in (4, 10, 50)),
        *(Plan(bots=8, deals=20, luck=luck) for luck in (0.0, 0.95)),
        Plan(bots=8, deals=20, spread=0.0),
        Plan(bots=8, deals=20, spread=8.33),
        Plan(bots=8, deals=20, kind="draws"),
        Plan(bots=8, deals=20, edge=BETA / 2),
        Plan(bots=6, deals=10, seats=4),
        Plan(bots=6, deals=10, seats=4, kind="winner"),
    ]
    large = [Plan(bots=20, deals=10), Plan(bots=20, deals=50)]
    return [
        *planted,
        *outsiders,
        *(Row(f"none: {_said(plan)}", plan, 200) for plan in none),
        *(Row(f"none: {_said(plan)}", plan, 60) for plan in large),
    ]


def _said(plan: Plan) -> str:
    seats = "" if plan.seats == 2 else f", {plan.seats} seats"
    kind = "" if plan.kind == "ranking" else f", {plan.kind}"
    edge = ", first seat better" if plan.edge else ""
    return (
        f"{plan.bots} bots{seats}{kind}{edge}, {plan.deals} deals, spread {plan.spread:g}, "
        f"luck {plan.luck:g}"
    )


def measured(row: Row) -> Line:
    """Simulate a row's leagues, and count."""
    found, named, said, true, cover, weights = [], [], [], [], [], []
    for number in range(row.leagues):
        league = simulated(row.plan, f"{row.name} {number}")
        is_duel = row.plan.seats == 2
        seen = margins(points_by_deal(deals_of(league.matches)))
        circles = Circles(list(league.skills), seen, duels=is_duel)
        rest = circles.unexplained()
        named.append(any(cycle.is_sure for cycle in circles.cycles()[:1]))
        found.append(named[-1] or rest.is_sure)
        if not is_duel:
            continue
        shares = {
            (one, two): NormalDist(0, BETA * math.sqrt(2)).cdf(
                league.skills[one] - league.skills[two] + circle_between(row.plan, one, two)
            )
            for one, two in combinations(sorted(league.skills), 2)
        }
        exact = {pair: replace(each, share=shares[pair]) for pair, each in seen.items()}
        differ = row.plan.spread or row.plan.circle
        if differ and rest.share is not None and rest.error is not None:
            true.append(Circles(list(league.skills), exact, duels=True).plain_share())
            said.append(rest.share)
            cover.append(abs(rest.share - true[-1]) <= 2 * rest.error)
        if row.plan.circle and row.plan.kind == "ranking" and number < row.leagues // 4:
            bots = sorted(league.skills)
            lead = [
                [0.0 if one == two else shares[one, two] - 0.5 if one < two
                 else 0.5 - shares[two, one] for two in bots]
                for one in bots
            ]  # fmt: skip
            best = dict(zip(bots, maximal(lead), strict=True))
            weights += [
                each.low <= best[each.bot] <= each.high
                for each in lottery(bots, seen, {})
            ]  # fmt: skip
    share = fmean(found)
    faults = []
    if row.plan.circle and not row.plan.outside and share < LEAST_FOUND:
        faults.append(f"found {share:.3f}")
    if not row.plan.circle and share > MOST_FALSE:
        faults.append(f"false {share:.3f}")
    cells = (
        row.name,
        f"{share:.3f}",
        f"{fmean(named):.3f}",
        *((f"{fmean(each):.3f}" if each else "-") for each in (true, said, cover, weights)),
    )
    return Line(cells, faults)
