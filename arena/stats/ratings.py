"""Batch TrueSkill: deals in, ratings with honest errors and rank intervals out; pure."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from arena.stats.covariance import dispersions
from arena.stats.gaussian import Array, cdf
from arena.stats.likelihood import MEAN, Ties
from arena.stats.links import Succession
from arena.stats.outcomes import Deals, Outcome, outcomes_of, seated
from arena.stats.propagation import Propagation, Watch
from arena.stats.spreads import Spread, mixed, straight
from protocol.errors import ArenaError

FEWEST_DEALS = 3
"""With fewer deals a bot is separated from nobody, and the model's error stands."""
EXACT = 4
"""The decimals of a rating that a fit settles; what lies beyond them orders nobody."""
MOST_BOTS = 2_000
"""The most bots that are rated at once: a minute of CPU time, and a gigabyte."""
SEPARATED = 2.0
"""The standard errors beyond which the order of two bots is certain."""
_MANY = 1000  # comparisons, as good as any number
_SUREST = 6.0  # errors, up to which it is asked how sure a lead is beside them
_LEAST_WORTH = 0.01  # errors
_ROUNDING = 1e-12  # of a variance, in mu points squared


@dataclass(frozen=True, slots=True)
class Rating:
    """One bot's skill, in mu points."""

    mu: float
    error: float
    """The standard deviation, measured from the mean of the group, as deals bear it out."""
    matches: int
    """Matches with other bots."""
    deals: int


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


@dataclass(frozen=True, eq=False)
class Ratings:
    """A fit: the bots in order of name, and what was fitted beside them."""

    bots: Mapping[str, Rating]
    groups: Sequence[Sequence[str]]
    """The bots that are linked by matches; ratings compare within a group only."""
    draw_probability: float
    covariance: Array
    """Of all skills, by the order of the bots."""
    of_leads: Array
    """The standard deviation that the lead of a bot over another is held against."""
    step: float | None = None
    """By how much a version is taken to differ from the one before, if they are linked: the
    standard deviation, in mu points."""

    def are_linked(self, bot: str, other: str) -> bool:
        """Return whether matches compare two bots."""
        return any(bot in group and other in group for group in self.groups)

    def error_between(self, bot: str, other: str) -> float:
        """Return the standard deviation of the difference of two bots of one group."""
        return self._spread({bot: 1.0, other: -1.0})

    def error_of_lead(self, bot: str, other: str) -> float:
        """Return the standard deviation that a lead of one bot over another is held against.

        It is below the other one where straight wins make sure of the lead, but not of its width;
        few deals widen it, and it is infinite if a bot has too few.
        """
        return float(self.of_leads[self._at(bot), self._at(other)])

    def error_among(self, bot: str, others: Sequence[str]) -> float:
        """Return the standard deviation of a rating measured from the mean of some of its group.

        The bot is one of them.
        """
        part = 1 / len(others)
        return self._spread({other: (other == bot) - part for other in others})

    def _spread(self, weights: Mapping[str, float]) -> float:
        """Return the standard deviation of a sum of skills."""
        at = [self._at(bot) for bot in weights]
        values = np.array(list(weights.values()))
        square = values @ self.covariance[np.ix_(at, at)] @ values
        return math.sqrt(max(0.0, float(square)))

    @cached_property
    def _at(self) -> Callable[[str], int]:
        """Return the number of a bot."""
        return {bot: number for number, bot in enumerate(self.bots)}.__getitem__

    def separated(self, better: str, worse: str, errors: float = SEPARATED) -> bool:
        """Return whether a bot is surely better than another of its group: by so many errors."""
        return bool(self.ahead([better, worse], errors)[0, 1])

    def ahead(self, group: Sequence[str], errors: float = SEPARATED) -> NDArray[np.bool_]:
        """Return for some bots of a group which one, by row, is surely better than which."""
        at = [self._at(bot) for bot in group]
        mu = np.array([self.bots[bot].mu for bot in group])
        found: NDArray[np.bool_] = mu[:, None] - mu > errors * self.of_leads[np.ix_(at, at)]
        return found


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
    counts, played, compared = _counted(kinds)
    links = tuple(links)
    names = {*played, *bots, *(bot for link in links for bot in link)}
    if len(names) > MOST_BOTS:
        raise ArenaError(
            f"{len(names):,} bots cannot be rated at once, but {MOST_BOTS:,} at most: give a part "
            f"of the results, in which fewer bots play."
        )
    state = Propagation(names, counts, draw_probability, ties, watch, links)
    field = mixed(state)
    known = state.settle(field.sigma)
    covariance = field.scattered(dispersions(state, known, kinds))
    errors = np.sqrt(np.maximum(np.diag(_centred(state, covariance)), 0.0))
    levels = _levels(state, field.mean)
    return Ratings(
        bots={
            bot: Rating(
                MEAN + float(field.mean[at]) + levels.get(bot, 0.0),
                float(errors[at]),
                state.matches[bot],
                played[bot],
            )
            for at, bot in enumerate(state.names)
        },
        groups=state.groups,
        draw_probability=state.draw_probability,
        covariance=covariance,
        of_leads=_of_leads(
            state,
            field,
            covariance,
            *(np.array([each[bot] for bot in state.names]) for each in (played, compared)),
        ),
        step=state.chain.step if state.chain.pairs else None,
    )


def _counted(
    kinds: Mapping[tuple[Outcome, ...], int],
) -> tuple[Counter[Outcome], Counter[str], Counter[str]]:
    """Return how often each outcome was, and each bot's deals and the others that it met there."""
    counts: Counter[Outcome] = Counter()
    played: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    for outcomes, count in kinds.items():
        for outcome in outcomes:
            counts[outcome] += count
        bots_of_deal = {bot for outcome in outcomes for bot in seated(outcome)}
        for bot in bots_of_deal:
            played[bot] += count
            compared[bot] += count * (len(bots_of_deal) - 1)
    return counts, played, compared


def _levels(state: Propagation, mean: Array) -> dict[str, float]:
    """Return what the ratings of groups with linked bots lack to have the mean of all others."""
    levels = {}
    for group in state.groups:
        if not state.chain.later.isdisjoint(group):
            lack = -math.fsum(mean[state.number[bot]] for bot in group) / len(group)
            levels.update(dict.fromkeys(group, lack))
    return levels


def _centred(state: Propagation, covariance: Array) -> Array:
    """Return the covariance of ratings that are each measured from the mean of the group."""
    found = covariance.copy()
    for group in state.groups:
        own = np.ix_(*[[state.number[bot] for bot in group]] * 2)
        part = found[own]
        rows = part.mean(axis=0)
        found[own] = part - rows - rows[:, None] + rows.mean()
    return found


def _of_leads(
    state: Propagation, field: Spread, covariance: Array, deals: Array, compared: Array
) -> Array:
    """Return what the lead of each bot over another is held against, in mu points.

    It is the lead in parts of how many errors it is worth: as a normal number is that goes below
    nothing as seldom as the lead does. Straight wins make sure of the order, and leave a gap that
    may be far wider, so that its error alone would hide how sure it is. But no lead is surer than
    if all matches of a deal were one: `compared` counts with how many bots each was compared, once
    in each deal.
    """
    errors, known = np.sqrt(_differences(covariance)), np.sqrt(_differences(field.covariance))
    leads = np.subtract.outer(field.mean, field.mean)
    worth = leads / errors
    fewest = np.minimum.outer(deals, deals)
    for bots, behind in (field.behind, straight(state, field.sigma, fewest >= FEWEST_DEALS)):
        one, two = bots.T
        least = NormalDist().cdf(-_SUREST)
        sure = [-NormalDist().inv_cdf(each) for each in np.clip(behind, least, 1 - least)]
        scattered = np.array(sure) * known[one, two] / errors[one, two]
        is_known = np.abs(leads[one, two]) >= _SUREST * known[one, two]
        worth[one, two] = np.where(is_known, worth[one, two], scattered)
        worth[two, one] = -worth[one, two]
    few = np.minimum.outer(compared, compared)
    limit = _by_count(few, lambda count: -NormalDist().inv_cdf(0.5 ** min(max(1, count), _MANY)))
    times = _by_count(fewest, widened)
    worth = np.clip(worth / times, -limit, limit)
    linked = state.group_of[:, None] == state.group_of
    worth = _through_others(np.where(linked, worth, 0.0))
    found: Array = np.where(linked, errors * times, np.inf)
    told = np.sign(leads) * worth > _LEAST_WORTH  # less is as good as none, and rounding
    found[told] = leads[told] / worth[told]
    return found


def _by_count(counts: Array, function: Callable[[int], float]) -> Array:
    """Return a function of each of many counts, of which few differ."""
    different, at = np.unique(counts, return_inverse=True)
    found = np.array([function(int(count)) for count in different])
    return found[at].reshape(counts.shape)


def _through_others(worth: Array) -> Array:
    """Return how many errors leads are worth, if they may go through others.

    Who is surely better than a third, who is surely better than another, is so, too: the chances of
    either being wrong add up.
    """
    if not worth.any():
        return worth
    wrong = cdf(-worth)
    direct = wrong.copy()
    for third in range(len(wrong)):
        np.minimum(wrong, wrong[:, third, None] + wrong[third], out=wrong)
    for one, two in np.argwhere((wrong < direct * (1 - _ROUNDING)) & (wrong < 0.5)):
        worth[one, two] = -NormalDist().inv_cdf(max(wrong[one, two], 1e-300))
        worth[two, one] = -worth[one, two]
    return worth


def _differences(covariance: Array) -> Array:
    """Return the variances of all differences."""
    own = np.diag(covariance)
    found: Array = np.maximum(own + own[:, None] - 2 * covariance, _ROUNDING)
    return found


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
        ahead = ratings.ahead(group, errors(len(group)))
        above, below = ahead.sum(axis=0), ahead.sum(axis=1)
        for at, bot in enumerate(group):
            found[bot] = 1 + int(above[at]), len(group) - int(below[at])
    return found
