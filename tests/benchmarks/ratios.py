"""Whether a decision still costs what it may: a check for CI, in less than a minute if all is well.

    python -m tests.benchmarks.ratios

It plays the game of `tests.benchmarks.decision` and its floors in turn, and keeps the least that a
hundred decisions took: so few are often left alone even where much else runs. The beginning and
the end of a match are not in it. A try is a process of its own, as how memory happens to lie moves
all its rounds by some percent. The check passes with the first try that does, and fails when none
of them has.

What is limited is the time of a decision as a multiple of the typed loop's. That multiple belongs
to the machine too, as Python costs all machines much the same and system calls do not: where bare
pipes take less of the typed loop, Python takes more of it. So the limit follows the share that is
measured: 1.45 where that is 0.78, and 1.78 where it is 0.58, as where system calls take only
half the time. It holds for Python built with profile-guided optimisation, as Debian builds it, and
without: both come to the same within 0.03.

A league of Python bots has no check: nearly half of its time is the bots' own.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from referee.match.seat import ProcessSeat, Seat
from referee.rules.game import Move
from referee.sandbox import Launcher, Program
from referee.turn.starting import end_processes, start_bot
from tests.benchmarks.c_programs import BOT, compiled
from tests.benchmarks.decision import (
    LIMITS,
    Pipes,
    Taking,
    a_match,
    bare_loop,
    plain_bots,
    timed,
    typed_loop,
)

LIMIT = 1.45
"""Times the typed loop, where bare pipes take BARE_SHARE of that."""
BARE_SHARE = 0.78
LIMIT_FOR_SHARE = 1.65
"""By how much the limit grows where they take that much less, for each 1 of the share."""
TRIES = 6
ROUNDS = 100
DECISIONS = 1000
SLICE = 100
"""Decisions that are timed at once."""


class Timed(Taking):
    """The game, which notes the CPU time whenever so many decisions have been taken."""

    def __init__(self) -> None:
        super().__init__(DECISIONS)
        self.moments: list[float] = []

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Count, and look at the clock now and then."""
        super().apply(moves)
        if not self.left % SLICE:
            self.moments.append(time.process_time())


def of_match(seats: Sequence[Seat]) -> float:
    """Return the least CPU microseconds of a decision in a match."""
    game = Timed()
    a_match(seats, game)
    slices = (later - earlier for earlier, later in pairwise(game.moments))
    return min(slices) / SLICE * 1e6


def of_loop(loop: Callable[[Sequence[Pipes], int], None], bots: Sequence[Pipes]) -> float:
    """Return the least CPU microseconds of a decision in a loop."""
    return min(timed(lambda: loop(bots, SLICE), SLICE).cpu for _ in range(DECISIONS // SLICE))


def measured() -> tuple[float, float, float]:
    """Return the CPU microseconds of a decision in the bare loop, the typed one, and a match."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        bot = compiled(Path(folder), "bot", BOT)
        program = Program((str(bot),), folder, (bot.name,))
        with Launcher(LIMITS.sandbox) as launcher, plain_bots([[bot]] * 2) as bots:
            processes = [start_bot(launcher, program, LIMITS, name) for name in ("one", "other")]
            for _ in range(ROUNDS):
                seats = [ProcessSeat(each) for each in processes]
                floors = of_loop(bare_loop, bots), of_loop(typed_loop, bots)
                found.append((*floors, of_match(seats)))
            end_processes(processes)
    bare, typed, ours = map(min, zip(*found, strict=True))
    return bare, typed, ours


def limit(bare: float, typed: float) -> float:
    """Return what a decision may take, as a multiple of the typed loop."""
    return LIMIT + LIMIT_FOR_SHARE * (BARE_SHARE - bare / typed)


def is_within() -> bool:
    """Measure and print; return whether a decision is within the limit."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    bare, typed, ours = measured()
    print(
        f"A decision takes {ours / typed:.3f} times the typed loop; limit "
        f"{limit(bare, typed):.3f}, as bare pipes take {bare / typed:.2f} of that "
        f"(us: {bare:.2f}, {typed:.2f}, {ours:.2f}).",
        flush=True,
    )
    return ours / typed <= limit(bare, typed)


def main() -> int:
    """Try until one is within the limit; return 1 if none is."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.ratios")
    parser.add_argument("--once", action="store_true", help="one try, in this process")
    if not shutil.which("cc"):
        sys.exit("a C compiler is needed: cc")
    if parser.parse_args().once:
        return not is_within()
    again = [sys.executable, "-m", "tests.benchmarks.ratios", "--once"]
    if any(subprocess.run(again, check=False).returncode == 0 for _ in range(TRIES)):
        return 0
    print(
        f"In none of {TRIES} tries was a decision within the limit: find out what was added to its "
        "way (`python -m tests.benchmarks.decision`), and take it off that."
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
