"""What one number a bot cannot say: how much of a table goes round in circles; pure.

The margins of a table are a flow between bots. Its gradient is what one number each explains: a
bot beats those of lower numbers. The rest goes round in circles (Jiang, Lim, Yao and Ye,
"Statistical ranking and combinatorial Hodge theory", 2011). Here margins count in standard
deviations of a match's chance (probits), as in the model of the ratings, and by their precision.
The rest is held against what chance leaves, deal by deal.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np

from arena.stats.gaussian import Array, cdf, pdf
from arena.stats.margins import RESAMPLES, BotPair, Margin, variances

SURE = 0.98
"""How sure circles have to be: there are two ways to find some, and one table in twenty may err."""
_SPREAD = 4.0  # probits, of the numbers if nothing is known: wide enough to say nothing
_STEPS, _HALVINGS = 50, 20
_SETTLED = 1e-6
_LEAST = 1e-9  # of a slope, where a pair is as good as decided

_normal = NormalDist()


@dataclass(frozen=True, slots=True)
class Unexplained:
    """The part of a group's differences that one number a bot cannot say."""

    share: float | None
    """Of the variance of the margins, without what is chance; None if bots hardly differ at all."""
    error: float | None
    """The standard deviation of the share."""
    surely: float
    """How likely the table would be more in line, if one number said everything."""

    @property
    def is_sure(self) -> bool:
        """Whether there is more than chance explains."""
        return self.surely >= SURE


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three bots of which each got more than half the points against the next."""

    bots: tuple[str, str, str]
    """The one that comes first by name is the first."""
    shares: tuple[float, float, float]
    """Of the points: of the first against the second, and so on."""
    surely: float
    """How sure it is that no three numbers explain it, as the strangest of all threes looked at."""

    @property
    def is_sure(self) -> bool:
        """Whether it is more than the chance among that many threes."""
        return self.surely >= SURE


class Circles:
    """A group of bots, the numbers that fit its margins best, and what these leave."""

    def __init__(
        self, bots: Sequence[str], found: Mapping[BotPair, Margin], *, duels: bool = False
    ) -> None:
        self.bots = sorted(bots)
        self._are_duels = duels  # no pair's deals have anything to do with another's
        within = set(self.bots)
        self.margins = {pair: each for pair, each in found.items() if within >= set(pair)}
        self._number = {bot: at for at, bot in enumerate(self.bots)}
        self._one = np.array([self._number[one] for one, _ in self.margins], np.intp)
        self._two = np.array([self._number[two] for _, two in self.margins], np.intp)
        self._shares = np.array([each.share for each in self.margins.values()])
        self._weights = 1 / np.array([each.variance for each in self.margins.values()])
        values = self._fitted(np.zeros(len(self.bots)))
        self._variances = self._if_explained(values)
        self._weights = 1 / self._variances
        self._values = self._fitted(values)
        self._gaps = self._values[self._one] - self._values[self._two]
        self._slopes = np.maximum(_LEAST, pdf(self._gaps))
        self._left = self._shares - cdf(self._gaps)

    @property
    def has_circles(self) -> bool:
        """Whether enough pairs met for anything to go round in circles."""
        return len(self.margins) >= len(self.bots) > 2

    def expected(self) -> dict[BotPair, float]:
        """Return what shares of the points the numbers expect, of the pairs that have not met."""
        return {
            pair: _normal.cdf(self._value(pair[0]) - self._value(pair[1]))
            for pair in combinations(self.bots, 2)
            if pair not in self.margins
        }

    def _value(self, bot: str) -> float:
        return float(self._values[self._number[bot]])

    def unexplained(self) -> Unexplained:
        """Return how much of the margins' variance the numbers leave, and whether by chance.

        The error is that of other deals, drawn as `margins` says, of which what the numbers leave
        is taken for as large as it is without chance.
        """
        noise = (
            np.sqrt(self._variances) * np.array([each.drawn for each in self.margins.values()]).T
        )
        by_chance = self._rest(noise)
        rest, usual = float(self._rest(self._left)), float(by_chance.mean())
        surely = _chance_below(rest, usual, float(by_chance.var(ddof=1)))
        whole, count = float(self._sum(self._differences(1.0))), len(self.margins)
        if whole - count <= 2 * math.sqrt(2 * count) and surely < SURE:
            return Unexplained(None, None, surely)
        kept = math.sqrt(max(0.0, 1 - usual / rest)) if rest else 0.0
        varied = self._sum(self._differences(kept) + noise)
        shares = np.sort(
            (self._rest(kept * self._left + noise) - usual) / np.maximum(1.0, varied - count)
        )
        sixth = RESAMPLES * 4 // 25
        error = float(shares[-1 - sixth] - shares[sixth]) / 2
        share = max(0.0, rest - usual) / max(rest - usual, whole - count)
        return Unexplained(share, error, surely)

    def plain_share(self) -> float:
        """Return the share of the variance that the numbers leave, what is chance included."""
        return float(self._rest(self._left) / self._sum(self._differences(1.0)))

    def cycles(self) -> list[Cycle]:
        """Return the threes that beat each other in a circle, those that are surest first."""
        has_met = np.zeros((len(self.bots), len(self.bots)), bool)
        has_met[self._one, self._two] = has_met[self._two, self._one] = True
        beats = np.zeros_like(has_met)
        beats[self._one, self._two] = self._shares > 0.5
        beats[self._two, self._one] = self._shares < 0.5
        met = has_met.astype(float)
        threes = round(float(np.trace(met @ met @ met)) / 6)
        found = []
        for first in range(len(self.bots)):
            second, third = (
                np.flatnonzero(each[first + 1 :]) + first + 1
                for each in (beats[first], beats[:, first])
            )
            for one, two in np.argwhere(beats[np.ix_(second, third)]):
                order = self.bots[first], self.bots[second[one]], self.bots[third[two]]
                found.append((self._strength(order), order))
        found.sort(key=lambda each: (-round(each[0], 6), each[1]))
        return [
            Cycle(order, self._round(order), max(0.0, 1 - threes * 2 * _normal.cdf(-strength)))
            for strength, order in found
        ]

    def _round(self, order: tuple[str, str, str]) -> tuple[float, float, float]:
        first, second, third = order
        return (
            self._share(first, second),
            self._share(second, third),
            self._share(third, first),
        )

    def _share(self, bot: str, other: str) -> float:
        if bot < other:
            return self.margins[bot, other].share
        return 1 - self.margins[other, bot].share

    def _strength(self, order: tuple[str, str, str]) -> float:
        """Return by how many errors the leads of a circle are more than nothing, all together.

        Of numbers they would be nothing, as what goes up has to come down. Errors that come from
        few deals make less of it.
        """
        leads, parts = [], []
        freedom = math.inf
        for bot, other in zip(order, (*order[1:], order[0]), strict=True):
            sign, pair = (1, (bot, other)) if bot < other else (-1, (other, bot))
            margin = self.margins[pair]
            probit = _normal.inv_cdf(margin.padded)
            leads.append(sign * probit)
            error = math.sqrt(margin.variance) / _normal.pdf(probit)
            parts.append((sign * error, margin))
            freedom = min(freedom, margin.freedom)
        square = math.fsum(error**2 for error, _ in parts)
        if not self._are_duels:
            square += 2 * math.fsum(
                one * two * _together(margin, other)
                for (one, margin), (two, other) in combinations(parts, 2)
            )
        strength = math.fsum(leads) / math.sqrt(max(square, 1e-12))
        return (
            strength * (1 - 1 / (4 * freedom)) / math.sqrt(1 + strength * strength / (2 * freedom))
        )

    def _differences(self, kept: float) -> Array:
        """Return the margins, with a part of what the numbers leave, in units of shares."""
        return self._slopes * self._gaps + kept * self._left

    def _sum(self, values: Array) -> Array:
        found: Array = (values * values) @ self._weights
        return found

    def _rest(self, values: Array) -> Array:
        """Return the weighted square of what no numbers explain of values, by pair."""
        pulls = self._pulls(self._slopes, values)
        explained = np.linalg.solve(self._normal_equations(self._slopes), pulls.T).T
        apart = explained[..., self._one] - explained[..., self._two]
        return self._sum(values - self._slopes * apart)

    def _normal_equations(self, slopes: Array) -> Array:
        found = np.eye(len(self.bots)) / _SPREAD**2
        part = self._weights * slopes * slopes
        for one, two, sign in (
            (self._one, self._one, 1),
            (self._two, self._two, 1),
            (self._one, self._two, -1),
            (self._two, self._one, -1),
        ):
            np.add.at(found, (one, two), sign * part)
        return found

    def _pulls(self, slopes: Array, values: Array) -> Array:
        """Return by how much values, by pair, pull at the numbers."""
        pull = self._weights * slopes * values
        found = np.zeros((*values.shape[:-1], len(self.bots)))
        np.add.at(found.T, self._one, pull.T)
        np.subtract.at(found.T, self._two, pull.T)
        return found

    def _if_explained(self, values: Array) -> Array:
        """Return the variance of every pair's share, if the numbers said the true ones."""
        shares = cdf(values[self._one] - values[self._two]).tolist()
        return np.array(
            list(variances(self.margins, dict(zip(self.margins, shares, strict=True))).values())
        )

    def _fitted(self, values: Array) -> Array:
        """Return the numbers that fit the shares best: least squares by Gauss and Newton."""
        off = self._off(values)
        for _ in range(_STEPS):
            gaps = values[self._one] - values[self._two]
            slopes = np.maximum(_LEAST, pdf(gaps))
            pulls = self._pulls(slopes, self._shares - cdf(gaps)) - values / _SPREAD**2
            step = np.linalg.solve(self._normal_equations(slopes), pulls)
            part = 1.0
            for _ in range(_HALVINGS):
                moved = values + part * step
                now = self._off(moved)
                if now <= off:
                    break
                part /= 2
            else:
                break
            values, before, off = moved, off, now
            if before - off <= _SETTLED:
                break
        return values

    def _off(self, values: Array) -> float:
        left = self._shares - cdf(values[self._one] - values[self._two])
        return float((left * left) @ self._weights + values @ values / _SPREAD**2)


def _together(margin: Margin, other: Margin) -> float:
    """Return the correlation of two pairs' errors: of matches that both sat in."""
    return float(margin.drawn @ other.drawn) / RESAMPLES


def _chance_below(value: float, mean: float, square: float) -> float:
    """Return how likely a sum of squares is below a value, given its mean and its variance.

    By the chi-square distribution of these (Satterthwaite), as Wilson and Hilferty have it.
    """
    if not mean or not square:
        return 0.0
    freedom = 2 * mean * mean / square
    part = 2 / (9 * freedom)
    return _normal.cdf(((value / mean) ** (1 / 3) - (1 - part)) / math.sqrt(part))
