"""Prints what it costs that a stored match survives a power cut.

    python -m tests.benchmarks.durability

Matches with records of a usual size are stored as a run stores them, in batches, once as it is
(every batch is on the disk before it counts) and once without waiting for the disk. A worker
reports about twice a second, so that a run of 100 matches a second stores 50 at a time.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tabulate import tabulate

from arena.store.store import Store
from tests.benchmarks.scale import LEAGUES, make, matches

MEASURES = "arena/store"
BATCHES = {1: 300, 10: 2_000, 50: 10_000, 500: 20_000}
"""How many matches to store, by the size of a batch."""


def pace(folder: Path, batch: int, count: int, *, durable: bool) -> float:
    """Return how many matches a second are stored."""
    size = LEAGUES["duels"]._replace(bots=6, matches=2 * count)
    league = make(folder, size, store=False)
    played = islice(matches(league), count)
    with Store(league.database, create=True) as store:
        store.settings.keep(league.conditions())
        ids = store.bots.rows(league.bots)
        store.db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
        spent = 0.0
        while some := list(islice(played, batch)):
            began = time.perf_counter()
            store.add(some, ids, played_at="")
            spent += time.perf_counter() - began
    return count / spent


def rows() -> Iterator[tuple[object, ...]]:
    """Yield the table's rows."""
    for batch, count in BATCHES.items():
        with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
            with_disk = pace(Path(name) / "with", batch, count, durable=True)
            without = pace(Path(name) / "without", batch, count, durable=False)
        yield batch, with_disk, without, f"{without / with_disk:.2f}x", f"{100 / with_disk:.1%}"


if __name__ == "__main__":
    headers = ("batch", "matches/s", "without waiting", "cost", "of a run at 100 matches/s")
    print(tabulate(rows(), headers, floatfmt=",.0f"))
