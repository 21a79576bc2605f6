"""Prints how often the sequential test of `arena compare` errs, and how many deals it takes.

    python -m tests.benchmarks.false_alarms

Two bots of known skill meet in deals whose luck passes from seat to seat with the rotations:
equal ones, which must not be told apart, and ones of which the first is better by exactly the
margin. Beside it stands a test of a size fixed beforehand, which must know the spread of the deals,
and what happens to equal bots if somebody looks at their interval after every ten of a thousand
deals and stops when it leaves the half. `tests.benchmarks.wald` sets Wald's test beside it.

A last table is of deals that depend on one another, as those of processes that live on and learn:
two processes play in turn, in each either bot is in form, and forms last for a while (about three
minutes on two cores).
"""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from statistics import NormalDist, fmean

from tabulate import tabulate

from arena.stats.encounters import Share
from arena.stats.sequential import Bounds, Rates, SequentialTest

MEASURES = "arena/stats/encounters.py arena/stats/sequential.py"
NORMAL = NormalDist()
COMPARISONS = 2000
MOST_DEALS = 10_000
DEALS_SEEN = 40_000
LOOKERS = 400
FORMED = 400
LOOKS = 100
DEALS_BETWEEN = 10
OTHER_RATES = (Rates(alpha=0.1, beta=0.1), Rates(alpha=0.01, beta=0.01))
FORMS = (10, 100, math.inf)
"""How many deals of a process a form lasts, on average."""
PROCESSES = 2
HEADERS = (
    *("game", "alpha = beta", "called different", "missed", "undecided"),
    *("deals, equal", "at the margin", "fixed size", "by looking"),
    *("interval holds, equal", "at the margin", "reads"),
)
ONE_SIDED_HEADERS = "game", "passed at 0", "failed at 1", "deals at 0", "deals at 1"
FORM_HEADERS = ("game", "in form", "for 10 deals", "for 100", "for ever")


@dataclass(frozen=True)
class Field:
    """Games to simulate: performances of variance 1, a part of it dealt to the seat."""

    name: str
    luck: float = 0.0
    seats: int = 2
    mirrored: bool = True
    drawn: float = 0.0
    """Performances that differ by less make a draw."""
    winner_takes_all: bool = False

    def deal(self, skill: float, chance: random.Random) -> float:
        """Return the first bot's share of a deal's points against the second, which has skill 0."""
        dealt, own = math.sqrt(self.luck), math.sqrt(1 - self.luck)
        luck = [chance.gauss(0, dealt) for _ in range(self.seats)]
        turns = self.seats if self.mirrored else 1
        return fmean(
            self._points(
                [
                    (skill if seat == 0 else 0.0)
                    + luck[(seat + turn) % self.seats]
                    + chance.gauss(0, own)
                    for seat in range(self.seats)
                ]
            )
            for turn in range(turns)
        )

    def _points(self, forms: Sequence[float]) -> float:
        if self.winner_takes_all:
            best = max(forms)
            return 0.5 + 0.5 * ((forms[0] == best) - (forms[1] == best))
        lead = forms[0] - forms[1]
        return 0.5 if abs(lead) < self.drawn else float(lead > 0)

    def points(self, skill: float) -> float:
        """Return the share of the points to be expected."""
        if self.winner_takes_all:
            return 0.5 + 0.5 * (self._first(skill, 0.0) - self._first(0.0, skill))
        spread = math.sqrt(2)
        ways = (NORMAL.cdf((skill + edge) / spread) for edge in (-self.drawn, self.drawn))
        return fmean(ways)

    def _first(self, skill: float, other: float) -> float:
        """Return the chance to be first against `other` and seats of no skill, by quadrature."""
        step = 0.01
        return step * math.fsum(
            NORMAL.pdf(x)
            * NORMAL.cdf(x + skill - other)
            * NORMAL.cdf(x + skill) ** (self.seats - 2)
            for x in (step * number for number in range(-800, 801))
        )

    def skill_for(self, points: float) -> float:
        """Return the skill by which so many points are to be expected."""
        low, high = 0.0, 8.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.points(middle) < points else (low, middle)
        return low


FIELDS = (
    Field("one match a deal, win or loss", mirrored=False),
    Field("mirrored, no luck in the deal"),
    Field("mirrored, luck 0.5", luck=0.5),
    Field("mirrored, luck 0.8", luck=0.8),
    Field("mirrored, luck 0.95", luck=0.95),
    Field("mirrored, half of the matches drawn", luck=0.5, drawn=0.954),
    Field("mirrored, 19 of 20 matches drawn", drawn=2.772),
    Field("four seats, luck 0.8", luck=0.8, seats=4),
    Field("four seats, one winner, luck 0.8", luck=0.8, seats=4, winner_takes_all=True),
)


FORM_FIELDS = (FIELDS[0], FIELDS[3])
FORM_POINTS = (0.55, 0.6, 0.7)
"""What the bot in form takes of the points."""


@dataclass(frozen=True)
class Ends:
    """How many comparisons of a kind ended."""

    verdicts: Counter[str]
    deals: float
    """The mean until the end."""
    held: float
    """The share of them whose interval, at the end, held the true share of the points."""
    reads: float
    """The share of the points that the first bot has at the end, in the mean of those that call
    it better."""


@dataclass(frozen=True)
class Law:
    """What a deal can give the first bot, and how likely each score is."""

    scores: tuple[float, ...]
    weights: tuple[float, ...]

    def deals(self, chance: random.Random) -> Iterator[float]:
        """Yield the scores of deals without end."""
        while True:
            yield from chance.choices(self.scores, self.weights, k=100)


@dataclass(frozen=True)
class Forms:
    """Deals that several processes play in turn, in each of which one bot is in form for a while.

    Either is so as often, so that they are equal: but deals that follow one another are alike.
    """

    law: Law
    """Of the bot that is in form."""
    lasts: float

    def deals(self, chance: random.Random) -> Iterator[float]:
        """Yield the scores of deals without end."""
        forms = [chance.random() < 0.5 for _ in range(PROCESSES)]
        scores = self.law.deals(chance)
        while True:
            for process, is_first in enumerate(forms):
                score = next(scores)
                yield score if is_first else 1 - score
                if chance.random() < 1 / self.lasts:
                    forms[process] = chance.random() < 0.5


def law_of(field: Field, points: float) -> Law:
    """Return the law of a deal's score where the first bot takes such a share of the points.

    It is that of many deals, of which some are turned round so that the mean is exact; between
    equal bots every score is as likely as its opposite.
    """
    chance = random.Random(0)
    skill = field.skill_for(points) if points > 0.5 else 0.0
    seen = Counter(round(field.deal(skill, chance), 6) for _ in range(DEALS_SEEN))
    mean = fmean(seen, seen.values())
    turned = 0.5 if points == 0.5 else (mean - points) / (2 * mean - 1)
    scores = sorted({*seen, *(round(1 - score, 6) for score in seen)})
    weights = ((1 - turned) * seen[score] + turned * seen[round(1 - score, 6)] for score in scores)
    return Law(tuple(scores), tuple(max(weight, 0.0) for weight in weights))


def simulate(
    law: "Law | Forms", points: float, rates: Rates | Bounds, comparisons: int, seed: int
) -> Ends:
    """Return how comparisons end of bots of which the first takes such a share of the points."""
    chance = random.Random(seed)
    verdicts: Counter[str] = Counter()
    deals, held, reads = [], 0, []
    for _ in range(comparisons):
        test, scores = SequentialTest(rates), Counter[float]()
        for score in islice(law.deals(chance), MOST_DEALS):
            test.add(score)
            scores[score] += 1
            if test.verdict is not None:
                break
        verdicts[test.verdict or "undecided"] += 1
        deals.append(scores.total())
        share = share_of(scores)
        low, high = share.interval
        held += low <= points <= high
        if test.verdict == "better":
            reads.append(share.mean)
    return Ends(verdicts, fmean(deals), held / comparisons, fmean(reads or [math.nan]))


def share_of(scores: Counter[float]) -> Share:
    """Return the mean of scores, given how often each was seen."""
    share = Share()
    for score, count in scores.items():
        share.add(Fraction(score).limit_denominator(1000), count)
    return share


def one_sided_row(field: Field) -> list[object]:
    """Return how often a bot at either bound is wrongly passed or failed, and after how many deals.

    The bounds are a half of the points, and the margin above it.
    """
    bounds = Bounds(0.5, 0.5 + Rates.margin)
    low, high = (
        simulate(law_of(field, points), points, bounds, COMPARISONS, seed)
        for seed, points in enumerate((bounds.low, bounds.high), 5)
    )
    return [
        field.name,
        percent(low.verdicts["passed"] / COMPARISONS),
        percent(high.verdicts["failed"] / COMPARISONS),
        round(low.deals),
        round(high.deals),
    ]


def form_row(field: Field, points: float) -> list[object]:
    """Return how often equal bots are called different where form lasts, by how long it does."""
    law = law_of(field, points)
    ends = (simulate(Forms(law, lasts), 0.5, Rates(), FORMED, seed=4) for lasts in FORMS)
    called = ((each.verdicts["better"] + each.verdicts["worse"]) / FORMED for each in ends)
    return [field.name, percent(points), *map(percent, called)]


def fixed_size(law: Law, rates: Rates) -> int:
    """Return how many deals a test of fixed size needs for the same errors."""
    mean = fmean(law.scores, law.weights)
    spread = fmean([(score - mean) ** 2 for score in law.scores], law.weights)
    errors = NORMAL.inv_cdf(1 - rates.alpha / 2) + NORMAL.inv_cdf(1 - rates.beta)
    return math.ceil(spread * (errors / rates.margin) ** 2)


def called_by_looking(law: Law, comparisons: int) -> float:
    """Return how many pairs of equal bots somebody who looks again and again calls different."""
    chance = random.Random(0)
    return fmean(_is_called(law.deals(chance)) for _ in range(comparisons))


def _is_called(deals: Iterator[float]) -> bool:
    scores: Counter[float] = Counter()
    for _ in range(LOOKS):
        scores.update(islice(deals, DEALS_BETWEEN))
        low, high = share_of(scores).interval
        if not low <= 0.5 <= high:
            return True
    return False


def row(field: Field, rates: Rates) -> list[object]:
    """Return the table's row of a field."""
    points = 0.5 + rates.margin
    even, uneven = law_of(field, 0.5), law_of(field, points)
    equal = simulate(even, 0.5, rates, COMPARISONS, seed=1)
    better = simulate(uneven, points, rates, COMPARISONS, seed=2)
    usual = rates == Rates()
    return [
        field.name,
        percent(rates.alpha),
        percent((equal.verdicts["better"] + equal.verdicts["worse"]) / COMPARISONS),
        percent((better.verdicts["worse"] + better.verdicts["same"]) / COMPARISONS),
        percent((equal.verdicts["undecided"] + better.verdicts["undecided"]) / COMPARISONS / 2),
        round(equal.deals),
        round(better.deals),
        fixed_size(uneven, rates),
        percent(called_by_looking(even, LOOKERS)) if usual else "",
        percent(equal.held),
        percent(better.held),
        percent(better.reads),
    ]


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    others = [(field, rates) for rates in OTHER_RATES for field in FIELDS[1::2]]
    kinds = [*((field, Rates()) for field in FIELDS), *others]
    with ProcessPoolExecutor() as pool:
        rows = list(pool.map(row, *zip(*kinds, strict=True)))
        one_sided = list(pool.map(one_sided_row, FIELDS))
        forms = list(pool.map(form_row, *zip(*product(FORM_FIELDS, FORM_POINTS), strict=True)))
    print(tabulate(rows, HEADERS, disable_numparse=True), end="\n\n")
    print(tabulate(one_sided, ONE_SIDED_HEADERS, disable_numparse=True), end="\n\n")
    print(tabulate(forms, FORM_HEADERS, disable_numparse=True))
