"""The fit of `arena.stats.ratings` once more, by numpy, for matches without ties: the same numbers.

A simulation of some thousand leagues takes hours with the one and minutes with the other.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from arena.stats.covariance import Covariances
from arena.stats.likelihood import BETA, MEAN, SIGMA, draw_margin
from arena.stats.outcomes import Deals, Result
from arena.stats.ratings import Rating, Ratings, fit

Array: TypeAlias = "np.ndarray[Any, Any]"

_DRAW_PROBABILITY = 0.001
_TOLERANCE = 0.001
_BY_CHANCE = 2.0
_GRID = np.linspace(-30.0, 30.0, 240_001)


def _hazard() -> Array:
    """Return pdf / cdf on the grid."""
    cdf = np.array([math.erfc(-x / math.sqrt(2)) / 2 for x in _GRID])
    return np.asarray(np.exp(-_GRID * _GRID / 2) / math.sqrt(2 * math.pi) / cdf)


_HAZARD = _hazard()


@lru_cache(maxsize=1_000_000)
def _order(result: Result) -> tuple[str, ...]:
    return tuple(bot for _, bot in sorted(zip(result.places, result.bots, strict=True)))


def swift_fit(deals: Deals, names: Sequence[str]) -> Ratings:
    """Rate bots from deals; as `fit` does, which is asked where bots are not all linked."""
    orders: dict[tuple[str, ...], int] = {}
    members = np.array(
        [
            [orders.setdefault(order, len(orders)) for order in map(_order, results)]
            for results in deals
        ]
    )
    copies = np.array(list(deals.values()), dtype=float)
    if not {*names}.issubset(bot for order in orders for bot in order):
        return fit(deals, bots=names)
    names = sorted({bot for order in orders for bot in order})
    at = {bot: number for number, bot in enumerate(names)}
    bots = np.array([[at[bot] for bot in order] for order in orders])
    counts = np.zeros(len(orders))
    np.add.at(counts, members, copies[:, None])
    state = _Fit(bots, counts, len(names))
    if not state.is_linked:
        return fit(deals, bots=names)
    state.settle()
    return _ratings(state, names, members, copies)


class _Fit:
    """As `arena.stats.propagation`, with all outcomes at once; each lists its bots, best first."""

    def __init__(self, bots: Array, counts: Array, size: int) -> None:
        self.bots, self.counts, self.size = bots, counts, size
        shape = bots.shape
        self.pi, self.tau = np.zeros(shape), np.zeros(shape)
        chain = (shape[1] - 1, shape[0])
        self.won_pi, self.won_tau = np.zeros(chain), np.zeros(chain)
        self.lost_pi, self.lost_tau = np.zeros(chain), np.zeros(chain)
        self.margin = draw_margin(_DRAW_PROBABILITY)
        self.matches = self._summed(np.ones(shape))
        self.prior_sigma = SIGMA
        self.sweeps = 0
        self._add_up()

    @property
    def is_linked(self) -> bool:
        seen, new = set[int](), {0}
        linked = [set[int]() for _ in range(self.size)]
        for row in np.unique(np.sort(self.bots, axis=1), axis=0).tolist():
            for bot in row:
                linked[bot].update(row)
        while new:
            seen |= new
            new = set().union(*(linked[bot] for bot in new)) - seen
        return len(seen) == self.size

    def _summed(self, values: Array) -> Array:
        weights = (values * self.counts[:, None]).ravel()
        return np.bincount(self.bots.ravel(), weights=weights, minlength=self.size)

    @property
    def mu(self) -> Array:
        return np.asarray(self.skill_tau / self.skill_pi)

    def _add_up(self) -> None:
        prior = self.prior_sigma**-2
        self.skill_pi = prior + self._summed(self.pi)
        self.skill_tau = prior * MEAN + self._summed(self.tau)

    def settle(self) -> None:
        damping, last = 0.7, np.zeros(0)
        while self.sweeps < 2_000:
            before = self._numbers()
            self._sweep(damping)
            step = (self._numbers() - before) / damping
            if np.abs(step).max() <= _TOLERANCE:
                return
            if len(last) and step @ step >= last @ last / 4:
                damping = max(0.05, damping / 2) if step @ last < 0 else min(1.0, damping * 1.1)
            last = step
        raise RuntimeError("not settled")

    def _numbers(self) -> Array:
        return np.concatenate([self.mu, self.skill_pi**-0.5, [self.prior_sigma]])

    def _sweep(self, damping: float) -> None:
        self.sweeps += 1
        known = self.mu[self.matches > 1] - MEAN
        spread = math.sqrt(float(np.sum(known**2)) / max(1, len(known)))
        self.prior_sigma = min(3 * SIGMA, max(SIGMA, spread))
        pi, tau = self._messages()
        self.pi += damping * (pi - self.pi)
        self.tau += damping * (tau - self.tau)
        self._add_up()
        free = 1 - self.prior_sigma**-2 / self.skill_pi
        shift = float(np.sum(MEAN - self.mu) / np.sum(free))
        self.tau += shift * self.pi
        self.won_tau += shift * self.won_pi
        self.lost_tau += shift * self.lost_pi
        self._add_up()

    def _messages(self) -> tuple[Array, Array]:
        own_pi, own_tau = _through_noise(
            self.skill_pi[self.bots] - self.pi, self.skill_tau[self.bots] - self.tau
        )
        seats = self.bots.shape[1]
        pi, tau = own_pi.T.copy(), own_tau.T.copy()
        pi[:-1] += self.won_pi
        tau[:-1] += self.won_tau
        pi[1:] += self.lost_pi
        tau[1:] += self.lost_tau
        for at in [*range(seats - 1)] * (2 if seats > 2 else 1):
            self._renew(at, pi, tau)
        return _through_noise(pi.T - own_pi, tau.T - own_tau)

    def _renew(self, at: int, pi: Array, tau: Array) -> None:
        better_pi, worse_pi = pi[at] - self.won_pi[at], pi[at + 1] - self.lost_pi[at]
        better_tau, worse_tau = tau[at] - self.won_tau[at], tau[at + 1] - self.lost_tau[at]
        better, worse = better_tau / better_pi, worse_tau / worse_pi
        lead, square = better - worse, 1 / better_pi + 1 / worse_pi
        spread = np.sqrt(square)
        x = (lead - self.margin) / spread
        v = np.interp(x, _GRID, _HAZARD)
        w = v * (v + x)
        told_pi = w / (square * (1 - w))
        told_tau = (spread * v + lead * w) / (square * (1 - w))
        for_better, for_worse = 1 / (1 + told_pi / worse_pi), 1 / (1 + told_pi / better_pi)
        self.won_pi[at] = told_pi * for_better
        self.won_tau[at] = (told_tau + told_pi * worse) * for_better
        self.lost_pi[at] = told_pi * for_worse
        self.lost_tau[at] = (told_pi * better - told_tau) * for_worse
        pi[at], tau[at] = better_pi + self.won_pi[at], better_tau + self.won_tau[at]
        pi[at + 1], tau[at + 1] = worse_pi + self.lost_pi[at], worse_tau + self.lost_tau[at]


def _through_noise(pi: Array, tau: Array) -> tuple[Array, Array]:
    rest = 1 / (1 + BETA * BETA * pi)
    return pi * rest, tau * rest


def _ratings(state: _Fit, names: Sequence[str], members: Array, copies: Array) -> Ratings:
    size, bots = state.size, state.bots
    pulls = state.tau - state.pi * state.mu[bots]
    scatter, deals = _scatter(state, pulls, members, copies)
    expected, borne_out = np.zeros((size, size)), np.zeros((size, size))
    seats = bots.shape[1]
    pairs = [(one, two) for one in range(seats) for two in range(one + 1, seats)]
    weight = sum(state.pi[:, one] * state.pi[:, two] for one, two in pairs)
    scale = state.counts * state.pi.sum(axis=1) / (2 * weight)
    for one, two in pairs:
        link = scale * state.pi[:, one] * state.pi[:, two]
        borne = -state.counts * pulls[:, one] * pulls[:, two]
        cells = bots[:, one] * size + bots[:, two]
        for total, values in ((expected, link), (borne_out, borne)):
            summed = np.bincount(cells, weights=values, minlength=size * size).reshape(size, size)
            total += summed + summed.T
    missing = np.maximum(0.0, 1 - state._summed(pulls**2) / expected.sum(axis=1))
    missing = np.maximum(missing[:, None], missing[None, :])
    prior = state.prior_sigma**-2
    found = [
        _sandwich(prior, expected, borne_out, missing, scatter, most)
        for most in (1.5 * prior, math.inf)
    ]
    sigma = state.skill_pi**-0.5
    mu = state.mu
    return Ratings(
        bots={
            bot: Rating(
                float(mu[n]),
                float(sigma[n]),
                math.sqrt(max(0.0, float(found[0][n, n]))),
                int(state.matches[n]),
                int(deals[n]),
            )
            for n, bot in enumerate(names)
        },
        groups=[list(names)],
        draw_probability=_DRAW_PROBABILITY,
        prior_sigma=state.prior_sigma,
        sweeps=state.sweeps,
        covariances=Covariances(
            *(
                {
                    bot: dict(zip(names, row, strict=True))
                    for bot, row in zip(names, each.tolist(), strict=True)
                }
                for each in found
            )
        ),
    )


def _scatter(state: _Fit, pulls: Array, members: Array, copies: Array) -> tuple[Array, Array]:
    """Return the summed products of deals' pulls, and how many deals each bot has."""
    size = state.size
    lineups = np.sort(state.bots[members[:, 0]], axis=1)
    together = np.zeros(lineups.shape)
    for match in members.T:
        order = np.argsort(state.bots[match], axis=1)
        together += np.take_along_axis(pulls[match], order, axis=1)
    cells = lineups[:, :, None] * size + lineups[:, None, :]
    products = copies[:, None, None] * together[:, :, None] * together[:, None, :]
    scatter = np.bincount(cells.ravel(), weights=products.ravel(), minlength=size * size)
    deals = np.bincount(
        lineups.ravel(), weights=np.repeat(copies, lineups.shape[1]), minlength=size
    )
    return scatter.reshape(size, size), deals


def _sandwich(
    prior: float, expected: Array, borne_out: Array, missing: Array, scatter: Array, most: float
) -> Array:
    seen = np.maximum(0.0, np.minimum(expected, _BY_CHANCE * borne_out))
    told = seen + np.minimum(expected - seen, most)
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(expected > 0, 1 - seen / expected, 0.0)
    unseen = np.where(expected > 0, told * np.maximum(missing, part), 0.0)
    told = np.where(expected > 0, told, 0.0)
    size = len(expected)
    information = np.diag(told.sum(axis=1) + prior) - told
    spread = scatter + np.diag(unseen.sum(axis=1) + prior) - unseen
    centre = np.eye(size) - 1 / size
    bread = centre @ np.linalg.inv(information) @ centre
    return np.asarray(bread @ spread @ bread)
