"""Prints games a minute of two chess engines under us, and under fastchess where there is one.

    python -m tests.benchmarks.engines                            # Bot Arena alone
    python -m tests.benchmarks.engines --fastchess ./fastchess
    python -m tests.benchmarks.engines nodes=2000 --rounds 3      # or movetime=0.1

Both get the same engines with the same options (one thread, 64 MB), which are told the same of each
move: `go nodes 2000`, or `go movetime 100`. All games begin with the usual position, each engine
has White in every other, and one or two are played at a time. By nodes, engines play alike each
time: then the games of both runners are compared, move by move.

The time is that of a whole run, from the command to its end, with the start of the engines; runners
take turns, and the medians are shown. CPU time is that of all processes, engines included. Under
us, each engine is in the sandbox bwrap beside its bridge in Python, and frozen while the other one
thinks; matches are stored so that they can be verified. fastchess has none of that.
"""

import argparse
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import chess.pgn
from tabulate import tabulate

MEASURES = (
    "bots/bridges protocol/lines.py referee/turn/bot_process.py referee/turn/freezer.py "
    "referee/turn/lookout.py referee/match/match.py referee/openspiel referee/process/pipes.py "
    "referee/match/seat.py referee/turn/turn_clock.py"
)
ROOT = Path(__file__).parents[2]
ARENA = (sys.executable, "-m", "arena")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENGINES = ("stockfish", "ethereal-chess")
MARGIN = 0.15
"""What the bridge keeps of each move for the way: `MARGIN` there."""


class Way(NamedTuple):
    """How long an engine searches for a move."""

    kind: str
    """nodes or movetime, as UCI has it."""
    amount: float
    """Positions, or seconds."""

    def __str__(self) -> str:
        return f"{self.amount:,g} {'nodes' if self.kind == 'nodes' else 's'} a move"


class Bench(NamedTuple):
    """What all runs have in common."""

    folder: Path
    engines: dict[str, str]
    """The path of each engine by its name."""
    fastchess: str | None


class Run(NamedTuple):
    """What came of one run."""

    seconds: float
    cpu: float
    games: list[chess.pgn.Game]


def call(words: Sequence[str | Path], folder: Path) -> str:
    """Run a command in a folder; return what it printed."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def timed(words: Sequence[str | Path], folder: Path) -> tuple[float, float]:
    """Run a command; return its seconds on the wall, and of CPU in all its processes."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    call(words, folder)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def games_of(text: str) -> list[chess.pgn.Game]:
    """Return the games of a text in PGN."""
    stream, found = io.StringIO(text), []
    while (game := chess.pgn.read_game(stream)) is not None:
        assert not game.errors
        found.append(game)
    return found


def arena_run(bench: Bench, way: Way, games: int, workers: int) -> Run:
    """Play a league of so many games."""
    with tempfile.TemporaryDirectory(dir=bench.folder) as name:
        home = Path(name)
        for engine, path in bench.engines.items():
            call([*ARENA, "new", home / engine, "--uci", path], home)
            if way.kind == "nodes":
                bridge = home / engine / "uci.py"
                text = bridge.read_text()
                assert "\nNODES = 0\n" in text
                bridge.write_text(text.replace("\nNODES = 0\n", f"\nNODES = {way.amount:.0f}\n"))
        allowed = 10.0 if way.kind == "nodes" else way.amount + MARGIN
        limits = [f"move_time={allowed:g}", "memory_mb=4096", "processes=64"]
        words = [word for limit in limits for word in ("--limit", limit)]
        bots = [home / engine for engine in bench.engines]
        rules = ("--game", "openspiel:chess", "--seed", "1", "--sandbox", "bwrap")
        deals = ("--deals", str(games // 2))
        call([*ARENA, "init", "league", *bots, *rules, *deals, *words], home)
        seconds, cpu = timed([*ARENA, "run", "league", "--workers", str(workers)], home)
        call([*ARENA, "export", "league", "games.pgn", "--format", "pgn"], home)
        ranked = json.loads(call([*ARENA, "rank", "league", "--format", "json"], home))
        for row in ranked["standings"]:
            if row["faults"]:
                print(f"faults of {row['bot']}: {row['faults']}", file=sys.stderr)
        return Run(seconds, cpu, games_of((home / "games.pgn").read_text()))


def fastchess_run(bench: Bench, way: Way, games: int, workers: int) -> Run:
    """Play the same games under fastchess."""
    assert bench.fastchess
    with tempfile.TemporaryDirectory(dir=bench.folder) as name:
        home = Path(name)
        engines = [
            word
            for engine, path in bench.engines.items()
            for word in ("-engine", f"cmd={path}", f"name={engine}")
        ]
        is_nodes = way.kind == "nodes"
        pace = ["tc=inf", f"nodes={way.amount:.0f}"] if is_nodes else [f"st={way.amount:g}"]
        each = ["-each", *pace, "timemargin=150", "option.Threads=1", "option.Hash=64"]
        asked = ["-rounds", str(games // 2), "-games", "2", "-repeat"]
        out = ["-concurrency", str(workers), "-pgnout", "file=games.pgn"]
        seconds, cpu = timed([Path(bench.fastchess).resolve(), *engines, *each, *asked, *out], home)
        return Run(seconds, cpu, games_of((home / "games.pgn").read_text()))


RUNNERS = {"Bot Arena": arena_run, "fastchess": fastchess_run}


def lines(run: Run) -> Counter[tuple[str, str]]:
    """Return who had White, and the moves, of all games of a run."""
    return Counter(
        (game.headers["White"], " ".join(move.uci() for move in game.mainline_moves()))
        for game in run.games
    )


def points(runs: Sequence[Run], engine: str) -> str:
    """Return the points of an engine, won, drawn and lost, in all games of some runs."""
    scores: Counter[float] = Counter()
    for game in (game for run in runs for game in run.games):
        white = {"1-0": 1.0, "0-1": 0.0}.get(game.headers["Result"], 0.5)
        scores[white if game.headers["White"] == engine else 1 - white] += 1
    won = (scores[1.0] + scores[0.5] / 2) / scores.total()
    return f"{100 * won:.1f} % ({scores[1.0]}/{scores[0.5]}/{scores[0.0]})"


def measure(bench: Bench, way: Way, games: int, rounds: int) -> None:
    """Print how a way of searching goes under each runner, with one and two games at a time."""
    runners = [name for name in RUNNERS if bench.fastchess or name != "fastchess"]
    rows = []
    for workers in (1, 2):
        runs: dict[str, list[Run]] = {name: [] for name in runners}
        for turn in range(rounds):
            for name in runners:
                print(f"{way}: {name}, {workers} at a time, {turn + 1}", file=sys.stderr)
                runs[name].append(RUNNERS[name](bench, way, games, workers))
        for name, own in runs.items():
            plies = sum(game.end().ply() for run in own for game in run.games)
            seconds, cpu = (
                sum(run.seconds for run in own) * workers,
                sum(run.cpu for run in own),
            )
            pace = median(60 * len(run.games) / run.seconds for run in own)
            played = sum(len(run.games) for run in own)
            first = points(own, next(iter(bench.engines)))
            row = (workers, name, played, plies / played, pace)
            rows.append((*row, 1000 * seconds / plies, 1000 * cpu / plies, first))
        if bench.fastchess and way.kind == "nodes":
            alike = {frozenset(lines(run)) for own in runs.values() for run in own}
            print("The games are the same, move by move." if len(alike) == 1 else "Games differ.")
    print(f"\n{way}")
    headers = ("at a time", "", "games", "moves a game", "games a minute", "ms a move")
    headers += ("CPU ms a move", f"points of {next(iter(bench.engines))}")
    print(tabulate(rows, headers, floatfmt=("", "", "", ".0f", ".1f", ".1f", ".1f", "")))


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.engines")
    parser.add_argument("ways", nargs="*", default=["nodes=2000", "movetime=0.1"])
    parser.add_argument("--fastchess", metavar="PATH", help="the program; without it, only we play")
    parser.add_argument("--engines", nargs=2, default=ENGINES, metavar="PROGRAM")
    parser.add_argument("--games", type=int, default=20, help="in a run; an even number")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each")
    asked = parser.parse_args()
    path = os.pathsep.join((os.environ["PATH"], "/usr/games"))
    found = {Path(word).name: shutil.which(word, path=path) for word in asked.engines}
    if missing := [name for name, place in found.items() if place is None]:
        parser.error(f"there is no program {missing[0]!r}; Debian has the package of this name.")
    program = asked.fastchess and shutil.which(asked.fastchess)
    if asked.fastchess and not program:
        parser.error(f"there is no program {asked.fastchess!r}.")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), {key: place or "" for key, place in found.items()}, program)
        for word in asked.ways:
            kind, _, amount = word.partition("=")
            if kind not in ("nodes", "movetime"):
                parser.error(f"a way is nodes=N or movetime=SECONDS, not {word!r}.")
            measure(bench, Way(kind, float(amount)), asked.games, asked.rounds)


if __name__ == "__main__":
    main()
