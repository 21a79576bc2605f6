"""Stopped services, pauses, no memory, jumping clocks; full disks, locks, power cuts."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import cycle
from pathlib import Path
from random import Random

import pytest

from tests.attacks.users import users
from tests.faults.campaign import MATCHES, Campaign
from tests.faults.leagues import Arrangement, FaultyLeague, one_for_each_sandbox, replays
from tests.faults.strikes import Process, stop_service
from tests.faults.workshop import small_disk
from tests.referee.process_watch import fields, until

SLOW = 0.05  # seconds that a match takes at the least, to be struck in time
EVERY = one_for_each_sandbox()
EACH_SANDBOX = pytest.mark.parametrize("arrangement", EVERY, ids=str)
SAFE = "What was stored before is safe; "


SLEEPERS = [
    pytest.param(arrangement, whom, id=f"{arrangement}-{whom}")
    for arrangement, whom in zip(EVERY, cycle(("workers", "everything")), strict=False)
]


@contextmanager
def running(
    campaign: Campaign,
    arrangement: Arrangement,
    move_time: float = 10,
    begun: Callable[[FaultyLeague], object] = FaultyLeague.count,
) -> Iterator[tuple[FaultyLeague, Process]]:
    """Play a league until some matches are stored; complete and compare it afterwards."""
    reference = campaign.reference(arrangement, SLOW)
    with campaign.league(arrangement, pause=SLOW, move_time=move_time) as league:
        process = league.start("run", "--workers", "2")
        until(lambda: begun(league), 30)
        yield league, process
        league.settle()
        while len(league.kept()) < len(reference.evidence.replays):
            campaign.tally.runs += 1
            league.finish(league.start("run"))
        campaign.finish(league, reference)


@pytest.mark.soak
@EACH_SANDBOX
def test_a_stopped_service_charges_no_bot_for_the_signal_that_ended_it(
    campaign: Campaign, arrangement: Arrangement
) -> None:
    """Every process of it gets SIGTERM, and most bots end by that."""
    with running(campaign, arrangement) as (league, process):
        stop_service(league, process, campaign.rng, campaign.tally)
        done = league.end(process)
        assert done.returncode == 1
        assert f"stopped; {48 - league.count()} matches are missing." in done.stderr
        faulty = [match.id for match, _ in league.stored() if any(match.faults)]
        assert not faulty, league.told(faulty[0])


@pytest.mark.soak
@pytest.mark.parametrize(("arrangement", "whom"), SLEEPERS)
def test_a_machine_that_sleeps_makes_no_bot_late(
    campaign: Campaign, arrangement: Arrangement, whom: str
) -> None:
    """Ctrl-Z stops the workers but not the bots; the pause of a container stops them all."""
    with running(campaign, arrangement, move_time=0.1) as (league, process):
        for _ in range(2):
            time.sleep(campaign.rng.uniform(0, 0.2))
            stopped = [*league.processes()] if whom == "everything" else league.workers()
            for number, seconds in ((signal.SIGSTOP, 1.6), (signal.SIGCONT, 0.0)):
                for pid in stopped:
                    if Path(f"/proc/{pid}").exists():
                        os.kill(pid, number)
                time.sleep(seconds)
            campaign.tally.others["stopped and continued"] += 1
        league.finish(process)
        faulty = [match.id for match, _ in league.stored() if any(match.faults)]
        assert not faulty, league.told(faulty[0])


DAEMON = """
import os, time, kit, guerra_random
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 100)
    time.sleep(1000)
kit.run(guerra_random.choose, on_start=lambda match: time.sleep(0.05))
"""


@pytest.mark.soak
def test_a_bots_daemon_does_not_outlive_a_killed_fork_server(campaign: Campaign) -> None:
    """Nobody but its worker, which inherits the daemon, can know of it then."""
    arrangement = Arrangement("guerra", "none", users()[0])
    with campaign.league(arrangement, pause=SLOW) as league:
        (league.home / "ada" / "bot.py").write_text(DAEMON)
        process = league.start("run", "--workers", "1")
        until(league.count, 30)
        (server,) = (p for p, words in league.processes().items() if "fork_server.py" in words)
        os.kill(server, signal.SIGKILL)
        campaign.tally.kills["fork server"] += 1
        league.finish(process)
        assert league.is_left_clean()


@pytest.mark.soak
@EACH_SANDBOX
def test_the_time_of_day_may_jump_by_years(campaign: Campaign, arrangement: Arrangement) -> None:
    """Under runner, workers and fork servers; bots have an environment of their own."""
    clock = campaign.workshop.jumping_clock
    if clock is None:
        pytest.skip("A CLOCK THAT JUMPS IS NOT TESTED HERE: there is no C compiler")
    reference = campaign.reference(arrangement)
    with campaign.league(arrangement) as league:
        campaign.tally.runs += 1
        campaign.tally.others["clock jumps, whole run"] += 1
        process = league.start("run", "--workers", "2", env={"LD_PRELOAD": str(clock)})
        league.finish(process)
        with closing(sqlite3.connect(league.folder / "league.db")) as db:
            years = {when[:4] for (when,) in db.execute("SELECT played_at FROM record")}
        assert len(years) > 1, "the clock did not jump"
        campaign.finish(league, reference)


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
    with running(campaign, EVERY[0]) as (league, process):
        words = [sys.executable, "-c", LOCKER, league.folder / "league.db", str(seconds)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as locker:
            assert locker.stdout
            assert locker.stdout.readline() == "locked\n"
            done = league.end(process)
            locker.terminate()
        campaign.tally.others["locked database"] += 1
        assert "league.db, which another process has locked; 30 s at the most.\n" in done.stderr
        assert done.returncode == (seconds > 30), done.stderr
        for part in ("league.db is locked: another process", SAFE):
            assert (part in done.stderr) == (seconds > 30)


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

    def exists(league: FaultyLeague) -> bool:
        return (league.folder / "league.db").exists()

    with running(campaign, arrangement, begun=exists) as (league, process):
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


SANDBOXED = [each for each in EVERY if each.sandbox != "none"]  # who have copies
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
    with running(campaign, arrangement) as (league, process):
        for stage in league.scratch.glob("arena-stage-*"):
            shutil.rmtree(stage)
        mark = f"bot.py {league.token}"
        for pid in [pid for pid, words in league.processes().items() if mark in words]:
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(pid, signal.SIGKILL)
        done = league.end(process)
        assert done.returncode == 1, done.stderr
        assert "a copy that bots are run from, is gone: something removed it" in done.stderr
        campaign.compare(league, {}, campaign.reference(arrangement, SLOW))
        campaign.tally.others["removed copies"] += 1


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
