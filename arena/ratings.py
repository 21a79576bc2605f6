"""Batch TrueSkill: results in, ratings out; pure.

Every distinct outcome keeps the message that one match of it sends to each of its bots, and all
messages are renewed together until no rating moves. This is the expectation propagation of
TrueSkill (Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", 2006) over all
matches at once, as in "TrueSkill Through Time" (Dangauthier, Herbrich, Minka and Graepel, 2007),
for skills that stand still.
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from operator import mul
from statistics import NormalDist

from trueskill import TrueSkill, calc_draw_margin
from trueskill import factorgraph as graph
from trueskill.mathematics import Gaussian

from arena.outcomes import Outcome, Result, deal_kinds, seated
from protocol.errors import ArenaError, RunError

__all__ = ["Rating", "Ratings", "Result", "environment", "fit", "rank_intervals"]

MEAN = 25.0  # mu points, of all ratings
SIGMA = MEAN / 3  # mu points, of the published prior
BETA = SIGMA / 2  # mu points, the spread of a performance about the skill
ENOUGH_DEALS = 30  # for a bot's error to be estimated from them
SEPARATED = 2.0  # standard errors, beyond which the order of two bots is certain

_DRAW_PROBABILITIES = [n / 10_000 for n in range(10, 9_501)]  # those that can be fitted
_WIDEST = 3 * SIGMA  # mu points; bots that never lose would widen the prior for ever
_TOLERANCE = 0.001  # mu points; at the end a full step would move nothing further than this
_DAMPING, _LEAST_DAMPING = 0.7, 0.05  # the part of a full step that is taken
_MOST_SWEEPS = 20_000


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
    draw_probability: float
    prior_sigma: float
    sweeps: int


def fit(
    results: Iterable[Result], *, bots: Iterable[str] = (), draw_probability: float | None = None
) -> Ratings:
    """Rate the bots of `results`, and `bots` that may have none, from all results at once.

    The numbers are the same to the last bit for any order of the results. The draw probability
    is fitted unless it is given; a given one is TrueSkill's own, whose margin also lies between
    the neighbours of a full order.
    """
    if draw_probability is not None and not 0 < draw_probability < 1:
        raise ArenaError(f"a draw probability lies between 0 and 1; {draw_probability} does not")
    deals = deal_kinds(results)
    counts: Counter[Outcome] = Counter()
    for outcomes, count in deals.items():
        for outcome in outcomes:
            counts[outcome] += count
    names = {bot for outcome in counts for bot in seated(outcome)}.union(bots)
    state = _Fit(names, counts, draw_probability)
    state.settle()
    return Ratings(
        bots=_with_errors(state, deals),
        draw_probability=state.draw_probability,
        prior_sigma=state.prior_sigma,
        sweeps=state.sweeps,
    )


def rank_intervals(ratings: Ratings) -> dict[str, tuple[int, int]]:
    """Return each bot's first and last rank among the bots it is not separated from."""
    everybody = ratings.bots.values()
    return {
        bot: (
            1 + sum(_separated(other, own) for other in everybody),
            len(everybody) - sum(_separated(own, other) for other in everybody),
        )
        for bot, own in ratings.bots.items()
    }


def _separated(better: Rating, worse: Rating) -> bool:
    return better.mu - worse.mu > SEPARATED * math.hypot(better.error, worse.error)


def _cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def environment(draw_probability: float) -> TrueSkill:
    """Return the TrueSkill model of bots that do not change, on the standard library alone.

    A favourite's win far beyond doubt changes nothing, where the package would give up.
    """
    backend = _cdf, _pdf, NormalDist().inv_cdf
    env = TrueSkill(MEAN, SIGMA, BETA, 0.0, draw_probability, backend)
    doubtful = env.w_win
    env.w_win = lambda gap, margin: 0.0 if gap - margin > 30 else doubtful(gap, margin)
    return env


def _posteriors(env: TrueSkill, priors: Sequence[Gaussian], outcome: Outcome) -> list[Gaussian]:
    places = [place for place, sharing in enumerate(outcome) for _ in sharing]
    if len(outcome) == len(places):
        return _rate(env, priors, places)
    if len(outcome) == 1:
        return _rate_draw(env, priors)
    return _rate_partial_order(env, priors, places)


def _rate(env: TrueSkill, priors: Sequence[Gaussian], places: list[int]) -> list[Gaussian]:
    return [own for (own,) in env.rate([(prior,) for prior in priors], ranks=places)]


def _rate_draw(env: TrueSkill, priors: Sequence[Gaussian]) -> list[Gaussian]:
    """Rate a match that everybody tied as the draws of all its pairs, at the weight of a chain.

    The package compares neighbours only, so that ratings would depend on who is listed by whom.
    """
    weight = 2 / len(priors)
    posteriors = [Gaussian(pi=prior.pi, tau=prior.tau) for prior in priors]
    for pair in combinations(range(len(priors)), 2):
        drawn = _rate(env, [priors[seat] for seat in pair], [0, 0])
        for seat, own in zip(pair, drawn, strict=True):
            posteriors[seat].pi += weight * (own.pi - priors[seat].pi)
            posteriors[seat].tau += weight * (own.tau - priors[seat].tau)
    return posteriors


def _rate_partial_order(
    env: TrueSkill, priors: Sequence[Gaussian], places: list[int]
) -> list[Gaussian]:
    """Rate a match with shared places: each bot beats all bots of the next place.

    Nothing is said about bots that share a place; TrueSkill would take them for equally good.
    """
    skills = [graph.Variable() for _ in priors]
    forms = [graph.Variable() for _ in priors]
    noises = [graph.LikelihoodFactor(*pair, BETA**2) for pair in zip(skills, forms, strict=True)]
    for factor in [*map(graph.PriorFactor, skills, priors), *noises]:
        factor.down()
    wins = []
    for better, worse in combinations(range(len(places)), 2):
        if places[worse] == places[better] + 1:
            lead = graph.Variable()
            difference = graph.SumFactor(lead, [forms[better], forms[worse]], [1, -1])
            wins.append((difference, graph.TruncateFactor(lead, env.v_win, env.w_win, 0.0)))
    for _ in range(20):
        if max([_compare(*win) for win in wins]) <= 1e-4:
            break
    for factor in noises:
        factor.up()
    return skills


def _compare(difference: graph.SumFactor, won: graph.TruncateFactor) -> float:
    difference.down()
    change: float = won.up()
    difference.up(0)
    difference.up(1)
    return change


@dataclass(slots=True)
class _Evidence:
    """An outcome, how often it was seen, and the message one match of it sends to each bot."""

    outcome: Outcome
    count: int
    bots: list[str]
    messages: list[Gaussian]


class _Fit:
    """The state of a fit: every outcome's messages, and the skills they add up to."""

    def __init__(
        self, names: Iterable[str], counts: Mapping[Outcome, int], draw_probability: float | None
    ) -> None:
        self.names = sorted(names)
        self.evidence = [
            _Evidence(outcome, counts[outcome], bots, [Gaussian()] * len(bots))
            for outcome in sorted(counts)
            if len(bots := seated(outcome)) > 1
        ]
        self.groups = _connected([each.bots for each in self.evidence])
        self.drawn = sum(each.count for each in self.evidence if len(each.outcome) == 1)
        self.tables: Counter[tuple[str, ...]] = Counter()
        for each in self.evidence:
            self.tables[tuple(sorted(each.bots))] += each.count
        self.fits_draws = draw_probability is None and self.drawn > 0
        self.draw_probability = draw_probability or _DRAW_PROBABILITIES[0]
        self.model = self.model_of_orders = environment(self.draw_probability)
        self.prior_sigma = SIGMA
        self.sweeps = 0
        self._add_up()

    def settle(self) -> None:
        """Sweep until a full step would move nothing further than the tolerance."""
        damping = _DAMPING
        last: list[float] = []
        while self.sweeps < _MOST_SWEEPS:
            before = self._numbers()
            self._sweep(damping)
            step = [(now - was) / damping for now, was in zip(self._numbers(), before, strict=True)]
            if max(map(abs, step)) <= _TOLERANCE:
                return
            damping = _next_damping(damping, step, last)
            last = step
        raise RunError(f"the ratings have not settled after {_MOST_SWEEPS} sweeps")

    def _numbers(self) -> list[float]:
        """Return all that has to come to rest, in mu points."""
        margin = calc_draw_margin(self.draw_probability, 2, self.model)
        skills = self.skills.values()
        return [*(s.mu for s in skills), *(s.sigma for s in skills), self.prior_sigma, margin]

    def _sweep(self, damping: float) -> None:
        self.sweeps += 1
        self.prior_sigma = self._spread()
        if self.fits_draws:
            self._fit_draws()
        renewed = [self._renewed(each) for each in self.evidence]
        for each, messages in zip(self.evidence, renewed, strict=True):
            pairs = zip(each.messages, messages, strict=True)
            each.messages = [_between(old, new, damping) for old, new in pairs]
        self._add_up()
        self._pin()

    def _renewed(self, each: _Evidence) -> list[Gaussian]:
        """Return an outcome's messages, given all other evidence."""
        model = self.model_of_orders if len(each.outcome) > 2 else self.model
        others = [self.skills[bot] / own for bot, own in zip(each.bots, each.messages, strict=True)]
        try:
            return list(map(_message, _posteriors(model, others, each.outcome), others))
        except (ArithmeticError, ValueError) as error:
            result = " > ".join(" = ".join(sharing) for sharing in each.outcome)
            text = f"the result {result} is too unlikely beside all others to be rated; check it"
            raise ArenaError(text) from error

    def _add_up(self) -> None:
        """Set every skill to the prior and all messages to the bot."""
        prior = Gaussian(MEAN, self.prior_sigma)
        self.skills = {name: Gaussian(pi=prior.pi, tau=prior.tau) for name in self.names}
        for each in self.evidence:
            for bot, message in zip(each.bots, each.messages, strict=True):
                self.skills[bot].pi += each.count * message.pi
                self.skills[bot].tau += each.count * message.tau

    def _pin(self) -> None:
        """Shift all messages so that the mean of every connected group is `MEAN`.

        It is so in any finished fit: results only speak of differences. Left to itself, the
        common level of the skills would take hundreds of sweeps to find its place.
        """
        prior = self.prior_sigma**-2
        shifts = dict.fromkeys(self.names, 0.0)
        for group in self.groups:
            skills = [self.skills[bot] for bot in group]
            if free := math.fsum(1 - prior / skill.pi for skill in skills):
                shift = math.fsum(MEAN - skill.mu for skill in skills) / free
                shifts.update(dict.fromkeys(group, shift))
        for each in self.evidence:
            for message in each.messages:
                message.tau += shifts[each.bots[0]] * message.pi
        for bot, skill in self.skills.items():
            skill.tau += shifts[bot] * (skill.pi - prior)

    def _spread(self) -> float:
        """Return the prior's sigma: the published one, or the spread of a wider field."""
        squares = [(self.skills[bot].mu - MEAN) ** 2 for group in self.groups for bot in group]
        spread = math.sqrt(math.fsum(squares) / max(1, len(squares)))
        return min(_WIDEST, max(SIGMA, spread))

    def _fit_draws(self) -> None:
        """Set the draw probability by which the skills predict as many draws as were seen."""
        candidates = _DRAW_PROBABILITIES
        at = bisect_left(candidates[:-1], float(self.drawn), key=self._predicted_draws)
        self.draw_probability = candidates[at]
        self.model = environment(self.draw_probability)

    def _predicted_draws(self, draw_probability: float) -> float:
        margin = calc_draw_margin(draw_probability, 2, self.model)
        return math.fsum(
            count * _chance_of_draw([self.skills[bot].mu for bot in bots], margin)
            for bots, count in self.tables.items()
        )


def _next_damping(damping: float, step: Sequence[float], last: Sequence[float]) -> float:
    """Return half the damping if steps turn back undiminished, a little more if they drag on.

    Unbeaten pairs would swing for ever without the one and crawl without the other.
    """
    length, last_length = _product(step, step), _product(last, last)
    if length < last_length / 4:
        return damping
    if _product(step, last) < 0:
        return max(_LEAST_DAMPING, damping / 2)
    return min(1.0, damping * 1.1)


def _product(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(map(mul, left, right))


def _message(posterior: Gaussian, others: Gaussian) -> Gaussian:
    message = posterior / others
    message.pi = max(0.0, message.pi)
    return message


def _between(old: Gaussian, new: Gaussian, part: float) -> Gaussian:
    return Gaussian(pi=old.pi + part * (new.pi - old.pi), tau=old.tau + part * (new.tau - old.tau))


def _connected(tables: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return the groups of bots that are linked by matches."""
    groups: list[set[str]] = []
    for table in tables:
        joined = set(table)
        apart = [group for group in groups if group.isdisjoint(joined)]
        groups = [*apart, joined.union(*(group for group in groups if group not in apart))]
    return [sorted(group) for group in groups]


def _chance_of_draw(skills: Iterable[float], margin: float) -> float:
    """Return how likely all bots tie: each with its neighbour in order of skill."""
    spread = BETA * math.sqrt(2)
    leads = [high - low for low, high in pairwise(sorted(skills))]
    return math.prod(
        _cdf((margin - lead) / spread) - _cdf((-margin - lead) / spread) for lead in leads
    )


def _with_errors(state: _Fit, deals: Mapping[tuple[Outcome, ...], int]) -> dict[str, Rating]:
    """Return the ratings, their errors estimated from the deals' pulls.

    A sandwich estimate, clustered by deal. The pull of a match on a bot is the slope of its
    message at the bot's rating; the pulls of a mirrored deal cancel as far as the deal was luck.
    Where the matches pull less than the model expects (a bot that hardly ever loses), the
    expectation stands in: surprises that have not come yet are no certainty.
    """
    pulls = {
        each.outcome: [
            (bot, message.tau - message.pi * state.skills[bot].mu)
            for bot, message in zip(each.bots, each.messages, strict=True)
        ]
        for each in state.evidence
    }
    by_deal: defaultdict[str, float] = defaultdict(float)
    by_match: defaultdict[str, float] = defaultdict(float)
    number: Counter[str] = Counter()
    for outcomes, count in deals.items():
        together: defaultdict[str, float] = defaultdict(float)
        for bot, pull in [pull for outcome in outcomes for pull in pulls.get(outcome, ())]:
            together[bot] += pull
            by_match[bot] += count * pull**2
        for bot, pull in together.items():
            by_deal[bot] += count * pull**2
            number[bot] += count
    prior = state.prior_sigma**-2
    ratings = {}
    for bot, skill in state.skills.items():
        unseen = max(0.0, skill.pi - prior - by_match[bot])
        sigma_by_deal = math.sqrt(prior + by_deal[bot] + unseen) / skill.pi
        ratings[bot] = Rating(skill.mu, skill.sigma, sigma_by_deal, number[bot])
    return ratings
