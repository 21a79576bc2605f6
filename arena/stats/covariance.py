"""How sure the ratings are, estimated from deals: a sandwich covariance, clustered by deal.

The pull of a match on a bot is the slope of its message at the bot's rating. In the end all pulls
balance; how far they scatter from deal to deal is how far the ratings could have ended elsewhere.
The pulls of a mirrored deal cancel as far as the deal was luck.

Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference", 2015, section II.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.stats.links import Chain
from arena.stats.matrices import Matrix, inverse, product
from arena.stats.outcomes import Outcome
from arena.stats.propagation import OutcomeFactor, Propagation

Covariance = Mapping[str, Mapping[str, float]]
"""The covariance of the ratings of linked bots, each measured from their mean."""

_Row = defaultdict[str, float]
_MOST_UNSEEN = 1.5  # times the precision of the prior: about what straight wins show, if exact
_BY_CHANCE = 2.0  # times what is seen: how much less than expected may be seen by chance


class Covariances(NamedTuple):
    """Two covariances, which differ where bots won straight."""

    of_width: Covariance
    """How far the ratings may be off."""
    of_order: Covariance
    """The same if straight wins showed how wide a gap is: what a lead has to be held against.

    They make sure of the order, but leave a gap that may be far wider or less wide.
    """


def covariances(fit: Propagation, kinds: Mapping[tuple[Outcome, ...], int]) -> Covariances:
    """Return the covariances of a settled fit's ratings; `kinds` counts deals by their outcomes."""
    pulls = {each.outcome: _pulls(fit, each) for each in fit.factors}
    links = _Links(fit, pulls)
    products = _products(kinds, pulls)
    prior = fit.prior_sigma**-2
    priors = {bot: fit.prior_of(bot) for bot in fit.names}
    found: list[Covariance] = [
        {
            bot: dict(zip(group, row, strict=True))
            for group in fit.groups
            for bot, row in zip(
                group, _of_group(group, priors, fit.chain, most, links, products), strict=True
            )
        }
        for most in (_MOST_UNSEEN * prior, math.inf)
    ]
    return Covariances(*found)


def _of_group(
    group: Sequence[str],
    priors: Mapping[str, float],
    chain: Chain,
    most: float,
    links: "_Links",
    products: Mapping[str, _Row],
) -> Matrix:
    """Return the covariance of one group's ratings, if unseen wins show that much at most."""
    information = [[0.0] * len(group) for _ in group]
    scatter = [[products[bot].get(other, 0.0) for other in group] for bot in group]
    for number, bot in enumerate(group):
        for position, other in enumerate(group):
            told, unseen = links.between(bot, other, most)
            information[number][position] -= told
            information[number][number] += told
            scatter[number][position] -= unseen
            scatter[number][number] += unseen
        information[number][number] += priors[bot]
        scatter[number][number] += priors[bot]
    number_of = {bot: number for number, bot in enumerate(group)}
    for pair in chain.pairs:  # what a step is taken for is also how far steps scatter
        if pair[0] in number_of:
            one, two = (number_of[bot] for bot in pair)
            for matrix in (information, scatter):
                matrix[one][one] += chain.precision
                matrix[two][two] += chain.precision
                matrix[one][two] -= chain.precision
                matrix[two][one] -= chain.precision
    bread = _centred(inverse(information))
    return product(product(bread, scatter), bread)


def _pulls(fit: Propagation, each: OutcomeFactor) -> Mapping[str, float]:
    return {
        bot: message.tau - message.pi * fit.skills[bot].mu
        for bot, message in zip(each.bots, each.messages, strict=True)
    }


def _products(
    kinds: Mapping[tuple[Outcome, ...], int], pulls: Mapping[Outcome, Mapping[str, float]]
) -> Mapping[str, _Row]:
    """Return the products of what a deal pulled each two bots, summed over deals."""
    found: defaultdict[str, _Row] = defaultdict(lambda: defaultdict(float))
    for outcomes, count in kinds.items():
        together: _Row = defaultdict(float)
        for outcome in outcomes:
            for bot, pull in pulls.get(outcome, {}).items():
                together[bot] += pull
        for bot, pull in together.items():
            row = found[bot]
            for other, other_pull in together.items():
                row[other] += count * pull * other_pull
    return found


class _Links:
    """How precisely the matches separate each two bots, and how far that is confirmed.

    What a match says of a bot is shared out among those it was compared with, as far as the match
    says something of them. On average it is the square of its pull, which is large where there is a
    surprise. Straight wins bring none: they say that a gap is wide, and hardly how wide, though the
    fit takes each of them for news.
    """

    def __init__(self, fit: Propagation, pulls: Mapping[Outcome, Mapping[str, float]]) -> None:
        self._expected: dict[str, _Row] = {bot: defaultdict(float) for bot in fit.names}
        self._borne_out: dict[str, _Row] = {bot: defaultdict(float) for bot in fit.names}
        squares: _Row = defaultdict(float)
        for each in fit.factors:
            own = pulls[each.outcome]
            for bot, pull in own.items():
                squares[bot] += each.count * pull**2
            for bot, other, link in _shared_out(each):
                is_draw = len(each.outcome) == 1
                borne_out = link if is_draw else -each.count * own[bot] * own[other]
                for one, two in ((bot, other), (other, bot)):
                    self._expected[one][two] += link
                    self._borne_out[one][two] += borne_out
        expected = {bot: math.fsum(row.values()) for bot, row in self._expected.items()}
        self._missing = {
            bot: max(0.0, 1 - squares[bot] / links) if links else 0.0
            for bot, links in expected.items()
        }

    def between(self, bot: str, other: str, most: float) -> tuple[float, float]:
        """Return the precision of a link, and how much of it no surprise has borne out.

        Surprises that have not come yet are no certainty: what is unseen counts as if it were
        seen, but where next to nothing is, for no more than `most`.
        """
        expected = self._expected[bot].get(other, 0.0)
        if not expected:
            return 0.0, 0.0
        seen = max(0.0, min(expected, _BY_CHANCE * self._borne_out[bot][other]))
        told = seen + min(expected - seen, most)
        return told, told * max(self._missing[bot], self._missing[other], 1 - seen / expected)


def _shared_out(each: OutcomeFactor) -> Iterator[tuple[str, str, float]]:
    """Yield the pairs that the matches of an outcome compared, and how precisely."""
    precision = {bot: message.pi for bot, message in zip(each.bots, each.messages, strict=True)}
    compared = list(_compared(each.outcome))
    weight = math.fsum(precision[bot] * precision[other] for bot, other in compared)
    if weight:
        scale = each.count * math.fsum(precision.values()) / (2 * weight)
        for bot, other in compared:
            yield bot, other, scale * precision[bot] * precision[other]


def _compared(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yield the pairs of bots a match compared: those in different places, or all if all tied."""
    bots = [(place, bot) for place, sharing in enumerate(outcome) for bot in sharing]
    for number, (place, bot) in enumerate(bots):
        for other_place, other in bots[number + 1 :]:
            if place != other_place or len(outcome) == 1:
                yield bot, other


def _centred(matrix: Matrix) -> Matrix:
    """Return a symmetric matrix with the mean of each row and column taken out."""
    means = [math.fsum(row) / len(row) for row in matrix]
    level = math.fsum(means) / len(means)
    return [
        [value - mean - other + level for value, other in zip(row, means, strict=True)]
        for row, mean in zip(matrix, means, strict=True)
    ]
