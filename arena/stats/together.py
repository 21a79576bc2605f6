"""How far apart two bots must be where every pair of a table is looked at, and none is to be wrong.

Of k estimates that differ by chance alone, the largest and the smallest lie as far apart as the
studentized range says: Tukey's method, which for unequal errors is known to err on the safe side
(Hayter, "A proof of the conjecture that the Tukey-Kramer multiple comparisons procedure is
conservative", 1984).
"""

import math
from functools import lru_cache
from statistics import NormalDist

from arena.stats.ratings import SEPARATED

SURE = 2 * NormalDist().cdf(SEPARATED) - 1
"""How often a pair of equals is not told apart by `SEPARATED` errors: 95.45 %."""
_STEPS = 400  # of the integral, from end to end of what matters of a normal distribution
_END = 8.0
_HALVINGS = 40

_cdf = NormalDist().cdf
_pdf = NormalDist().pdf


@lru_cache
def errors_together(bots: int) -> float:
    """Return the errors beyond which two of so many bots count as separated, all pairs at once.

    In 95.45 % of tables of equals no pair is then separated. For two bots it is `SEPARATED`; for
    twenty, 3.6.
    """
    low, high = 0.0, 20.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, bots) < SURE else (low, middle)
    return high / math.sqrt(2)


def _within(width: float, count: int) -> float:
    """Return how likely so many standard normal numbers lie within a range of this width.

    One of them is the largest, at z; the others lie between z - width and z.
    """
    step = 2 * _END / _STEPS
    points = (-_END + step * number for number in range(_STEPS + 1))
    return (
        count
        * step
        * math.fsum(_pdf(z) * (_cdf(z) - _cdf(z - width)) ** (count - 1) for z in points)
    )
