"""Leagues whose processes are killed at random instants come to what undisturbed ones come to.

Byte for byte: the table, the list of matches and every stored replay. The instants are seeded;
what a process does at that instant is the machine's affair, so no two sessions are alike.
"""

import pytest

from tests.faults.campaign import Campaign
from tests.faults.conftest import SEED
from tests.faults.lanes import strike_all
from tests.faults.leagues import Arrangement, one_for_each_sandbox

KILLS = 100


@pytest.mark.slow  # it kills real runs
def test_a_league_that_is_killed_again_and_again_is_what_it_would_have_been(
    campaign: Campaign,
) -> None:
    campaign.strike_until_complete(one_for_each_sandbox()[0], kills=4)


@pytest.mark.soak
def test_a_hundred_kills_lose_nothing_in_any_arrangement(campaign: Campaign) -> None:
    strike_all(SEED, campaign.tally, KILLS)
    tally = campaign.tally
    assert tally.kills.total() >= KILLS
    assert tally.lost == tally.duplicated == tally.differing == tally.paid_in_vain == 0


@pytest.mark.soak
@pytest.mark.parametrize("arrangement", one_for_each_sandbox(), ids=str)
def test_a_killed_bot_has_a_fault_and_no_other_match_is_touched(
    campaign: Campaign, arrangement: Arrangement
) -> None:
    campaign.kill_bots(arrangement, kills=5)
