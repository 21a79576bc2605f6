"""What two bots did against each other, and how sure that is; pure."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, permutations
from typing import NamedTuple

from arena.stats.outcomes import Deals, Result

SURE = 2.0
"""The standard errors on either side of a share that make its interval, of about 95 %."""
_NO_CHANCE = 3.0  # standard errors, of each of the leads that make a cycle
_DOUBT = 2  # deals taken for lost and as many for won, before any was played


class Interval(NamedTuple):
    """The range in which a true share most likely lies, within 0 and 1."""

    low: float
    high: float


@dataclass(slots=True)
class Share:
    """The mean of what deals gave, each from 0 to 1, without rounding."""

    deals: int = 0
    total: Fraction = Fraction()
    squares: Fraction = Fraction()

    def add(self, score: Fraction, deals: int = 1) -> None:
        """Count some deals that gave the same."""
        self.deals += deals
        self.total += score * deals
        self.squares += score * score * deals

    @property
    def mean(self) -> float:
        """The mean of all deals, of which there must be one."""
        return float(self.total / self.deals)

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None for fewer than two deals."""
        if self.deals < 2:
            return None
        square = (self.squares - self.total**2 / self.deals) / (self.deals - 1)
        return math.sqrt(square / self.deals)

    @property
    def interval(self) -> Interval:
        """The interval about the mean, of about 95 %."""
        return self.within(SURE)

    def within(self, errors: float) -> Interval:
        """Return the interval of so many errors, as if two more deals had been lost and two won.

        Agresti and Coull, "Approximate Is Better than 'Exact' for Interval Estimation of
        Binomial Proportions", 1998, with deals for trials: few deals, or deals that all went
        the same way, leave doubt.
        """
        padded = Share(self.deals, self.total, self.squares)
        padded.add(Fraction(0), _DOUBT)
        padded.add(Fraction(1), _DOUBT)
        assert padded.error is not None
        reach = errors * padded.error
        return Interval(max(0.0, padded.mean - reach), min(1.0, padded.mean + reach))


@dataclass(slots=True)
class Encounter:
    """What one bot did against another in the matches they both sat in."""

    matches: int = 0
    wins: int = 0
    """Matches with the better place."""
    draws: int = 0
    """Matches with the same place."""
    places: int = 0
    other_places: int = 0
    """The sums of the places of both."""
    points: Share = field(default_factory=Share)
    """By deal, 1 for every match with the better place and 0.5 for every shared one."""

    @property
    def losses(self) -> int:
        """Matches with the worse place."""
        return self.matches - self.wins - self.draws

    @property
    def lead(self) -> int:
        """1 if the bot is surely ahead of the other, -1 if surely behind, otherwise 0."""
        low, high = self.points.interval
        return (low > 0.5) - (high < 0.5)


def encounters(deals: Deals) -> dict[tuple[str, str], Encounter]:
    """Return what every bot did against every other it met, by (bot, other), in order of name."""
    met: defaultdict[tuple[str, str], Encounter] = defaultdict(Encounter)
    scores: Counter[tuple[tuple[str, str], int, int]] = Counter()
    for results, count in deals.items():
        halves: Counter[tuple[str, str]] = Counter()
        matches: Counter[tuple[str, str]] = Counter()
        for pair, place, other_place in _meetings(results):
            encounter = met[pair]
            encounter.matches += count
            encounter.wins += count * (place < other_place)
            encounter.draws += count * (place == other_place)
            encounter.places += count * place
            encounter.other_places += count * other_place
            halves[pair] += (place < other_place) + (place <= other_place)
            matches[pair] += 1
        for pair, number in matches.items():
            scores[pair, halves[pair], 2 * number] += count
    for (pair, won, most), count in scores.items():
        met[pair].points.add(Fraction(won, most), count)
    return {pair: met[pair] for pair in sorted(met)}


def cycles(
    met: Mapping[tuple[str, str], Encounter], bots: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield all (A, B, C) of which A surely beats B, B surely beats C and C surely beats A.

    Each begins with the bot that comes first in `bots`, in whose order they come. Among many
    bots there are so many threes that a lead has to be surer than usual.
    """
    sure = {pair for pair, each in met.items() if each.points.within(_NO_CHANCE).low > 0.5}
    beaten = {bot: [other for other in bots if (bot, other) in sure] for bot in bots}
    later = set(bots)
    for first in bots:
        later.discard(first)
        for second in filter(later.__contains__, beaten[first]):
            for third in beaten[second]:
                if third in later and (third, first) in sure:
                    yield first, second, third


def never_crossed(
    met: Mapping[tuple[str, str], Encounter], bots: Sequence[str], *, duels: bool
) -> list[tuple[str, str]]:
    """Return the neighbours in an order where nobody below ever did better than anybody above.

    In duels, nor as well; in larger matches a shared place need not compare the two.
    """
    number = {bot: at for at, bot in enumerate(bots)}
    crossed: set[int] = set()
    for (one, other), each in met.items():
        if other in number and one in number and (each.wins or (duels and each.draws)):
            crossed.update(range(number[other], number[one]))
    return [pair for at, pair in enumerate(pairwise(bots)) if at not in crossed]


def _meetings(results: tuple[Result, ...]) -> Iterator[tuple[tuple[str, str], int, int]]:
    """Yield every bot of a match with every other, and the places of both.

    A place is one plus the seats that did better, whatever was written.
    """
    for bots, written in results:
        places = [1 + sum(better < place for better in written) for place in written]
        seats = zip(bots, places, strict=True)
        for (bot, place), (other, other_place) in permutations(seats, 2):
            yield (bot, other), place, other_place
