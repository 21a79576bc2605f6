"""How far away remote bots are: what a line takes to their machines and back, in a column."""

from statistics import median

from arena.tables.facet import Facet, FacetSource
from arena.tables.table import Column, Exact, Row


def trips(source: FacetSource) -> Facet | None:
    """Return the median round trip to each remote bot that has played, in seconds; None of none."""
    if not any(bot.grant.remote for bot in source.league.bots):
        return None
    found = {
        bot: Exact(median(its.trips) / 1e6) if its.trips else None
        for bot, its in source.used.items()
    }
    if all(trip is None for trip in found.values()):
        return None
    return Facet(
        columns=(Column("Round trip", _text, "right"),),
        keys=("round_trip",),
        values={bot: (trip,) for bot, trip in found.items()},
        notes=(
            "The round trip is what a line takes to a remote bot's machine and back, the median "
            "of its matches; it is a part of its wall time.",
        ),
    )


def _text(row: Row) -> str:
    trip = row["round_trip"]
    return "-" if trip is None else f"{trip * 1000:.3g} ms"
