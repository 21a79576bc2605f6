"""What a league will separate, before it is played; pure.

As for bots of about the same strength in a league of equal numbers of deals: the pull of a deal on
a rating has the variance of a bot's share of the points, and the ratings of n bots that all met
equally often are off as a least squares fit's of so many comparisons are.
"""

import math
from statistics import NormalDist

from arena.stats.ratings import FEWEST_DEALS, SEPARATED, widened

_MORE = 1.0
"""Errors beyond those that separate: with them, five of six such leads are seen as surely."""
_NORMAL = NormalDist()


def least_share(deals: float, *, bots: int, seats: int, matches: int) -> float | None:
    """Return the share of the points from which two bots are separated, in five leagues of six.

    It is what the better one takes against the other where both sit. Each of so many `bots` plays
    so many `deals` of so many `matches`, whose results do not depend on the deal and are no draws:
    mirrored luck and draws only make it less. None if no lead would be seen in so few deals.
    """
    if deals < FEWEST_DEALS:
        return None
    a_match = 0.25  # the variance of what one bot takes from an equal
    square = a_match * seats * (bots - 1) / (bots * (seats - 1) * matches * deals)
    lead = (SEPARATED * widened(round(deals)) + _MORE) * math.sqrt(square)
    return _NORMAL.cdf(lead / _NORMAL.pdf(0))
