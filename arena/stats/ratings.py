"""Batch TrueSkill: deals in, ratings with honest errors and rank intervals out; pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.stats.covariance import Covariance, covariance
from arena.stats.likelihood import Ties
from arena.stats.outcomes import Deals, Outcome, outcomes_of, seated
from arena.stats.propagation import Propagation, Watch
from protocol.errors import ArenaError

ENOUGH_DEALS = 30
"""The deals from which a bot's error is estimated from them."""
EXACT = 4
"""The decimals of a rating that a fit settles; what lies beyond them orders nobody."""
SEPARATED = 2.0
"""The standard errors beyond which the order of two bots is certain."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One bot's skill, in mu points."""

    mu: float
    sigma: float
    """The model's standard deviation, which takes every match for evidence of its own."""
    sigma_by_deal: float
    """The standard deviation that the deals bear out, mirrored deals included."""
    deals: int

    @property
    def error(self) -> float:
        """The standard deviation to show."""
        return self.sigma if self.deals < ENOUGH_DEALS else self.sigma_by_deal


@dataclass(frozen=True, slots=True)
class Ratings:
    """A fit: the bots in order of name, and what was fitted beside them."""

    bots: Mapping[str, Rating]
    groups: Sequence[Sequence[str]]
    """The bots that are linked by matches; ratings compare within a group only."""
    draw_probability: float
    prior_sigma: float
    sweeps: int
    covariance: Covariance

    def error_between(self, bot: str, other: str) -> float:
        """Return the standard deviation of the difference of two bots of one group."""
        one, two = self.bots[bot], self.bots[other]
        if min(one.deals, two.deals) < ENOUGH_DEALS:
            return math.hypot(one.error, two.error)
        own = self.covariance[bot]
        square = own[bot] + self.covariance[other][other] - 2 * own[other]
        return math.sqrt(max(0.0, square))

    def error_among(self, bot: str, others: Sequence[str]) -> float:
        """Return the standard deviation of a rating measured from the mean of some of its group.

        The bot is one of them.
        """
        if min(self.bots[other].deals for other in others) < ENOUGH_DEALS:
            return self.bots[bot].error
        part = 1 / len(others)
        weights = [(other == bot) - part for other in others]
        rows = [self.covariance[other] for other in others]
        square = math.fsum(
            one * two * row[other]
            for one, row in zip(weights, rows, strict=True)
            for two, other in zip(weights, others, strict=True)
        )
        return math.sqrt(max(0.0, square))

    def separated(self, better: str, worse: str) -> bool:
        """Return whether a bot is surely better than another of its group."""
        lead = self.bots[better].mu - self.bots[worse].mu
        return lead > SEPARATED * self.error_between(better, worse)


def fit(
    deals: Deals,
    *,
    bots: Iterable[str] = (),
    draw_probability: float | None = None,
    ties: Ties = "unordered",
    watch: Watch | None = None,
) -> Ratings:
    """Rate the bots of `deals`, and `bots` that may have none, from all results at once.

    The numbers are the same to the last bit for any order of the results. The draw probability
    is fitted unless it is given; a given one is TrueSkill's own, whose margin also lies between
    the neighbours of a full order.
    """
    if draw_probability is not None and not 0 < draw_probability < 1:
        raise ArenaError(f"a draw probability lies between 0 and 1; {draw_probability} does not.")
    kinds = outcomes_of(deals)
    counts: Counter[Outcome] = Counter()
    played: Counter[str] = Counter()
    for outcomes, count in kinds.items():
        for outcome in outcomes:
            counts[outcome] += count
        for bot in {bot for outcome in outcomes for bot in seated(outcome)}:
            played[bot] += count
    state = Propagation({*played, *bots}, counts, draw_probability, ties, watch)
    state.settle()
    errors = covariance(state, kinds)
    return Ratings(
        bots={
            bot: Rating(skill.mu, skill.sigma, _sigma(errors, bot, skill.sigma), played[bot])
            for bot, skill in state.skills.items()
        },
        groups=state.groups,
        draw_probability=state.draw_probability,
        prior_sigma=state.prior_sigma,
        sweeps=state.sweeps,
        covariance=errors,
    )


def _sigma(errors: Covariance, bot: str, unknown: float) -> float:
    return math.sqrt(max(0.0, errors[bot][bot])) if bot in errors else unknown


def rank_intervals(ratings: Ratings) -> dict[str, tuple[int, int]]:
    """Return each bot's first and last rank among the bots of its group it is not separated from.

    A bot that never met another has no rank.
    """
    return {
        bot: (
            1 + sum(ratings.separated(other, bot) for other in group if other != bot),
            len(group) - sum(ratings.separated(bot, other) for other in group if other != bot),
        )
        for group in ratings.groups
        for bot in group
    }
