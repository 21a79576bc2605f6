"""Batch TrueSkill: deals in, ratings with honest errors and rank intervals out; pure."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.stats.covariance import Covariance, Covariances, covariances
from arena.stats.likelihood import MEAN, Ties
from arena.stats.links import Succession
from arena.stats.outcomes import Deals, Outcome, outcomes_of, seated
from arena.stats.propagation import Propagation, Watch
from protocol.errors import ArenaError

FEWEST_DEALS = 3
"""With fewer deals a bot is separated from nobody, and the model's error stands."""
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
    matches: int
    """Matches with other bots."""
    deals: int

    @property
    def error(self) -> float:
        """The standard deviation to show."""
        return self.shown(self.sigma_by_deal)

    def shown(self, by_deal: float) -> float:
        """Return a standard deviation that deals bear out as it is to be shown.

        Few deals widen it, but no further than if all matches of a deal had been the same match.
        """
        widest = self.sigma * math.sqrt(max(1.0, self.matches / max(1, self.deals)))
        if self.deals < FEWEST_DEALS:
            return widest
        return max(by_deal, min(widest, widened(self.deals) * by_deal))


def widened(deals: int) -> float:
    """Return how many times wider an interval of two errors is to be, estimated from few deals.

    By Student's t with a degree of freedom less than deals, whose interval holds the truth as
    often as two true errors do (95.45 %): the expansion of Cornish and Fisher, its last term
    chosen for two degrees; it is right to 0.1 %. So few deals as to bear out nothing: infinite.
    """
    if deals < FEWEST_DEALS:
        return math.inf
    part = 1 / (deals - 1)
    return 1 + part * (1.25 + part * (1.53125 + part * (1.42969 + part * 1.225)))


@dataclass(frozen=True, slots=True)
class Ratings:
    """A fit: the bots in order of name, and what was fitted beside them."""

    bots: Mapping[str, Rating]
    groups: Sequence[Sequence[str]]
    """The bots that are linked by matches; ratings compare within a group only."""
    draw_probability: float
    prior_sigma: float
    sweeps: int
    covariances: Covariances
    step: float | None = None
    """By how much a version is taken to differ from the one before, if they are linked: the
    standard deviation, in mu points."""

    def error_between(self, bot: str, other: str) -> float:
        """Return the standard deviation of the difference of two bots of one group.

        It is infinite if a bot has too few deals.
        """
        return self._between(bot, other, self.covariances.of_width)

    def error_of_lead(self, bot: str, other: str) -> float:
        """Return the standard deviation that a lead of one bot over another is held against.

        It is below the other one where straight wins make sure of the lead, but not of its width.
        """
        return self._between(bot, other, self.covariances.of_order)

    def _between(self, bot: str, other: str, found: Covariance) -> float:
        square = found[bot][bot] + found[other][other] - 2 * found[bot][other]
        deals = min(self.bots[bot].deals, self.bots[other].deals)
        return widened(deals) * math.sqrt(max(0.0, square))

    def error_among(self, bot: str, others: Sequence[str]) -> float:
        """Return the standard deviation of a rating measured from the mean of some of its group.

        The bot is one of them.
        """
        part = 1 / len(others)
        weights = [(other == bot) - part for other in others]
        rows = [self.covariances.of_width[other] for other in others]
        square = math.fsum(
            one * two * row[other]
            for one, row in zip(weights, rows, strict=True)
            for two, other in zip(weights, others, strict=True)
        )
        return self.bots[bot].shown(math.sqrt(max(0.0, square)))

    def separated(self, better: str, worse: str, errors: float = SEPARATED) -> bool:
        """Return whether a bot is surely better than another of its group: by so many errors."""
        lead = self.bots[better].mu - self.bots[worse].mu
        return lead > errors * self.error_of_lead(better, worse)


def fit(
    deals: Deals,
    *,
    bots: Iterable[str] = (),
    draw_probability: float | None = None,
    ties: Ties = "unordered",
    watch: Watch | None = None,
    links: Iterable[Succession] = (),
) -> Ratings:
    """Rate the bots of `deals`, and `bots` that may have none, from all results at once.

    Each of the `links` is a version of a bot and the next one, which starts from its rating.

    The numbers are the same to the last bit for any order of the results. The draw probability
    is fitted unless it is given; a given one is TrueSkill's own, whose margin also lies between
    the neighbours of a full order.
    """
    if draw_probability is not None and not 0 < draw_probability < 1:
        raise ArenaError(
            f"a draw probability lies between 0 and 1; {draw_probability:g} does not. Without it, "
            f"it is fitted: to 0.001 where no match is drawn."
        )
    kinds = outcomes_of(deals)
    counts: Counter[Outcome] = Counter()
    played: Counter[str] = Counter()
    for outcomes, count in kinds.items():
        for outcome in outcomes:
            counts[outcome] += count
        for bot in {bot for outcome in outcomes for bot in seated(outcome)}:
            played[bot] += count
    links = tuple(links)
    names = {*played, *bots, *(bot for link in links for bot in link)}
    state = Propagation(names, counts, draw_probability, ties, watch, links)
    state.settle()
    levels = _levels(state)
    errors = covariances(state, kinds)
    return Ratings(
        bots={
            bot: Rating(
                skill.mu + levels.get(bot, 0.0),
                skill.sigma,
                _sigma(errors.of_width, bot, skill.sigma),
                state.matches[bot],
                played[bot],
            )
            for bot, skill in state.skills.items()
        },
        groups=state.groups,
        draw_probability=state.draw_probability,
        prior_sigma=state.prior_sigma,
        sweeps=state.sweeps,
        covariances=errors,
        step=state.chain.step if state.chain.pairs else None,
    )


def _levels(state: Propagation) -> dict[str, float]:
    """Return what the ratings of groups with linked bots lack to have the mean of all others."""
    levels = {}
    for group in state.groups:
        if not state.chain.later.isdisjoint(group):
            lack = math.fsum(MEAN - state.skills[bot].mu for bot in group) / len(group)
            levels.update(dict.fromkeys(group, lack))
    return levels


def _sigma(errors: Covariance, bot: str, unknown: float) -> float:
    return math.sqrt(max(0.0, errors[bot][bot])) if bot in errors else unknown


def rank_intervals(
    ratings: Ratings,
    errors: Callable[[int], float] = lambda _: SEPARATED,
    out: Collection[str] = (),
) -> dict[str, tuple[int, int]]:
    """Return each bot's first and last rank among the bots of its group it is not separated from.

    `errors` says by how many errors bots are to be separated in a group of so many. A bot that
    never met another has no rank, nor has one that is `out`: others are ranked as if it were not
    there.
    """
    found = {}
    for group in ratings.groups:
        group = [bot for bot in group if bot not in out]
        least = errors(len(group))
        for bot in group:
            above = sum(ratings.separated(other, bot, least) for other in group if other != bot)
            below = sum(ratings.separated(bot, other, least) for other in group if other != bot)
            found[bot] = 1 + above, len(group) - below
    return found
