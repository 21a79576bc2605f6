"""The cross-table of a league, and its tables as CSV: rows whose cells hold no JSON."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from arena.report.page import heats
from arena.serve.pages import WebVisit, rendered
from arena.serve.views import Row, league_name, plain, public_field, reading
from arena.stats.ratings import fit
from arena.tables import cross_table as crossed
from arena.tables.leaderboard import flat, leaderboard
from arena.tables.table import Table, render


class CrossView(msgspec.Struct, frozen=True, kw_only=True):
    """What every bot did against every other."""

    league: str
    bots: list[tuple[str, int]]
    """The bots in the order of the leaderboard, each with the number of its group, 0 for none."""
    rows: list[Row]
    """One for each pair that met, with the keys of `arena table --format json`."""
    notes: list[str]


def cross_view(folder: Path, since: str = "") -> CrossView:
    """Return the cross-table of the league in a folder; with `since`, as it was then.

    Raises ArenaError if the league or its results cannot be read.
    """
    with reading(folder, since) as (league, store):
        field = public_field(league, store)
        ratings = fit(field.deals, bots=field.bots)
        met = crossed.cross_table(field, ratings, "points")
        return CrossView(
            league=league_name(league),
            bots=[(row["bot"], row["group"]) for row in leaderboard(field, ratings).rows],
            rows=[plain(row) for row in met.rows],
            notes=list(met.notes),
        )


def cross_page(visit: WebVisit, view: CrossView, own: Sequence[str]) -> str:
    """Return the page of a cross-table; `own` are the bots whose matches the visitor may see."""
    standings = Table("standings", (), [{"bot": bot, "group": group} for bot, group in view.bots])
    return rendered(
        "cross_table.html",
        visit,
        view=view,
        heats=list(heats(standings, Table("encounters", (), view.rows))),
        own=frozenset(own),
    )


def cross_csv(view: CrossView) -> str:
    """Return a cross-table as CSV: a line for each pair that met."""
    return render(Table("encounters", (), view.rows, keys=crossed.KEYS), "csv") + "\n"


def table_csv(rows: Iterable[Row]) -> str:
    """Return a leaderboard as CSV, where ranges and faults have a column for each part."""
    return render(Table("standings", (), [*rows], flat=flat), "csv") + "\n"
