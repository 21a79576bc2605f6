"""What one decision costs: the referee's own CPU time and the time on the wall, against floors.

    python -m tests.benchmarks.decision            # half a minute

A game of trivial moves, asks of about 300 bytes, and two bots in C that answer at once, asked in
turn, all on one core. The floors are measured in the same rounds and ask the same bots: a parent
in C, and a loop in Python that does nothing but write, poll and read. Read the ratios: the times
belong to the machine. Of the rounds the least is taken, as whatever disturbs them only adds.
"""

import argparse
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from subprocess import PIPE
from typing import ClassVar, Literal, NamedTuple

import msgspec
from tabulate import tabulate

from protocol.lines import encode
from protocol.messages import Ask, Reply, TimeLeft
from referee.limits import Limits
from referee.match.match import Match, starts
from referee.match.seat import FunctionSeat, ProcessSeat, Seat
from referee.match.seat import play_match as drive
from referee.process.procfs import cpu_clock
from referee.program.file import GAME_FILE, Confinement
from referee.program.kind import class_of
from referee.rules.chance import Chance
from referee.rules.form import AnyForm, Form
from referee.rules.game import Decision, Game, Move, Observation, Options, plain
from referee.rules.options import read_options
from referee.sandbox import Launcher, Program
from referee.turn.starting import end_processes, start_bot
from tests.benchmarks.c_programs import BOT, GAME, PARENT, compiled

MEASURES = (
    "protocol/lines.py protocol/messages.py referee/turn/bot_process.py referee/rules/chance.py "
    "referee/turn/clock.py referee/match/evidence.py referee/rules/field.py referee/rules/form.py "
    "referee/turn/freezer.py referee/rules/game.py referee/match/judging.py "
    "referee/turn/lookout.py referee/match/match.py referee/turn/meter.py referee/process/pipes.py "
    "referee/process/polling.py referee/program referee/match/replay.py referee/match/seat.py "
    "referee/turn/turn_clock.py referee/turn/wire.py"
)
ROUNDS = 15
DECISIONS = 20_000
LIMITS = Limits(sandbox="none")


class NoOptions(Options, frozen=True, kw_only=True):
    """There are none."""


class Take(Form, forbid_unknown_fields=True):
    """Take one."""

    take: Literal[1]


class Taking(Game):
    """Seats take one in turn, whatever they could want else."""

    name = "taking"
    title = "Take one."
    seat_counts = range(2, 3)
    options_type = NoOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"take": Take}
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
        return None

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


class Pipes(NamedTuple):
    """The ends of a bot's pipes, how to wait for it, and its CPU clock."""

    stdin: int
    stdout: int
    poll: Callable[[int], object]
    clock: int


def an_ask(number: int = 1) -> Ask:
    """Return an ask as the referee sends it."""
    game = Taking()
    decision = game.decision(0)
    return Ask(
        id=number,
        decision=decision.name,
        view=plain(game.view(0)),
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


def least(costs: Sequence[Cost]) -> Cost:
    """Return the least of each part."""
    return Cost(*map(min, zip(*costs, strict=True)))


def c_parent(parent: Path, bot: Path) -> Cost:
    """Return what a parent in C takes."""
    line = encode(an_ask()).decode().rstrip()
    words = [parent, bot, line, str(DECISIONS)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    wall, cpu = map(float, said)
    return Cost(cpu / DECISIONS * 1e6, wall / DECISIONS * 1e6)


def bare_loop(bots: Sequence[Pipes], decisions: int = DECISIONS) -> None:
    """Poll, read and write in Python, and nothing else."""
    line = encode(an_ask())
    write, read = os.write, os.read
    for number in range(decisions):
        stdin, stdout, poll, _ = bots[number & 1]
        write(stdin, line)
        poll(1000)
        read(stdout, 65536)


def typed_loop(bots: Sequence[Pipes], decisions: int = DECISIONS) -> None:
    """The same with what any referee must do: encode, read two CPU clocks, decode the reply."""
    encoder, decoder = msgspec.json.Encoder(), msgspec.json.Decoder(Reply)
    ask = an_ask()
    for _ in range(0, decisions, len(bots)):
        for stdin, stdout, poll, clock in bots:
            line = encoder.encode(ask) + b"\n"
            time.clock_gettime(clock)
            os.write(stdin, line)
            poll(1000)
            data = os.read(stdout, 65536)
            time.clock_gettime(clock)
            decoder.decode(data)


def a_match(seats: Sequence[Seat], game: Game | None = None) -> None:
    """Play one match of as many decisions."""
    game = game or Taking()
    drive(Match(game, 2), seats, starts(game, "x", LIMITS.time_control, [1, 2]))


def answered(*_: object) -> Move:
    """Return the only move."""
    return {"take": 1}


@contextmanager
def plain_bots(commands: Sequence[Sequence[Path]]) -> Iterator[list[Pipes]]:
    """Start bots with nothing around them."""
    found = []
    with ExitStack() as stack:
        for command in commands:
            bot = stack.enter_context(subprocess.Popen(command, stdin=PIPE, stdout=PIPE, bufsize=0))
            assert bot.stdin is not None
            assert bot.stdout is not None
            poll = select.poll()
            poll.register(bot.stdout, select.POLLIN)
            pipes = Pipes(bot.stdin.fileno(), bot.stdout.fileno(), poll.poll, cpu_clock(bot.pid))
            found.append(pipes)
            stack.callback(bot.stdin.close)
        yield found


def in_c(folder: Path, sandbox: str) -> type[Game]:
    """Return the same game as a program in C."""
    home = folder / "taking"
    home.mkdir()
    compiled(home, "taking", GAME)
    (home / GAME_FILE).write_text('command = ["./taking"]\nfiles = ["taking"]\n')
    return class_of(home, Confinement(sandbox))


def dealt(kind: type[Game]) -> Game:
    """Return a match of the game in C."""
    options = read_options(kind, {"rounds": DECISIONS})
    return kind(seats=2, options=options, chance=Chance("1"))


def measured(folder: Path, sandbox: str) -> dict[str, Cost]:
    """Return the least cost of each way, the rounds taking turns."""
    parent, bot = compiled(folder, "parent", PARENT), compiled(folder, "bot", BOT)
    limits = Limits(sandbox=sandbox)  # type: ignore[arg-type]
    program = Program((str(bot),), str(folder), (bot.name,))
    game = in_c(folder, sandbox)
    found: dict[str, list[Cost]] = {}
    with Launcher(sandbox) as launcher, plain_bots([[bot]] * 2) as bots:
        processes = [start_bot(launcher, program, limits, name) for name in ("one", "other")]
        ways: dict[str, Callable[[], Cost]] = {
            "C: write, poll, read": lambda: c_parent(parent, bot),
            "Python: write, poll, read": lambda: timed(lambda: bare_loop(bots)),
            "the same, typed, with clocks": lambda: timed(lambda: typed_loop(bots)),
            "rules and bookkeeping alone": lambda: timed(
                lambda: a_match([FunctionSeat(answered) for _ in range(2)])
            ),
            "referee": lambda: timed(lambda: a_match([ProcessSeat(each) for each in processes])),
            "the game a program, alone": lambda: timed(
                lambda: a_match([FunctionSeat(answered) for _ in range(2)], dealt(game))
            ),
            "referee, the game a program": lambda: timed(
                lambda: a_match([ProcessSeat(each) for each in processes], dealt(game))
            ),
        }
        for _ in range(ROUNDS):
            for name, way in ways.items():
                found.setdefault(name, []).append(way())
        end_processes(processes)
    return {name: least(costs) for name, costs in found.items()}


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
    floor, wall = found["Python: write, poll, read"].cpu, found["C: write, poll, read"].wall
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
