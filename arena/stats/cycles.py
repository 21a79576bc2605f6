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
from functools import cached_property
from itertools import combinations
from statistics import NormalDist, fmean, variance

from arena.stats.margins import RESAMPLES, BotPair, Margin, variances
from arena.stats.matrices import Matrix, inverse

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
        self._pairs = [(self._number[one], self._number[two]) for one, two in self.margins]
        self._weights = [1 / each.variance for each in self.margins.values()]
        self._values = self._fitted([0.0] * len(self.bots))
        self._variances = self._if_explained()
        self._weights = [1 / each for each in self._variances]
        self._values = self._fitted(self._values)
        self._gaps = [self._values[one] - self._values[two] for one, two in self._pairs]
        self._slopes = [max(_LEAST, _normal.pdf(gap)) for gap in self._gaps]
        self._left = [
            each.share - _normal.cdf(gap)
            for each, gap in zip(self.margins.values(), self._gaps, strict=True)
        ]

    @property
    def has_circles(self) -> bool:
        """Whether enough pairs met for anything to go round in circles."""
        return len(self._pairs) >= len(self.bots) > 2

    def expected(self) -> dict[BotPair, float]:
        """Return what shares of the points the numbers expect, of the pairs that have not met."""
        return {
            pair: _normal.cdf(self._value(pair[0]) - self._value(pair[1]))
            for pair in combinations(self.bots, 2)
            if pair not in self.margins
        }

    def _value(self, bot: str) -> float:
        return self._values[self._number[bot]]

    def unexplained(self) -> Unexplained:
        """Return how much of the margins' variance the numbers leave, and whether by chance.

        The error is that of other deals, drawn as `margins` says, of which what the numbers leave
        is taken for as large as it is without chance.
        """
        errors = list(map(math.sqrt, self._variances))
        noise = [
            [
                each.drawn[number] * error
                for each, error in zip(self.margins.values(), errors, strict=True)
            ]
            for number in range(RESAMPLES)
        ]
        by_chance = [self._rest(drawn) for drawn in noise]
        rest, usual = self._rest(self._left), fmean(by_chance)
        surely = _chance_below(rest, usual, variance(by_chance))
        whole, count = self._sum(self._differences(1.0)), len(self._pairs)
        if whole - count <= 2 * math.sqrt(2 * count) and surely < SURE:
            return Unexplained(None, None, surely)
        kept = math.sqrt(max(0.0, 1 - usual / rest)) if rest else 0.0
        left = [kept * each for each in self._left]
        differences = self._differences(kept)
        shares = []
        for drawn in noise:
            moved = [one + off for one, off in zip(left, drawn, strict=True)]
            other = [one + off for one, off in zip(differences, drawn, strict=True)]
            shares.append((self._rest(moved) - usual) / max(1.0, self._sum(other) - count))
        shares.sort()
        sixth = RESAMPLES * 4 // 25
        error = (shares[-1 - sixth] - shares[sixth]) / 2
        share = max(0.0, rest - usual) / max(rest - usual, whole - count)
        return Unexplained(share, error, surely)

    def plain_share(self) -> float:
        """Return the share of the variance that the numbers leave, what is chance included."""
        return self._rest(self._left) / self._sum(self._differences(1.0))

    def cycles(self) -> list[Cycle]:
        """Return the threes that beat each other in a circle, those that are surest first."""
        threes = 0
        found: list[tuple[float, tuple[str, str, str]]] = []
        for three in combinations(self.bots, 3):
            if not all(pair in self.margins for pair in combinations(three, 2)):
                continue
            threes += 1
            first, second, third = three
            for order in (three, (first, third, second)):
                shares = self._round(order)
                if all(share > 0.5 for share in shares):
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

    def _differences(self, kept: float) -> list[float]:
        """Return the margins, with a part of what the numbers leave, in units of shares."""
        return [
            slope * gap + kept * left
            for slope, gap, left in zip(self._slopes, self._gaps, self._left, strict=True)
        ]

    def _sum(self, values: Sequence[float]) -> float:
        return math.fsum(
            weight * value * value for weight, value in zip(self._weights, values, strict=True)
        )

    def _rest(self, values: Sequence[float]) -> float:
        """Return the weighted square of what no numbers explain of values, by pair."""
        explained = self._explained(self._inverse, self._slopes, values)
        return self._sum([
            value - slope * (explained[one] - explained[two])
            for value, slope, (one, two) in zip(values, self._slopes, self._pairs, strict=True)
        ])  # fmt: skip

    @cached_property
    def _inverse(self) -> Matrix:
        return inverse(self._normal_equations(self._slopes))

    def _normal_equations(self, slopes: Sequence[float]) -> Matrix:
        size = len(self.bots)
        found = [[0.0] * size for _ in range(size)]
        for weight, slope, (one, two) in zip(self._weights, slopes, self._pairs, strict=True):
            part = weight * slope * slope
            found[one][one] += part
            found[two][two] += part
            found[one][two] -= part
            found[two][one] -= part
        for number in range(size):
            found[number][number] += _SPREAD**-2
        return found

    def _explained(
        self, solved: Matrix, slopes: Sequence[float], values: Sequence[float]
    ) -> list[float]:
        """Return the numbers whose differences come closest to values."""
        pulls = [0.0] * len(self.bots)
        for weight, slope, value, (one, two) in zip(
            self._weights, slopes, values, self._pairs, strict=True
        ):
            pull = weight * slope * value
            pulls[one] += pull
            pulls[two] -= pull
        return [math.fsum(a * b for a, b in zip(row, pulls, strict=True)) for row in solved]

    def _if_explained(self) -> list[float]:
        """Return the variance of every pair's share, if the numbers said the true ones."""
        shares = {
            pair: _normal.cdf(self._values[one] - self._values[two])
            for pair, (one, two) in zip(self.margins, self._pairs, strict=True)
        }
        return list(variances(self.margins, shares).values())

    def _fitted(self, values: list[float]) -> list[float]:
        """Return the numbers that fit the shares best: least squares by Gauss and Newton."""
        off = self._off(values)
        for _ in range(_STEPS):
            gaps = [values[one] - values[two] for one, two in self._pairs]
            slopes = [max(_LEAST, _normal.pdf(gap)) for gap in gaps]
            left = [
                each.share - _normal.cdf(gap)
                for each, gap in zip(self.margins.values(), gaps, strict=True)
            ]
            solved = inverse(self._normal_equations(slopes))
            pulls = self._explained(solved, slopes, left)
            drag = [math.fsum(a * b for a, b in zip(row, values, strict=True)) for row in solved]
            step = [pull - _SPREAD**-2 * back for pull, back in zip(pulls, drag, strict=True)]
            part = 1.0
            for _ in range(_HALVINGS):
                moved = [value + part * by for value, by in zip(values, step, strict=True)]
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

    def _off(self, values: Sequence[float]) -> float:
        return (
            math.fsum(
                weight * (each.share - _normal.cdf(values[one] - values[two])) ** 2
                for weight, each, (one, two) in zip(
                    self._weights, self.margins.values(), self._pairs, strict=True
                )
            )
            + math.fsum(value * value for value in values) / _SPREAD**2
        )


def _together(margin: Margin, other: Margin) -> float:
    """Return the correlation of two pairs' errors: of matches that both sat in."""
    return math.fsum(a * b for a, b in zip(margin.drawn, other.drawn, strict=True)) / RESAMPLES


def _chance_below(value: float, mean: float, square: float) -> float:
    """Return how likely a sum of squares is below a value, given its mean and its variance.

    By the chi-square distribution of these (Satterthwaite), as Wilson and Hilferty have it.
    """
    if not mean or not square:
        return 0.0
    freedom = 2 * mean * mean / square
    part = 2 / (9 * freedom)
    return _normal.cdf(((value / mean) ** (1 / 3) - (1 - part)) / math.sqrt(part))
