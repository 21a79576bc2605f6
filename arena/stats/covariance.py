"""How sure ratings are: what the model says, for deals as they turn out; pure.

The model takes every match for evidence of its own. But matches of a deal share its luck: mirrored
ones cancel it, and then say more than they seem to; where they went alike, they say less. The pull
of a match on a bot is the slope of its likelihood; in the end all pulls balance. How far the pulls
of whole deals scatter, beside what the model expects, is how much more or less they say: the
dispersion of a quasi-likelihood (McCullagh and Nelder, "Generalized Linear Models", 1989, chapter
9), by deal, as in a sandwich estimate (Cameron and Miller, "A Practitioner's Guide to
Cluster-Robust Inference", 2015, section II). It is taken of all bots of a group together, and in
part of each.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from arena.stats.gaussian import Array
from arena.stats.likelihood import BETA, Normal
from arena.stats.outcomes import Outcome, seated
from arena.stats.propagation import Propagation

_LENT_TO_ALL = 5.0  # deals between equals that scatter as the model has it
_LENT_TO_EACH = 20.0  # such deals, for each bot, that scatter as those of all bots
_BETWEEN_EQUALS = 1 / (math.pi * BETA * BETA)  # mean square of the pull of a match
_MOST_TAKEN = 0.9  # of what a deal pulls, by a fit to itself


class _Pull(NamedTuple):
    """What a match of some outcome pulls a bot by, in parts of a mu point."""

    slope: float
    square: float
    """The mean square, as the model has it."""
    taken: float
    """How much of that the match takes away itself, as a part of what is fitted."""


def dispersions(fit: Propagation, known: Normal, kinds: Mapping[tuple[Outcome, ...], int]) -> Array:
    """Return by bot how much the pulls of deals scatter, in parts of what the model expects.

    `kinds` counts deals by their outcomes. No deal scatters more than if its matches were all one.
    """
    pulls = _pulls(fit, known)
    bots = len(fit.names)
    seen, expected, longest = np.zeros(bots), np.zeros(bots), 1
    for outcomes, count in kinds.items():
        sums: defaultdict[int, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        for outcome in outcomes:
            for bot, pull in pulls.get(outcome, ()):
                own = sums[bot]
                own[0] += pull.slope
                own[1] += pull.square
                own[2] += pull.taken
        longest = max(longest, len(outcomes))
        for bot, (slope, square, taken) in sums.items():
            seen[bot] += count * slope * slope
            expected[bot] += count * max(square - len(outcomes) * taken, (1 - _MOST_TAKEN) * square)
    deal = longest * _BETWEEN_EQUALS
    group, groups = fit.group_of, len(fit.groups)
    met = group >= 0
    scattered, foreseen = (
        np.bincount(group[met], each[met] / 2, groups) + _LENT_TO_ALL * deal
        for each in (seen, expected)
    )
    of_all = np.where(met, np.append(scattered / foreseen, 1.0)[group], 1.0)
    lent = _LENT_TO_EACH * deal
    found: Array = np.minimum((seen + lent * of_all) / (expected + lent), longest)
    return found


def _pulls(fit: Propagation, known: Normal) -> dict[Outcome, list[tuple[int, _Pull]]]:
    """Return for each outcome by what it pulls its bots, by their numbers."""
    of_pairs = _Pairs(fit, known)
    of_tables = [list(table.pulls(known)) for table in fit.tables]
    found = {}
    for outcome in fit.outcomes:
        bots = [fit.number[bot] for bot in seated(outcome)]
        if outcome in fit.rows:
            table, row = fit.rows[outcome]
            found[outcome] = [
                (bot, _Pull(*map(float, pull)))
                for bot, *pull in zip(bots, *of_tables[table][row], strict=True)
            ]
        else:
            found[outcome] = of_pairs.pulls(bots, is_drawn=len(outcome) == 1)
    return found


class _Pairs:
    """What the matches of each two bots pull them by."""

    def __init__(self, fit: Propagation, known: Normal) -> None:
        slopes, squares = fit.duels.pulls(known.mean, fit.margin)
        _, spread = fit.duels.gaps(known)
        self._at = fit.pairs
        self._slopes, self._squares, self._spread = (
            slopes.T.tolist(),
            squares.tolist(),
            spread.tolist(),
        )

    def pulls(self, bots: Sequence[int], *, is_drawn: bool) -> list[tuple[int, _Pull]]:
        """Return by what a match pulls its bots, which are numbered from the best."""
        weight = 2 / len(bots)
        found = dict.fromkeys(bots, _Pull(0.0, 0.0, 0.0))
        for bot, other in combinations(bots, 2):
            at = self._at[min(bot, other), max(bot, other)]
            slope = weight * self._slopes[at][2 if is_drawn else int(bot > other)]
            square = weight * self._squares[at]
            taken = square * square * self._spread[at]
            for each, sign in ((min(bot, other), 1), (max(bot, other), -1)):
                own = found[each]
                found[each] = _Pull(
                    own.slope + sign * slope, own.square + square, own.taken + taken
                )
        return list(found.items())
