"""Prints how many results a second the runner and the store can take.

    python -m tests.benchmarks.dispatch            # two or three minutes
    python -m tests.benchmarks.dispatch 100000     # with a smaller database to add to

First, ready matches are stored in batches, in a new database and in a large one, taking turns with
plain inserts of the same rows into the same tables: the floor. Every batch is on the disk before
the next. The matches are new to the database.

Then the real runner hands out deals to real workers, who return a ready match at once: no bot, no
rules. What is measured is the runner's process alone, once with what it brings dropped and once
with all of it stored, from the first match on. On few cores it shares them with the workers, so
that its CPU time for a match, not the pace, tells where it would be busy all the time. Sandboxes,
checks of bots and the start of workers are not included, nor is the line of progress. Of the rounds
the least is taken, as whatever disturbs them only adds.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tabulate import tabulate

from arena.cli.running import collected_rarely
from arena.league.plan import LeaguePlan
from arena.play import worker
from arena.play.events import Stored
from arena.play.messages import Results
from arena.play.run import open_run
from arena.play.staffing import RunTerms
from arena.store.result import PlayedMatch
from arena.store.store import Store
from tests.benchmarks import ready_worker
from tests.benchmarks.scale import LEAGUES, make

MEASURES = (
    "arena/play/local.py arena/play/messages.py arena/play/missing.py arena/play/run.py "
    "arena/play/runner.py arena/schedule/deal.py arena/schedule/plain_formats.py arena/store"
)
LARGE = 1_000_000
BATCHES = {1: 30, 50: 20, 500: 6, 5000: 2}
"""How many batches are stored in a round, by their size."""
WORKERS = {1: 40_000, 2: 60_000, 8: 60_000}
"""How many matches are played in a round, by the number of workers."""
ROUNDS = 5
STORING = ("", "", ",.0f", ",.0f", ".1f", ".1f")
RUNNING = ("", ",.0f", ",.0f", ".1f", ".1f", ",.0f", ",.0f")
"""The forms of the columns."""
GOES_ON_FROM = {"lineup": -1, "result": -1, "deal": 1, "record": 1}
"""How many rows of a table, the last ones, say what number the next one has; -1 is all."""


class Cost(NamedTuple):
    """What a match cost, in microseconds."""

    wall: float
    cpu: float

    @property
    def pace(self) -> float:
        """Matches a second."""
        return 1e6 / self.wall


def timed(act: Callable[[], int]) -> Cost:
    """Do something with matches that returns how many they were; return what one cost."""
    wall, cpu = time.perf_counter(), time.process_time()
    matches = act()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Cost(wall * 1e6 / matches, cpu * 1e6 / matches)


def least(costs: Iterable[Cost]) -> Cost:
    """Return the least of each part."""
    return Cost(*map(min, zip(*costs, strict=True)))


def league_of(folder: Path, matches: int) -> LeaguePlan:
    """Make a league that asks for so many matches."""
    return make(folder, LEAGUES["duels"]._replace(matches=matches), store=False)


def ready_matches(league: LeaguePlan) -> Iterator[PlayedMatch]:
    """Yield every match of a league."""
    schedule = league.schedule
    for deal in league.asked.plan():
        for rotation in range(schedule.rotation_count):
            yield ready_worker.ready(schedule, deal, rotation)


def add(store: Store, ids: Sequence[int], matches: Sequence[PlayedMatch]) -> int:
    """Store matches as a run does; return how many they are."""
    store.add(matches, ids, played_at="2026-01-01T00:00:00+00:00")
    return len(matches)


Rows = dict[str, list[tuple[Any, ...]]]


def rows_of(
    league: LeaguePlan, store: Store, ids: Sequence[int], matches: Sequence[PlayedMatch]
) -> Rows:
    """Return the rows that matches are going to be stored as."""
    with Store(Path(":memory:"), create=True) as other:
        other.bots.rows(league.bots)
        for name, many in GOES_ON_FROM.items():
            last = f"SELECT * FROM {name} ORDER BY id DESC LIMIT {many}"
            fill(other, name, store.db.execute(last).fetchall())
        new = {
            name: other.db.execute(f"SELECT coalesce(max(id), 0) FROM {name}").fetchone()
            for name in GOES_ON_FROM
        }
        add(other, ids, matches)
        rows = {
            name: other.db.execute(f"SELECT * FROM {name} WHERE id > ?", after).fetchall()
            for name, after in new.items()
        }
        rows["match"] = other.db.execute("SELECT * FROM match").fetchall()
    return rows


def fill(store: Store, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows as they are."""
    if rows:
        places = ",".join("?" * len(rows[0]))
        store.db.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


def insert(store: Store, rows: Rows) -> int:
    """Do no more than what SQLite must; return how many matches were stored."""
    store.db.execute("BEGIN IMMEDIATE")
    for name, some in rows.items():
        fill(store, name, some)
    store.db.execute("COMMIT")
    return len(rows["match"])


def storing(folder: Path, large: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table about storing."""
    room = 2 * ROUNDS * sum(size * many for size, many in BATCHES.items())
    for base in (0, large):
        league = league_of(folder / str(base), base + room)
        with Store(league.database, create=True) as store:
            store.settings.keep(league.conditions())
            ids = store.bots.rows(league.bots)
            matches = ready_matches(league)
            for _ in range(0, base, 50_000):
                add(store, ids, list(islice(matches, min(base, 50_000))))
            costs: dict[int, list[tuple[Cost, Cost]]] = {size: [] for size in BATCHES}
            for size in list(BATCHES) * ROUNDS:
                costs[size].append(one_round(league, store, ids, matches, size))
        for size, found in costs.items():
            ours, floor = map(least, zip(*found, strict=True))
            yield base, size, ours.pace, floor.pace, ours.cpu, floor.cpu


def one_round(
    league: LeaguePlan, store: Store, ids: Sequence[int], matches: Iterator[PlayedMatch], size: int
) -> tuple[Cost, Cost]:
    """Store batches of a size, every other one by plain inserts; return the costs of both."""
    ours, floor = [], []
    for _ in range(BATCHES[size]):
        ours.append(timed(partial(add, store, ids, list(islice(matches, size)))))
        rows = rows_of(league, store, ids, list(islice(matches, size)))
        floor.append(timed(partial(insert, store, rows)))
    return mean(ours), mean(floor)


def mean(costs: Sequence[Cost]) -> Cost:
    """Return the mean of each part, in which no wait for the disk is left out."""
    return Cost(*(sum(part) / len(costs) for part in zip(*costs, strict=True)))


def running(folder: Path) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table about the runner."""
    found: dict[int, list[tuple[Cost, Cost, float]]] = {workers: [] for workers in WORKERS}
    for number, (workers, matches) in enumerate(list(WORKERS.items()) * ROUNDS):
        league = league_of(folder / f"run {number}", matches)
        dropped, _ = run(league, workers, is_stored=False)
        found[workers].append((dropped, *run(league, workers, is_stored=True)))
    for workers, rounds in found.items():
        dropped, stored = (least(each[part] for each in rounds) for part in (0, 1))
        batch = median(each[2] for each in rounds)
        saturated = 1e6 / stored.cpu
        yield workers, stored.pace, batch, dropped.cpu, stored.cpu, saturated, saturated / 64


def run(league: LeaguePlan, workers: int, *, is_stored: bool) -> tuple[Cost, float]:
    """Run a league; return what a match cost the runner, and how many came at once."""
    with collected_rarely(), open_run(league, RunTerms(workers)) as opened:
        events = opened.play() if is_stored else chain.from_iterable(opened._runner.run())
        playing = (event.matches for event in events if isinstance(event, Results | Stored))
        next(playing)  # the workers start
        taken: list[int] = []

        def take() -> int:
            taken.extend(map(len, playing))
            return sum(taken)

        cost = timed(take)
    return cost, sum(taken) / len(taken)


def main(large: int) -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory() as name:
        headers: tuple[str, ...] = ("stored", "batch", "matches/s", "plain inserts/s", "µs", "µs")
        print("storing: matches a second, and CPU for each")
        print(tabulate(storing(Path(name), large), headers, intfmt=",", floatfmt=STORING))
        worker.main = ready_worker.main
        headers = ("workers", "matches/s", "at once", "runner's µs", "with storing", "busy at")
        print("\nrunning: what comes in and is stored a second, and the runner's CPU for each")
        print(tabulate(running(Path(name)), (*headers, "of 64, each"), floatfmt=RUNNING))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LARGE)
