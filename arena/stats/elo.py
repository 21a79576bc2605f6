"""Ratings on Elo's scale, measured from a bot whose strength on it is known; pure."""

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from arena.stats.likelihood import BETA
from arena.stats.ratings import Ratings

Anchor: TypeAlias = tuple[str, float]
"""A bot, and its points on Elo's scale, from which others are measured."""

_LOGISTIC = 1.702
"""By which a normal curve is stretched to lie within 0.95 % of the logistic one."""
ELO_PER_MU = 400 / math.log(10) * _LOGISTIC / (BETA * math.sqrt(2))
"""Points of Elo in a mu point: 50.2. So a lead means the same chance to win, to within 1 %."""


def score_of(elo: float) -> float:
    """Return the share of the points that a lead of so many points of Elo stands for."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(score: float) -> float:
    """Return the lead in Elo that a share of the points, within 0 and 1, stands for."""
    return 400 * math.log10(score / (1 - score))


class Elo(NamedTuple):
    """A bot's strength."""

    points: float
    error: float | None
    """The standard deviation of its distance from the anchor; None with too few deals."""


def elo_from(ratings: Ratings, anchor: str, points: float) -> Mapping[str, Elo]:
    """Return the strengths of the bots that matches link with the anchor, which has so many points.

    The anchor is a bot of the ratings.
    """
    level = ratings.bots[anchor].mu
    group = next((group for group in ratings.groups if anchor in group), [anchor])
    found = {}
    for bot in group:
        error = 0.0 if bot == anchor else ELO_PER_MU * ratings.error_between(bot, anchor)
        lead = ELO_PER_MU * (ratings.bots[bot].mu - level)
        found[bot] = Elo(points + lead, error if math.isfinite(error) else None)
    return found
