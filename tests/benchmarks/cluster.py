"""Prints what a cluster costs: bytes for a match, time for a chunk, and what is lost by it.

    python -m tests.benchmarks.cluster             # some minutes

First, what each game's matches weigh on the wire and on the disk, and how many a core plays. Then
Dask workers have every match ready at once, so that only Dask, the runner and the store work: the
CPU time of each side, for chunks of so many deals. Last, the same league by turns on two workers
of this machine and on a cluster of two Dask workers, which is to show what Dask takes away.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.play import runner
from arena.play.events import Stored
from arena.play.messages import Results, encode
from arena.play.run import open_run
from arena.play.staffing import RunTerms
from referee.games import GAMES
from tests.arena.play.cluster.dask_cluster import DaskCluster

MEASURES = (
    "arena/play/cluster arena/play/messages.py arena/play/runner.py arena/play/worker.py "
    "arena/store/store.py protocol/lines.py referee/turn/bot_process.py referee/turn/lookout.py "
    "referee/match/match.py referee/process/pipes.py referee/match/seat.py "
    "referee/turn/turn_clock.py"
)
MATCHES = 60  # of each game
CHUNKS = {1: 150, 10: 100, 100: 40, 500: 20}
"""How many chunks are played, by the number of deals in each."""
ROUNDS = 3
DEALS = 300
_TICKS = os.sysconf("SC_CLK_TCK")


def league_of(folder: Path, game: str, deals: int, names: tuple[str, str]) -> LeaguePlan:
    """Make a league of two or more shipped bots, without a sandbox."""
    seats = GAMES[game].seat_counts[0]
    settings = Settings(game=game, seats=seats, seed=1, deals=deals)
    entries = [
        {"name": f"{names[seat % 2]} {seat}", "shipped": names[seat % 2]} for seat in range(seats)
    ]
    return make_league(folder, settings, {}, {"sandbox": "none"}, entries)


class Weight(NamedTuple):
    """What a match of a game is, to a cluster."""

    game: str
    pace: float
    """Matches a second on one core."""
    wire: float
    """Bytes from the worker to the runner."""
    disk: float
    """Bytes of the database."""


def weights(folder: Path) -> Iterator[Weight]:
    """Yield the weight of each game's matches between two shipped bots."""
    for game in sorted(GAMES):
        seats = GAMES[game].seat_counts[0]
        league = league_of(folder / game, game, max(1, MATCHES // seats), ("sensible", "random"))
        count = wire = 0
        seconds = 0.0
        with open_run(league, RunTerms(1)) as opened:
            for event in opened.play():
                if isinstance(event, Stored):
                    count += event.played
                    wire += len(encode(Results(event.matches, 0.0)))
                    seconds += sum(played.record.seconds for played in event.matches)
        disk = league.database.stat().st_size
        yield Weight(game, count / seconds, wire / count, disk / count)


def used(pid: int) -> float:
    """Return the seconds of CPU time that a process has used."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / _TICKS


class Cost(NamedTuple):
    """CPU time, in microseconds, for each match."""

    runner: float
    scheduler: float
    workers: float


def ready_costs(folder: Path) -> Iterator[tuple[object, ...]]:
    """Yield for each size of chunks what a chunk and a match cost."""
    with DaskCluster(folder / "ready") as cluster:
        preload = ("--preload", "tests.benchmarks.ready_preload")
        workers = [cluster.add_worker(name, more=preload) for name in ("one", "two")]
        assert cluster.scheduler is not None
        for deals, chunks in CHUNKS.items():
            runner._LARGEST_BATCH = deals
            league = league_of(
                folder / f"chunks of {deals}", "guerra", deals * chunks, ("random",) * 2
            )
            with open_run(league, RunTerms(cluster=cluster.address)) as opened:
                playing = opened.play()
                while not isinstance(next(playing), Stored):
                    pass  # the workers start
                pids = [os.getpid(), cluster.scheduler.pid, *(each.process.pid for each in workers)]
                before = list(map(used, pids))
                matches = sum(event.played for event in playing if isinstance(event, Stored))
                after = list(map(used, pids))
            spent = [end - start for start, end in zip(before, after, strict=True)]
            count = matches / 2 / deals
            for_chunk = [seconds / count * 1e3 for seconds in (spent[0], spent[1], sum(spent[2:]))]
            for_match = [seconds / matches * 1e6 for seconds in (spent[0], spent[1])]
            yield deals, *for_chunk, *for_match


def paces(folder: Path) -> dict[str, list[float]]:
    """Return matches a second on two workers here and on a cluster of two, taking turns."""
    found: dict[str, list[float]] = {"two workers": [], "two Dask workers": []}
    with DaskCluster(folder / "pace") as cluster:
        for name in ("one", "two"):
            cluster.add_worker(name)
        for number in range(ROUNDS):
            for name, address in zip(found, (None, cluster.address), strict=True):
                league = league_of(
                    folder / f"{name} {number}", "guerra", DEALS, ("random", "random")
                )
                with open_run(league, RunTerms(None if address else 2, cluster=address)) as opened:
                    playing = opened.play()
                    while not isinstance(next(playing), Stored):
                        pass
                    began = time.perf_counter()
                    matches = sum(event.played for event in playing if isinstance(event, Stored))
                    found[name].append(matches / (time.perf_counter() - began))
    return found


def main() -> None:
    """Print the tables."""
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("two cores are needed.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("a match of two shipped bots")
        headers: tuple[str, ...] = ("game", "a second on a core", "bytes on the wire", "stored")
        print(tabulate(weights(folder), headers, floatfmt=("", ".1f", ",.0f", ",.0f")))
        print("\na chunk of ready matches: CPU in ms, and in µs for a match")
        headers = ("deals", "runner", "scheduler", "Dask workers", "runner, µs", "scheduler, µs")
        print(tabulate(ready_costs(folder), headers, floatfmt=".1f"))
        print("\nmatches a second")
        rows = [(name, statistics.median(found)) for name, found in paces(folder).items()]
        print(tabulate(rows, floatfmt=".0f"))
        print(f"the cluster plays {rows[1][1] / rows[0][1]:.2f} times as many")


if __name__ == "__main__":
    main()
