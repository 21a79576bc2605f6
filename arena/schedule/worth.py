"""What a line-up is worth for the open comparisons: how far it lowers their variances; pure.

Bots' ratings have a covariance C. A match of two bots tells of their difference u with a precision
w, and lowers C by C u u' C / (1 / w + u' C u). Of the summed variances of the open comparisons,
each weighted, that takes w u' G u / (1 + w u' C u), where G = C M C and M sums up the weighted
comparisons. (The design of experiments calls it c-optimal, or A-optimal for many comparisons.) At
a table of several seats every two bots are compared, each as one of so many that share the news.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from arena.schedule.goal import Compared
from arena.stats.gaussian import Array
from arena.stats.likelihood import BETA, SIGMA

_Rows: TypeAlias = list[list[float]]

_SPREAD = BETA * math.sqrt(2)
_HOPELESS = 7.0  # spreads of a lead beyond which a match tells nothing
_SEEDS = 6  # pairs that a line-up may begin with
_CONSIDERED = 100  # bots that may be chosen, of a larger field: those with most to tell
_DIGITS = 9  # of a worth; what lies beyond differs from machine to machine


def precision(lead: float) -> float:
    """Return what one match of two bots tells of their difference, in inverse squares of mu."""
    deviate = lead / _SPREAD
    if abs(deviate) > _HOPELESS:
        return 0.0
    win = math.erfc(-deviate / math.sqrt(2)) / 2
    loss = math.erfc(deviate / math.sqrt(2)) / 2
    density = math.exp(-deviate * deviate) / (2 * math.pi)
    return density / (win * loss * _SPREAD**2)


class Worth:
    """The covariance of bots' ratings, as far as the model foresees it, while deals are chosen.

    `met` says how many matches each two bots had, of all bots that are rated, which `mu` rates;
    bots are their places there, and the first of them, the `field`, can play. A table's pairs share
    what it tells: at `seats` seats each counts 2 / seats of a match. Each two bots' lead has a part
    of its own, of some variance, so that ever more matches of the same two tell ever less.
    """

    def __init__(
        self,
        mu: Sequence[float],
        met: Mapping[tuple[int, int], int],
        opened: Iterable[tuple[Compared, float]],
        *,
        seats: int,
        matches_a_deal: int,
        field: int,
        own_variance: float = 0.0,
    ) -> None:
        self._mu = mu
        self._field = range(field)
        self._seats = seats
        self._seeds = _SEEDS if seats > 2 else 1
        self._per_deal = 2 / seats * matches_a_deal
        self._told_by_lead: dict[float, float] = {}
        size = len(mu)
        information = np.eye(size) / SIGMA**2
        self._own_variance = own_variance
        self._met: dict[tuple[int, int], float] = {}
        for (one, other), matches in sorted(met.items()):
            told = 2 / seats * matches * self._told(one, other)
            self._met[one, other] = told
            _add(information, one, other, self._at_most(told))
        self._covariance: Array = np.asarray(np.linalg.inv(information), np.float64)
        weights = np.zeros((size, size))
        for comparison, weight in opened:
            _add(weights, comparison.better, comparison.other, weight)
        self._gain: Array = self._covariance @ weights @ self._covariance

    def _told(self, one: int, other: int) -> float:
        return precision(self._mu[one] - self._mu[other])

    def _at_most(self, told: float) -> float:
        """Return what is told of the ratings, where the two bots' own part is in the way."""
        return told / (1 + told * self._own_variance)

    def _news(self, one: int, other: int, told: float) -> float:
        """Return what more matches of two bots tell beside those they had."""
        if not self._own_variance:
            return told
        before = self._met.get((one, other) if one < other else (other, one), 0.0)
        return self._at_most(before + told) - self._at_most(before)

    def best(self) -> tuple[int, ...]:
        """Return the line-up that is worth most, in order; the first of equals."""
        bots: Sequence[int] = self._field
        if len(bots) > _CONSIDERED:
            by_gain = sorted(bots, key=lambda bot: (-_rounded(float(self._gain[bot, bot])), bot))
            bots = sorted(by_gain[:_CONSIDERED])
        worth = self._pair_worths(bots)
        pairs = sorted(
            (-_rounded(row[other]), one, other)
            for one, row in enumerate(worth)
            if (other := _first_of_best(row)) != one
        )
        found = min(self._completed(worth, one, other) for _, one, other in pairs[: self._seeds])
        return tuple(bots[bot] for bot in found[1])

    def _completed(self, worth: _Rows, one: int, other: int) -> tuple[float, tuple[int, ...]]:
        """Return a table that begins with two bots, each next seat going to who adds most."""
        table = [one, other]
        total = worth[one][other]
        added = [a + b for a, b in zip(worth[one], worth[other], strict=True)]
        while len(table) < self._seats:
            bot = _first_of_best([-1.0 if at in table else more for at, more in enumerate(added)])
            total += added[bot]
            table.append(bot)
            added = [a + b for a, b in zip(added, worth[bot], strict=True)]
        return -_rounded(total), tuple(sorted(table))

    def _pair_worths(self, bots: Sequence[int]) -> _Rows:
        """Return what one deal of each two bots takes from the open variances."""
        size, mu = len(bots), [self._mu[bot] for bot in bots]
        found = [[-1.0] * size for _ in range(size)]
        gain_of, square_of = self._gain.tolist(), self._covariance.tolist()
        own_gain = [gain_of[bot][bot] for bot in bots]
        own_square = [square_of[bot][bot] for bot in bots]
        cache = self._told_by_lead
        for one, bot in enumerate(bots):
            gains, squares, row = gain_of[bot], square_of[bot], found[one]
            gain, square, level = own_gain[one], own_square[one], mu[one]
            for other in range(one):
                lead = level - mu[other]
                told = cache.get(lead)
                if told is None:
                    told = cache[lead] = self._per_deal * precision(lead)
                at = bots[other]
                told = self._news(bot, at, told)
                worth = told * (gain + own_gain[other] - 2 * gains[at])
                worth /= 1 + told * (square + own_square[other] - 2 * squares[at])
                row[other] = found[other][one] = worth
        return found

    def play(self, lineup: Sequence[int], deals: int = 1) -> None:
        """Foresee what is known after some deals of a line-up."""
        for number, one in enumerate(lineup):
            for other in lineup[:number]:
                self._learn(one, other, deals * self._per_deal * self._told(one, other))

    def _learn(self, one: int, other: int, told: float) -> None:
        news = self._news(one, other, told)
        pair = (one, other) if one < other else (other, one)
        self._met[pair] = self._met.get(pair, 0.0) + told
        self._lower(one, other, news)

    def _lower(self, one: int, other: int, told: float) -> None:
        """Lower the covariance by what was told of the difference of two bots."""
        if told <= 0:
            return
        pull = self._covariance[one] - self._covariance[other]
        news = self._gain[one] - self._gain[other]
        part = 1 / (1 / told + pull[one] - pull[other])
        # G' = (C - part p p') M (C - part p p'), where p = C u, and C M p = G u = news
        again = part * part * (news[one] - news[other])
        self._gain += np.outer(pull, again * pull - part * news) - part * np.outer(news, pull)
        self._covariance -= part * np.outer(pull, pull)


def _first_of_best(numbers: Sequence[float]) -> int:
    """Return where the greatest number stands, or the first one that may be as great."""
    greatest = max(numbers)
    least = greatest - abs(greatest) * 10**-_DIGITS
    return next(at for at, number in enumerate(numbers) if number >= least)


def _rounded(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")


def _add(matrix: Array, one: int, other: int, weight: float) -> None:
    """Add a weighted difference of two bots, squared, to a quadratic form."""
    matrix[one, one] += weight
    matrix[other, other] += weight
    matrix[one, other] -= weight
    matrix[other, one] -= weight
