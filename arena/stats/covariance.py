"""How sure the ratings are, estimated from deals: a sandwich covariance, clustered by deal.

The pull of a match on a bot is the slope of its message at the bot's rating. In the end all pulls
balance; how far they scatter from deal to deal is how far the ratings could have ended elsewhere.
The pulls of a mirrored deal cancel as far as the deal was luck.

Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference", 2015, section II.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import mul

from arena.stats.outcomes import Outcome
from arena.stats.propagation import Evidence, Propagation

Matrix = list[list[float]]
Covariance = Mapping[str, Mapping[str, float]]
"""Of the ratings of bots that are linked by matches, each measured from their mean."""


def covariance(fit: Propagation, kinds: Mapping[tuple[Outcome, ...], int]) -> Covariance:
    """Return the covariance of a settled fit's ratings; `kinds` counts deals by their outcomes."""
    links = _links(fit)
    pulled = _Pulls(fit, kinds)
    found: dict[str, dict[str, float]] = {}
    for group in fit.groups:
        rows = _of_group(group, fit.prior_sigma**-2, links, pulled)
        for bot, row in zip(group, rows, strict=True):
            found[bot] = dict(zip(group, row, strict=True))
    return found


def _of_group(
    group: Sequence[str], prior: float, links: Mapping[str, Mapping[str, float]], pulled: "_Pulls"
) -> Matrix:
    """Return the covariance of one group's ratings, given the precision of the links."""
    information = [[-links[bot].get(other, 0.0) for other in group] for bot in group]
    scatter = [[pulled.by_deal[bot].get(other, 0.0) for other in group] for bot in group]
    for number, bot in enumerate(group):
        information[number][number] = prior + math.fsum(links[bot].values())
        scatter[number][number] += prior
    _add_unseen(scatter, group, links, pulled)
    bread = _centred(_inverse(information))
    return _product(_product(bread, scatter), bread)


def _add_unseen(
    scatter: Matrix,
    group: Sequence[str],
    links: Mapping[str, Mapping[str, float]],
    pulled: "_Pulls",
) -> None:
    """Add what matches pulled less than the model expects (on a bot that hardly ever loses).

    Surprises that have not come yet are no certainty.
    """
    missing = {
        bot: max(0.0, 1 - pulled.by_match[bot] / expected) if (expected := sum(row.values())) else 0
        for bot, row in ((bot, links[bot]) for bot in group)
    }
    for number, bot in enumerate(group):
        for position, other in enumerate(group):
            unseen = links[bot].get(other, 0.0) * max(missing[bot], missing[other])
            scatter[number][number] += unseen
            scatter[number][position] -= unseen


class _Pulls:
    """The pulls of all deals: their products by deal, and their squares by single match."""

    def __init__(self, fit: Propagation, kinds: Mapping[tuple[Outcome, ...], int]) -> None:
        pulls = {each.outcome: list(_pulls(fit, each)) for each in fit.evidence}
        self.by_deal: defaultdict[str, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )
        self.by_match: defaultdict[str, float] = defaultdict(float)
        for outcomes, count in kinds.items():
            together: defaultdict[str, float] = defaultdict(float)
            for bot, pull in [pull for outcome in outcomes for pull in pulls.get(outcome, ())]:
                together[bot] += pull
                self.by_match[bot] += count * pull**2
            for bot, pull in together.items():
                row = self.by_deal[bot]
                for other, other_pull in together.items():
                    row[other] += count * pull * other_pull


def _pulls(fit: Propagation, each: Evidence) -> Iterator[tuple[str, float]]:
    for bot, message in zip(each.bots, each.messages, strict=True):
        yield bot, message.tau - message.pi * fit.skills[bot].mu


def _links(fit: Propagation) -> Mapping[str, Mapping[str, float]]:
    """Return how precisely the matches tell each bot from each other one.

    What a match tells of a bot is shared out among those it was compared with, as far as the
    match tells of them.
    """
    links: dict[str, defaultdict[str, float]] = {bot: defaultdict(float) for bot in fit.names}
    for each in fit.evidence:
        precision = {bot: message.pi for bot, message in zip(each.bots, each.messages, strict=True)}
        compared = list(_compared(each.outcome))
        weight = math.fsum(precision[bot] * precision[other] for bot, other in compared)
        if not weight:
            continue
        scale = each.count * math.fsum(precision.values()) / (2 * weight)
        for bot, other in compared:
            link = scale * precision[bot] * precision[other]
            links[bot][other] += link
            links[other][bot] += link
    return links


def _compared(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yield the pairs of bots a match compared: those in different places, or all if all tied."""
    bots = [(place, bot) for place, sharing in enumerate(outcome) for bot in sharing]
    for number, (place, bot) in enumerate(bots):
        for other_place, other in bots[number + 1 :]:
            if place != other_place or len(outcome) == 1:
                yield bot, other


def _inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a symmetric positive definite matrix (Gauss and Jordan)."""
    size = len(matrix)
    rows = [[*row, *([0.0] * size)] for row in matrix]
    for number, row in enumerate(rows):
        row[size + number] = 1.0
    for number in range(size):
        pivot = rows[number]
        scale = 1 / pivot[number]
        rows[number] = pivot = [value * scale for value in pivot]
        for other, row in enumerate(rows):
            if other != number and (factor := row[number]):
                rows[other] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
    return [row[size:] for row in rows]


def _centred(matrix: Matrix) -> Matrix:
    """Return a symmetric matrix with the mean of each row and column taken out."""
    means = [math.fsum(row) / len(row) for row in matrix]
    level = math.fsum(means) / len(means)
    return [
        [value - mean - other + level for value, other in zip(row, means, strict=True)]
        for row, mean in zip(matrix, means, strict=True)
    ]


def _product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in left]
