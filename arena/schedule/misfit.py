"""How far bots are better or worse against each other than their ratings say; pure.

Where A beats B, B beats C, and C beats A, a rating depends on whom a bot met: that of a round-robin
is its mean over all others. Line-ups chosen by results meet few, so their ratings may be off by
more than chance. Each two bots' lead is taken for that of their ratings and a part of their own,
of some variance; this is estimated from how far the scores of pairs are off, less what chance does.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import NormalDist

from arena.schedule.rounds import Places
from arena.stats.likelihood import BETA

_SPREAD = BETA * math.sqrt(2)
_DIGITS = 6
_BY_CHANCE = 0.5  # standard errors of the variance, which are taken off: most fields have none

_normal = NormalDist()


def own_variance(
    mu: Mapping[str, float],
    kinds: Mapping[tuple[tuple[str, ...], tuple[Places, ...]], int],
) -> float:
    """Return the variance of the pairs' own parts of leads, in squared mu points.

    `kinds` counts deals by line-up and places. It is zero unless pairs are off by more than chance.
    """
    scores = _scores(kinds)
    within = free = off = slopes = 0.0
    for (one, other), (deals, total, squares) in sorted(scores.items()):
        mean, deviate = total / deals, (mu[one] - mu[other]) / _SPREAD
        within += max(0.0, squares - total * mean)
        free += deals - 1
        off += deals * (mean - _normal.cdf(deviate)) ** 2
        slopes += deals * (_normal.pdf(deviate) / _SPREAD) ** 2
    pairs, fitted = len(scores), len({bot for pair in scores for bot in pair}) - 1
    if free < 1 or pairs <= fitted or not slopes:
        return 0.0
    variance = within / free
    expected = variance * (pairs - fitted)
    chance = variance * math.sqrt(2 * (pairs - fitted) * (1 + (pairs - fitted) / free))
    found = (off - expected - _BY_CHANCE * chance) / (slopes * (1 - fitted / pairs))
    return round(max(0.0, found), _DIGITS)


def _scores(
    kinds: Mapping[tuple[tuple[str, ...], tuple[Places, ...]], int],
) -> Mapping[tuple[str, str], list[float]]:
    """Return of each two bots how many deals they had, and the sums of scores and their squares."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for (bots, matches), count in sorted(kinds.items()):
        for one, other in combinations(range(len(bots)), 2):
            won = 0
            for places in matches:
                won += 2 * (places[one] < places[other]) + (places[one] == places[other])
            score = won / (2 * len(matches))
            sums = found[bots[one], bots[other]]
            sums[0] += count
            sums[1] += count * score
            sums[2] += count * score * score
    return found


def narrowness(told: Sequence[Mapping[int, float]]) -> list[float]:
    """Return, for each bot, by how much its opponents were fewer than all others.

    `told` says how much each other bot told of it. It is the sum of their squared shares, less what
    that is if all tell as much: the variance of a rating by that of the pairs' own parts.
    """
    found = []
    for own in told:
        total = math.fsum(own.values())
        squares = math.fsum((each / total) ** 2 for each in own.values()) if total else 1.0
        found.append(round(max(0.0, squares - 1 / max(1, len(told) - 1)), _DIGITS))
    return found
