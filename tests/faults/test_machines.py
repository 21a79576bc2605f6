"""Machines that start no bots any more: no room for their copies, none left, a low limit."""

import os
import resource
import shutil
import signal
from contextlib import suppress

import pytest

from tests.faults.campaign import MATCHES, Campaign
from tests.faults.leagues import Arrangement, one_for_each_sandbox
from tests.faults.workshop import small_disk
from tests.referee.process_watch import until

SLOW = 0.05  # seconds that a match takes at the least, to be struck in time
SANDBOXED = [each for each in one_for_each_sandbox() if each.sandbox != "none"]  # who have copies
EACH_SANDBOXED = pytest.mark.parametrize("arrangement", SANDBOXED, ids=str)


@pytest.mark.soak
@EACH_SANDBOXED
def test_without_room_for_their_copies_no_bot_is_charged(
    campaign: Campaign, arrangement: Arrangement
) -> None:
    reference = campaign.reference(arrangement)
    refused = 0
    with campaign.league(arrangement) as league:
        stored: dict[str, bytes] = {}
        for kilobytes in range(8, 400, 24):
            with small_disk(league.scratch, kilobytes):
                done = league.end(league.start("run", "--workers", "2"))
                league.settle()
            campaign.tally.runs += 1
            stored = campaign.compare(league, stored, reference)  # no match that differs
            assert "suspended" not in done.stderr
            if done.returncode == 0:
                break
            assert done.returncode == 1, done.stderr
            assert "files cannot be copied" in done.stderr
            assert "No space left on device. Free some space there, or set TMPDIR" in done.stderr
            refused += 1
        assert refused >= 2
        assert len(stored) == MATCHES
        campaign.tally.others["full disk for copies"] += refused
        campaign.finish(league, reference)


@pytest.mark.soak
@EACH_SANDBOXED
def test_when_their_copies_are_removed_no_bot_is_charged(
    campaign: Campaign, arrangement: Arrangement
) -> None:
    reference = campaign.reference(arrangement, SLOW)
    with campaign.league(arrangement, pause=SLOW) as league:
        process = league.start("run", "--workers", "1")
        until(league.count, 30)
        for stage in league.scratch.glob("arena-stage-*"):
            shutil.rmtree(stage)
        mark = f"bot.py {league.token}"
        for pid in [pid for pid, words in league.processes().items() if mark in words]:
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(pid, signal.SIGKILL)
        done = league.end(process)
        assert done.returncode == 1, done.stderr
        assert "a copy that bots are run from, is gone: something removed it" in done.stderr
        campaign.compare(league, {}, reference)
        campaign.tally.others["removed copies"] += 1
        campaign.tally.runs += 2
        league.finish(league.start("run"))
        campaign.finish(league, reference)


@pytest.mark.slow  # it starts a run in a shell
def test_a_limit_of_the_shell_below_the_leagues_is_named(campaign: Campaign) -> None:
    arrangement = next(each for each in SANDBOXED if each.sandbox == "landlock")
    with campaign.league(arrangement) as league:

        def lower() -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

        done = league.end(league.start("run", preexec_fn=lower))
        assert done.returncode == 1
        assert "RLIMIT_NOFILE is to be 64, and the arena's own is 40." in done.stderr
        assert "Traceback" not in done.stderr
