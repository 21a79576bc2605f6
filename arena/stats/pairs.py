"""How sure it is which of two bots is better, and what it takes to be sure; pure."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import NormalDist

from arena.stats.ratings import EXACT, SEPARATED, Ratings

_MOST = 1_000_000
"""The most deals that are told: more are as good as endless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two bots of one group, the higher rated one first; equal ones by name."""

    bot: str
    other: str
    lead: float
    """By how much the first is rated above the other, in mu points."""
    error: float | None
    """The standard deviation that the lead is held against; None with too few deals."""
    better: float | None
    """How likely the first is the better one; None with too few deals."""
    is_separated: bool
    more: int | None
    """About how many more deals each has to play until they are separated; None for endless."""
    more_from: int | None
    """Of six such numbers, five lie between this ..."""
    more_to: int | None
    """... and this; None for endless, as where the lead may be nothing."""


def pairs(ratings: Ratings) -> Iterator[Pair]:
    """Yield all pairs of bots that matches link, by their ratings.

    The deals to come are reckoned as if they told as much as those before: errors shrink with the
    square root of their number. The lead that is seen may be off by its error, so that the true
    number is as far off as that makes it.
    """
    for group in ratings.groups:
        for bot, other in combinations(_by_rating(ratings, group), 2):
            yield _pair(ratings, bot, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The neighbours of a table that are not separated, and what would separate half of them."""

    pairs: Sequence[Pair]
    """Those of which something can be said."""
    more: int | None
    """About how many more deals each has to play until half of them are; None for endless."""
    more_from: int | None
    """The number is not sure: it lies between this ..."""
    more_to: int | None
    """... and this, as for one pair."""
    part: float | None
    """How many more that is, in parts of the deals that were played."""


def neighbours(
    ratings: Ratings, errors: Callable[[int], float] = lambda _: SEPARATED
) -> Neighbours | None:
    """Return the neighbours by rating that are not separated; None if there are none.

    `errors` says by how many errors bots are to be separated in a group of so many.
    """
    found = [
        _pair(ratings, bot, other, errors(len(group)))
        for group in ratings.groups
        for bot, other in pairwise(_by_rating(ratings, group))
    ]
    close = [pair for pair in found if not pair.is_separated and pair.error is not None]
    if not close:
        return None
    ends = (
        [_endless(pair.more) for pair in close],
        [_endless(pair.more_from) for pair in close],
        [_endless(pair.more_to) for pair in close],
    )
    more, low, high = (sorted(numbers)[(len(close) - 1) // 2] for numbers in ends)
    played = next(_deals(ratings, pair) for pair in close if _endless(pair.more) == more)
    return Neighbours(
        pairs=close,
        more=_known(more),
        more_from=_known(low),
        more_to=_known(high),
        part=None if math.isinf(more) else more / played,
    )


def _endless(number: int | None) -> float:
    return math.inf if number is None else number


def _known(number: float) -> int | None:
    return None if math.isinf(number) else int(number)


def _by_rating(ratings: Ratings, group: Sequence[str]) -> list[str]:
    return sorted(group, key=lambda bot: (-round(ratings.bots[bot].mu, EXACT), bot))


def _deals(ratings: Ratings, pair: Pair) -> int:
    return min(ratings.bots[pair.bot].deals, ratings.bots[pair.other].deals)


def _pair(ratings: Ratings, bot: str, other: str, errors: float = SEPARATED) -> Pair:
    lead = max(
        0.0, ratings.bots[bot].mu - ratings.bots[other].mu
    )  # of equals it is what a fit leaves
    error = ratings.error_of_lead(bot, other)
    is_separated = ratings.separated(bot, other, errors)
    is_known = math.isfinite(error) and error > 0
    deals = min(ratings.bots[bot].deals, ratings.bots[other].deals)

    def more(lead: float) -> int | None:
        if is_separated:
            return 0
        if not is_known or lead <= 0:
            return None
        wanted = deals * ((errors * error / lead) ** 2 - 1)
        return max(1, math.ceil(wanted)) if wanted < _MOST else None

    return Pair(
        bot=bot,
        other=other,
        lead=lead,
        error=error if is_known else None,
        better=NormalDist().cdf(lead / error) if is_known else None,
        is_separated=is_separated,
        more=more(lead),
        more_from=more(lead + error),
        more_to=more(lead - error),
    )
