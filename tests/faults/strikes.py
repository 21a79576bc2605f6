"""What is done to a run at some instant, to processes found by what they are."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random

from tests.arena.conftest import League
from tests.faults.leagues import FaultyLeague
from tests.faults.tally import Tally
from tests.referee.process_watch import fields

Process = subprocess.Popen[str]
Strike = Callable[[FaultyLeague, Process, Random, Tally], bool]
"""Do it, and count it if it was possible; return whether the run is over by that."""

_WRITING = 0.6  # seconds to wait for the next write of results
APART = 0.6  # seconds between two signals that are two


def _named(league: League, word: str) -> list[int]:
    """Return the processes with a word on their command line, but for their own children.

    A fork server's child has its command line until it becomes a bot.
    """
    found = {pid for pid, words in league.processes().items() if word in words}
    return [pid for pid in sorted(found) if _parent(pid) not in found]


def _parent(pid: int) -> int:
    found = fields(pid)
    return int(found[1]) if found else 0


def _kill(pid: int, kind: str, tally: Tally) -> bool:
    """Kill a process and count it; return whether it still lived."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    tally.kills[kind] += 1
    return True


def _one_of(word: str, kind: str) -> Strike:
    def strike(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
        found = _named(league, word)
        if found:
            _kill(rng.choice(found), kind, tally)
        return False

    return strike


def kill_runner(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
    """Kill the runner, wherever it is."""
    return _kill(process.pid, "runner", tally)


def kill_writing_runner(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
    """Kill the runner as soon as it writes, or a moment later."""
    league.await_writing(_WRITING)
    moment = time.monotonic() + rng.uniform(0, 0.003)
    while time.monotonic() < moment:
        pass
    return _kill(process.pid, "runner", tally)


def kill_group(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
    """Kill the runner and its workers in one blow, as if its terminal's job were killed."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
        tally.kills["runner and workers in one blow"] += 1
    return True


def kill_everything(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
    """Kill every process of the run, bots and fork servers too, as a power cut does.

    All are stopped first, the runner before all others: nobody lives to see another's death, and
    takes that for a bot's fault.
    """
    for number in (signal.SIGSTOP, signal.SIGKILL):
        done: set[int] = set()
        found = [process.pid]
        while found:  # some have just been started by one that was not yet hit
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            done.update(found)
            found = [pid for pid in league.processes() if pid not in done]
            rng.shuffle(found)
    tally.kills["every process"] += 1
    return True


def pause(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
    """Stop a worker, the runner, or both with all they started; let them go on after a while."""
    every = [*league.processes()]
    workers = _named(league, "spawn_main")
    which = rng.choice([[process.pid], workers[:1], every])
    for number, seconds in ((signal.SIGSTOP, rng.uniform(0.05, 0.5)), (signal.SIGCONT, 0)):
        for pid in which:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(seconds)
    tally.others["stopped and continued"] += 1
    return False


def _signal(number: signal.Signals, times: int, kind: str) -> Strike:
    def strike(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
        for nth in range(times):
            time.sleep(APART if nth else 0)
            with suppress(ProcessLookupError):  # from a terminal: to all of the foreground
                os.killpg(process.pid, number)
        tally.others[kind] += 1
        return True

    return strike


def kill_bot(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
    """Kill a bot; in bwrap, it or one of the two processes around it."""
    found = [pid for pid, words in league.processes().items() if league.token in words]
    if found:
        _kill(rng.choice(found), "bot", tally)
    return False


def stop_service(league: FaultyLeague, process: Process, rng: Random, tally: Tally) -> bool:
    """Send SIGTERM to every process of the run in any order, as a stopped service gets it."""
    found = sorted({process.pid, *league.processes()})
    rng.shuffle(found)
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    tally.others["SIGTERM to every process"] += 1
    return True


KILLS: tuple[Strike, ...] = (
    *(kill_runner, kill_writing_runner, kill_group, kill_everything),
    *[_one_of("spawn_main", "worker")] * 4,
    *[_one_of("fork_server.py", "fork server")] * 4,
)
"""Deaths that change no result, those that do not end the run more often."""

SIGNALS: tuple[Strike, ...] = (
    pause,
    stop_service,
    _signal(signal.SIGINT, 1, "SIGINT"),
    _signal(signal.SIGINT, 2, "SIGINT twice"),
    _signal(signal.SIGTERM, 1, "SIGTERM"),
    _signal(signal.SIGTERM, 2, "SIGTERM twice"),
)
