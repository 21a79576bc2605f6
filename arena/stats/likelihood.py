"""TrueSkill's model of one match, on the `trueskill` package: beliefs in, beliefs out.

Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", 2006; shared places are
read as a partial order.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import Literal

from trueskill import TrueSkill
from trueskill import factorgraph as graph
from trueskill.mathematics import Gaussian

from arena.stats.outcomes import Outcome

MEAN = 25.0  # mu points, of all ratings
SIGMA = MEAN / 3  # mu points, of the published prior
BETA = SIGMA / 2  # mu points, the spread of a performance about the skill

Ties = Literal["unordered", "draws"]
"""What a shared place says of a match that not everybody ties: nothing, or equality."""


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


def posteriors(
    env: TrueSkill, priors: Sequence[Gaussian], outcome: Outcome, ties: Ties = "unordered"
) -> list[Gaussian]:
    """Return the beliefs about the bots of a match, best first, after its outcome."""
    places = [place for place, sharing in enumerate(outcome) for _ in sharing]
    if len(outcome) == len(places) or ties == "draws":
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


def chance_of_draw(skills: Iterable[float], margin: float) -> float:
    """Return how likely all bots tie: each with its neighbour in order of skill."""
    spread = BETA * math.sqrt(2)
    leads = [high - low for low, high in pairwise(sorted(skills))]
    return math.prod(
        _cdf((margin - lead) / spread) - _cdf((-margin - lead) / spread) for lead in leads
    )
