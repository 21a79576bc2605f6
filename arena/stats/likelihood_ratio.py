"""How much likelier deals are at one bound than at another, as chess engines are tested; pure.

The log-likelihood ratio that fishtest and fastchess show, of their logistic Elo. Nothing is known
of how the scores of a deal scatter: at each bound, they follow whichever law of that mean makes
what was seen likeliest. A chess pair has five scores, whence "pentanomial"; deals of more matches
have more. Wald's test would end at its thresholds; its errors are then only about those asked for.

Van den Bergh, "A Practical Introduction to the GSPRT", 2019; Owen, "Empirical Likelihood", 2001.
"""

import math
from collections import Counter
from typing import NamedTuple

from arena.stats.sequential import Bounds

_UNSEEN = 1e-3  # deals of a score that none had: fishtest's
_HALVINGS = 60


class Thresholds(NamedTuple):
    """Where Wald's test with the same rates would end."""

    low: float
    high: float


class Ratio:
    """The log-likelihood ratio of deals: above 0 it speaks for the higher bound; `add` it scores.

    A deal has so many `possible` scores, evenly spaced from 0 for all points lost to 1.
    """

    def __init__(self, bounds: Bounds, possible: int) -> None:
        self.bounds = bounds
        self._last = possible - 1
        self._counts: Counter[int] = Counter()

    @property
    def thresholds(self) -> Thresholds:
        """Where Wald's test with the same rates would end."""
        alpha, beta = self.bounds.alpha, self.bounds.beta
        return Thresholds(math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))

    def __str__(self) -> str:
        """Return the ratio and its thresholds as testers of chess engines write them."""
        low, high = self.thresholds
        return f"LLR {self.value:.2f} ({low:.2f}, {high:.2f})"

    def add(self, score: float, deals: int = 1) -> None:
        """Take in deals of a score."""
        self._counts[round(score * self._last)] += deals

    @property
    def value(self) -> float:
        """The ratio, as a natural logarithm; 0 before the first deal."""
        if not self._counts:
            return 0.0
        return self._against(self.bounds.low) - self._against(self.bounds.high)

    def _against(self, mean: float) -> float:
        """Return by how much the likeliest law of such a mean falls short of the likeliest of all.

        A score is as likely by it as it was often seen, by 1 + stake * (score - mean).
        """
        deals = [
            (number / self._last - mean, self._counts[number] or _UNSEEN)
            for number in range(self._last + 1)
        ]
        low, high = -1 / (1 - mean), 1 / mean
        for _ in range(_HALVINGS):
            stake = (low + high) / 2
            pull = math.fsum(count * lead / (1 + stake * lead) for lead, count in deals)
            low, high = (stake, high) if pull > 0 else (low, stake)
        return math.fsum(count * math.log1p(low * lead) for lead, count in deals)
