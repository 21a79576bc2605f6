"""What bots score in a match on average, and how sure that is; pure."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from arena.stats.encounters import Mean
from arena.stats.ratings import FEWEST_DEALS, widened

Score: TypeAlias = int | float
Seated: TypeAlias = tuple[Sequence[str], Sequence[Score] | None]
"""The bots of a match and what they scored, both by seat; None if that is not known."""


class Scores:
    """What was scored, deal by deal: the unit is the deal, as its matches share their luck."""

    def __init__(self) -> None:
        self.matches = 0
        """The matches of the deals that count."""
        self.unscored = 0
        """Matches that were not scored."""
        self.waiting = 0
        """Matches that were, but do not count, as others of their deal were not."""
        self._kinds: Counter[tuple[str, Score, int]] = Counter()

    def add(self, deal: Sequence[Seated], count: int = 1) -> None:
        """Take in what was played in a whole deal, which came so often.

        A deal counts if all of its matches were scored: half a deal would favour who sat better.
        """
        unscored = sum(scores is None for _, scores in deal)
        if unscored:
            self.unscored += count * unscored
            self.waiting += count * (len(deal) - unscored)
            return
        self.matches += count * len(deal)
        found: defaultdict[str, list[Score]] = defaultdict(list)
        for bots, scores in deal:
            for bot, score in zip(bots, scores or (), strict=True):
                found[bot].append(score)
        for bot, own in found.items():
            self._kinds[bot, _sum(own), len(own)] += count

    def means(self) -> dict[str, Mean]:
        """Return the mean of each bot over its deals; what counts in one is its mean there."""
        means: defaultdict[str, Mean] = defaultdict(Mean)
        for (bot, total, matches), count in self._kinds.items():
            means[bot].add(Fraction(total) / matches, count)
        return dict(means)


def shown_error(mean: Mean) -> float | None:
    """Return the standard error of a mean as it is to be shown; None if deals are too few.

    Few deals widen it by Student's t, as they do the errors of ratings.
    """
    if mean.deals < FEWEST_DEALS or mean.error is None:
        return None
    return widened(mean.deals) * mean.error


def _sum(scores: Sequence[Score]) -> Score:
    """Return a sum that does not depend on the order."""
    return sum(scores) if all(type(each) is int for each in scores) else math.fsum(scores)
