"""A number of a rules page, beside what was found."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """One number that a rules page states."""

    what: str
    page: float
    """What the page says."""
    found: float
    error: float = 0.0
    """One standard error of the difference; 0 where both are exact."""

    @property
    def off(self) -> float:
        """How many standard errors lie between the page and what was found."""
        gap = abs(self.found - self.page)
        if gap <= 1e-9 * max(1.0, abs(self.page)):
            return 0.0
        return gap / self.error if self.error else math.inf


def mean(what: str, page: float, sample: Sequence[float], page_error: float = 0.0) -> Figure:
    """Return the figure of a mean; `page_error` is the standard error of the page's own."""
    own = statistics.stdev(sample) / math.sqrt(len(sample))
    return Figure(what, page, statistics.fmean(sample), math.hypot(own, page_error))


def share(what: str, page: float, hits: int, trials: int, page_trials: int = 0) -> Figure:
    """Return the figure of a share of trials, of which the page has `page_trials` of its own.

    The error is the one expected if the page is right.
    """
    spread = max(page * (1 - page), 1 / trials)
    error = math.sqrt(spread * (1 / trials + (1 / page_trials if page_trials else 0)))
    return Figure(what, page, hits / trials, error)
