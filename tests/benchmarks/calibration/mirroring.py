"""How many independent deals a mirrored one is worth, of as many matches.

What counts is how far a bot's points scatter from deal to deal, among the same bots: a table of
mirrored deals is as sure as one of that many times as many independent ones.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from statistics import fmean, variance

from arena.stats.outcomes import Result
from tests.benchmarks.calibration.coverage import FIELDS, LUCKS
from tests.benchmarks.calibration.figures import Line, ratio_of
from tests.benchmarks.calibration.league import Plan, Row, deal_of

TITLE = "How many independent deals of as many matches one mirrored deal is worth"
HEADERS = "field", *(f"luck {luck:g}" for luck in LUCKS)
NOTE = "carry: the correlation of a seat's luck between rotations; spread 1.5 or as said."
CARRIES = 1.0, 0.7


def rows() -> list[Row]:
    """Return every kind of match, with luck that passes to the next seat whole or in part."""
    near = [
        Row(f"{seats} seats, {kind}, carry {carry:g}",
            Plan(bots=seats, seats=seats, kind=kind, carry=carry, deals=100, spread=1.5), 200)
        for seats, kind in FIELDS
        for carry in CARRIES
    ]  # fmt: skip
    return [
        *near,
        *(Row(f"{seats} seats, ranking, spread 3", Plan(bots=seats, seats=seats, deals=100), 200)
          for seats in (2, 4, 6)),
    ]  # fmt: skip


def measured(row: Row) -> Line:
    """Compare the scatters at every share of luck."""
    ratios = []
    for luck in LUCKS:
        plan = replace(row.plan, luck=luck)
        found = [scatters(plan, f"{row.name} {luck} {number}") for number in range(row.leagues)]
        independent, mirrored = zip(*found, strict=True)
        ratios.append(f"{ratio_of(independent, mirrored):.2f}")
    return Line((row.name, *ratios))


def scatters(plan: Plan, seed: str) -> tuple[float, float]:
    """Return the variance of a deal's points among the same bots, independent and mirrored."""
    chance = random.Random(seed)
    skills = {f"{bot:02}": chance.gauss(0, plan.spread) for bot in range(plan.bots)}
    independent, mirrored = [
        _scatter([points(deal_of(kind, list(skills), skills, chance)) for _ in range(plan.deals)])
        for kind in (replace(plan, mirrored=False), plan)
    ]
    return independent, mirrored


def _scatter(deals: Sequence[dict[str, float]]) -> float:
    return fmean(variance(deal[bot] for deal in deals) for bot in deals[0])


def points(results: Iterable[Result]) -> dict[str, float]:
    """Return each bot's share of the other seats beaten, the mean of a deal's matches."""
    shares: dict[str, list[float]] = {}
    for bots, places in results:
        halves = dict.fromkeys(bots, 0)
        for (bot, place), (_, other) in permutations(zip(bots, places, strict=True), 2):
            halves[bot] += (place < other) + (place <= other)
        for bot, beaten in halves.items():
            shares.setdefault(bot, []).append(beaten / 2 / (len(bots) - 1))
    return {bot: fmean(each) for bot, each in shares.items()}
