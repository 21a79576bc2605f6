"""Ratings on Elo's scale, measured from a bot whose strength on it is known; pure.

A lead in Elo stands for a share of the points that a bot takes from another one, draws as halves:
so it is in Ordo, cutechess and fastchess. It is told for the share that the ratings foresee, with
as many draws as theirs.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from arena.stats.gaussian import log_cdf
from arena.stats.likelihood import LEAD, draw_margin
from arena.stats.ratings import Ratings

Anchor: TypeAlias = tuple[str, float]
"""A bot, and its points on Elo's scale, from which others are measured."""

_POINTS = 400 / math.log(10)
"""Points of Elo for each unit of the logarithm of what one takes over what the other does."""


def score_of(elo: float) -> float:
    """Return the share of the points that a lead of so many points of Elo stands for."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(score: float) -> float:
    """Return the lead in Elo that a share of the points, within 0 and 1, stands for."""
    return 400 * math.log10(score / (1 - score))


class Elo(NamedTuple):
    """A strength, or a lead."""

    points: float
    error: float | None
    """The standard deviation; None where it is not known."""


def elo_lead(lead: float, error: float | None, draw_probability: float) -> Elo:
    """Return a lead, in mu points, in points of Elo, and its error.

    The draw probability is that of equals, as in ratings.
    """
    margin = draw_margin(draw_probability)
    ends = np.array([lead - margin, lead + margin, -lead - margin, margin - lead]) / LEAD
    logs = log_cdf(ends)
    taken, lost = np.logaddexp(*logs[:2]), np.logaddexp(*logs[2:])  # twice the shares
    steep = np.logaddexp(*-(ends[:2] ** 2) / 2) - math.log(LEAD * math.sqrt(2 * math.pi))
    slope = math.exp(steep - taken) + math.exp(steep - lost)
    return Elo(_POINTS * float(taken - lost), None if error is None else _POINTS * slope * error)


def elo_from(ratings: Ratings, anchor: str, points: float) -> Mapping[str, Elo]:
    """Return the strengths of the bots that matches link with the anchor, which has so many points.

    The anchor is a bot of the ratings; errors are those of the distance from it.
    """
    level = ratings.bots[anchor].mu
    group = next((group for group in ratings.groups if anchor in group), [anchor])
    found = {}
    for bot in group:
        error = 0.0 if bot == anchor else ratings.error_between(bot, anchor)
        lead = elo_lead(ratings.bots[bot].mu - level, error, ratings.draw_probability)
        found[bot] = Elo(points + lead.points, lead.error)
    return found
