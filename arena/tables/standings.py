"""How a tournament stands, in the form of its format: its tables, and its bracket as a picture."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from arena.league.plan import LeaguePlan
from arena.schedule.rounds import Grid
from arena.store.opening import open_store, read_played
from arena.store.rounds import Rounds
from arena.store.tournament import Tournament
from arena.tables.sources import asides_of
from arena.tables.table import NAME_WIDTH, Column, Row, Sheet, Table
from arena.text import counted, safe
from protocol.errors import ArenaError


def read_standings(folder: Path) -> Table:
    """Return how the tournament of a league stands.

    Raises ArenaError for a league whose format does not go by results.
    """
    league = read_played(folder)
    if not league.goes_by_results:
        raise ArenaError(
            f"the format of {folder} is {league.settings.format!r}, which has no standings but "
            f"the ratings: `arena rank` shows them."
        )
    if not league.database.is_file():
        return standings_table(league, None)
    with open_store(league) as store:
        table = standings_table(league, store)
        return replace(table, notes=[*table.notes, *asides_of(league, store)])


def standings_table(league: LeaguePlan, store: Rounds | None) -> Table:
    """Return the standings of a league that goes by results; without a store, before all play."""
    tournament = Tournament(league, store)
    found = tournament.standings()
    over = counted(len(tournament.past), "round is", "rounds are")
    notes = [f"{over} over.", tournament.progress, *found.notes]
    first, *others = [_sheet(grid) for grid in found.grids]
    return Table(
        name="standings",
        columns=first.columns,
        rows=first.rows,
        facts={
            "format": league.settings.format,
            "rounds": len(tournament.past),
            "progress": tournament.progress,
            "tables": {
                grid.title: sheet.rows for grid, sheet in zip(found.grids[1:], others, strict=True)
            },
        },
        notes=[safe(note) for note in notes],
        keys=found.grids[0].headers,
        grids=[first, *others],
        picture=[safe(line) for line in found.drawing],
    )


def _sheet(grid: Grid) -> Sheet:
    """Return a grid of standings as it is shown; names of bots stand in columns of words."""
    rows = [dict(zip(grid.headers, row, strict=True)) for row in grid.rows]
    columns = [
        Column(
            header,
            partial(_text, header=header),
            "left" if any(isinstance(row[header], str) for row in rows) else "right",
            width=NAME_WIDTH,
        )
        for header in grid.headers
    ]
    return Sheet(columns, rows, title=grid.title)


def _text(row: Row, header: str) -> str:
    value = row[header]
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return safe(str(value))
