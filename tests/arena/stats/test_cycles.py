"""What one number a bot cannot say: its share, whether it is chance, and who goes in circles."""

import math
import random
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist, fmean

import numpy as np
import pytest

from arena.stats.cycles import Circles, _together
from arena.stats.encounters import points_by_deal
from arena.stats.margins import RESAMPLES, BotPair, Margin, margins
from tests.arena.stats.deals import deals_of, duels
from tests.benchmarks.calibration.circles import SIXTY
from tests.benchmarks.calibration.league import Plan, simulated

Duel = tuple[str, str, int, int]


def found(*won: Duel) -> dict[BotPair, Margin]:
    """The margins of duels: two bots, and how many deals each won."""
    return margins(points_by_deal(deals_of(duels(*won))))


def circles(*won: Duel) -> Circles:
    bots = {bot for one, two, *_ in won for bot in (one, two)}
    return Circles(sorted(bots), found(*won), duels=True)


def of(plan: Plan, seed: str) -> Circles:
    league = simulated(plan, seed)
    seen = margins(points_by_deal(deals_of(league.matches)))
    return Circles(list(league.skills), seen, duels=plan.seats == 2)


CIRCLE = ("P", "R", 70, 30), ("R", "S", 70, 30), ("P", "S", 30, 70)
LINE = ("A", "B", 70, 30), ("B", "C", 70, 30), ("A", "C", 85, 15)


def test_a_circle_is_all_that_numbers_cannot_say() -> None:
    assert circles(*CIRCLE).has_circles
    rest = circles(*CIRCLE).unexplained()
    assert rest.is_sure
    assert rest.share == pytest.approx(1, abs=0.01)
    assert rest.error is not None
    assert 0 < rest.error < 0.1
    (cycle,) = circles(*CIRCLE).cycles()
    assert (cycle.bots, cycle.is_sure) == (("P", "R", "S"), True)
    assert cycle.shares == pytest.approx((0.7, 0.7, 0.7))


def test_of_bots_in_line_numbers_say_all() -> None:
    straight = [(one, two, 50, 0) for one, two in combinations("ABCDEF", 2)]
    for won in (LINE, straight):
        rest = circles(*won).unexplained()
        assert not rest.is_sure
        assert rest.share == pytest.approx(0, abs=0.05)
    assert circles(*LINE).cycles() == []
    assert not circles(("A", "B", 3, 2), ("B", "C", 3, 2)).has_circles  # too few pairs
    equals = circles(*[(one, two, 25, 25) for one, two in combinations("ABCD", 2)]).unexplained()
    assert (equals.share, equals.error, equals.is_sure) == (None, None, False)


def test_a_circle_beside_a_line_is_told_by_its_share() -> None:
    """Gaps of 0.5, 0.5 and 1 up, and a circle of 0.5 beside them: a part of 0.75 of 2.25."""
    cdf = NormalDist().cdf
    gaps = {("A", "B"): 0.5 + 0.5, ("B", "C"): 0.5 + 0.5, ("A", "C"): 1 - 0.5}
    exact = {
        pair: replace(each, share=share, deals=5000, squares=5000 * share * (1 - share))
        for pair, each in found(*LINE).items()
        for share in [cdf(gaps[pair])]
    }
    rest = Circles(["A", "B", "C"], exact, duels=True).unexplained()
    assert rest.share == pytest.approx(
        0.75 / 2.25, abs=0.07
    )  # with weights that are not quite even


def test_pairs_that_have_not_met_are_expected_to_be_in_line() -> None:
    expected = circles(("A", "B", 70, 30), ("B", "C", 70, 30)).expected()
    assert list(expected) == [("A", "C")]
    assert expected["A", "C"] == pytest.approx(NormalDist().cdf(2 * 0.5244), abs=0.02)


def test_the_same_results_give_the_same_whatever_their_order() -> None:
    league = simulated(Plan(bots=6, deals=8, circle=SIXTY), "order")
    said = set()
    for seed in range(3):
        matches = list(league.matches)
        random.Random(seed).shuffle(matches)
        seen = margins(points_by_deal(deals_of(matches)))
        own = Circles(sorted(league.skills), seen, duels=True)
        said.add(repr((own.unexplained(), own.cycles())))
    assert len(said) == 1


@pytest.mark.slow
def test_circles_that_are_there_are_found() -> None:
    plan = Plan(bots=6, deals=40, spread=1.5, circle=SIXTY)
    rests = [of(plan, f"{number}").unexplained() for number in range(40)]
    assert fmean(rest.is_sure for rest in rests) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan",
    [Plan(bots=6, deals=20), Plan(bots=5, deals=6, seats=4), Plan(bots=6, deals=20, luck=0.95)],
    ids=["duels", "four seats", "luck"],
)
def test_where_there_are_no_circles_few_are_found(plan: Plan) -> None:
    sure = [of(plan, f"none {number}").unexplained().is_sure for number in range(60)]
    assert fmean(sure) < 0.1


@pytest.mark.parametrize("duels", [True, False])
def test_the_strength_of_a_circle_is_its_leads_by_their_error(duels: bool) -> None:
    """In duels errors are apart; here they are the same otherwise, and two of them cancel."""
    drawn = np.tile([1.0, -0.5], RESAMPLES // 2)
    won, lost = (Margin(20, share, 0.01, 10.0, 4.0, drawn) for share in (0.75, 0.25))
    found = {("a", "b"): won, ("a", "c"): lost, ("b", "c"): won}
    normal = NormalDist()
    lead = normal.inv_cdf(won.padded)
    square = 3 * 0.01 / normal.pdf(lead) ** 2
    if not duels:
        assert _together(won, lost) == pytest.approx(0.625)
        square *= 1 - 2 * 0.625 / 3
    strength = 3 * lead / math.sqrt(square)
    strength *= (1 - 1 / 40) / math.sqrt(1 + strength**2 / 20)
    assert Circles("abc", found, duels=duels)._strength(("a", "b", "c")) == pytest.approx(strength)
