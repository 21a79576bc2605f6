"""Real bots that use the core between their turns, or lift their freeze; and who pays for it."""

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from referee.bot_process import BotProcess
from referee.evidence import Played
from referee.procfs import cpu_of, family
from referee.sandbox import Launcher
from referee.seat import FunctionSeat
from tests.referee.games_for_tests import Countdown, dealt
from tests.referee.process_watch import cpu, state
from tests.referee.sandbox.sandboxed import SANDBOXED, need
from tests.referee.table import Table, answering, busy, on_one_core, pid_of
from tests.referee.test_processes_clock import ONE, burner, late

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


@pytest.fixture
def pinned(tmp_path: Path) -> Iterator[Table]:
    """A table whose bots share one core with the referee, as a worker's do."""
    with on_one_core(), Launcher("none") as launcher:
        table = Table(launcher, tmp_path)
        yield table
        table.close()


def wait(seconds: float) -> FunctionSeat:
    """Return a seat that takes its time."""

    def choose(_decision: object, _view: object) -> dict[str, int]:
        time.sleep(seconds)
        return ONE

    return FunctionSeat(choose)


def kinds(played: Played, seat: int) -> list[str]:
    """Return the kinds of a seat's faults."""
    return [
        entry.fault.kind for entry in played.replay.entries if entry.seat == seat and entry.fault
    ]


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


@pytest.fixture(params=SANDBOXED)
def sandboxed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    """A table whose bots are pinned and in a sandbox."""
    need(request.param)
    with on_one_core(), Launcher(request.param) as launcher:
        table = Table(launcher, tmp_path, sandbox=request.param)
        yield table
        table.close()


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
    seen = []

    def wait_(_decision: object, _view: object) -> dict[str, int]:
        with lifting(bot):
            for _ in range(20):
                time.sleep(0.05)
                bot.watch()
        seen.append(bot.ended)
        return ONE

    game = dealt(Countdown, 2, rounds=3)
    played = sandboxed.play(game, [bot, FunctionSeat(wait_)], move_time=5.0)
    assert kinds(played, 0) in (["killed"], ["unfrozen", "killed"])
    assert seen[-1] is not None
    assert played.evidence.unfrozen[0] > 100_000


@pytest.mark.quick(1)
@ALONE_OR_NOT
def test_who_burns_in_a_sandbox_is_frozen_and_lifts_nothing(
    sandboxed: Table, words: tuple[str, ...]
) -> None:
    bot = sandboxed.sandboxed(BURNS, *words)
    used = []

    def wait_(_decision: object, _view: object) -> dict[str, int]:
        bot.watch()
        for _ in range(10):
            time.sleep(0.05)
            bot.watch()
        used.append(cpu_of(family(pid_of(bot))))
        time.sleep(0.2)
        used.append(cpu_of(family(pid_of(bot))))
        return ONE

    game = dealt(Countdown, 2, rounds=3)
    played = sandboxed.play(game, [bot, FunctionSeat(wait_)], move_time=5.0)
    assert kinds(played, 0) == []
    assert played.evidence.unfrozen == {}
    assert all(after - before < 0.03 for before, after in zip(used[::2], used[1::2], strict=True))


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
