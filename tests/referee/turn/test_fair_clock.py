"""Real bots against the clock: what is judged, who uses the core of others, and who pays for it."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from referee.door import TurnUsage
from referee.match.evidence import Played
from referee.match.seat import FunctionSeat
from referee.process.procfs import Waits, cpu_of, family
from referee.sandbox import Launcher, own_cores
from referee.turn.answer import BotError
from referee.turn.bot_process import BotProcess
from tests.referee.games_for_tests import Countdown, dealt
from tests.referee.process_watch import cpu, state, until
from tests.referee.sandbox.sandboxed import SANDBOXED, need
from tests.referee.table import Table, answering, busy, on_cores, pid_of

ONE = {"take": 1}


def late(played: Played, seat: int = 0) -> list[str]:
    """Return why a seat was late; it may have no other fault."""
    faults = [entry.fault for entry in played.replay.entries if entry.seat == seat and entry.fault]
    assert {fault.kind for fault in faults} <= {"late"}
    return [fault.reason for fault in faults]


def kinds(played: Played, seat: int) -> list[str]:
    """Return the kinds of a seat's faults."""
    entries = [entry for entry in played.replay.entries if entry.seat == seat]
    return [entry.fault.kind for entry in entries if entry.fault]


def looking(look: Callable[[], object]) -> tuple[FunctionSeat, list[Any]]:
    """Return a seat that looks at something in each of its turns, and what it saw."""
    seen: list[Any] = []

    def choose(_decision: object, _view: object) -> dict[str, int]:
        seen.append(look())
        return ONE

    return FunctionSeat(choose), seen


@contextmanager
def seated(cores: int, sandbox: str, folder: Path) -> Iterator[Table]:
    """Yield a table whose bots share cores with the referee, as a worker's do."""
    if sandbox != "none":
        need(sandbox)
    with on_cores(cores), Launcher(sandbox) as launcher:
        table = Table(launcher, folder, sandbox=sandbox)
        yield table
        table.close()


@pytest.fixture
def pinned(tmp_path: Path) -> Iterator[Table]:
    with seated(1, "none", tmp_path) as table:
        yield table


@pytest.fixture(params=SANDBOXED)
def sandboxed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with seated(1, request.param, tmp_path) as table:
        yield table


@pytest.fixture(params=SANDBOXED)
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with seated(2, request.param, tmp_path) as table:
        yield table


def alone(table: Table, *words: object, rounds: int = 1, **limits: Any) -> Played:
    """Let a naughty bot play by itself."""
    bot = table.start(*words, **limits)
    return table.play(dealt(Countdown, 1, rounds=rounds), [bot], **limits)


# What is judged


def test_a_sleeper_is_in_time_by_its_cpu(table: Table) -> None:
    played = alone(table, "late", 0.4, 1, "sleep", move_time=0.1)
    assert late(played) == []
    # what the referee takes off, as waiting for a core, may be a little of the sleep
    assert played.evidence.cpu[0] < 100_000 < 350_000 <= played.evidence.wall[0]


@pytest.mark.parametrize(
    ("words", "limits", "why"),
    [
        (("sleep",), {"clock": "wall"}, r"no answer after 0\.[2-9]\d+ s; 0\.200 s allowed \(.*\)"),
        ((), {}, r"0\.[2-9]\d+ s of CPU time used; 0\.200 s allowed"),
    ],
    ids=["by the wall", "by its CPU"],
)
def test_who_takes_longer_than_is_allowed_is_late(
    table: Table, words: tuple[str, ...], limits: dict[str, Any], why: str
) -> None:
    (reason,) = late(alone(table, "late", 60, 1, *words, move_time=0.2, **limits))
    assert re.fullmatch(f"take: {why}", reason)


# A late bot


def test_a_late_bot_is_frozen_until_its_next_ask_and_its_late_reply_dropped(table: Table) -> None:
    limits: dict[str, Any] = {"clock": "wall", "move_time": 0.3}
    bot = table.start("late", 0.5, 1, "sleep", **limits)
    other, seen = looking(lambda: until(lambda: state(pid_of(bot)) == "T") and time.sleep(0.3))
    played = table.play(dealt(Countdown, 2, rounds=1), [bot, other], **limits)
    assert len(seen) == len(late(played)) == 1


# Burning off turn


def burner(table: Table) -> BotProcess:
    return table.start("burn_off_turn")


def is_at_rest(process: BotProcess) -> bool:
    """Return whether a process is stopped and uses no CPU time."""
    pid = pid_of(process)
    until(lambda: state(pid) == "T", 3.0)
    time.sleep(0.02)  # one thread is stopped, the others are about to be
    used = cpu(pid)
    time.sleep(0.05)
    return state(pid) == "T" and cpu(pid) - used < 0.002


def test_a_polite_bot_is_not_frozen_between_its_turns(table: Table) -> None:
    bot = table.start("polite")
    other, states = looking(lambda: state(pid_of(bot)))
    played = table.play(dealt(Countdown, 2, rounds=3), [bot, other])
    assert "T" not in states
    assert played.evidence.burners == []


def test_bots_rest_from_their_start_to_their_first_match_and_between_matches(table: Table) -> None:
    """Others play meanwhile, on the same core."""
    bot = burner(table)
    assert is_at_rest(bot)
    table.play(dealt(Countdown, 1), [bot])
    assert is_at_rest(bot)


def test_bots_rest_after_their_forfeit(table: Table) -> None:
    bot = table.start(
        table.python(
            """
            import polite, time
            def forfeit(ask):
                polite.send(b"x" * 66_000)
                while True: pass
            polite.play(forfeit)
            """
        )
    )
    other, rests = looking(lambda: is_at_rest(bot))
    table.play(dealt(Countdown, 3, rounds=1), [bot, other, other])
    assert rests == [True, True]


PREPARES = """
import polite
seconds = {seconds}
for message in polite.messages():
    if message["type"] == "hello":
        polite.send(polite.READY)
    elif message["type"] == "{when}":
        polite.burn(seconds.pop(0) if seconds else 0.0)
    elif message["type"] == "ask":
        polite.send(polite.reply(message))
"""
"""A bot that burns CPU at a message that asks nothing."""


def wait(seconds: float) -> FunctionSeat:
    """Return a seat that takes its time."""
    return looking(lambda: time.sleep(seconds))[0]


# What is used between turns


def prepares(table: Table, when: str, *seconds: float) -> BotProcess:
    return table.start(table.python(PREPARES.format(when=when, seconds=list(seconds))))


def test_what_is_free_may_be_prepared_while_others_decide_first(table: Table) -> None:
    bot = prepares(table, "start", 0.05)
    played = table.play(dealt(Countdown, 2, rounds=1), [wait(0.3), bot])
    assert played.evidence.cpu[1] < 20_000
    assert played.evidence.charged == {}


@pytest.mark.slow
def test_what_is_prepared_beyond_it_is_charged_to_the_first_decision(table: Table) -> None:
    bot = prepares(table, "start", 0.4)
    played = table.play(dealt(Countdown, 2, rounds=2), [wait(0.8), bot])
    first, second = (played.evidence.cpu[number] for number in (1, 3))
    assert 250_000 < first < 400_000
    assert second < 20_000
    assert played.evidence.charged == {1: pytest.approx(first, abs=20_000)}
    assert played.evidence.burners == [1]


@pytest.mark.slow
def test_what_is_used_after_a_match_is_charged_in_the_next(table: Table) -> None:
    """Nobody freezes it at once: it is asked nothing, and others finish first."""
    bot = prepares(table, "end", 0.4)
    table.play(dealt(Countdown, 1, rounds=1), [bot])
    bot.thaw()
    time.sleep(0.6)
    bot.freeze()
    played = table.play(dealt(Countdown, 1, rounds=1), [bot])
    assert played.evidence.cpu[0] > 250_000


@pytest.mark.slow
def test_a_burner_is_frozen_while_another_thinks(pinned: Table) -> None:
    """And not only once that one is late."""
    rival, thinker = burner(pinned), pinned.start("late", 0.5)
    before = cpu(pid_of(rival))
    played = pinned.play(dealt(Countdown, 2, rounds=1), [rival, thinker])
    assert late(played, 0) == late(played, 1) == []
    assert cpu(pid_of(rival)) - before < 0.25
    assert state(pid_of(rival)) == "T"


# Who lifts a freeze


@contextmanager
def lifting(bot: BotProcess) -> Iterator[None]:
    """Lift a bot's freeze from outside, whatever trick that stands for."""
    over = threading.Event()

    def lift() -> None:
        while not over.wait(0.001):
            for pid in family(pid_of(bot)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=lift)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.slow
def test_who_lifts_its_freeze_has_a_fault_and_is_ended_the_second_time(pinned: Table) -> None:
    thinker, cheat = pinned.start("late", 0.3), pinned.start("unfreeze")
    played = pinned.play(dealt(Countdown, 2, rounds=8), [cheat, thinker], move_time=2.0)
    assert kinds(played, 0) == ["unfrozen", "killed"]
    assert cheat.ended is not None
    assert played.replay.places == [2, 1]
    assert kinds(played, 1) == []
    assert played.evidence.unfrozen[0] > 200_000
    first, last = (entry.fault for entry in played.replay.entries if entry.fault)
    assert re.search(r"it ran while it was frozen between its turns: 0\.\d+ s of CPU", first.reason)
    assert last.reason.endswith("and was ended for it, as it was not the first time")


@pytest.mark.slow
def test_who_lifts_its_freeze_between_its_matches_is_found_by_those_who_play(
    pinned: Table,
) -> None:
    cheat, thinker = burner(pinned), pinned.start("late", 1.5)
    pinned.play(dealt(Countdown, 1, rounds=1), [cheat])
    with lifting(cheat):
        pinned.play(dealt(Countdown, 1, rounds=1), [thinker], move_time=5.0)
    assert cheat.ended is not None
    played = pinned.play(dealt(Countdown, 2, rounds=1), [cheat, FunctionSeat(lambda *_: ONE)])
    assert kinds(played, 0) == ["killed"]
    assert played.replay.places == [2, 1]


# Who has to wait for a core


@pytest.mark.slow
@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_a_busy_machine_makes_nobody_late(pinned: Table, clock: str) -> None:
    """Half of what is allowed, with a ninth of the core: more than any cap would leave."""
    bot = pinned.start("late", 0.2, clock=clock)
    with busy(8):
        limits: dict[str, Any] = {"move_time": 0.25 if clock == "cpu" else 0.4, "clock": clock}
        played = pinned.play(dealt(Countdown, 1, rounds=3), [bot], **limits)
    assert late(played) == []
    assert min(played.evidence.wall) > 1_000_000
    assert all(played.evidence.waited[number] > 500_000 for number in range(3))


@pytest.mark.slow
def test_a_sleeper_pays_on_a_busy_machine_too(pinned: Table) -> None:
    bot = pinned.start("late", 60, 1, "sleep")
    with busy(4):
        began = time.monotonic()
        played = pinned.play(dealt(Countdown, 1, rounds=1), [bot], move_time=0.1)
    assert len(late(played)) == 1
    assert time.monotonic() - began < 3.0


@pytest.mark.slow
def test_nobody_gains_time_by_waiting_for_threads_of_its_own(pinned: Table) -> None:
    """Each of them waits most of the time, as the others run."""
    bot = pinned.start(
        pinned.python(
            """
            import polite, threading
            def spin(ask):
                threads = [threading.Thread(target=polite.burn, args=(60,)) for _ in range(8)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
            polite.play(spin)
            """
        ),
        clock="wall",
    )
    limits: dict[str, Any] = {"move_time": 0.5, "clock": "wall"}
    played = pinned.play(dealt(Countdown, 1, rounds=1), [bot], **limits)
    assert len(late(played)) == 1
    assert played.evidence.wall[0] < 800_000


# In a sandbox


BURNS = answering(
    "pass",
    begin="""
    if len(sys.argv) > 1 and os.fork() == 0:
        while True: pass
    threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()
    """,
)
ALONE_OR_NOT = pytest.mark.parametrize(
    ("sandboxed", "words"),
    [
        ("landlock", ()),
        pytest.param("bwrap", (), marks=pytest.mark.slow),  # the child has what it has, too
        ("bwrap", ("child",)),
    ],
    indirect=["sandboxed"],
)


@pytest.mark.slow
@ALONE_OR_NOT
def test_whatever_lifts_a_freeze_is_seen(sandboxed: Table, words: tuple[str, ...]) -> None:
    bot = sandboxed.sandboxed(BURNS, *words)

    def lift() -> object:
        with lifting(bot):
            for _ in range(80):
                time.sleep(0.05)
                bot.watch()
                if bot.ended is not None:
                    break
        return bot.ended

    other, seen = looking(lift)
    played = sandboxed.play(dealt(Countdown, 2, rounds=3), [bot, other], move_time=5.0)
    assert kinds(played, 0) in (["killed"], ["unfrozen", "killed"])
    assert seen[-1] is not None
    assert played.evidence.unfrozen[0] > 100_000


@pytest.mark.quick(1)
@ALONE_OR_NOT
def test_who_burns_in_a_sandbox_is_frozen_and_lifts_nothing(
    sandboxed: Table, words: tuple[str, ...]
) -> None:
    bot = sandboxed.sandboxed(BURNS, *words)

    def used_when_frozen() -> float:
        """Return what it uses in a fifth of a second, once it has burned what it may."""
        for _ in range(15):
            bot.watch()
            before = cpu_of(family(pid_of(bot)))
            time.sleep(0.2)
            used = cpu_of(family(pid_of(bot))) - before
            if used < 0.03:
                break
        return used

    other, used = looking(used_when_frozen)
    played = sandboxed.play(dealt(Countdown, 2, rounds=3), [bot, other], move_time=5.0)
    assert kinds(played, 0) == []
    assert played.evidence.unfrozen == {}
    assert max(used) < 0.03


@pytest.mark.parametrize(
    ("sandboxed", "end"),
    [("landlock", "output"), ("bwrap", "output"), ("bwrap", "input")],
    indirect=["sandboxed"],
)
def test_a_closed_end_is_a_crash(sandboxed: Table, end: str) -> None:
    """In landlock, that its input is closed shows when it is written to."""
    began = time.monotonic()
    closes = "os.close({'input': 0, 'output': 1}[sys.argv[1]]); time.sleep(600)"
    bot = sandboxed.sandboxed(answering(closes), end)
    played = sandboxed.play(dealt(Countdown, 1, rounds=2), [bot], move_time=5.0)
    (fault,) = (entry.fault for entry in played.replay.entries if entry.fault)
    assert (fault.kind, fault.reason) == ("crash", f"take: it closed its standard {end}")
    assert time.monotonic() - began < 4.0


@pytest.mark.slow
@pytest.mark.parametrize("sandboxed", ["bwrap"], indirect=True)
def test_children_that_burn_buy_no_time(sandboxed: Table) -> None:
    """They keep their parent waiting, and are gone before they are counted."""
    think = """
    while True:
        for child in (True, True, True, True, False):
            if not child or os.fork() == 0:
                until = time.process_time() + 0.003
                while time.process_time() < until: pass
                if child: os._exit(0)
    """
    begin = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    bot = sandboxed.sandboxed(answering(think, begin=begin))
    began, ran = time.monotonic(), time.process_time()
    while (lasted := time.monotonic() - began) < 0.5:
        pass
    others = 1 - (time.process_time() - ran) / lasted  # what they have of this core just now
    played = sandboxed.play(dealt(Countdown, 1, rounds=1), [bot], move_time=0.5)
    assert len(late(played)) == 1
    wall, waited = played.evidence.wall[0], played.evidence.waited.get(0, 0)
    assert waited < (others + 0.2) * wall


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
    think, told = f"together({count}, {seconds})", "str(hello.get('threads'))"
    program = table.python(answering(think, told, begin=HASHING))
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
    assert played.replay.entries[0].note in (None, str(limits.get("threads")))
    assert played.evidence.cpu[0] >= 180_000 or not in_time[0]


def test_half_as_much_again_is_paid_by_the_bank_and_the_bot_is_told(table: Table) -> None:
    program = table.python(answering("burn(0.075)", "json.dumps(message['clock'])", begin=HASHING))
    limits: dict[str, Any] = {"move_time": 0.05, "bank": 0.5}
    played = table.play(dealt(Countdown, 1, rounds=4), [table.start(program)], **limits)
    assert late(played) == []
    told = [json.loads(entry.note or "") for entry in played.replay.entries]
    assert [clock["move_time"] for clock in told] == [0.05] * 4
    assert told[0]["bank"] == 0.5
    for before, after in pairwise(told):
        assert 0.024 <= before["bank"] - after["bank"] < 0.1


@pytest.mark.slow
def test_a_start_is_judged_like_a_decision(table: Table) -> None:
    program = table.python(answering("pass", begin=HASHING + "together(2, 0.1)"))
    with pytest.raises(BotError, match=r"0\.[1-9]\d+ s of CPU time used; 0\.130 s allowed"):
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
    def once() -> Played:
        rests = []

        def look(_decision: object, view: dict[str, Any]) -> dict[str, int]:
            if len(view["taken"][0]) == 1:
                before = cpu(pid_of(cheat))
                until(lambda: cpu(pid_of(cheat)) - before > 0.3, 20)
                cheat.watch()
            rests.append(is_at_rest(cheat))
            return ONE

        cheat = table.start(table.python(BETWEEN), threads=threads)
        played = table.play(dealt(Countdown, 2, rounds=3), [cheat, FunctionSeat(look)])
        assert rests == [True] * 3
        return played

    # where others want the cores, its threads run on while the one that stops them all waits
    played = next(played for played in (once() for _ in range(4)) if not played.evidence.unfrozen)
    assert late(played) == []
    assert played.evidence.burners == [0]
    charged = sum(played.evidence.charged.values())
    assert charged > 150_000
    assert sum(played.evidence.cpu) >= charged
    cheat = table.start(table.python(BETWEEN), threads=threads)
    later = (table.play(dealt(Countdown, 1, rounds=1), [cheat]).evidence for _ in range(5))
    assert any(evidence.burners == [] for evidence in later)  # it hardly has time to burn there


# Who has to wait for a core


@two_cores
@pytest.mark.slow
@pytest.mark.parametrize("two", ["landlock", "bwrap"], indirect=True)  # whose clocks differ
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_busy_machine_makes_no_bot_of_several_threads_late(two: Table, count: int) -> None:
    """With a fifth or a ninth of each core, each decision takes more than it is allowed."""
    by_wall = two.sandbox == "bwrap"
    limits: dict[str, Any] = {"move_time": 2.0 if by_wall else 0.3, "threads": 2}
    total = 0.6 if by_wall and count == 1 else 0.25 * min(count, 2)
    bot_ = two.sandboxed(answering(f"together({count}, {total / count})", begin=HASHING), **limits)
    with busy(8 if by_wall else 16):
        played = two.play(dealt(Countdown, 1, rounds=2), [bot_], **limits)
    assert late(played) == []
    assert min(played.evidence.wall) > 500_000


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


class HeldUp:
    """A bot at its door, where it is held up all the time."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process

    @property
    def held(self) -> float:
        return time.monotonic() - self._process.turn_clock.began

    def begin_turn(self) -> None:
        pass

    def answer_came(self) -> None:
        pass

    def end_turn(self) -> TurnUsage:
        return TurnUsage()


@pytest.mark.parametrize(("clock", "is_late"), [("monotonic", False), ("process_time", True)])
def test_who_thinks_while_its_requests_are_held_up_pays_for_it(
    sandboxed: Table, clock: str, is_late: bool
) -> None:
    think = f"""\
        import time
        until = time.{clock}() + 0.7
        while time.{clock}() < until:
            if "{clock}" == "monotonic":
                time.sleep(0.01)
    """
    process = sandboxed.sandboxed(answering(think))
    process.visit = HeldUp(process)  # type: ignore[assignment]
    game = dealt(Countdown, 2, rounds=1)
    other = FunctionSeat(lambda _decision, _view: ONE)
    played = sandboxed.play(game, [process, other], clock="wall", move_time=0.3)
    assert bool(late(played)) == is_late
