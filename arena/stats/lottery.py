"""Whom to send where nobody beats all others: maximal lotteries; pure.

Bots that beat each other in a circle have no best one, but there is a best way to choose by lot:
weights with which, against whatever bot another sends, one expects at least half the points
(Fishburn, "Probabilistic Social Choice Based on Simple Voting Comparisons", 1984). It is how to
play the symmetric game of two that choose a bot each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.stats.margins import RESAMPLES, BotPair, Margin

_NOTHING = 1e-12  # what rounding leaves of nothing
_PATIENCE = 10  # pivots for each bot, before Bland's rule
_OUTSIDE = RESAMPLES // 40  # resamples beyond each end of a bar: a fortieth


@dataclass(frozen=True, slots=True)
class Ticket:
    """A bot's weight in the lottery, from 0 to 1."""

    bot: str
    weight: float
    low: float
    """Below it lies a fortieth of what other deals might have given ..."""
    high: float
    """... and above it another: a bar of 95 %."""


def lottery(
    bots: Sequence[str], found: Mapping[BotPair, Margin], expected: Mapping[BotPair, float]
) -> list[Ticket]:
    """Return the maximal lottery over some bots, the largest weights first.

    `expected` are the shares of pairs that did not meet, as one number a bot predicts them. Where
    several lotteries are as good, it is the middle of the first one by name and the last one.
    """
    names = sorted(bots)
    first = maximal(_matrix(names, _shares(found, expected, None)))
    last = maximal(_matrix(names[::-1], _shares(found, expected, None)))[::-1]
    weights = [(one + other) / 2 for one, other in zip(first, last, strict=True)]
    drawn = [
        maximal(_matrix(names, _shares(found, expected, number))) for number in range(RESAMPLES)
    ]
    tickets = []
    for bot, weight, own in zip(names, weights, zip(*drawn, strict=True), strict=True):
        ordered = sorted(own)
        low, high = ordered[_OUTSIDE], ordered[-1 - _OUTSIDE]
        tickets.append(Ticket(bot, weight, min(low, weight), max(high, weight)))
    return sorted(tickets, key=lambda each: (-round(each.weight, 6), -each.high, each.bot))


def _shares(
    found: Mapping[BotPair, Margin], expected: Mapping[BotPair, float], number: int | None
) -> dict[BotPair, float]:
    """Return what each pair scored, or might have scored in other deals."""
    shares = dict(expected)
    for pair, margin in found.items():
        share = margin.share if number is None else margin.resampled(number)
        shares[pair] = min(1.0, max(0.0, share))
    return shares


def _matrix(names: Sequence[str], shares: Mapping[BotPair, float]) -> list[list[float]]:
    """Return by how much the bot of each row beats that of each column: antisymmetric."""
    return [
        [
            0.0
            if one == other
            else shares[one, other] - 0.5
            if one < other
            else 0.5 - shares[other, one]
            for other in names
        ]
        for one in names
    ]


def maximal(margins: Sequence[Sequence[float]]) -> list[float]:
    """Return weights, of a sum of one, that lose to no column of an antisymmetric matrix.

    By Dantzig's simplex method: with all margins raised above nothing, the columns of most worth
    whose weights give no row more than one are the other player's best, and by symmetry one's own.
    No first solution has to be looked for: to use nothing is one. Of pivots that are as good the
    first is taken; where they turn in circles Bland's rule, the first that is any good, ends it.
    """
    size = len(margins)
    raised = 1.0 + float(np.abs(margins).max())
    rows = np.c_[np.asarray(margins) + raised, np.eye(size), np.ones(size)]
    worth = np.r_[np.ones(size), np.zeros(size + 1)]
    basis = np.arange(size, 2 * size)
    steps = 0
    while True:
        steps += 1
        best = worth[:-1].max()
        if best <= _NOTHING:
            break
        limit = best if steps < _PATIENCE * size else _NOTHING
        enters = int(np.argmax(worth[:-1] >= limit))
        can_leave = np.flatnonzero(rows[:, enters] > _NOTHING)
        ratios = rows[can_leave, -1] / rows[can_leave, enters]
        leaves = can_leave[np.lexsort((basis[can_leave], ratios))[0]]
        pivot = rows[leaves] / rows[leaves, enters]
        basis[leaves] = enters
        rows -= np.outer(rows[:, enters], pivot)
        rows[leaves] = pivot
        worth -= worth[enters] * pivot
    weights = np.zeros(2 * size)
    weights[basis] = np.maximum(0.0, rows[:, -1])
    found = weights[:size] / weights[:size].sum()
    return [float(weight) for weight in found]
