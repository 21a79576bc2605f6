"""What a door costs: the start of a bot with one and without, in turn, and a decision of each.

Run as `python -m tests.benchmarks.door [ROUNDS]`.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from protocol.messages import Start
from referee.limits import Limits
from referee.match.seat import ProcessSeat
from referee.rules.game import Decision
from referee.sandbox import PYTHON, SANDBOXES, Launcher, Program
from referee.turn.starting import start_bot

MEASURES = (
    "referee/door/door.py referee/door/client.py referee/door/session.py "
    "referee/sandbox/bwrap.py referee/sandbox/fork_server.py referee/sandbox/landlock.py "
    "referee/sandbox/launcher.py referee/sandbox/mounts.py referee/sandbox/stage.py "
    "referee/sandbox/starter.py referee/sandbox/uid.py referee/turn/starting.py"
)
_DOORS: tuple[tuple[str, ...], ...] = ((), ("POST https://api.example.org/v1",))
_BOT = r"""
import os, sys
number = 0
for line in sys.stdin.buffer:
    if line.startswith(b'{"type":"ask"'):
        number += 1
        os.write(1, b'{"id":%d,"move":{}}\n' % number)
    elif line.startswith(b'{"type":"hello"'):
        os.write(1, b'{"type":"ready"}\n')
"""
_ASKS = 1000


def started(launcher: Launcher, limits: Limits) -> float:
    """Return how long the start of a small program takes, in milliseconds."""
    began = time.perf_counter()
    child = launcher.start(Program(("/bin/cat",), "/"), limits)
    took = time.perf_counter() - began
    launcher.stop(child)
    return took * 1e3


def asked(launcher: Launcher, folder: Path, limits: Limits) -> float:
    """Return how long a decision takes a bot that answers at once, in microseconds."""
    process = start_bot(
        launcher, Program((PYTHON, "bot.py"), str(folder), ("bot.py",)), limits, "b"
    )
    seat = ProcessSeat(process)
    clock = limits.time_control
    seat.start(
        Start(match="m", game="g", seat=0, seats=1, options={}, table={}, clock=clock, seed=1)
    )
    times = []
    for _ in range(_ASKS):
        began = time.perf_counter()
        seat.ask(Decision("play", limits={}), {})
        times.append(time.perf_counter() - began)
    process.stop()
    return statistics.median(times) * 1e6


def main() -> None:
    """Print a line for each sandbox."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print("sandbox     start, ms: without   with   decision, us: without   with")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot.py").write_text(_BOT)
        for sandbox in SANDBOXES:
            both = [Limits(sandbox=sandbox, door=door) for door in _DOORS]  # type: ignore[arg-type]
            with Launcher(sandbox) as launcher:
                starts = [[started(launcher, each) for each in both] for _ in range(rounds)]
                asks = [[asked(launcher, folder, each) for each in both] for _ in range(5)]
            without, with_door = map(statistics.median, zip(*starts, strict=True))
            free, behind = map(min, zip(*asks, strict=True))
            print(f"{sandbox:10}{without:20.1f}{with_door:7.1f}{free:24.0f}{behind:7.0f}")


if __name__ == "__main__":
    main()
