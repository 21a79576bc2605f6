"""Prints what the tests of `arena compare` cost beside Wald's, which has to know more.

    python -m tests.benchmarks.wald

Both meet the same kinds of deals, of bots of which the first takes half of the points, half-way to
the margin, the margin, or twice that (about ten minutes on two cores). Wald's sequential
probability ratio test knows how likely every result of a deal is if the bots are equal, and if one
is better by the margin. Of two sides it is the one whose likelihood is weighted: what a result is
worth if either bot is better by the margin, each as likely as the other ("Sequential Tests of
Statistical Hypotheses", 1945, section 4.3). The last table is of the test of one side that chess
engines are tested with, which takes the likelihoods from the deals that it has seen:
`arena.stats.likelihood_ratio`.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from statistics import fmean

from tabulate import tabulate

from arena.stats.likelihood_ratio import Ratio
from arena.stats.sequential import Bounds, Rates
from tests.benchmarks.false_alarms import FIELDS, MOST_DEALS, Field, Law, law_of, percent, simulate

MEASURES = "arena/stats/likelihood_ratio.py arena/stats/sequential.py"
COMPARISONS = 2000
LEADS = (0.0, 0.5, 1.0, 2.0)
"""By which the first bot is better, in margins."""
RATES = Rates()
CALL = math.log((1 - RATES.beta) / RATES.alpha)
MISS = math.log((1 - RATES.alpha) / RATES.beta)
SEEN_EVERY = 4
"""The ratio of what was seen is reckoned after so many deals, as it takes its time."""
HEADERS = (
    "game",
    *(
        f"{name}, at {percent(0.5 + lead * RATES.margin)}"
        for lead in LEADS
        for name in ("deals", "Wald", "more")
    ),
    *("Wald errs, equal", "at the margin"),
)
ENGINE_HEADERS = (
    "game",
    *(f"of the seen, at {percent(0.5 + lead * RATES.margin)}" for lead in LEADS),
    *("errs, equal", "at the margin"),
)


@dataclass(frozen=True)
class Ended:
    """How many tests of a kind passed, and after how many deals they ended."""

    passed: float
    deals: float


Evidence = Callable[[Iterator[float]], Iterator[float]]
"""What turns the scores of deals into the evidence after each of them."""


def ended(law: Law, evidence: Evidence, seed: int, comparisons: int = COMPARISONS) -> Ended:
    """Return how Wald's test ends: as soon as the evidence lies outside of -MISS and CALL."""
    chance = random.Random(seed)
    passed, deals = 0, []
    for _ in range(comparisons):
        played, now = 0, 0.0
        for now in evidence(islice(law.deals(chance), MOST_DEALS)):
            played += 1
            if not -MISS < now < CALL:
                break
        passed += now >= CALL
        deals.append(played)
    return Ended(passed / comparisons, fmean(deals))


def steps_of(one: Law, other: Law) -> Mapping[float, float]:
    """Return what each score says for one law against another, either unlikely at the least."""
    known = [dict(zip(law.scores, law.weights, strict=True)) for law in (one, other)]
    sums = [math.fsum(law.values()) for law in known]

    def share(number: int, score: float) -> float:
        return max(known[number].get(score, 0.0), 0.5) / sums[number]

    scores = {*one.scores, *other.scores}
    return {score: math.log(share(0, score) / share(1, score)) for score in scores}


def one_sided(better: Law, even: Law) -> Evidence:
    """Return the evidence that the first bot is better by the margin, not equal."""
    steps = steps_of(better, even)

    def evidence(scores: Iterator[float]) -> Iterator[float]:
        total = 0.0
        for score in scores:
            total += steps.get(score, 0.0)
            yield total

    return evidence


def two_sided(better: Law, even: Law) -> Evidence:
    """Return the evidence that either bot is better by the margin, not both equal."""
    up, down = steps_of(better, even), steps_of(turned(better), even)

    def evidence(scores: Iterator[float]) -> Iterator[float]:
        above = below = 0.0
        for score in scores:
            above += up.get(score, 0.0)
            below += down.get(score, 0.0)
            high = max(above, below)
            yield high + math.log((math.exp(above - high) + math.exp(below - high)) / 2)

    return evidence


def seen(possible: int) -> Evidence:
    """Return the evidence of the deals that were seen, whatever their law, as engines are tested.

    A deal has so many possible scores.
    """
    bounds = Bounds(0.5, 0.5 + RATES.margin)

    def evidence(scores: Iterator[float]) -> Iterator[float]:
        ratio = Ratio(bounds, possible)
        now = 0.0
        for count, score in enumerate(scores, 1):
            ratio.add(score)
            if count % SEEN_EVERY == 0:
                now = ratio.value
            yield now

    return evidence


def turned(law: Law) -> Law:
    """Return the law of the other bot's scores."""
    return Law(tuple(round(1 - score, 6) for score in law.scores), law.weights)


def rows_of(field: Field) -> tuple[list[object], list[object], list[object]]:
    """Return a field's rows of the tables: of two sides, of one, and of what was seen."""
    laws = {lead: law_of(field, 0.5 + lead * RATES.margin) for lead in LEADS}
    even, better = laws[0.0], laws[1.0]
    bounds = Bounds(0.5, 0.5 + RATES.margin)
    possible = 2 * (field.seats if field.mirrored else 1) + 1
    kinds: tuple[tuple[Rates | Bounds, Evidence], ...] = (
        (RATES, two_sided(better, even)),
        (bounds, one_sided(better, even)),
    )
    found = []
    for asked, evidence in kinds:
        cells: list[object] = [field.name]
        walds = {}
        for seed, (lead, law) in enumerate(laws.items(), 1):
            points = 0.5 + lead * RATES.margin
            ours = simulate(law, points, asked, COMPARISONS, seed).deals
            walds[lead] = ended(law, evidence, seed + 10)
            theirs = walds[lead].deals
            cells += [round(ours), round(theirs), f"{100 * (ours / theirs - 1):.0f} %"]
        found.append([*cells, percent(walds[0.0].passed), percent(1 - walds[1.0].passed)])
    engines = {lead: ended(law, seen(possible), 20) for lead, law in laws.items()}
    last = [
        field.name,
        *(round(each.deals) for each in engines.values()),
        percent(engines[0.0].passed),
        percent(1 - engines[1.0].passed),
    ]
    return found[0], found[1], last


if __name__ == "__main__":
    with ProcessPoolExecutor() as pool:
        two, one, engine = zip(*pool.map(rows_of, FIELDS), strict=True)
    for rows, headers in ((two, HEADERS), (one, HEADERS), (engine, ENGINE_HEADERS)):
        print(tabulate(rows, headers, disable_numparse=True), end="\n\n")
