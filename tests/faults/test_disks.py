"""Full disks, databases that cannot be written, power cuts, machines that start no bots."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from tests.faults.campaign import MATCHES, Campaign
from tests.faults.leagues import Arrangement, FaultyLeague, one_for_each_sandbox, replays
from tests.faults.strikes import Process
from tests.faults.workshop import small_disk
from tests.referee.process_watch import fields, until

PLAIN = one_for_each_sandbox()[0]
SLOW = 0.05  # seconds that a match takes at the least, to be struck in time
EACH_SANDBOX = pytest.mark.parametrize("arrangement", one_for_each_sandbox(), ids=str)
SAFE = "What was stored before is safe; "


def complete(campaign: Campaign, league: FaultyLeague, arrangement: Arrangement) -> None:
    """Play what is missing, undisturbed, and compare the league."""
    campaign.tally.runs += 1
    league.settle()
    league.finish(league.start("run"))
    campaign.finish(league, campaign.reference(arrangement, SLOW))


@contextmanager
def on_small_disk(league: FaultyLeague, kilobytes: int) -> Iterator[None]:
    """Put the league's folder, file and all, on a disk of its own."""
    file = (league.folder / "league.toml").read_text()
    with small_disk(league.folder, kilobytes):
        try:
            (league.folder / "league.toml").write_text(file)
            league.give_away()
            yield
        finally:
            league.close()


@pytest.mark.soak
@EACH_SANDBOX
def test_a_disk_that_fills_up_again_and_again_loses_nothing(
    campaign: Campaign, arrangement: Arrangement
) -> None:
    reference = campaign.reference(arrangement)
    with campaign.league(arrangement) as league, on_small_disk(league, size := 40):
        stored: dict[str, bytes] = {}
        fills = 0
        while len(stored) < MATCHES:
            campaign.tally.runs += 1
            done = league.end(league.start("run", "--workers", "2"))
            league.settle()
            assert "Traceback" not in done.stderr
            stored = campaign.compare(league, stored, reference)
            if done.returncode == 0:
                continue
            assert done.returncode == 1, done.stderr
            assert SAFE in done.stderr
            fills += 1
            size += campaign.rng.choice((32, 40, 48))
            words = ["mount", "-o", f"remount,size={size}k", league.folder]
            subprocess.run(words, check=True)
        assert fills >= 2
        campaign.tally.others["full disk"] += fills
        campaign.finish(league, reference)


LOCKER = """
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
db.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [5, 100])
def test_a_run_waits_for_a_database_that_is_locked_and_ends_without_loss(
    campaign: Campaign, seconds: int
) -> None:
    """For half a minute at the most; another process holds the database for some seconds."""
    reference = campaign.reference(PLAIN, SLOW)
    with campaign.league(PLAIN, pause=SLOW) as league:
        process = league.start("run", "--workers", "2")
        until(league.count, 30)
        words = [sys.executable, "-c", LOCKER, league.folder / "league.db", str(seconds)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as locker:
            assert locker.stdout
            assert locker.stdout.readline() == "locked\n"
            done = league.end(process)
            locker.terminate()
        campaign.tally.runs += 1
        campaign.tally.others["locked database"] += 1
        assert "league.db, which another process has locked; 30 s at the most.\n" in done.stderr
        if seconds < 30:
            assert done.returncode == 0, done.stderr
            campaign.finish(league, reference)
        else:
            assert done.returncode == 1
            assert "league.db is locked: another process" in done.stderr
            assert SAFE in done.stderr
            complete(campaign, league, PLAIN)


def cut(league: FaultyLeague, process: Process, rng: Random, target: Path) -> bool:
    """Copy the database as it is at one instant, mostly of a write; return whether it was one."""
    league.await_writing(rng.choice((0.0, 0.7, 0.7)))
    os.kill(process.pid, signal.SIGSTOP)
    until(lambda: fields(process.pid)[0] in "TZ")
    try:
        league.copy_database(target)
        return (target / "league.db-journal").exists()
    finally:
        os.kill(process.pid, signal.SIGCONT)


@pytest.mark.soak
@EACH_SANDBOX
def test_what_a_power_cut_leaves_is_whole_and_can_be_gone_on_with(
    campaign: Campaign, arrangement: Arrangement
) -> None:
    """As far as the writes that the kernel was given are on the disk, in their order."""
    reference = campaign.reference(arrangement, SLOW)
    with campaign.league(arrangement, pause=SLOW) as league:
        process = league.start("run", "--workers", "2")
        until((league.folder / "league.db").exists, 30)
        copies = []
        while process.poll() is None and len(copies) < 12:
            copies.append(league.home / f"cut-{len(copies)}")
            campaign.tally.in_writing += cut(league, process, campaign.rng, copies[-1])
        league.finish(process)
        campaign.finish(league, reference)
        for copy in copies:
            campaign.tally.others["power cut"] += 1
            shutil.copytree(copy, league.home / "opened")
            kept = replays(league.home / "opened" / "league.db")
            shutil.rmtree(league.home / "opened")
            assert kept.items() <= reference.evidence.replays.items()
        (league.folder / "league.db").unlink()
        for path in campaign.rng.choice(copies).iterdir():
            shutil.copy(path, league.folder)
        league.give_away()
        complete(campaign, league, arrangement)


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
