"""Plays very many matches in one run, and prints the memory and open files of all its processes.

    python -m tests.benchmarks.soak            # 100,000 matches: some ten minutes on two cores
    python -m tests.benchmarks.soak 5000

A real `arena run`, in the default sandbox, is looked at from outside at equal steps; the sums go by
the kind of process, and ought to stand still after the first.
"""

import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tabulate import tabulate

from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.store.store import Store

MEASURES = (
    "arena/play/local.py arena/play/runner.py arena/play/worker.py arena/store/store.py "
    "referee/turn/bot_process.py referee/match/match.py referee/sandbox/fork_server.py "
    "referee/sandbox/launcher.py"
)
STEPS = 10
BOTS = 4
KINDS = ("runner", "workers", "fork servers", "bots")


def make(folder: Path, matches: int) -> LeaguePlan:
    """Make a league of short matches."""
    deals = matches // (BOTS * (BOTS - 1))
    settings = Settings(game="guerra", seed=1, deals=deals)
    bots = [{"name": f"bot {number}", "shipped": "random"} for number in range(BOTS)]
    return make_league(folder, settings, {"max_turns": 4}, {}, bots)


def kind_of(pid: int, runner: int) -> str:
    """Return what a process of the run is."""
    if pid == runner:
        return "runner"
    words = Path(f"/proc/{pid}/cmdline").read_text()
    if "spawn_main" in words:
        return "workers"
    return "fork servers" if "fork_server" in words else "bots"


def descendants(pid: int) -> Iterator[int]:
    """Yield a process and all that stem from it."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*"):
        for child in (task / "children").read_text().split():
            yield from descendants(int(child))


def looked_at(runner: int) -> dict[str, tuple[int, int, int]]:
    """Return processes, KB of memory that are not shared, and open files by kind of process."""
    sums: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for pid in descendants(runner):
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().split()
            own = sum(
                int(rollup[rollup.index(f"Private_{part}:") + 1]) for part in ("Clean", "Dirty")
            )
            files = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
            found = sums[kind_of(pid, runner)]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended
        for at, part in enumerate((1, own, files)):
            found[at] += part
    return {kind: (sums[kind][0], sums[kind][1], sums[kind][2]) for kind in KINDS}


def soak(league: LeaguePlan) -> Iterator[tuple[object, ...]]:
    """Play a league; yield a row at every step."""
    matches = league.asked.match_count
    run = subprocess.Popen(
        [sys.executable, "-m", "arena", "run", str(league.folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    began = time.monotonic()
    step = 1
    while run.poll() is None:
        time.sleep(0.2)
        done = stored(league)
        if step < STEPS and done * STEPS >= step * matches:
            step += 1
            row = looked_at(run.pid)
            pace = done / (time.monotonic() - began)
            yield done, pace, *(_text(*row[kind]) for kind in KINDS)
    assert run.returncode == 0
    assert stored(league) == matches
    yield matches, matches / (time.monotonic() - began)


def _text(processes: int, kilobytes: int, files: int) -> str:
    return f"{processes}: {kilobytes / 1024:.1f} MB, {files}"


def stored(league: LeaguePlan) -> int:
    """Return how many matches are stored."""
    if not league.database.exists():
        return 0
    with Store(league.database) as store:
        return store.count()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        asked = make(Path(name) / "league", int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
        print("processes: memory that is not shared, open files")
        headers = ("matches", "a second", *KINDS)
        print(tabulate(soak(asked), headers, floatfmt=",.0f", intfmt=","))
