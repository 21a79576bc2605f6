"""How long commands and leagues take to begin, how often bots are started, and what all needs.

    python -m tests.benchmarks.startup             # a minute
    python -m tests.benchmarks.startup --only commands workers first league bots

Commands are real processes that take turns, from fork to exit; the floor is Python itself. The time
to the first match ends when it can be read in the database, and holds all start-up checks. Starts
of bots, the canary's among them, are counted from outside, by looking at all processes every few
hundredths of a second: one that lives shorter is missed. Memory is PSS, in which a page shared by
several counts in parts.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tabulate import tabulate

from arena.league.finding import bundled, bundled_bot
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from protocol.errors import ArenaError
from referee.limits import Limits
from referee.sandbox import Launcher, Program
from referee.turn.answer import BotError
from referee.turn.starting import end_processes, start_bot
from tests.benchmarks.soak import KINDS, descendants, kind_of, stored

MEASURES = (
    "arena/__main__.py arena/cli/__init__.py arena/cli/options.py arena/play/local.py "
    "arena/play/run.py arena/play/spawning.py arena/play/staffing.py arena/play/worker.py "
    "referee/sandbox/bwrap.py referee/sandbox/fork_server.py referee/sandbox/landlock.py "
    "referee/sandbox/launcher.py "
    "referee/sandbox/mounts.py referee/sandbox/stage.py referee/sandbox/starter.py "
    "referee/sandbox/uid.py referee/turn/starting.py"
)
ROUNDS = 9
FIRST_ROUNDS = 3
LEAGUE_BOTS = 10
STEPS = (100, 1000, 10_000)
BOTS_OF_A_KIND = 4
ARENA = (sys.executable, "-m", "arena")
WORKER = "import sys; sys.modules['dill'] = None; import arena.play.worker, arena.play.spawning"
C_BOT = r"""
#include <stdio.h>
int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) puts("{\"type\":\"ready\"}"), fflush(stdout);
}
"""
NODE_BOT = """#!/usr/bin/env node
require("readline").createInterface({input: process.stdin})
    .on("line", () => console.log('{"type":"ready"}'));
"""


def league(folder: Path, game: str, bots: int, deals: int, options: dict[str, int]) -> LeaguePlan:
    """Make a league of shipped bots, each entered as often as it takes."""
    words = list(bundled(game))
    entries = [
        {"name": f"bot {number}", "shipped": f"{game}_{words[number % len(words)]}"}
        for number in range(bots)
    ]
    return make_league(folder, Settings(game=game, seed=1, deals=deals), options, {}, entries)


def used(words: Sequence[str]) -> tuple[float, float]:
    """Run a command; return milliseconds on the wall and of CPU."""
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    seconds = time.perf_counter() - began
    return seconds * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def commands(folder: Path) -> None:
    """Print what short commands take."""
    cup = league(folder / "cup", "guerra", 4, 40, {"max_turns": 20}).folder
    subprocess.run([*ARENA, "run", str(cup)], check=True, capture_output=True)
    new = folder / "new"
    asked: dict[str, Sequence[str]] = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "arena --help": (*ARENA, "--help"),
        "arena --version": (*ARENA, "--version"),
        "arena init": (*ARENA, "init", str(new), "--game", "guerra", "sensible", "random"),
        "arena rank": (*ARENA, "rank", str(cup)),
        "arena table": (*ARENA, "table", str(cup)),
        "arena matches": (*ARENA, "matches", str(cup)),
        "what a worker imports": (sys.executable, "-c", WORKER),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in asked}
    for _ in range(ROUNDS):
        for name, words in asked.items():
            shutil.rmtree(new, ignore_errors=True)
            found[name].append(used(words))
    rows = [
        (name, *map(statistics.median, zip(*each, strict=True))) for name, each in found.items()
    ]
    print("\nA league of 480 matches")
    print(tabulate(rows, ("", "wall ms", "CPU ms"), floatfmt=".0f"))


def get_up(link: Any) -> None:
    """Be a worker that has imported what it needs, until it is told to go."""
    import arena.play.worker  # noqa: F401 - most of what a start takes

    link.send(os.getpid())
    link.recv()


def two_up(how: str) -> None:
    """Start two such workers as a run does, or as multiprocess does by itself; print MB of all."""
    if how == "spawning":
        from arena.play.spawning import spawn

        links = [spawn(get_up, blocked=()).link for _ in range(2)]
    else:
        import multiprocess

        links = []
        for _ in range(2):
            ours, theirs = multiprocess.Pipe()
            multiprocess.get_context("spawn").Process(target=get_up, args=(theirs,)).start()
            theirs.close()
            links.append(ours)
    for link in links:
        link.recv()
    print(sum(map(pss, descendants(os.getpid()))))
    for link in links:
        link.send(None)


def workers(_: Path) -> None:
    """Print what our way to start workers saves, which replaces a method of multiprocess."""
    found: dict[str, list[tuple[float, ...]]] = {"spawning": [], "multiprocess": []}
    for _ in range(ROUNDS):
        for how, each in found.items():
            code = f"from tests.benchmarks.startup import two_up; two_up({how!r})"
            began = time.perf_counter(), os.times()
            done = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            )
            now = os.times()
            cpu = now.children_user + now.children_system
            cpu -= began[1].children_user + began[1].children_system
            each.append(((time.perf_counter() - began[0]) * 1e3, cpu * 1e3, float(done.stdout)))
    rows = [
        (name, *map(statistics.median, zip(*each, strict=True))) for name, each in found.items()
    ]
    print("\nTwo workers started and ended, with all processes beside the run's own")
    print(tabulate(rows, ("", "wall ms", "CPU ms", "MB"), floatfmt=".0f"))


def until_first(asked: LeaguePlan) -> float:
    """Return the seconds from `arena run` until a match is stored.

    The database is opened only after something was written: looking takes time from those who play.
    """
    asked.database.unlink(missing_ok=True)
    began = time.perf_counter()
    seen = None
    with running(asked) as run:
        while True:
            assert run.poll() is None
            time.sleep(0.004)
            written = asked.database.stat().st_mtime_ns if asked.database.exists() else None
            if written != seen and matches(asked):
                return time.perf_counter() - began
            seen = written


@contextmanager
def running(asked: LeaguePlan) -> "Iterator[subprocess.Popen[bytes]]":
    """Play a league, and kill it in the end."""
    words = [*ARENA, "run", str(asked.folder), "--workers", "2"]
    run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield run
    finally:
        run.kill()
        run.wait()


def matches(asked: LeaguePlan) -> int:
    """Return how many matches are stored; there are none in a database that is being made."""
    try:
        return stored(asked)
    except ArenaError:
        return 0


def first(folder: Path) -> None:
    """Print how long leagues take until their first match is stored."""
    asked = {
        game: league(folder / game, game, LEAGUE_BOTS, 50, {}) for game in ("guerra", "cold_war")
    }
    found: dict[str, list[float]] = {game: [] for game in asked}
    for _ in range(FIRST_ROUNDS):
        for game, each in asked.items():
            found[game].append(until_first(each))
    rows = [(game, statistics.median(each), min(each)) for game, each in found.items()]
    print(
        f"\nFrom `arena run` to the first stored match, {LEAGUE_BOTS} bots, two workers, landlock"
    )
    print(tabulate(rows, ("", "seconds", "at best"), floatfmt=".2f"))


def pss(pid: int) -> float:
    """Return the MB of a process's memory, its part of what is shared."""
    words = Path(f"/proc/{pid}/smaps_rollup").read_text().split()
    return int(words[words.index("Pss:") + 1]) / 1024


def in_a_league(folder: Path) -> None:
    """Print starts of bots and memory of a long league's processes as it goes on."""
    asked = league(folder / "long", "guerra", 5, STEPS[-1] // 20 + 50, {"max_turns": 4})
    print("\nA league of five bots, two workers, landlock: starts of bots, MB of each process")
    print(tabulate(looks(asked), ("matches", "starts", "a match", *KINDS), floatfmt=",.3f"))


def looks(asked: LeaguePlan) -> Iterator[tuple[object, ...]]:
    """Play a league; yield a row at every step."""
    with running(asked) as run:
        yield from looks_at(run, asked)


def looks_at(run: "subprocess.Popen[bytes]", asked: LeaguePlan) -> Iterator[tuple[object, ...]]:
    """Yield a row at every step of a league that is being played."""
    ever: set[tuple[int, str]] = set()
    for step in STEPS:
        while (done := matches(asked)) < step:
            assert run.poll() is None
            time.sleep(0.03)
            ever.update(bots_of(run.pid))
        sizes: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for pid in descendants(run.pid):
            sizes[kind_of(pid, run.pid)].append(pss(pid))
        means = (f"{len(each)} x {statistics.mean(each):.1f}" for each in sizes.values())
        yield done, len(ever), len(ever) / done, *means


def bots_of(runner: int) -> Iterator[tuple[int, str]]:
    """Yield the bots that run now, told apart by the time they were started."""
    for pid in descendants(runner):
        try:
            if kind_of(pid, runner) == "bots":
                yield pid, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has just ended


def programs(folder: Path) -> Iterator[tuple[str, Program]]:
    """Yield a bot in each language that there is."""
    bot = bundled_bot("guerra", "random")
    assert bot is not None
    yield "Python", bot.program
    if shutil.which("cc"):
        source = folder / "bot.c"
        source.write_text(C_BOT)
        subprocess.run(["cc", "-O2", "-o", folder / "c", source], check=True)
        yield "C", Program((f"{folder}/c",), str(folder), ("c",))
    if node := shutil.which("node"):
        (folder / "bot.js").write_text(NODE_BOT)
        yield "Node", Program((os.path.realpath(node), "bot.js"), str(folder), ("bot.js",))


def bots(folder: Path) -> None:
    """Print what one more idle bot takes."""
    rows: list[tuple[object, ...]] = []
    limits = Limits(memory_mb=2048)
    for language, program in programs(folder):
        with Launcher("landlock") as launcher:
            try:
                began = time.perf_counter()
                processes = [
                    start_bot(launcher, program, limits, language) for _ in range(BOTS_OF_A_KIND)
                ]
            except BotError as error:
                print(f"{language}: {error}\n{error.stderr}")
                continue
            seconds = (time.perf_counter() - began) / BOTS_OF_A_KIND
            megabytes = statistics.mean(pss(pid) for pid, _ in bots_of(os.getpid()))
            end_processes(processes)
            cpu = statistics.median(each.ended.cpu for each in processes if each.ended)
            rows.append((language, megabytes, seconds * 1e3, cpu * 1e3))
    print(f"\nOne of {BOTS_OF_A_KIND} idle bots, landlock")
    print(tabulate(rows, ("", "MB", "ready after ms", "CPU ms"), floatfmt=(",.1f")))


PARTS: dict[str, Callable[[Path], None]] = {
    "commands": commands,
    "workers": workers,
    "first": first,
    "league": in_a_league,
    "bots": bots,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.startup")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    chosen = parser.parse_args().only
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed arena is compiled
    used(
        (
            sys.executable,
            "-c",
            "import arena.cli.run, arena.cli.rank, arena.cli.table, arena.cli.matches",
        )
    )
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](Path(folder))


if __name__ == "__main__":
    main()
