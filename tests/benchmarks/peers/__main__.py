"""Prints matches a second under psyleague, under a script made at home, and under us.

    python -m tests.benchmarks.peers                    # four minutes
    python -m tests.benchmarks.peers "duel, Python"     # one of the contests
    python -m tests.benchmarks.peers --psyleague PATH   # an installed one; by default pip gets it

The same two bots play the same game by the same rules everywhere. psyleague starts `play_game.py`
for each match, as its documents say; «20 a call» has the script return a list, which psyleague
takes as well; «alone» is its pace when a match takes no time, because its loop hands out two
matches for each worker and then sleeps a tenth of a second. The script made at home is the loop in
`play_game.py` by itself, one for each worker. All these start both bots anew for every match;
`arena run` keeps them.

What the others lack and our figure contains: a sandbox around each bot, clocks and their evidence,
the limits of every line, mirrored deals, and replays that can be verified. psyleague writes results
to files and rates after every match, ours waits for the disk and rates at the end, the script does
neither. Shown is the pace once it runs: the time of a short run is taken off that of a long one.
Runners take turns; medians of three rounds. CPU time is that of all processes, bots included, with
one worker: it says what a match costs even where psyleague sleeps or the machine is busy."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from tabulate import tabulate

from tests.benchmarks.peers.runners import (
    LIST,
    NAMES,
    Bench,
    Contest,
    Runner,
    arena_run,
    call,
    psyleague,
    psyleague_alone,
    psyleague_lists,
    script,
)

MEASURES = (
    "arena/play/local.py arena/play/runner.py arena/play/worker.py arena/store/store.py "
    "protocol/lines.py referee/turn/bot_process.py referee/games/casino_war "
    "referee/turn/lookout.py referee/match/match.py referee/process/pipes.py referee/match/seat.py "
    "referee/turn/turn_clock.py"
)
VERSION = "psyleague==0.4.1"
PIP = ("--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15")
ROUNDS = 3
WORKERS = (1, 2)
CALLS = 10  # in a round, to see what one takes
CONTESTS = {
    "casino_war, C": Contest("casino_war"),
    "duel, C": Contest("duel"),
    "duel, Python": Contest("duel", "random"),
}
PSYLEAGUE = {
    "psyleague": Runner(psyleague, 2, 32, 24),
    f"psyleague, {LIST} a call": Runner(psyleague_lists, LIST, 15 * LIST, 4 * LIST),
    "psyleague alone": Runner(psyleague_alone, 2, 32, 32),
}
OTHERS = {
    "script made at home": Runner(script, 1, 300, 50),
    "arena run": Runner(arena_run, 2, 6000, 3000),
}


def installed(folder: Path) -> str | None:
    """Return a psyleague in an environment of its own; None, after saying why, if none can be."""
    print(f"installing {VERSION}", file=sys.stderr)
    for words in (
        [sys.executable, "-m", "venv", folder],
        [folder / "bin/pip", "install", *PIP, VERSION],
    ):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            why = (done.stderr or done.stdout).strip().splitlines()[-1:]
            print(f"psyleague cannot be had, its rows are missing: {''.join(why)}", file=sys.stderr)
            return None
    return str(folder / "bin/psyleague")


class Pace(NamedTuple):
    """What a runner does with one worker and with two."""

    matches: tuple[float, float]
    """A second."""
    cpu: float
    """Milliseconds a match with one worker, of all processes: runner, script, and bots."""


def paces(bench: Bench, name: str, contest: Contest) -> dict[str, Pace]:
    """Return the pace of every runner."""
    runners = (PSYLEAGUE if bench.psyleague else {}) | OTHERS
    ways = [(runner, workers) for runner in runners for workers in WORKERS]
    for way in ways:  # nothing is to be compiled when it counts
        runners[way[0]].run(bench, contest, way[1], runners[way[0]].short)
    found: dict[tuple[str, int], list[tuple[float, float]]] = {way: [] for way in ways}
    for turn in range(ROUNDS):
        print(f"{name}: round {turn + 1} of {ROUNDS}", file=sys.stderr)
        for way in ways:
            runner, workers = runners[way[0]], way[1]
            short = runner.run(bench, contest, workers, runner.short)
            long = runner.run(bench, contest, workers, runner.long(contest))
            found[way].append(runner.pace(contest, workers, short, long))
    middle = {way: [median(each) for each in zip(*found[way], strict=True)] for way in ways}
    return {
        runner: Pace((middle[runner, 1][0], middle[runner, 2][0]), middle[runner, 1][1])
        for runner in runners
    }


def call_times(bench: Bench, contest: Contest) -> tuple[float, ...]:
    """Return decisions, and milliseconds of one call: whole, loading, the bots' lives, the game."""
    line = " ".join(call(contest, [f"./{name}.exe" for name in NAMES]))
    rows = []
    for _ in range(CALLS):
        began = time.perf_counter()
        told = json.loads(bench.run(["sh", "-c", line], bench.programs(contest)))["test_data"]
        whole = 1e3 * (time.perf_counter() - began)
        bots, game = told["processes_us"] / 1e3, told["playing_us"] / 1e3
        rows.append((told["decisions"], whole, whole - bots - game, bots, game))
    decisions, *times = zip(*rows, strict=True)
    return mean(decisions), *map(median, times)


def show(bench: Bench, name: str, contest: Contest) -> None:
    """Print what was measured of one contest."""
    found = paces(bench, name, contest)
    ours = found["arena run"]
    rows = []
    for runner, own in found.items():
        ratios = [mine / one for mine, one in zip(ours.matches, own.matches, strict=True)]
        rows.append((runner, *own.matches, *ratios, own.cpu, own.cpu / ours.cpu))
    decisions, whole, loading, bots, game = call_times(bench, contest)
    print(f"\n{name}: {decisions:.1f} decisions a match; matches a second")
    headers = ("", "1 worker", "2 workers", "ours / 1", "ours / 2", "CPU ms a match", "of ours")
    print(tabulate(rows, headers, floatfmt=("", *[",.1f"] * 4, ",.2f", ",.1f")))
    print(
        f"One call of play_game.py takes {whole:.1f} ms: {loading:.1f} until Python runs and has "
        f"imported,\n{bots:.1f} to start and end the bots, {game:.1f} for the game."
    )


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers")
    parser.add_argument("contests", nargs="*", metavar="CONTEST", help="; ".join(CONTESTS))
    parser.add_argument("--psyleague", metavar="PATH", help="the command of an installed one")
    arguments = parser.parse_args()
    if unknown := set(arguments.contests) - set(CONTESTS):
        parser.error(f"no contest {', '.join(sorted(unknown))}; there are {'; '.join(CONTESTS)}")
    if not shutil.which("cc"):
        sys.exit("a C compiler is needed: cc")
    given = shutil.which(arguments.psyleague) if arguments.psyleague else None
    if arguments.psyleague and not given:
        sys.exit(f"{arguments.psyleague} is no command")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # bots that lose their rights have to get in
        bench = Bench(folder, str(Path(given).absolute()) if given else installed(folder / "venv"))
        for each in arguments.contests or CONTESTS:
            show(bench, each, CONTESTS[each])


if __name__ == "__main__":
    main()
