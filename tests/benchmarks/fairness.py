"""What a cheat gains by using the core between its turns, and what others lose by it.

    python -m tests.benchmarks.fairness cheats                # some minutes
    taskset -c 1 python -m tests.benchmarks.fairness busy     # a quarter of an hour

The second keeps one core busy by 4, 16 and 32 endless loops, each with a session of its own and so
with a share of its own: as many for each core as 8, 32 and 64 are on two.

Real leagues of khan, played by one worker and read from their export. An honest bot needs so much
CPU time for each decision; a cheat answers at once, and burns what it can get while others think.
`--project DIR` plays them with another checkout, to compare.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

MEASURES = (
    "referee/turn/bot_process.py referee/turn/clock.py referee/turn/freezer.py "
    "referee/turn/lookout.py referee/turn/meter.py referee/sandbox/seccomp.py "
    "referee/match/seat.py referee/turn/turn_clock.py"
)
ROOT = Path(__file__).parents[2]
THINK, ALLOWED = 0.3, 1.0
"""CPU seconds that the honest bot needs for each decision, and seconds that it is allowed."""
THINK_BUSY, ALLOWED_BUSY = 0.1, 0.333
"""The same beside loops: in less time."""

_READ = """\
import ctypes, json, os, random, signal, sys, threading, time
OFF = threading.Event()
libc = ctypes.CDLL(None)
rng = random.Random(1)
def messages():
    for line in sys.stdin.buffer:
        yield json.loads(line)
def send(thing):
    line = json.dumps(thing).encode() + b"\\n"
    os.write(1, line)
def move(ask):
    return rng.choice(ask["legal"])
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
"""
_PLAY = """
for message in messages():
    if message["type"] == "hello":
        send({"type": "ready"})
    elif message["type"] == "ask":
        THINK
        send({"id": message["id"], "move": move(message), "note": f"{used():.6f}"})
    AFTER
"""
_USED = """
def used():
    return sum(os.times()[:4])
"""


def _honest(seconds: float) -> str:
    return _READ + _USED + _PLAY.replace("THINK", f"burn({seconds})").replace("AFTER", "pass")


def _cheat(trick: str, *, during: str = "OFF.clear()", after: str = "OFF.set()") -> str:
    return _READ + _USED + trick + _PLAY.replace("THINK", during).replace("AFTER", after)


_BURNER = """
def forever():
    while True:
        OFF.wait()
        burn(0.001)
sys.setswitchinterval(0.0001)
threading.Thread(target=forever, daemon=True).start()
"""
_TIMERS = """
signal.signal(signal.SIGCONT, lambda *_: None)
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT)
armed = [ctypes.c_void_p() for _ in range(20)]
armed = [each for each in armed if not libc.timer_create(1, event, ctypes.byref(each))]
def arm():
    for number, timer in enumerate(armed, 1):
        span = number * 1_000_000
        libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, span, 0, span), None)
"""
_CHILDREN = """
import mmap
pids = []
for change in (os.setsid, lambda: os.setpgid(0, 0)) * 2:
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        try:
            change()
        except OSError:
            pass
        while True: pass
    pids.append(pid)
def used():
    total = 0.0
    for pid in [os.getpid(), *pids]:
        total += time.clock_gettime((~pid << 3) | 2)
    return total
"""
_ONCE = """
def burst(message):
    if message["type"] == "start":
        threading.Thread(target=burn, args=(60,), daemon=True).start()
"""

CHEATS = {
    "burns between its turns": _cheat(_BURNER),
    "burns from `start` on": _cheat(_ONCE, during="pass", after="burst(message)"),
    "lifts its freeze by 20 timers": _cheat(_BURNER + _TIMERS, after="OFF.set(); arm()"),
    "children with groups of their own": _cheat(_CHILDREN),
}


class Outcome(NamedTuple):
    """What came of a league of an honest bot against another."""

    decisions: int
    """Of the honest bot."""
    late: int
    gained: float
    """CPU seconds that the other used, whatever for, in a mean match."""
    spent: float
    """CPU seconds of the honest bot, in a mean match."""
    moves: float
    """Decisions of the other in a mean match."""
    faults: dict[str, int]
    """The other's, by kind."""


def league(
    project: Path, bots: dict[str, str], *, sandbox: str, deals: int, **limits: object
) -> list[dict[str, Any]]:
    """Play a league of two bots, given by their text; return the lines of its export."""
    with tempfile.TemporaryDirectory(prefix="fairness-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        words = []
        for bot, text in bots.items():
            (folder / bot).mkdir()
            program = folder / bot / "bot.py"
            program.write_text(f"#!/usr/bin/env python3\n{text}")
            program.chmod(0o755)
            words.append(f"{bot}={program}")

        def arena(*words: str) -> str:
            done = subprocess.run(
                [sys.executable, "-m", "arena", *words],
                cwd=project,
                env={**os.environ, "PYTHONPATH": str(project)},
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise SystemExit(f"arena {shlex.join(words)}: {done.stderr}{done.stdout}")
            return done.stdout

        made = str(folder / "league")
        settings = [word for key, value in limits.items() for word in ("--limit", f"{key}={value}")]
        arena("init", made, "--game", "khan", *words, "--sandbox", sandbox,
              "--deals", str(deals), "--seed", "918273645546372819", *settings)  # fmt: skip
        arena("run", made, "--workers", "1")
        return [json.loads(line) for line in arena("export", made).splitlines()]


def outcome(lines: Sequence[dict[str, Any]]) -> Outcome:
    """Return what the export of a league says of the bots called honest and other."""
    decisions = late = moves = matches = 0
    gained = spent = 0.0
    faults: dict[str, int] = {}
    for line in lines:
        if "replay" not in line:
            continue
        matches += 1
        names = [bot["name"] for bot in line["bots"]]
        last = 0.0
        for entry, cpu in zip(line["replay"]["entries"], line["evidence"]["cpu"], strict=True):
            seat, _, fault, note = entry
            if names[seat] == "honest":
                decisions += 1
                late += fault is not None and fault["kind"] == "late"
                spent += cpu / 1e6
                continue
            moves += 1
            if fault is not None:
                faults[fault["kind"]] = faults.get(fault["kind"], 0) + 1
            last = float(note) if note else last
        gained += last
    return Outcome(decisions, late, gained / matches, spent / matches, moves / matches, faults)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep the machine busy by so many processes, each with a session of its own."""
    text = "import os\nos.setsid()\nwhile True: pass"
    running = [subprocess.Popen([sys.executable, "-S", "-c", text]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def cheats(project: Path, sandboxes: Sequence[str], deals: int) -> None:
    """Print what each cheat gains, and what the honest bot loses."""
    rows = []
    for sandbox in sandboxes:
        for name, text in CHEATS.items():
            found = outcome(
                league(
                    project,
                    {"honest": _honest(THINK), "other": text},
                    sandbox=sandbox,
                    deals=deals,
                    move_time=ALLOWED,
                    fresh="true",  # so that what it used is of one match
                )
            )
            seconds = f"{found.gained:.2f}", f"{found.spent:.2f}"
            late = f"{found.late} of {found.decisions}"
            rows.append([sandbox, name, *seconds, f"{found.moves:.0f}", late, found.faults])
    headers = ["sandbox", "cheat", "its CPU s", "rival's CPU s", "moves", "rival late", "faults"]
    print(tabulate(rows, headers=headers))


def beside_loops(project: Path, sandboxes: Sequence[str], deals: int, loops: Sequence[int]) -> None:
    """Print how many decisions are late beside busy loops; all leagues are played at once."""
    ways = [(sandbox, "wall") for sandbox in sandboxes]
    ways += [(sandbox, "cpu") for sandbox in sandboxes if sandbox != "bwrap"]
    rows = []
    for count in loops:

        def late(way: tuple[str, str]) -> list[object]:
            sandbox, clock = way
            both = {"honest": _honest(THINK_BUSY), "other": _honest(THINK_BUSY)}
            lines = league(
                project, both, sandbox=sandbox, deals=deals, clock=clock, move_time=ALLOWED_BUSY
            )
            faults = waits = total = 0
            for line in lines:
                if "replay" in line:
                    total += len(line["replay"]["entries"])
                    faults += sum(entry[2] is not None for entry in line["replay"]["entries"])
                    waits += sum(line["evidence"].get("waited", {}).values())
            return [sandbox, clock, f"{faults} of {total}", f"{waits / total / 1e6:.2f}"]

        with busy(count), ThreadPoolExecutor(len(ways)) as pool:
            rows += [[count, *row] for row in pool.map(late, ways)]
    print(tabulate(rows, headers=["loops", "sandbox", "judged by", "faults", "s waited, mean"]))


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["cheats", "busy"])
    parser.add_argument("--project", type=Path, default=ROOT, help="the checkout that plays")
    parser.add_argument("--sandbox", action="append", help="landlock and bwrap by default")
    parser.add_argument("--deals", type=int, default=2, help="of two matches each")
    parser.add_argument("--loops", type=int, action="append", help="4, 16 and 32 by default")
    words = parser.parse_args()
    sandboxes = words.sandbox or ["landlock", "bwrap"]
    if words.what == "cheats":
        cheats(words.project, sandboxes, words.deals)
    else:
        beside_loops(words.project, sandboxes, words.deals, words.loops or [4, 16, 32])


if __name__ == "__main__":
    main()
