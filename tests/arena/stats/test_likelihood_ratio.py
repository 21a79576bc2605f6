"""The log-likelihood ratio of a comparison: that of engine testers, number by number."""

from collections.abc import Sequence

import pytest

from arena.stats.elo import score_of
from arena.stats.likelihood_ratio import Ratio
from arena.stats.sequential import Bounds


def ratio(counts: Sequence[int], elo0: float, elo1: float) -> Ratio:
    """Return the ratio of deals of which so many had each score, from the least."""
    found = Ratio(Bounds(score_of(elo0), score_of(elo1)), len(counts))
    for number, count in enumerate(counts):
        found.add(number / (len(counts) - 1), count)
    return found


KNOWN = [
    # Of fishtest, with bounds in braces, logistic Elo: from pull requests of Stockfish
    ((491, 7345, 29693, 7670, 465), -0.25, 1.25, "2.96"),  # 3098
    ((53, 2220, 21459, 2445, 47), 0.25, 1.25, "2.97"),
    ((253, 4282, 17604, 4431, 286), -0.25, 1.25, "2.94"),  # 3209
    ((58, 3302, 33130, 3518, 84), 0.25, 1.25, "2.97"),
    ((665, 4806, 9333, 4893, 747), -0.5, 1.5, "2.95"),  # 2920
    ((328, 4564, 15580, 4789, 371), 0.25, 1.75, "2.98"),
    ((59, 754, 2467, 865, 75), -0.5, 1.5, "2.95"),  # 2951
    ((424, 2948, 5832, 3045, 460), -1.0, 3.0, "2.94"),  # 2493
    # Of the tests of fastchess, logistic
    ((223, 9863, 21279, 10037, 246), 0.5, 2.5, "-3.07"),
    ((871, 26175, 55983, 26678, 821), 0.0, 2.0, "-4.98"),
    ((21184, 40708, 21404), 0.5, 2.5, "-1.57"),
    ((57030, 106593, 57433), 0.0, 2.0, "-2.59"),
]


def test_the_ratio_is_that_of_fishtest_and_fastchess() -> None:
    for counts, elo0, elo1, told in KNOWN:
        assert str(ratio(counts, elo0, elo1)) == f"LLR {told} (-2.94, 2.94)"


def test_it_speaks_for_neither_bound_before_the_first_deal_and_half_way_between() -> None:
    assert str(Ratio(Bounds(0.5, 0.55), 5)) == "LLR 0.00 (-2.94, 2.94)"
    half_way = ratio((20, 20, 20, 20, 20), -10.0, 10.0)
    assert half_way.value == pytest.approx(0, abs=1e-9)


def test_wins_speak_for_the_higher_bound_and_losses_as_much_for_the_lower() -> None:
    won, lost = ratio((0, 1, 3, 4, 9), -20, 20), ratio((9, 4, 3, 1, 0), -20, 20)
    assert won.value > 1
    assert lost.value == pytest.approx(-won.value)
    assert 0 < ratio((0, 0, 0, 0, 30), 0, 5).value < 2  # deals that all went one way
    assert -2 < ratio((30, 0, 0, 0, 0), 0, 5).value < 0


def test_its_thresholds_follow_the_rates() -> None:
    strict = Ratio(Bounds(0.5, 0.55, alpha=0.01, beta=0.2), 3)
    assert strict.thresholds == pytest.approx((-1.599, 4.382), abs=0.001)
