"""What one version of a bot says of the next: much the same skill, give or take a step.

The difference of two versions is taken for normal about nothing: the factor between a skill and
the same one later in "TrueSkill Through Time" (Dangauthier, Herbrich, Minka and Graepel, 2007).
How long steps are is fitted to all changes of version, from a guess that counts like a few.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from arena.stats.gaussian import Array
from arena.stats.likelihood import BETA, Normal

USUAL_STEP = BETA / 2
"""The standard deviation of a step if nothing is known, in mu points: such a better version wins
64 % of matches against the one before."""
_GUESSED = 2  # changes of version that the guess counts for


class Succession(NamedTuple):
    """A version of a bot, and the one that came next."""

    before: str
    after: str


class Chain:
    """The links of a fit.

    A version that another was before has no prior: all that is known of it beforehand comes from
    there. So versions in a row are no evidence of each other's level more than once.

    Args:
        numbers: of all bots, by name.
        played: the bots of which there are results.

    """

    def __init__(
        self, links: Iterable[Succession], numbers: Mapping[str, int], played: Collection[str]
    ) -> None:
        self.pairs = sorted(links)
        self.later = {link.after for link in self.pairs}
        """The bots that start from another version."""
        self.step = USUAL_STEP
        """The standard deviation of a step, in mu points."""
        shown = set(played)
        while more := {link.before for link in self.pairs if link.after in shown} - shown:
            shown |= more
        self._bots = np.array(
            [(numbers[before], numbers[after]) for before, after in self.pairs], np.intp
        ).reshape(-1, 2)
        self._seen = self._bots[[link.after in shown for link in self.pairs]]

    def prior(self, precision: Array) -> Array:
        """Return the precision of skills that are known by `precision` each, and by the links."""
        known = np.diag(precision)
        for before, after in self._bots:
            known[before, before] += self.step**-2
            known[after, after] += self.step**-2
            known[before, after] -= self.step**-2
            known[after, before] -= self.step**-2
        return known

    def fit(self, known: Normal) -> None:
        """Fit the length of steps to all that is known.

        By expectation and maximization (Dempster, Laird and Rubin, 1977); of versions that have
        not played nothing is known.
        """
        if len(self._seen):
            one, two = self._seen.T
            covariance = known.covariance
            square = covariance[one, one] + covariance[two, two] - 2 * covariance[one, two]
            squares = float((square + (known.mean[one] - known.mean[two]) ** 2).sum())
            guess = _GUESSED * USUAL_STEP**2
            self.step = math.sqrt((guess + squares) / (_GUESSED + len(self._seen)))
