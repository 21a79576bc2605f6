"""How far bots are better or worse against each other than their ratings say."""

import math
import random
from collections import Counter
from itertools import combinations
from statistics import fmean
from typing import TypeAlias

import pytest

from arena.schedule.misfit import _BY_CHANCE, narrowness, own_variance
from arena.schedule.rounds import Places
from arena.stats.likelihood import BETA

BOTS = tuple("abcdefghij")
MU = {bot: 25.0 + number for number, bot in enumerate(BOTS)}


Kinds: TypeAlias = Counter[tuple[tuple[str, ...], tuple[Places, ...]]]


def _played(spread: float, deals: int, seed: str) -> Kinds:
    """Play deals of two matches between all pairs, each with a part of its own of the lead."""
    dice = random.Random(seed)
    kinds: Kinds = Counter()
    for one, other in combinations(BOTS, 2):
        lead = MU[one] - MU[other] + dice.gauss(0, spread)
        for _ in range(deals):
            forms = [lead + dice.gauss(0, BETA) - dice.gauss(0, BETA) for _ in range(2)]
            kinds[(one, other), tuple((1, 2) if form > 0 else (2, 1) for form in forms)] += 1
    return kinds


@pytest.mark.parametrize(("spread", "low", "high"), [(0.0, 0.0, 0.5), (2.0, 2.0, 7.0)])
def test_what_is_the_pairs_own_is_told_from_chance(spread: float, low: float, high: float) -> None:
    found = [own_variance(MU, _played(spread, 20, f"{number}")) for number in range(10)]
    assert low <= fmean(found) <= high


def test_it_is_what_is_left_over_beside_chance_and_the_ratings() -> None:
    """Three equals in a circle, each with 0.75 of the points over the next, 1 and 0.5 in turn."""
    kinds: Kinds = Counter()
    for one, other in ("ab", "bc"):
        kinds[(one, other), ((1, 2), (1, 2))] = kinds[(one, other), ((1, 2), (2, 1))] = 20
    kinds[("a", "c"), ((2, 1), (2, 1))] = kinds[("a", "c"), ((1, 2), (2, 1))] = 20
    deals, variance = 3 * 40, 3 * 40 * 0.25**2 / (3 * 39)
    off, slopes = deals * 0.25**2, deals / (2 * math.pi * 2 * BETA**2)
    chance = variance * math.sqrt(2 * (1 + 1 / (3 * 39)))
    expected = (off - variance - _BY_CHANCE * chance) / (slopes * (1 - 2 / 3))
    assert own_variance(dict.fromkeys("abc", 25.0), kinds) == pytest.approx(expected, abs=1e-3)


def test_nothing_is_known_of_pairs_that_met_once() -> None:
    assert own_variance(MU, _played(2.0, 1, "once")) == 0
    assert own_variance(MU, {}) == 0
    two: Kinds = Counter({(("a", "b"), ((1, 2), (2, 1))): 5})
    assert own_variance(MU, two) == 0  # the rating takes what there is


def test_whoever_meets_all_alike_is_rated_as_a_round_robin_would() -> None:
    alike = dict.fromkeys(range(1, 5), 1.0)
    assert narrowness([alike, {0: 1.0}, {0: 1.0, 1: 1.0}, {}, {}]) == [0.0, 0.75, 0.25, 0.75, 0.75]
