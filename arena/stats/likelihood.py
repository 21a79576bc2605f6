"""TrueSkill's model of matches, and what they say of skills that are known so far; pure.

Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", 2006. Each class here
holds *sites*: for each thing that was observed, the Gaussian that stands for what it says
(expectation propagation; Minka, 2001). A site is renewed by taking it out of all that is known,
putting the true likelihood in its place, and asking which Gaussian would have done the same.

Skills are measured from `MEAN` here, and bots are numbers. What is known of all skills together is
one Gaussian with its covariances, so that nothing is counted twice.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, TypeAlias
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from arena.stats.gaussian import Array, draw, log_cdf, win

with catch_warnings():  # of its escape sequences, where its first import compiles it
    simplefilter("ignore")
    from trueskill import TrueSkill, calc_draw_margin

MEAN = 25.0  # mu points, of all ratings
SIGMA = MEAN / 3  # mu points, of the published prior
BETA = SIGMA / 2  # mu points, the spread of a performance about the skill

Ties = Literal["unordered", "draws"]
"""What a shared place says of a match that not everybody ties: nothing, or equality."""
Numbers: TypeAlias = NDArray[np.intp]

LEAD = BETA * math.sqrt(2)  # mu points, the spread of a lead about the gap in skill
_POINTS = np.arange(-6.5, 6.75, 0.25)  # standard deviations, where a likelihood is looked at
_LEAST_CAVITY = 1e-3  # of a precision: what is left of it when a site is taken out
_CHUNK = 1 << 21  # numbers in a matrix for each match of some, at a time


def environment(draw_probability: float) -> TrueSkill:
    """Return the package's model of bots that do not change, on the standard library alone."""
    normal = NormalDist()
    backend = normal.cdf, normal.pdf, normal.inv_cdf
    return TrueSkill(MEAN, SIGMA, BETA, 0.0, draw_probability, backend)


@lru_cache(maxsize=1 << 14)
def draw_margin(draw_probability: float) -> float:
    """Return the lead below which two bots draw, in mu points."""
    return float(calc_draw_margin(draw_probability, 2, environment(draw_probability)))


class Normal:
    """What is known of skills: a Gaussian, by what adds up, and by mean and covariance.

    Args:
        precision: of what was known before; its linear part is nothing.

    """

    def __init__(self, precision: Array) -> None:
        self.precision = precision.copy()
        self.linear = np.zeros(len(precision))

    def add(self, bots: Numbers, precision: Array, linear: Array) -> None:
        """Add, for each row of bots, a precision matrix of theirs and a linear part."""
        np.add.at(self.precision, (bots[:, :, None], bots[:, None, :]), precision)
        np.add.at(self.linear, bots, linear)

    def solve(self) -> None:
        """Work out the mean and the covariance."""
        self.covariance: Array = np.asarray(np.linalg.inv(self.precision), np.float64)
        self.mean: Array = self.covariance @ self.linear


class Duels:
    """The matches of each two bots against each other: a site for a pair, of all that they played.

    Its likelihood is that of the gap alone, and is summed up as it is. So two bots that met nobody
    else are rated exactly, straight wins included.

    Args:
        bots: the pairs, a row of two each.
        counts: by pair, the wins of the first, those of the second, and the draws. Matches of
            more that all tie are counted in parts.

    """

    def __init__(self, bots: Numbers, counts: Array) -> None:
        self.bots = bots
        self.counts = counts
        self._pi, self._tau = np.zeros(len(bots)), np.zeros(len(bots))
        self._one, self._two = bots.T

    def __len__(self) -> int:
        return len(self.bots)

    def gaps(self, known: Normal) -> tuple[Array, Array]:
        """Return the mean and the variance of each gap."""
        one, two, covariance = self._one, self._two, known.covariance
        square = covariance[one, one] + covariance[two, two] - 2 * covariance[one, two]
        return known.mean[one] - known.mean[two], square

    def tell(self, to: Normal) -> None:
        """Add what all matches say."""
        pi, tau = self._pi, self._tau
        told = pi[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
        to.add(self.bots, told, tau[:, None] * np.array([1.0, -1.0]))

    def renew(self, known: Normal, margin: float, _: float, part: float) -> None:
        """Renew all sites, by a part of a full step."""
        mean, square = self.gaps(known)
        gap, weight, _peak = self._tilted(mean, square, margin, _POINTS)
        weight /= weight.sum(axis=1, keepdims=True)
        new = (weight * gap).sum(axis=1)
        spread = (weight * (gap - new[:, None]) ** 2).sum(axis=1)
        spread = np.maximum(spread, square / 64)  # a peak between two points: look closer next time
        pi, tau = self._without(mean, square)
        self._pi += part * (np.maximum(1 / spread - pi, 0.0) - self._pi)
        self._tau += part * (new / spread - tau - self._tau)

    def _without(self, mean: Array, square: Array) -> tuple[Array, Array]:
        """Return what is known of each gap from all but its own matches."""
        return np.maximum(1 / square - self._pi, _LEAST_CAVITY / square), mean / square - self._tau

    def _tilted(
        self, mean: Array, square: Array, margin: float, points: Array
    ) -> tuple[Array, Array, Array]:
        """Return gaps about the mean, and how likely each is; the logarithm of the greatest."""
        pi, tau = self._without(mean, square)
        gap = mean[:, None] + np.sqrt(square)[:, None] * points
        found = self._log_likelihood(gap, margin) + gap * (tau[:, None] - pi[:, None] / 2 * gap)
        peak = found.max(axis=1)
        return gap, np.exp(found - peak[:, None]), peak

    def _log_likelihood(self, gap: Array, margin: float) -> Array:
        wins, losses, draws = self.counts.T[:, :, None]
        found: Array = wins * log_cdf((gap - margin) / LEAD)
        found += losses * log_cdf((-gap - margin) / LEAD)
        if (drawn := draws[:, 0] > 0).any():
            found[drawn] += draws[drawn] * _log_draw(gap[drawn] / LEAD, margin / LEAD)
        return found

    def log_evidence(self, known: Normal, margin: float, _: float) -> tuple[Numbers, Array]:
        """Return bots and, for the matches of each, what the evidence has beside the Gaussian."""
        mean, square = self.gaps(known)
        _gap, weight, peak = self._tilted(mean, square, margin, _POINTS)
        step = _POINTS[1] - _POINTS[0]
        found = np.log(weight.sum(axis=1) * step / math.sqrt(2 * math.pi)) + peak
        return self._one, found - mean * mean / square / 2

    def behind(self, known: Normal, margin: float) -> Array:
        """Return how likely it is of each pair that the gap is below nothing."""
        mean, square = self.gaps(known)
        points = np.arange(-12, 12.25, 0.25)
        gap, weight, _peak = self._tilted(mean, square, margin, points)
        step = np.sqrt(square)[:, None] * 0.25
        part = np.clip(0.5 - gap / step, 0.0, 1.0)
        found: Array = (weight * part).sum(axis=1) / weight.sum(axis=1)
        return found

    def pulls(self, mean: Array, margin: float) -> tuple[Array, Array]:
        """Return the slope of the likelihood of a win, a loss and a draw; and its mean square.

        Three rows each, and one number, by pair: in parts of a mu point of the gap.
        """
        gap = (mean[self._one] - mean[self._two]) / LEAD
        lead = np.full_like(gap, margin / LEAD)
        slopes = np.stack((win(gap - lead)[0], -win(-gap - lead)[0], draw(gap, lead)[0])) / LEAD
        chances = np.exp(
            np.stack((log_cdf(gap - lead), log_cdf(-gap - lead), _log_draw(gap, lead)))
        )
        return slopes, (chances * slopes**2).sum(axis=0)


def _log_draw(gap: Array, margin: float | Array) -> Array:
    """Return the logarithm of the chance of a draw; both in standard deviations of a lead."""
    apart = np.abs(gap)
    within, below = log_cdf(margin - apart), log_cdf(-margin - apart)
    return within + np.log1p(-np.exp(np.minimum(below - within, -1e-15)))


class Tables:
    """Matches of more than two seats that are compared alike, bots numbered from the best.

    A full order compares neighbours. Where places are shared, each bot beats all bots of the next
    place, and nothing is said about those that share one; TrueSkill would take them for equally
    good. A comparison is a site on the difference of two performances, which are skills with a
    noise of their own in each match.

    Args:
        sizes: how many bots share each place.
        bots: a row for each match.
        counts: how often it was seen.

    """

    def __init__(self, sizes: Sequence[int], ties: Ties, bots: Numbers, counts: Array) -> None:
        self.bots = bots
        self.counts = counts
        pairs = list(_compared(sizes, ties))
        self._better = np.array([better for better, _, _ in pairs])
        self._worse = np.array([worse for _, worse, _ in pairs])
        self._drawn = np.array([drawn for _, _, drawn in pairs])
        self._has_margin = len(sizes) == sum(sizes) or ties == "draws"
        self._places = np.repeat(np.arange(len(sizes)), sizes)
        seats = bots.shape[1]
        self._signs = np.zeros((len(pairs), seats))
        self._signs[range(len(pairs)), self._better] = 1
        self._signs[range(len(pairs)), self._worse] = -1
        self._pi = np.zeros((len(bots), len(pairs)))
        self._tau = np.zeros((len(bots), len(pairs)))
        each = max(1, _CHUNK // (seats * max(seats, len(pairs))))
        self._parts = [slice(start, start + each) for start in range(0, len(bots), each)]

    def __len__(self) -> int:
        return len(self.bots)

    def tell(self, to: Normal) -> None:
        """Add what all matches say."""
        for part in self._parts:
            precision, linear, _ = self._said(part)
            count = self.counts[part]
            to.add(self.bots[part], count[:, None, None] * precision, count[:, None] * linear)

    def _said(self, part: slice) -> tuple[Array, Array, Array]:
        """Return what some matches say of skills, and the covariance of performances about them."""
        signs, seats = self._signs, self.bots.shape[1]
        compared: Array = (signs.T * self._pi[part][:, None, :]) @ signs
        about = np.asarray(np.linalg.inv(compared + np.eye(seats) / BETA**2), np.float64)
        linear = np.einsum("mij,mj->mi", about, self._tau[part] @ signs) / BETA**2
        return np.eye(seats) / BETA**2 - about / BETA**4, linear, about

    def _leads(self, known: Normal, part: slice) -> tuple[Array, Array]:
        """Return what is known of the leads in performance from all but their own sites."""
        bots = self.bots[part]
        _, linear, about = self._said(part)
        skills = known.covariance[bots[:, :, None], bots[:, None, :]]
        square = about + about @ skills @ about / BETA**4
        mean = np.einsum("mij,mj->mi", about, known.mean[bots]) / BETA**2 + linear * BETA**2
        better, worse, pi = self._better, self._worse, self._pi[part]
        spread = square[:, better, better] + square[:, worse, worse] - 2 * square[:, better, worse]
        left = np.maximum(1 / spread - pi, _LEAST_CAVITY / spread)
        told = (mean[:, better] - mean[:, worse]) / spread - self._tau[part]
        return told / left, 1 / left

    def renew(self, known: Normal, _: float, margin: float, step: float) -> None:
        """Renew all sites, by a part of a full step."""
        for part in self._parts:
            mean, square = self._leads(known, part)
            spread = np.sqrt(square)
            lead = mean / spread
            apart = (margin if self._has_margin else 0.0) / spread
            v, w = (np.where(self._drawn, *both) for both in self._moved(lead, apart))
            left = square * (1 - w)
            self._pi[part] += step * (w / left - self._pi[part])
            self._tau[part] += step * ((spread * v + mean * w) / left - self._tau[part])

    def _moved(self, lead: Array, apart: Array) -> Iterator[tuple[Array, Array]]:
        """Yield v of draws and of wins, and w of both."""
        won = win(lead - apart)
        yield from zip(draw(lead, apart) if self._drawn.any() else won, won, strict=True)

    def log_evidence(self, known: Normal, _: float, margin: float) -> tuple[Numbers, Array]:
        """Return bots and, for the matches of each, what the evidence has beside the Gaussian."""
        found = []
        for part in self._parts:
            mean, square = self._leads(known, part)
            pi, tau = self._pi[part], self._tau[part]
            spread = np.sqrt(square)
            lead: Array = mean / spread
            margins: Array = (margin if self._has_margin else 0.0) / spread
            seen = log_cdf(lead - margins)
            if self._drawn.any():
                seen = np.where(self._drawn, _log_draw(lead, margins), seen)
            stands = (mean / square + tau) ** 2 / (1 / square + pi) - mean * mean / square
            sites = seen - stands / 2 + np.log1p(pi * square) / 2
            _told, linear, about = self._said(part)
            told = self._tau[part] @ self._signs
            noise = np.linalg.slogdet(about / BETA**2)[1] + BETA**2 * (told * linear).sum(axis=1)
            found.append(self.counts[part] * (sites.sum(axis=1) + noise / 2))
        return self.bots[:, 0], np.concatenate(found)

    def before(self, bots: int) -> Array:
        """Return how often each of so many bots had a better place than each other one."""
        found = np.zeros((bots, bots))
        better = (self._places[:, None] < self._places).astype(float)
        for part in self._parts:
            rows, counts = self.bots[part], self.counts[part]
            np.add.at(found, (rows[:, :, None], rows[:, None, :]), counts[:, None, None] * better)
        return found

    def pulls(self, known: Normal) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the slope of each match's likelihood, its mean square, and what part a fit takes.

        By seat, in parts of a mu point. A match that is itself a part of what the skills are known
        by pulls less: by what is yielded last.
        """
        for part in self._parts:
            bots = self.bots[part]
            precision, linear, _ = self._said(part)
            skills = known.covariance[bots[:, :, None], bots[:, None, :]]
            pulled = linear - np.einsum("mij,mj->mi", precision, known.mean[bots])
            square = np.einsum("mii->mi", precision)
            taken = np.einsum("mij,mji->mi", precision @ skills, precision)
            yield from zip(pulled, square, taken, strict=True)


def _compared(sizes: Sequence[int], ties: Ties) -> Iterator[tuple[int, int, bool]]:
    """Yield what a match compares: the better bot, the worse one, and whether they are level."""
    ends = [sum(sizes[:place]) for place in range(len(sizes) + 1)]
    if ties == "draws":
        level = {bot for first, end in itertools.pairwise(ends) for bot in range(first + 1, end)}
        yield from ((bot - 1, bot, bot in level) for bot in range(1, ends[-1]))
        return
    for first, middle, last in zip(ends, ends[1:], ends[2:], strict=False):
        yield from (
            (one, two, False) for one in range(first, middle) for two in range(middle, last)
        )


def leads_of(skills: Array) -> Array:
    """Return for each row of skills the lead of each over its neighbour in their order."""
    leads: Array = np.diff(np.sort(skills, axis=1), axis=1) / LEAD
    return leads


def chance_of_draw(leads: Array, margin: float) -> Array:
    """Return for each row of leads how likely all tie: each with its neighbour."""
    chance: Array = np.exp(_log_draw(leads, margin / LEAD).sum(axis=1))
    return chance
