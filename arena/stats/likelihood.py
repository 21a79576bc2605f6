"""TrueSkill's model of one match: what it says of each bot, given all else that is known.

Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", 2006, on the truncated
Gaussians of the `trueskill` package. Bots are compared in pairs, and the pairs exchange messages;
what they said last is kept, so that a fit that comes back to the match finds them agreeing better.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import Literal, NamedTuple
from warnings import catch_warnings, simplefilter

from arena.stats.outcomes import Outcome

with catch_warnings():  # of its escape sequences, where its first import compiles it
    simplefilter("ignore")
    from trueskill import TrueSkill, calc_draw_margin

MEAN = 25.0  # mu points, of all ratings
SIGMA = MEAN / 3  # mu points, of the published prior
BETA = SIGMA / 2  # mu points, the spread of a performance about the skill

Ties = Literal["unordered", "draws"]
"""What a shared place says of a match that not everybody ties: nothing, or equality."""

_ROUNDS = 2  # of messages within a match, each time it is asked
_IMPOSSIBLE = -30.0  # standard deviations; beyond them the arithmetic fails


class Belief(NamedTuple):
    """A Gaussian by its precision and its precision times its mean."""

    pi: float
    tau: float

    @property
    def mu(self) -> float:
        """The mean."""
        return self.tau / self.pi

    @property
    def sigma(self) -> float:
        """The standard deviation."""
        return math.sqrt(1 / self.pi)


def _cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def environment(draw_probability: float) -> TrueSkill:
    """Return the package's model of bots that do not change, on the standard library alone."""
    backend = _cdf, _pdf, NormalDist().inv_cdf
    return TrueSkill(MEAN, SIGMA, BETA, 0.0, draw_probability, backend)


_model = environment(0.1)


def draw_margin(draw_probability: float) -> float:
    """Return the lead below which two bots draw, in mu points."""
    return float(calc_draw_margin(draw_probability, 2, _model))


class _Comparison:
    """Two bots of a match, one ahead of the other or level, and what was last said of them."""

    __slots__ = ("better", "drawn", "to_better", "to_worse", "worse")

    def __init__(self, better: int, worse: int, *, drawn: bool) -> None:
        self.better = better
        self.worse = worse
        self.drawn = drawn
        self.to_better = self.to_worse = Belief(0.0, 0.0)

    def renew(self, pi: dict[int, float], tau: dict[int, float], margin: float) -> None:
        """Say it again, given the beliefs about all performances, and change these."""
        (old_pi, old_tau), (old_worse_pi, old_worse_tau) = self.to_better, self.to_worse
        better_pi, worse_pi = pi[self.better] - old_pi, pi[self.worse] - old_worse_pi
        better_tau, worse_tau = tau[self.better] - old_tau, tau[self.worse] - old_worse_tau
        better, worse = better_tau / better_pi, worse_tau / worse_pi
        lead, square = better - worse, 1 / better_pi + 1 / worse_pi
        spread = math.sqrt(square)
        v, w = self._truncated(lead / spread, margin / spread)
        told_pi = w / (square * (1 - w))
        told_tau = (spread * v + lead * w) / (square * (1 - w))
        for_better, for_worse = 1 / (1 + told_pi / worse_pi), 1 / (1 + told_pi / better_pi)
        self.to_better = Belief(told_pi * for_better, (told_tau + told_pi * worse) * for_better)
        self.to_worse = Belief(told_pi * for_worse, (told_pi * better - told_tau) * for_worse)
        pi[self.better] = better_pi + self.to_better.pi
        tau[self.better] = better_tau + self.to_better.tau
        pi[self.worse] = worse_pi + self.to_worse.pi
        tau[self.worse] = worse_tau + self.to_worse.tau

    def _truncated(self, lead: float, margin: float) -> tuple[float, float]:
        """Return by how much the comparison moves the mean of a lead, and shrinks its variance."""
        if self.drawn:
            return _model.v_draw(lead, margin), _model.w_draw(lead, margin)
        if lead - margin < _IMPOSSIBLE:
            raise ArithmeticError
        v = _model.v_win(lead, margin)
        return v, v * (v + lead - margin)

    def shift(self, by: float) -> None:
        """Move what was said along with all skills."""
        self.to_better = Belief(self.to_better.pi, self.to_better.tau + by * self.to_better.pi)
        self.to_worse = Belief(self.to_worse.pi, self.to_worse.tau + by * self.to_worse.pi)


class MatchFactor:
    """What an outcome compares, and the messages of it; bots are numbered best first.

    A full order compares neighbours. Where places are shared, each bot beats all bots of the
    next place, and nothing is said about those that share one; TrueSkill would take them for
    equally good. A match that everybody tied is the draws of all its pairs, each by itself, at
    the weight of a chain: the package compares neighbours only, so that ratings would depend on
    who is listed by whom.
    """

    def __init__(self, outcome: Outcome, ties: Ties) -> None:
        places = [place for place, sharing in enumerate(outcome) for _ in sharing]
        self._size = len(places)
        self._weight = 1.0
        if len(outcome) == len(places) or ties == "draws":
            chain = [
                _Comparison(one, two, drawn=places[one] == places[two])
                for one, two in pairwise(range(len(places)))
            ]
            self._groups = [chain]
        elif len(outcome) == 1:
            pairs = combinations(range(len(places)), 2)
            self._groups = [[_Comparison(one, two, drawn=True)] for one, two in pairs]
            self._weight = 2 / len(places)
        else:
            wins = [
                _Comparison(one, two, drawn=False)
                for one, two in combinations(range(len(places)), 2)
                if places[two] == places[one] + 1
            ]
            self._groups = [wins]
        self._bots = [  # of each group: all, or where all are drawn, two
            sorted({bot for each in group for bot in (each.better, each.worse)})
            for group in self._groups
        ]
        is_full_order = len(outcome) == len(places) or ties == "draws"
        self._has_margin = is_full_order or len(outcome) == 1

    def messages(self, others: Sequence[Belief], margin: float) -> list[Belief]:
        """Return what the match says of each bot's skill, given what all else says of them.

        Raises ArithmeticError if it is too unlikely.
        """
        margin = margin if self._has_margin else 0.0
        noisy = [_through_noise(*other) for other in others]
        said = [[0.0, 0.0] for _ in range(self._size)]
        for comparisons, bots in zip(self._groups, self._bots, strict=True):
            pi = {bot: noisy[bot].pi for bot in bots}
            tau = {bot: noisy[bot].tau for bot in bots}
            for each in comparisons:
                pi[each.better] += each.to_better.pi
                tau[each.better] += each.to_better.tau
                pi[each.worse] += each.to_worse.pi
                tau[each.worse] += each.to_worse.tau
            for each in comparisons * (_ROUNDS if len(comparisons) > 1 else 1):
                each.renew(pi, tau, margin)
            for bot in bots:
                own = noisy[bot]
                message = _through_noise(pi[bot] - own.pi, tau[bot] - own.tau)
                said[bot][0] += self._weight * message.pi
                said[bot][1] += self._weight * message.tau
        return [Belief(pi, tau) for pi, tau in said]

    def shift(self, by: float) -> None:
        """Move all messages along with the skills."""
        for comparisons in self._groups:
            for each in comparisons:
                each.shift(by)


def _through_noise(pi: float, tau: float) -> Belief:
    """Return what a belief about a skill says of a performance, or the other way round."""
    rest = 1 / (1 + BETA * BETA * pi)
    return Belief(pi * rest, tau * rest)


def chance_of_draw(skills: Iterable[float], margin: float) -> float:
    """Return how likely all bots tie: each with its neighbour in order of skill."""
    spread = BETA * math.sqrt(2)
    leads = [high - low for low, high in pairwise(sorted(skills))]
    return math.prod(
        _cdf((margin - lead) / spread) - _cdf((-margin - lead) / spread) for lead in leads
    )
