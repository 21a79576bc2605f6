"""How far skills spread: ratings for each prior that the results leave possible, mixed; pure.

The published prior is right for fields of about its own spread. In a wider one it draws the ratings
together; and straight wins hardly say how wide a field is. So wider priors are tried as well, and
count by what the results give them: by how likely these are, which falls for each that is wider
than it need be (the evidence, or marginal likelihood; MacKay, "Bayesian Interpolation", 1992).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.stats.gaussian import Array
from arena.stats.likelihood import SIGMA, Duels, Normal, Numbers
from arena.stats.propagation import Propagation

_STEP = 2**0.5  # from one prior to the next wider one
_TRIED = 7
_WIDER = 0.25  # how likely the next wider prior is beforehand, of two bots; of more, hardly less
_PART = 0.2  # of the published prior's evidence, below which a wider one does not count
_BEYOND = 6.0  # in the logarithm of the evidence: what is less likely says nothing


class _Known(NamedTuple):
    """What is known of skills, by one prior."""

    mean: Array
    covariance: Array
    information: Array
    behind: Array
    """By pair of bots that met alone, how likely the first one is the worse one."""


class Spread(NamedTuple):
    """What is known of skills, measured from their mean."""

    mean: Array
    covariance: Array
    behind: tuple[Numbers, Array]
    """Pairs of bots that met alone, and how likely the first one is the worse one."""
    sigma: float
    """The standard deviation of the likeliest prior."""
    weighed: list[tuple[Array, _Known]]
    """By prior: how likely it is, by bot, and what follows from it."""

    def scattered(self, dispersions: Array) -> Array:
        """Return the covariance, if the pulls of deals scatter so much, by bot.

        In parts of what the model expects: with ones it is the covariance that is known.
        """
        found = self.covariance.copy()
        root = np.sqrt(dispersions)
        more = np.multiply.outer(root, root) - 1
        for weight, (_, covariance, information, _) in self.weighed:
            found += weight[:, None] * (covariance @ (information * more) @ covariance)
        return found


def mixed(fit: Propagation) -> Spread:
    """Fit by each prior, and mix what follows by how likely each is, group by group.

    A wider prior counts by how likely it makes the results, beyond a part of what the published one
    does: in a field that is surely no wider, that one stands alone. So it does after a single
    match, which says nothing of how far skills spread, however many sat at the table.
    """
    is_open = np.array([any(fit.matches[bot] > 1 for bot in group) for group in fit.groups], bool)
    evidence: list[Array] = []
    found: list[_Known] = []
    for wider in range(_TRIED):
        known = fit.settle(SIGMA * _STEP**wider)
        found.append(
            _Known(
                known.mean,
                known.covariance,
                fit.information(known),
                fit.duels.behind(known, fit.margin),
            )
        )
        evidence.append(fit.log_evidence(known))
        best = np.max(evidence, axis=0, initial=-np.inf)
        if np.all(
            ~is_open | (evidence[-1] < np.maximum(best - _BEYOND, evidence[0] + np.log(_PART)))
        ):
            break
    weights = np.exp(np.array(evidence) - best)
    weights[1:] = np.where(is_open, np.maximum(weights[1:] - _PART * weights[0], 0.0), 0.0)
    gaps = np.array([max(1, len(set(group) - fit.chain.later) - 1) for group in fit.groups])
    weights *= _WIDER ** np.divide.outer(np.arange(len(found)), gaps)
    weights = np.c_[weights / weights.sum(axis=0), np.eye(len(found))[:, 0]]  # of bots alone
    of_bots = weights[:, fit.group_of]
    pairs = fit.duels.bots[:, 0]
    mean = sum(
        (weight * each.mean for weight, each in zip(of_bots, found, strict=True)),
        np.zeros(len(fit.names)),
    )
    covariance = np.zeros((len(mean), len(mean)))
    behind = np.zeros(len(pairs))
    for weight, each in zip(of_bots, found, strict=True):
        off = each.mean - mean
        covariance += weight[:, None] * (
            each.covariance + np.multiply.outer(off, off) * (fit.group_of == fit.group_of[:, None])
        )
        behind += weight[pairs] * each.behind
    likeliest = SIGMA * _STEP ** int(of_bots.sum(axis=1).argmax())
    weighed = list(zip(of_bots, found, strict=True))
    return Spread(mean, covariance, (fit.duels.bots, behind), likeliest, weighed)


def straight(fit: Propagation, sigma: float, asked: NDArray[np.bool_]) -> tuple[Numbers, Array]:
    """Return pairs of bots one of which was always before the other in matches of more than two.

    Of those asked for. And how likely the first one is the worse one, by these alone and a prior of
    that width: to a Gaussian of all skills, a gap that may be ever wider is as uncertain below as
    it is above.
    """
    before = sum(
        (table.before(len(fit.names)) for table in fit.tables), np.zeros((len(fit.names),) * 2)
    )
    pairs = np.argwhere((before > 0) & (before.T == 0) & asked & ~fit.have_met)
    wins, at = np.unique(before[tuple(pairs.T)], return_inverse=True)
    alone = Duels(np.tile(np.arange(2), (len(wins), 1)), np.c_[wins, 0 * wins, 0 * wins])
    known = Normal(np.eye(2) / sigma**2)
    known.solve()
    return pairs, alone.behind(known, fit.margin)[at]
