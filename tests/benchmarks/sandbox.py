"""What the sandboxes cost: a bot's start, beside a plain Popen, and the round trip of one line.

Run it with `python -m tests.benchmarks.sandbox` (a quarter of a minute, 1 GB of memory). The
launchers take turns within every round, so that a noisy machine disturbs all alike. Read the
ratios: the times belong to the machine.
"""

import os
import resource
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median

from tabulate import tabulate

from protocol.lines import encode
from protocol.messages import VERSION, Hello
from referee.limits import Limits
from referee.sandbox import Launcher, Program, SandboxError, prove
from referee.sandbox.kinds import bounds, environment
from referee.sandbox.program import interpreter
from referee.sandbox.users import FIRST_UID

MEASURES = (
    "referee/sandbox/bwrap.py referee/sandbox/fork_server.py referee/sandbox/landlock.py "
    "referee/sandbox/launcher.py referee/sandbox/mounts.py referee/sandbox/stage.py "
    "referee/sandbox/starter.py referee/sandbox/uid.py"
)
ROUNDS = 40
WARM_UPS = 2
TRIP_ROUNDS = 5
TRIPS = 2000
BALLAST = 1 << 30
SECONDS = 20.0  # within which a bot must answer

BASELINE = "Popen with rlimits"
C_SOURCE = Path(__file__).parents[1] / "bots" / "programs" / "pass.c"
PYTHON_SOURCE = """\
import sys

for line in sys.stdin:
    if '"hello"' in line:
        sys.stdout.write('{"type":"ready"}\\n')
        sys.stdout.flush()
"""
HELLO = encode(Hello(VERSION, "bot"))
ASK = b'{"type":"ask","id":1,"decision":"benchmark","legal":[{"pass":true}]}\n'
BOUNDS = bounds(Limits())
"""The limits of the baseline: those of every sandboxed bot."""


class Running:
    """A started bot: its pipes, and what ends it."""

    def __init__(self, stdin: int, stdout: int, stop: Callable[[], object]) -> None:
        self.stop = stop
        self._stdin = stdin
        self._stdout = stdout
        self._poll = select.poll()
        self._poll.register(stdout, select.POLLIN)

    def ask(self, line: bytes) -> bytes:
        """Send a line and return the one that answers it."""
        os.write(self._stdin, line)
        answer = b""
        while not answer.endswith(b"\n"):
            data = os.read(self._stdout, 4096) if self._poll.poll(SECONDS * 1000) else b""
            if not data:
                raise RuntimeError(f"a bot did not answer {line!r}")
            answer += data
        return answer


Start = Callable[[Program], Running]


def start_plainly(program: Program) -> Running:
    """Start a bot as one would without a launcher."""
    process = subprocess.Popen(
        program.argv,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=set_limits,  # noqa: PLW1509 - it is the baseline
        cwd=program.folder,
        env=environment(os.defpath, Limits()),
        start_new_session=True,  # as sandboxed bots are: switching between sessions costs 0.5 us
    )
    assert process.stdin
    assert process.stdout
    return Running(process.stdin.fileno(), process.stdout.fileno(), partial(end, process))


def set_limits() -> None:
    """Limit the process that is about to become a bot."""
    for number, most in BOUNDS:
        resource.setrlimit(number, (most, most))


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, reap it and close its pipes."""
    with process:
        process.kill()


def start_sandboxed(launcher: Launcher, limits: Limits, program: Program) -> Running:
    """Start a bot as the referee does."""
    child = launcher.start(program, limits)
    return Running(child.stdin, child.stdout, partial(launcher.stop, child))


@contextmanager
def starters() -> Iterator[tuple[dict[str, Start], list[str]]]:
    """Yield what starts a bot, by launcher, and why launchers are missing."""
    found: dict[str, Start] = {BASELINE: start_plainly}
    missing = []
    with ExitStack() as stack:
        for cgroup, sandbox in product((False, True), ("none", "landlock", "bwrap", "uid")):
            limits = Limits(sandbox=sandbox, cgroup=cgroup)
            name = f"{sandbox}, cgroup" if cgroup else sandbox
            try:
                launcher = stack.enter_context(Launcher(sandbox))
                prove(launcher, limits)
            except SandboxError as error:
                missing.append(f"{name} is left out: {error.what}")
            else:
                found[name] = partial(start_sandboxed, launcher, limits)
        yield found, missing


def programs(folder: Path) -> dict[str, Program]:
    """Return the bots by name; without a C compiler, the one in Python alone."""
    found = {}
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-O2", "-o", folder / "pass", C_SOURCE], check=True)
        found["C bot"] = Program((str(folder / "pass"),), str(folder), ("pass",))
    (folder / "ready.py").write_text(PYTHON_SOURCE)
    python = interpreter(FIRST_UID if os.getuid() == 0 else None)
    found["Python bot"] = Program((python, "ready.py"), str(folder), ("ready.py",))
    return found


@dataclass
class Times:
    """Seconds that starts took."""

    ready: list[float] = field(default_factory=list)
    """From the start to `ready`."""
    whole: list[float] = field(default_factory=list)
    """From the start until the bot was stopped and reaped."""


def time_starts(start: Start, program: Program, times: Times) -> None:
    """Start a bot, wait for its `ready`, stop it, and note how long that took."""
    began = time.perf_counter()
    running = start(program)
    running.ask(HELLO)
    ready = time.perf_counter()
    running.stop()
    times.ready.append(ready - began)
    times.whole.append(time.perf_counter() - began)


def print_starts(launchers: dict[str, Start], bots: dict[str, Program]) -> None:
    """Print the table of starts, each bot beside the baseline."""
    found = {(name, bot): Times() for name in launchers for bot in bots}
    for number in range(-WARM_UPS, ROUNDS):
        for bot, program in bots.items():
            for name, start in launchers.items():
                time_starts(start, program, found[name, bot] if number >= 0 else Times())
    rows = []
    for name in launchers:
        row = [name]
        for bot in bots:
            ready = median(found[name, bot].ready)
            ratio = ready / median(found[BASELINE, bot].ready)
            per_second = 1 / median(found[name, bot].whole)
            row += [f"{ready * 1e3:.2f} ms", f"{ratio:.2f}", f"{per_second:.0f}"]
        rows.append(row)
    headers = ["launcher"]
    for bot in bots:
        headers += [bot, "x Popen", "starts/s"]
    print_table(headers, rows)


def print_trips(launchers: dict[str, Start], program: Program) -> None:
    """Print the table of round trips: the median, and that of the lowest and highest round."""
    bots = {name: start(program) for name, start in launchers.items()}
    rounds: dict[str, list[list[int]]] = {name: [] for name in bots}
    for number in range(-1, TRIP_ROUNDS):  # the first warms up
        for name, bot in bots.items():
            trips = time_trips(bot)
            if number >= 0:
                rounds[name].append(trips)
    rows = []
    for name, found in rounds.items():
        middles = [median(trips) / 1e3 for trips in found]
        whole = median(trip for trips in found for trip in trips) / 1e3
        rows.append([name, f"{whole:.2f} us", f"{min(middles):.2f} to {max(middles):.2f}"])
    for bot in bots.values():
        bot.stop()
    print_table(["launcher", "round trip", "medians of the rounds"], rows)


def time_trips(bot: Running) -> list[int]:
    """Return the nanoseconds that round trips took."""
    trips = []
    for _ in range(TRIPS):
        began = time.perf_counter_ns()
        bot.ask(ASK)
        trips.append(time.perf_counter_ns() - began)
    return trips


def print_table(headers: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown, all but its first column to the right."""
    align = ("left", *("right" for _ in headers[1:]))
    print(tabulate(rows, headers, "github", colalign=align, disable_numparse=True), flush=True)


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        bots = programs(Path(folder))
        with starters() as (launchers, missing):
            print(f"Start to `ready`, medians of {ROUNDS} rounds; {bots['Python bot'].argv[0]}.")
            print("Starts per second: one after another, each stopped and reaped.\n")
            print_starts(launchers, bots)
            ballast = bytearray(b"x") * BALLAST  # written, not only mapped
            print(f"\nThe same from a parent that holds {len(ballast) >> 20} MiB.\n")
            print_starts(launchers, bots)
            del ballast
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        if "C bot" in bots:
            with starters() as (launchers, _):
                print(f"\nRound trip on one core, C bot, {TRIP_ROUNDS} rounds of {TRIPS}.\n")
                print_trips(launchers, bots["C bot"])
        else:
            print("\nNo cc, a C compiler, is here: no C bot, and no round trips.")
        if missing:
            print("\n" + "\n".join(missing))


if __name__ == "__main__":
    main()
