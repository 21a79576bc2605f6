"""What two bots did against each other, and how sure that is; pure."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from arena.stats.outcomes import Deals, Result

SURE = 2.0
"""The standard errors on either side of a share that make its interval, of about 95 %."""
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
        """The interval about the mean, as if two more deals had been lost and two won.

        Agresti and Coull, "Approximate Is Better than 'Exact' for Interval Estimation of
        Binomial Proportions", 1998, with deals for trials: few deals, or deals that all went
        the same way, leave doubt.
        """
        padded = Share(self.deals, self.total, self.squares)
        padded.add(Fraction(0), _DOUBT)
        padded.add(Fraction(1), _DOUBT)
        assert padded.error is not None
        reach = SURE * padded.error
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
    for results, count in deals.items():
        scores: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for bot, other, place, other_place in _meetings(results):
            encounter = met[bot, other]
            encounter.matches += count
            encounter.wins += count * (place < other_place)
            encounter.draws += count * (place == other_place)
            encounter.places += count * place
            encounter.other_places += count * other_place
            scores[bot, other].append((place < other_place) + (place <= other_place))
        for pair, halves in scores.items():
            met[pair].points.add(Fraction(sum(halves), 2 * len(halves)), count)
    return {pair: met[pair] for pair in sorted(met)}


def _meetings(results: tuple[Result, ...]) -> Iterator[tuple[str, str, int, int]]:
    for bots, places in results:
        for (bot, place), (other, other_place) in permutations(zip(bots, places, strict=True), 2):
            yield bot, other, place, other_place
