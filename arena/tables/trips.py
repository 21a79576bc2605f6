"""How far away remote bots are: what a line takes to their machines and back, in a column."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from statistics import median
from typing import Any

from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.tables.table import Column, Exact

TRIP_KEYS = ("round_trip",)
OF_TRIPS = (
    "The round trip is what a line takes to a remote bot's machine and back, the median of its "
    "matches; it is a part of its wall time."
)
"""What a reader of round trips should know."""


def trips(
    store: Store, titles: Mapping[BotVersion, str], remote: Collection[str]
) -> dict[str, float]:
    """Return the median round trip to each remote bot of a field that has played, in seconds."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    if remote:
        _, matches = store.everything()
        for whole in matches:
            bots = whole.match.bots
            for seat, trip in whole.evidence.trips.items():
                title = titles.get(BotVersion(bots[seat].name, bots[seat].version))
                if title is not None:
                    found[title].append(trip / 1e6)
    return {title: Exact(median(each)) for title, each in found.items()}


def values_of(bot: str, found: Mapping[str, float] | None) -> dict[str, Any]:
    """Return a bot's column, if any is remote."""
    return {TRIP_KEYS[0]: found.get(bot)} if found else {}


def column() -> Column:
    """Return the column of the table."""
    return Column("Round trip", _text, "right")


def _text(row: Mapping[str, Any]) -> str:
    trip = row[TRIP_KEYS[0]]
    return "-" if trip is None else f"{trip * 1000:.3g} ms"
