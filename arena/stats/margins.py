"""By how much bots beat each other, pair by pair, and what other deals might have given; pure.

The errors are those of deals: a deal's scatter about the mean of its pair. Other deals are drawn
by the multiplier bootstrap: every deal counts with a weight that is normal by chance, the same for
all pairs in it (van der Vaart and Wellner, "Weak Convergence and Empirical Processes", 1996,
section 2.9). The chance is fixed, so that the same results always give the same numbers.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from arena.stats.encounters import DealPoints
from arena.stats.gaussian import Array
from referee.rules.chance import Chance

RESAMPLES = 200
"""How often other deals are drawn."""
_LENT = 10  # deals' worth of what pairs like it scatter, for each pair
_DOUBT = 2  # deals taken for lost and as many for won, where a pair is compared with others
_LEAST = 1e-3  # of a match's variance: one is lost against all odds now and then
_FIRST_GUESS = 0.5  # of a scatter, as a part of that of one match: two matches that share nothing
_STEPS = 4096  # of the normal distribution, as it is drawn from

_NORMAL = np.array([NormalDist().inv_cdf((step + 0.5) / _STEPS) for step in range(_STEPS)])

BotPair = tuple[str, str]
"""Two bots, in order of name."""
Kinds = Mapping[tuple[DealPoints, ...], int]
"""How many deals gave each two of their bots the same points."""


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """What the first bot of a pair got against the second, in shares of the points from 0 to 1."""

    deals: int
    share: float
    """The mean of the deals."""
    variance: float
    """Of that mean."""
    freedom: float
    """The degrees of freedom of that variance."""
    squares: float
    """What deals scattered about the mean: the sum of squares."""
    drawn: Array
    """By how many errors the mean would have been off, each time that other deals are drawn."""

    @property
    def padded(self) -> float:
        """The share as if some more deals had been lost and as many won; never 0 or 1."""
        return _padded(self.share, self.deals)

    def resampled(self, number: int) -> float:
        """Return what the mean might have been in other deals."""
        return self.share + float(self.drawn[number]) * math.sqrt(self.variance)


def margins(kinds: Kinds) -> dict[BotPair, Margin]:
    """Return the margin of every pair that met, in order of names.

    The variance of a pair is that of its own deals, and for a part that of pairs which are as
    uneven: its own is little known from few deals, and none is seen where all were won.
    """
    totals: defaultdict[BotPair, Counter[float]] = defaultdict(Counter)
    for kind, count in kinds.items():
        for each in kind:
            totals[each.bot, each.other][each.points / each.most] += count
    deals = {pair: scores.total() for pair, scores in totals.items()}
    means = {
        pair: math.fsum(score * count for score, count in scores.items()) / deals[pair]
        for pair, scores in totals.items()
    }
    squares = {
        pair: math.fsum(count * (score - means[pair]) ** 2 for score, count in scores.items())
        for pair, scores in totals.items()
    }
    drawn = _drawn(kinds, means, squares)
    lent = _scatter_of_likes(
        deals, {pair: _padded(means[pair], deals[pair]) for pair in deals}, squares, lost=1
    )
    return {
        pair: Margin(
            deals[pair],
            means[pair],
            (squares[pair] + _LENT * lent[pair]) / (freedom := deals[pair] - 1 + _LENT)
            / deals[pair],
            freedom,
            squares[pair],
            drawn[pair],
        )
        for pair in sorted(totals)
    }  # fmt: skip


def variances(
    found: Mapping[BotPair, Margin], expected: Mapping[BotPair, float]
) -> dict[BotPair, float]:
    """Return the variances of means, if the shares that are expected were the true ones.

    What is seen to scatter about them then tells more of them than about the means, and does not
    fall for means that are far out by chance.
    """
    deals = {pair: each.deals for pair, each in found.items()}
    squares = {
        pair: each.squares + each.deals * (each.share - expected[pair]) ** 2
        for pair, each in found.items()
    }
    lent = _scatter_of_likes(deals, expected, squares, lost=0)
    return {
        pair: (squares[pair] + _LENT * lent[pair]) / (count + _LENT) / count
        for pair, count in deals.items()
    }


def _scatter_of_likes(
    deals: Mapping[BotPair, int],
    shares: Mapping[BotPair, float],
    squares: Mapping[BotPair, float],
    *,
    lost: int,
) -> dict[BotPair, float]:
    """Return the variance of one deal among the pairs that are as uneven as each.

    `lost` are the degrees of freedom that the shares took from the squares about them.
    """
    of_match = {pair: max(_LEAST, share * (1 - share)) for pair, share in shares.items()}
    seen: defaultdict[int, float] = defaultdict(float)
    most: defaultdict[int, float] = defaultdict(float)
    alike = {pair: round(2 * math.log2(value)) for pair, value in of_match.items()}
    for pair, kind in sorted(alike.items()):
        seen[kind] += squares[pair]
        most[kind] += (deals[pair] - lost) * of_match[pair]
    part = (math.fsum(seen.values()) + _FIRST_GUESS) / (math.fsum(most.values()) + 1)
    weight = _LENT / 4  # in matches' worth of scatter, between equals
    return {
        pair: of_match[pair] * (seen[kind] + weight * part) / (most[kind] + weight)
        for pair, kind in alike.items()
    }


def _drawn(
    kinds: Kinds, means: Mapping[BotPair, float], squares: Mapping[BotPair, float]
) -> dict[BotPair, Array]:
    """Return by pair by how many errors its mean is off, each time that deals are drawn."""
    chance = Chance("other deals")
    found = {pair: np.zeros(RESAMPLES) for pair in means}
    for number, (kind, count) in enumerate(kinds.items()):
        weights = _normal(chance, "deals", number)
        for each in kind:
            pair = each.bot, each.other
            off = each.points / each.most - means[pair]
            if off:
                found[pair] += math.sqrt(count / squares[pair]) * off * weights
    for pair in found:
        if not squares[pair]:  # nothing was seen to scatter; what is lent does so by itself
            found[pair] = _normal(chance, *pair)
    return found


def _normal(chance: Chance, *event: str | int) -> Array:
    found: Array = _NORMAL[np.array(chance.dice(RESAMPLES, _STEPS, *event)) - 1]
    return found


def _padded(share: float, deals: int) -> float:
    return (share * deals + _DOUBT) / (deals + 2 * _DOUBT)
