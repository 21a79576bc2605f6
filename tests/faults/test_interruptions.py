"""A stopped service, pauses, a worker without memory, a clock that jumps."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import cycle
from pathlib import Path

import pytest

from tests.attacks.users import users
from tests.faults.campaign import Campaign
from tests.faults.leagues import Arrangement, FaultyLeague, one_for_each_sandbox
from tests.faults.strikes import Process, stop_service
from tests.faults.workshop import need_root
from tests.referee.process_watch import until

SLOW = 0.05  # seconds that a match takes at the least, to be struck in time
EVERY = one_for_each_sandbox()


SLEEPERS = [
    pytest.param(arrangement, whom, id=f"{arrangement}-{whom}")
    for arrangement, whom in zip(EVERY, cycle(("workers", "everything")), strict=False)
]


@contextmanager
def running(
    campaign: Campaign, arrangement: Arrangement, move_time: float = 10
) -> Iterator[tuple[FaultyLeague, Process]]:
    """Play a league until some matches are stored; complete and compare it afterwards."""
    reference = campaign.reference(arrangement, SLOW)
    with campaign.league(arrangement, pause=SLOW, move_time=move_time) as league:
        process = league.start("run", "--workers", "2")
        until(league.count, 30)
        yield league, process
        league.settle()
        while len(league.kept()) < len(reference.evidence.replays):
            campaign.tally.runs += 1
            league.finish(league.start("run"))
        campaign.finish(league, reference)


@pytest.mark.soak
@pytest.mark.parametrize("arrangement", EVERY, ids=str)
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


@contextmanager
def starving_group() -> Iterator[Path]:
    """Make a memory cgroup in which nothing more can be had; a loud skip where none can be made."""
    need_root("a worker killed for want of memory")
    v1, v2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    base, limit = (v1, "memory.limit_in_bytes") if v1.is_dir() else (v2, "memory.max")
    group = base / f"arena-faults-{os.getpid()}"
    try:
        group.mkdir()
        (group / limit).write_text("4096")
    except OSError:
        with suppress(OSError):
            group.rmdir()
        pytest.skip("A WORKER KILLED FOR WANT OF MEMORY IS NOT TESTED HERE: no memory cgroup")
    try:
        yield group
    finally:
        until(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


@pytest.mark.soak
def test_a_worker_that_the_kernel_kills_for_want_of_memory_is_replaced(campaign: Campaign) -> None:
    with starving_group() as group, running(campaign, EVERY[0]) as (league, process):
        worker = league.workers()[0]
        (group / "cgroup.procs").write_text(str(worker))
        until(lambda: worker not in league.processes())
        campaign.tally.kills["worker by the kernel, for want of memory"] += 1
        league.finish(process)


@pytest.mark.soak
@pytest.mark.parametrize("arrangement", EVERY, ids=str)
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
