"""Whole runs with real workers and bots, undisturbed and disturbed: the results are the same.

After each of them no process is left, and in the league's folder nothing but its two files.
"""

import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

import multiprocess
import pytest

from arena.play.events import Problem, Started
from arena.play.forfeits import FORFEITS_IN_A_ROW
from arena.play.run import open_run
from arena.play.staffing import RunTerms
from arena.store.opening import read_league
from tests.arena.conftest import STEADY, TWO_BOTS, League, naughty
from tests.arena.inline import inline_runs
from tests.referee.process_watch import until

HEAD = """
game = "guerra"
seed = 1
deals = {deals}
options.max_turns = 20
limits = {{ sandbox = "none", move_time = 10.0, startup = 30.0 }}
"""
MATCHES = 30


def steady_league(league: League, *, deals: int = 5, pause: float = 0.03) -> League:
    """Write a league of three bots that takes a second or two."""
    bots = [league.bot(name, STEADY.format(pause=pause)) for name in ("ada", "bob", "cyd")]
    league.write(HEAD.format(deals=deals) + "".join(bots))
    return league


def outcome(league: League) -> object:
    return league.stored(), league.rank()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> object:
    """What comes of the steady league in one go, without workers."""
    league = steady_league(League(tmp_path_factory.mktemp("undisturbed")))
    league.is_inline = True
    with inline_runs():
        league.call("run")
    assert league.count() == MATCHES
    assert None not in [match.scores for match, _ in league.stored()]  # they are compared, too
    return outcome(league)


@pytest.fixture
def steady(league: League) -> League:
    return steady_league(league)


def assert_same(league: League, expected: object) -> None:
    """Fail unless a league ended as another, down to the byte, and was left clean."""
    assert outcome(league) == expected
    assert league.is_left_clean()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "workers", "told"),
    [
        ("spawn_main", "2", "was killed by SIGKILL, which the kernel sends where memory is short"),
        ("fork_server.py", "1", "lost the process that starts its bots, which was killed"),
    ],
)
def test_a_run_survives_the_death_of_a_worker_or_its_fork_server_and_says_so(
    steady: League, undisturbed: object, victim: str, workers: str, told: str
) -> None:
    process = steady.start("run", "--workers", workers)
    until(lambda: steady.count() >= 3)
    pid = next(pid for pid, words in steady.processes().items() if victim in words)
    os.kill(pid, signal.SIGKILL)
    stderr = steady.finish(process).stderr
    assert f"A worker {told}; another plays its matches. No result is lost.\n" in stderr
    assert "Traceback" not in stderr
    assert_same(steady, undisturbed)


@pytest.mark.slow
def test_what_a_worker_left_that_was_told_to_end_is_played_by_another(league: League) -> None:
    """It leaves the rest as soon as a bot has crashed, which may have been told as well."""
    pause = league.bot("ada", STEADY.format(pause=0.05))
    league.write(HEAD.format(deals=8) + pause + naughty("crash_mid_match"))
    process = league.start("run", "--workers", "1")
    until(lambda: league.count() >= 2)
    (worker,) = league.workers()
    os.kill(worker, signal.SIGTERM)
    told = league.finish(process).stderr
    assert "A worker was told to end; another plays its matches. No result is lost." in told
    assert league.count() == 16
    assert league.is_left_clean()


@pytest.mark.slow
def test_another_process_goes_on_where_that_of_slow_matches_was_told_to_end(league: League) -> None:
    steady_league(league, deals=6, pause=0.3)
    text = (league.folder / "league.toml").read_text()
    league.write(text.replace("limits = {", 'limits = { pace = "slow", slots = 4,'))
    process = league.start("run")
    until(lambda: league.count() > 4)
    (worker,) = league.workers()
    os.kill(worker, signal.SIGTERM)
    told = " ".join(league.finish(process).stderr.split())
    assert "another goes on with its matches" in told
    assert league.count() == 36
    assert not any(any(row["faults"]) for row in league.exported())


@pytest.mark.slow
def test_a_run_survives_the_death_of_a_worker_that_is_just_to_be_sent_work(
    steady: League, undisturbed: object
) -> None:
    with open_run(read_league(steady.folder), RunTerms(1)) as run:
        playing = run.play()
        checked = [next(playing) for _ in range(3)]  # and nothing was given out
        assert all(isinstance(event, Started) for event in checked)
        for child in multiprocess.active_children():
            child.kill()
            child.join()
        problems = [event for event in playing if isinstance(event, Problem)]
    assert problems == []
    assert_same(steady, undisturbed)


def _imports(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return "msgspec" in Path(f"/proc/{pid}/maps").read_text()
    return False


@pytest.mark.slow
def test_ctrl_c_while_the_workers_start_is_quiet(steady: League) -> None:
    process = steady.start("run", "--workers", "2")
    until(lambda: any(map(_imports, steady.workers())))
    os.killpg(process.pid, signal.SIGINT)
    stopped = steady.finish(process, code=1)
    assert "Traceback" not in stopped.stderr
    assert steady.is_left_clean()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_doubled_is_one(league: League, number: signal.Signals) -> None:
    """As `timeout` sends it, to the process and then to its group.

    By SIGINT, which bots never get, the match that is being played is stored.
    """
    steady_league(league, deals=20, pause=0.5)
    process = league.start("run", "--workers", "1")
    until(league.count)
    until(lambda: sum("bot.py" in words for words in league.processes().values()) > 1)
    before = league.count()
    os.kill(process.pid, number)
    time.sleep(0.01)
    os.killpg(process.pid, number)
    stopped = league.finish(process, code=1)
    assert "stopped at once" not in stopped.stderr
    assert re.search(r"stopped; \d+ matches are missing. Run again to go on.", stopped.stderr)
    assert league.count() - before == (number == signal.SIGINT)
    assert league.is_left_clean()


@pytest.mark.slow
def test_two_runs_are_refused_also_when_the_file_was_edited_meanwhile(league: League) -> None:
    """By editors, which put a new file in the place of the old one."""
    steady_league(league, deals=20, pause=0.1)
    process = league.start("run", "--workers", "1")
    until(league.count)
    file = league.folder / "league.toml"
    file.with_suffix(".new").write_text(f"# edited\n{file.read_text()}")
    file.with_suffix(".new").replace(file)
    second = league.call("run", code=2)
    assert second.stderr == (
        f"arena: {league.folder} is in use by another run or import (process {process.pid}); wait "
        f"for it, or stop it.\n"
    )
    assert league.rank()
    os.kill(process.pid, signal.SIGTERM)
    league.finish(process, code=1)
    assert league.is_left_clean()


@pytest.mark.usefixtures("inline")
def test_a_bot_that_crashes_at_start_is_suspended_and_its_matches_stay_missing(
    league: League,
) -> None:
    league.write(HEAD.format(deals=2) + TWO_BOTS + naughty("crash_at_start"))
    for _ in range(2):
        run = league.call("run")
        said = "crash_at_start is suspended for this run: it failed its start-up check: "
        assert said in run.stderr
        assert "it exited with code 1" in run.stderr
        assert league.count() == 4
        words = " ".join(league.call("rank").stdout.split())
        assert "crash_at_start was suspended: it failed its start-up check: " in words
        assert "Its matches are missing, so it has no rank. 8 matches are missing;" in words
    assert league.is_left_clean()


@pytest.mark.slow
def test_a_suspension_is_forgotten_when_the_limits_that_were_too_narrow_are_mended(
    league: League,
) -> None:
    """Nothing was played by them, so nothing speaks against others."""
    text = HEAD.format(deals=1) + TWO_BOTS
    league.write(text.replace("startup = 30.0", "startup = 0.000001"))
    run = league.call("run", "--workers", "1")
    assert run.stderr.count("is suspended for this run: it failed its start-up check") == 2
    assert "one was suspended" in run.stdout
    assert league.count() == 0
    league.write(text)
    assert "suspended" not in league.call("run", "--workers", "1").stdout
    assert "suspended" not in league.call("rank").stdout
    assert league.count() == 2


CRASH = "import kit\nkit.run(lambda match: 1 / 0)\n"
MOODY = """
import kit, guerra_random
kit.run(guerra_random.choose, on_start=lambda match: match.seed % {every} and exit(1))
"""
"""A bot that plays one match of so many, more or less."""


@pytest.mark.usefixtures("inline")
def test_bots_that_crash_in_every_match_play_them_all_and_are_all_named(league: League) -> None:
    """When they would be suspended depended on workers and interruptions. Of two, either is at
    times the one that is left when the other's forfeit ends the match.
    """
    league.write(HEAD.format(deals=12) + league.bot("one", CRASH) + league.bot("two", CRASH))
    run = league.call("run")
    said = re.findall("(one|two) has forfeited 10 matches in a row: see `(.*)`.", run.stderr)
    assert sorted(name for name, _ in said) == ["one", "two"]
    for name, command in said:
        assert command.split()[:3] == ["arena", "show", str(league.folder)]
        assert f"FAULT of {name}: crash" in league.call("show", command.split()[3]).stdout
    assert league.count() == 24
    assert {match.reason for match, _ in league.stored()} == {"forfeit"}


@pytest.mark.usefixtures("inline")
def test_who_forfeits_many_in_a_row_again_and_again_is_told_once(league: League) -> None:
    uneven = league.bot("uneven", MOODY.format(every=20))
    league.write(HEAD.format(deals=40) + TWO_BOTS + uneven)
    run = league.call("run")
    assert sum(len(match.forfeits) for match, _ in league.stored()) > 8 * FORFEITS_IN_A_ROW
    assert run.stderr.count("uneven has forfeited 10 matches in a row: see") == 1


KILLER = """
import os, signal, kit
def choose(ask):
    os.kill(os.getppid(), signal.SIGKILL)
kit.run(choose)
"""


@pytest.mark.slow
def test_a_deal_that_twice_kills_its_worker_is_named_and_the_others_are_played(
    league: League,
) -> None:
    league.write(HEAD.format(deals=2) + TWO_BOTS + league.bot("killer", KILLER))
    run = league.call("run", "--workers", "1", code=1)
    named = re.findall(r"deal (\d) of (.*) twice killed its worker", run.stderr)
    assert sorted(named) == [
        (number, lineup) for number in "01" for lineup in ("killer, one", "killer, two")
    ]
    assert "Traceback" not in run.stderr
    assert league.count() == 4
    assert league.is_left_clean()


KILLS_AT_START = """
import os, signal
marker = os.path.join(os.path.dirname(os.getcwd()), "killed")
if not os.path.exists(marker):
    open(marker, "w").close()
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()
import kit, guerra_random
kit.run(guerra_random.choose)
"""


@pytest.mark.slow
def test_bots_are_checked_even_if_a_worker_dies_while_it_checks_them(league: League) -> None:
    bots = league.bot("a killer", KILLS_AT_START) + naughty("crash_at_start")
    league.write(HEAD.format(deals=2) + TWO_BOTS + bots)
    run = league.call("run", "--workers", "1")
    assert "crash_at_start is suspended" in run.stderr
    assert not any("crash" in bot.name for match, _ in league.stored() for bot in match.bots)
    assert league.count() == 12
