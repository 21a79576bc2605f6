"""What one decision costs: the referee's own CPU time and the time on the wall, against floors.

    python -m tests.benchmarks.decision            # half a minute

A game of trivial moves, asks of about 300 bytes, and a bot in C that answers at once, all on one
core. The floors are measured in the same rounds: a parent in C, and a loop in Python that does
nothing but poll, read and write. Read the ratios: the times belong to the machine.
"""

import argparse
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar, NamedTuple

import msgspec
from tabulate import tabulate

from protocol.lines import encode
from protocol.messages import Ask, Reply, TimeLeft
from referee.bot_process import BotProcess, end_processes, start_bot
from referee.chance import Chance
from referee.clock import cpu_clock
from referee.game import Decision, Game, Move, Observation, Options
from referee.limits import Limits
from referee.match import Match, starts
from referee.sandbox import Launcher, Program
from referee.seat import FunctionSeat, ProcessSeat, Seat

BOT = r"""
#include <stdio.h>
#include <string.h>
#include <unistd.h>
/* Says ready to hello, and takes one at every ask; a line is read whole, as it was written. */
int main(void) {
    static char in[1 << 16], out[64];
    for (;;) {
        long got = read(0, in, sizeof in - 1);
        if (got <= 0) return 0;
        in[got] = 0;
        char *line = in;
        for (char *end; (end = strchr(line, '\n')); line = end + 1) {
            char *id = strstr(line, "\"id\":");
            if (!strncmp(line, "{\"type\":\"hello\"", 15)) {
                if (write(1, "{\"type\":\"ready\"}\n", 17) < 0) return 1;
            } else if (!strncmp(line, "{\"type\":\"ask\"", 13)) {
                long n = 0;
                for (char *c = id + 5; *c >= '0' && *c <= '9'; c++) n = 10 * n + *c - '0';
                int size = sprintf(out, "{\"id\":%ld,\"move\":{\"take\":1}}\n", n);
                if (write(1, out, size) < 0) return 1;
            }
        }
    }
}
"""
PARENT = r"""
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
/* parent BOT LINE COUNT: sends a line so many times; prints seconds on the wall and of CPU. */
int main(int argc, char **argv) {
    int to[2], from[2];
    static char line[1 << 16], in[1 << 16];
    if (argc < 4 || pipe(to) || pipe(from)) return 1;
    if (!fork()) {
        dup2(to[0], 0), dup2(from[1], 1), close(to[1]), close(from[0]);
        execl(argv[1], argv[1], (char *)0);
        return 1;
    }
    int size = sprintf(line, "%s\n", argv[2]);
    struct pollfd fd = {from[0], POLLIN, 0};
    double wall = 0, cpu = 0;
    for (int i = -1000; i < atoi(argv[3]); i++) {
        if (!i) wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        if (write(to[1], line, size) < 0 || poll(&fd, 1, -1) < 0) return 1;
        if (read(from[0], in, sizeof in) <= 0) return 1;
    }
    printf("%.9f %.9f\n", now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}
"""
ROUNDS = 7
DECISIONS = 20_000
LIMITS = Limits(sandbox="none")


class NoOptions(Options, frozen=True, kw_only=True):
    """There are none."""


class Taking(Game):
    """Seats take one in turn, whatever they could want else."""

    name = "taking"
    title = "Take one."
    seat_counts = range(2, 3)
    options_type = NoOptions
    decisions: ClassVar[Mapping[str, Mapping[str, Any]]] = {"take": {"type": "object"}}
    typical_decisions = DECISIONS
    filler = "x" * 150

    def __init__(self, rounds: int = DECISIONS) -> None:
        super().__init__(seats=2, options=NoOptions(), chance=Chance("1"))
        self.left = rounds

    def deciders(self) -> Sequence[int]:
        return (self.left & 1,) if self.left else ()

    def decision(self, seat: int) -> Decision:
        return Decision("take", legal=[{"take": 1}])

    def view(self, seat: int) -> Observation:
        return {"game": "taking", "seat": seat, "decision": "take", "filler": self.filler}

    def check(self, seat: int, move: Move) -> str | None:
        return None if move == {"take": 1} else '"take" is 1'

    def apply(self, moves: Mapping[int, Move]) -> None:
        self.left -= 1

    def default(self, seat: int) -> Move:
        return {"take": 1}

    def sample(self, seat: int, rng: Random) -> Move:
        return {"take": 1}

    def places(self) -> list[int]:
        return [1, 1]

    def text(self, seat: int | None = None) -> str:
        return ""


def an_ask(number: int = 1) -> Ask:
    """Return an ask as the referee sends it."""
    game = Taking()
    decision = game.decision(0)
    return Ask(
        id=number,
        decision=decision.name,
        view=game.view(0),
        legal=decision.legal,
        clock=TimeLeft(1.0, 0.0),
    )


class Cost(NamedTuple):
    """Microseconds for each decision."""

    cpu: float
    wall: float


def timed(run: Callable[[], object], decisions: int = DECISIONS) -> Cost:
    """Return what each of the decisions took that `run` makes."""
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Cost(cpu / decisions * 1e6, wall / decisions * 1e6)


def c_parent(parent: Path, bot: Path) -> Cost:
    """Return what a parent in C takes."""
    line = encode(an_ask()).decode().rstrip()
    words = [parent, bot, line, str(DECISIONS)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    wall, cpu = map(float, said)
    return Cost(cpu / DECISIONS * 1e6, wall / DECISIONS * 1e6)


def bare_loop(bot: "subprocess.Popen[bytes]") -> None:
    """Poll, read and write in Python, and nothing else."""
    assert bot.stdin and bot.stdout
    to, fro = bot.stdin.fileno(), bot.stdout.fileno()
    line = encode(an_ask())
    poll = select.poll()
    poll.register(fro, select.POLLIN)
    wait, read, write = poll.poll, os.read, os.write
    for _ in range(DECISIONS):
        write(to, line)
        wait(1000)
        read(fro, 65536)


def typed_loop(bot: "subprocess.Popen[bytes]") -> None:
    """The same with what any referee must do: encode, read two CPU clocks, decode the reply."""
    assert bot.stdin and bot.stdout
    to, fro = bot.stdin.fileno(), bot.stdout.fileno()
    clock = cpu_clock(bot.pid)
    encoder, decoder = msgspec.json.Encoder(), msgspec.json.Decoder(Reply)
    poll = select.poll()
    poll.register(fro, select.POLLIN)
    for number in range(DECISIONS):
        line = encoder.encode(an_ask(number)) + b"\n"
        time.clock_gettime(clock)
        os.write(to, line)
        poll.poll(1000)
        data = os.read(fro, 65536)
        time.clock_gettime(clock)
        decoder.decode(data)


def a_match(seats: Sequence[Seat]) -> None:
    """Play one match of as many decisions."""
    game = Taking()
    Match(game, seats, 2).play(starts(game, "x", LIMITS.time_control, [1, 2]))


def answered(*_: object) -> Move:
    """Return the only move."""
    return {"take": 1}


def compiled(folder: Path, name: str, source: str) -> Path:
    """Return a program in C."""
    file, program = folder / f"{name}.c", folder / name
    file.write_text(source)
    subprocess.run(["cc", "-O2", "-o", program, file], check=True)
    return program


def measured(folder: Path, sandbox: str) -> dict[str, Cost]:
    """Return the median cost of each way, the rounds taking turns."""
    parent, bot = compiled(folder, "parent", PARENT), compiled(folder, "bot", BOT)
    limits = Limits(sandbox=sandbox)  # type: ignore[arg-type]
    found: dict[str, list[Cost]] = {}
    with (
        Launcher(sandbox) as launcher,
        subprocess.Popen([bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as plain,
    ):
        program = Program((str(bot),), str(folder), (bot.name,))
        processes: list[BotProcess] = [
            start_bot(launcher, program, limits, name) for name in ("one", "other")
        ]
        ways: dict[str, Callable[[], Cost]] = {
            "C parent": lambda: c_parent(parent, bot),
            "poll, read, write": lambda: timed(lambda: bare_loop(plain)),
            "the same, typed, with clocks": lambda: timed(lambda: typed_loop(plain)),
            "rules and bookkeeping alone": lambda: timed(
                lambda: a_match([FunctionSeat(answered) for _ in range(2)])
            ),
            "referee": lambda: timed(
                lambda: a_match([ProcessSeat(each, ()) for each in processes])
            ),
        }
        for _ in range(ROUNDS):
            for name, way in ways.items():
                found.setdefault(name, []).append(way())
        end_processes(processes)
        assert plain.stdin
        plain.stdin.close()
    return {
        name: Cost(*map(statistics.median, zip(*costs, strict=True)))
        for name, costs in found.items()
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.decision")
    parser.add_argument("--sandbox", default="none")
    arguments = parser.parse_args()
    if not shutil.which("cc"):
        sys.exit("a C compiler is needed: cc")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder), arguments.sandbox)
    floor, wall = found["poll, read, write"].cpu, found["C parent"].wall
    rows = [
        (name, cost.cpu, cost.cpu / floor, cost.wall, wall / cost.wall)
        for name, cost in found.items()
    ]
    size = len(encode(an_ask()))
    print(f"{DECISIONS:,} decisions, asks of {size} bytes, one core, sandbox {arguments.sandbox}")
    headers = ("", "own CPU us", "x bare", "wall us", "of C's pace")
    print(tabulate(rows, headers=headers, floatfmt=("", ".2f", ".2f", ".2f", ".2f")))


if __name__ == "__main__":
    main()
