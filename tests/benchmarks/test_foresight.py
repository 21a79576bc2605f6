"""What the table of docs/ratings.md says a league will separate."""

import pytest

from arena.stats.ratings import FEWEST_DEALS
from tests.benchmarks.calibration.league import Plan
from tests.benchmarks.foresight import least_share, separated


def test_more_deals_separate_smaller_leads() -> None:
    shares = [least_share(deals, bots=6, seats=2, matches=2) for deals in (10, 100, 1000, 100_000)]
    assert shares == pytest.approx([0.885, 0.635, 0.543, 0.504], abs=0.001)


def test_of_two_bots_each_is_all_that_the_other_is_measured_by() -> None:
    two, many = (least_share(100, bots=bots, seats=2, matches=2) for bots in (2, 50))
    assert two is not None
    assert many is not None
    assert 0.5 < two < many


def test_too_few_deals_separate_nobody() -> None:
    assert least_share(FEWEST_DEALS - 1, bots=6, seats=2, matches=2) is None
    assert least_share(FEWEST_DEALS, bots=6, seats=2, matches=2) is not None


@pytest.mark.slow
def test_five_leagues_of_six_separate_whom_they_are_said_to_and_mirrored_luck_helps() -> None:
    for bots, seats, deals in ((2, 2, 50), (6, 2, 6), (5, 4, 8)):
        plan = Plan(bots=bots, seats=seats, deals=deals, luck=0.0)
        assert 0.75 < separated(plan, 150) < 0.96, plan
    assert separated(Plan(bots=6, deals=6, luck=0.8), 100) > 0.93
