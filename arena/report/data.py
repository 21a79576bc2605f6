"""What the page of a league holds as data: its tables, to be downloaded, and pages of bots."""

from collections.abc import Iterable, Sequence
from typing import Any

from arena.report import charts
from arena.report.progress import Point
from arena.report.summary import Summary
from arena.tables.table import Row, Table, rounded


def data_of(summary: Summary) -> dict[str, Any]:
    """Return the tables of a page, each as its keys and rows, and how the ratings came to be.

    Of the pairs it holds one of each two, as the other says the same the other way round.
    """
    order = {row["bot"]: number for number, row in enumerate(summary.standings.rows)}
    halves = [row for row in summary.encounters.rows if order[row["bot"]] < order[row["other"]]]
    return {
        "name": summary.name,
        "tables": {
            "standings": _table(summary.standings, summary.standings.rows),
            "encounters": _table(summary.encounters, halves),
            "seats": _table(summary.seats, summary.seats.rows),
            "lengths": {
                "keys": ["decisions", "matches"],
                "rows": [[*item] for item in summary.lengths.decisions.items()],
            },
        },
        "progress": _progress(summary.progress, order),
    }


def _table(table: Table, rows: Sequence[Row]) -> dict[str, Any]:
    keys = [*rows[0]] if rows else [*table.keys]
    return {"keys": keys, "rows": [[*rounded(row).values()] for row in rows]}


def _progress(points: Sequence[Point], bots: Iterable[str]) -> dict[str, Any]:
    """Return what every bot was rated at each point: a number to draw, and as text."""
    return {
        "scale": charts.scale_of(points),
        "matches": [point.matches for point in points],
        "bots": {bot: [charts.rated_at(points, point, bot) for point in points] for bot in bots},
    }
