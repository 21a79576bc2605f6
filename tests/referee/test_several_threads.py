"""Real bots of several threads: what they may use and pay, and who has to wait for a core."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.bot_process import BotProcess
from referee.evidence import Played
from referee.procfs import Waits
from referee.sandbox import Launcher, TooFewCoresError, check_cores, own_cores
from referee.sandbox.kinds import THREAD_COUNTS
from referee.seat import FunctionSeat
from referee.starting import StartupError
from tests.referee.games_for_tests import Countdown, dealt
from tests.referee.process_watch import cpu, until
from tests.referee.sandbox.sandboxed import SANDBOXED, need
from tests.referee.table import Table, answering, busy, on_cores, pid_of
from tests.referee.test_processes_clock import ONE, is_at_rest, late

two_cores = pytest.mark.skipif(len(own_cores()) < 2, reason="THIS MACHINE HAS ONE CORE ONLY")

HASHING = """
import hashlib, os, threading, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        hashlib.pbkdf2_hmac("sha256", b"p", b"s", 10_000)

def together(count, seconds):
    threads = [threading.Thread(target=burn, args=(seconds,)) for _ in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
"""Threads of Python that run at the same time: to hash, they let go of the interpreter."""


def hashing(table: Table, count: int, seconds: float, rounds: int = 1, **limits: Any) -> Played:
    """Let a bot play by itself of which so many threads use so much CPU time at each decision."""
    program = table.python(answering(f"together({count}, {seconds})", begin=HASHING))
    return table.play(
        dealt(Countdown, 1, rounds=rounds), [table.start(program, **limits)], **limits
    )


# What may be used


@pytest.mark.parametrize(
    ("count", "seconds", "limits", "in_time"),
    [
        (2, 0.1, {"threads": 2}, [True]),
        (2, 0.1, {}, [False]),
        (6, 0.06, {"threads": 2}, [False]),
        (2, 0.1, {"threads": 2, "move_time": 0.06, "bank": 0.07}, [True, False]),
    ],
    ids=["the time of each", "one thread", "more threads than it has", "the bank of all"],
)
def test_several_threads_together_may_use_the_time_and_the_bank_of_each(
    table: Table, count: int, seconds: float, limits: dict[str, Any], in_time: list[bool]
) -> None:
    limits = {"move_time": 0.13, **limits}
    played = hashing(table, count, seconds, rounds=len(in_time), **limits)
    assert [not entry.fault for entry in played.replay.entries] == in_time
    assert played.evidence.cpu[0] >= 180_000 or not in_time[0]


def test_beyond_the_time_of_each_they_are_late(table: Table) -> None:
    (reason,) = late(hashing(table, 2, 5.0, move_time=0.1, threads=2))
    words = r"0\.[2-9]\d+ s of CPU time used; 0\.200 s allowed, 0\.100 s for each of 2 threads"
    assert re.match(f"take: {words}", reason), reason


@pytest.mark.slow
def test_a_start_is_judged_like_a_decision(table: Table) -> None:
    program = table.python(answering("pass", begin=HASHING + "together(2, 0.1)"))
    with pytest.raises(StartupError, match=r"0\.[1-9]\d+ s of CPU time used; 0\.130 s allowed"):
        table.start(program, startup=0.13)
    table.start(program, startup=0.18, threads=2)


# What is used between turns

BETWEEN = (
    answering(
        "OFF.clear()",
        begin=HASHING
        + """
OFF = threading.Event()

def forever():
    while True:
        OFF.wait()
        burn(0.001)

for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
""",
    )
    + "        OFF.set()\n"
)
"""A bot of three threads that burn while it is not asked."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("threads", [2, 1])
def test_all_threads_of_a_burner_are_frozen_and_charged(table: Table, threads: int) -> None:
    cheat = table.start(table.python(BETWEEN), threads=threads)
    rests = []

    def look(_decision: object, view: dict[str, Any]) -> dict[str, int]:
        if len(view["taken"][0]) == 1:
            before = cpu(pid_of(cheat))
            until(lambda: cpu(pid_of(cheat)) - before > 0.3, 20)
            cheat.watch()
        rests.append(is_at_rest(cheat))
        return ONE

    played = table.play(dealt(Countdown, 2, rounds=3), [cheat, FunctionSeat(look)])
    assert rests == [True] * 3
    assert late(played) == []
    assert played.evidence.burners == [0]
    charged = sum(played.evidence.charged.values())
    assert charged > 150_000
    assert sum(played.evidence.cpu) >= charged


# Who has to wait for a core


@pytest.fixture(params=["none", *SANDBOXED])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """A table whose bots share two cores with the referee, as those of a league may."""
    if request.param != "none":
        need(request.param)
    with on_cores(2), Launcher(request.param) as launcher:
        table = Table(launcher, tmp_path, sandbox=request.param)
        yield table
        table.close()


def started(table: Table, text: str, **limits: Any) -> BotProcess:
    """Start a bot in the table's sandbox."""
    if table.sandbox == "none":
        return table.start(table.python(text), **limits)
    return table.sandboxed(text, **limits)


@two_cores
@pytest.mark.slow
@pytest.mark.parametrize("two", ["landlock", "bwrap"], indirect=True)  # whose clocks differ
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_busy_machine_makes_no_bot_of_several_threads_late(two: Table, count: int) -> None:
    """With a fifth or a ninth of each core, each decision takes more than it is allowed."""
    by_wall = two.sandbox == "bwrap"
    limits: dict[str, Any] = {"move_time": 2.0 if by_wall else 0.3, "threads": 2}
    total = 0.6 if by_wall and count == 1 else 0.25 * min(count, 2)
    bot_ = started(two, answering(f"together({count}, {total / count})", begin=HASHING), **limits)
    with busy(8 if by_wall else 16):
        played = two.play(dealt(Countdown, 1, rounds=2), [bot_], **limits)
    assert late(played) == []
    assert min(played.evidence.wall) > 500_000


# What it is told


@pytest.mark.quick(1)
@pytest.mark.parametrize("threads", [3, 1])
@pytest.mark.parametrize("two", SANDBOXED, indirect=True)
def test_a_bot_is_told_and_its_libraries_too(two: Table, threads: int) -> None:
    note = f"json.dumps([hello.get('threads'), *[os.environ[n] for n in {THREAD_COUNTS!r}]])"
    bot_ = started(two, answering("pass", note), threads=threads)
    played = two.play(dealt(Countdown, 1, rounds=1), [bot_])
    said = [str(threads)] * len(THREAD_COUNTS)
    first = threads if threads > 1 else None
    assert played.replay.entries[0].note == f"{[first, *said]}".replace("'", '"').replace(
        "None", "null"
    )


def test_more_threads_than_cores_are_refused_with_how_many_there_are() -> None:
    with on_cores(1):
        check_cores(1)
        with pytest.raises(TooFewCoresError) as refused:
            check_cores(2)
    assert str(refused.value) == (
        "the limit threads = 2 asks for 2 cores for each match, and only 1 can be used here. "
        "Lower it, or play on a machine that has more."
    )


@two_cores
@pytest.mark.slow
def test_of_two_cores_what_own_threads_use_is_taken_off_by_half() -> None:
    """They run on both: a thread that waits for them has waited half as long as they ran."""
    program = HASHING + "os.write(1, b'.')\ntogether(3, 600)"
    with on_cores(2), busy(4):
        command = [sys.executable, "-S", "-c", program]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.read(1)
            one, two = Waits(process.pid, 1), Waits(process.pid, 2)
            used = cpu(process.pid)
            time.sleep(1.5)
            lone, shared = one.seconds(), two.seconds()
            own = cpu(process.pid) - used
            process.kill()
    assert shared > 0.1
    assert shared - lone > 0.2 * own
