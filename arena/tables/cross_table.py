"""The cross-table of a field: what every bot did against every other, as a table."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, Literal, TypeAlias

from arena.stats.encounters import Encounter, cycles, encounters
from arena.stats.ratings import Ratings
from arena.stats.standings import Standing, standings
from arena.tables.field import Field
from arena.tables.table import NAME_WIDTH, Column, Row, Sheet, Style, Table
from arena.text import first_few

Cell = Literal["wins", "points", "places"]
"""What stands in a cell: wins, draws and losses; the share of the points; the mean place."""

Met: TypeAlias = Mapping[tuple[str, str], Row]
"""The rows of the pairs that met."""

KEYS = (
    *("bot", "other", "matches", "deals", "wins", "draws", "losses", "points", "low", "high"),
    *("mean_place", "other_mean_place", "lead"),
)
_NAMED_CYCLES = 3


def cross_table(field: Field, ratings: Ratings, cell: Cell | None = None) -> Table:
    """Return the table of all pairs of bots that met, in the order of the leaderboard.

    Duels show wins by default, larger matches places. Groups of bots that never met each other
    stand below each other.
    """
    rows = standings(field.deals, ratings, out=field.out)
    order = {row.bot: number for number, row in enumerate(rows, 1)}
    found = encounters(field.deals)
    pairs = sorted(found, key=lambda pair: (order[pair[0]], order[pair[1]]))
    met = {pair: encounter_row(pair, found[pair]) for pair in pairs}
    shown: Cell = cell or ("wins" if field.duels else "places")
    threes = list(cycles(found, list(order)))
    facts = {**field.facts, "cycles": [list(three) for three in threes]}
    return Table(
        "encounters",
        columns=(),
        rows=list(met.values()),
        facts=facts,
        notes=[*_notes(field, rows, shown), *_cycle_notes(threes)],
        keys=KEYS,
        grids=list(_grids(rows, order, met, shown)),
    )


def encounter_row(pair: tuple[str, str], encounter: Encounter) -> dict[str, Any]:
    """Return the row of JSON and CSV for what the first bot of a pair did against the second."""
    low, high = encounter.points.interval
    return {
        "bot": pair[0],
        "other": pair[1],
        "matches": encounter.matches,
        "deals": encounter.points.deals,
        "wins": encounter.wins,
        "draws": encounter.draws,
        "losses": encounter.losses,
        "points": encounter.points.mean,
        "low": low,
        "high": high,
        "mean_place": encounter.places / encounter.matches,
        "other_mean_place": encounter.other_places / encounter.matches,
        "lead": encounter.lead,
    }


def _grids(
    rows: Sequence[Standing], order: Mapping[str, int], met: Met, cell: Cell
) -> Iterator[Sheet]:
    """Yield the grid of every group of bots that met, all numbered as in the leaderboard."""
    for group, standing in groupby(rows, key=lambda row: row.group):
        bots = [row.bot for row in standing]
        if group:
            yield Sheet(
                [
                    Column("#", lambda row: str(row["number"]), "right"),
                    Column("Bot", "bot", width=NAME_WIDTH),
                    *(lead_column(str(order[other]), other, met, _TEXTS[cell]) for other in bots),
                ],
                [{"number": order[bot], "bot": bot} for bot in bots],
                fixed=2,
            )


def lead_column(
    title: str, there: Hashable, found: Mapping[Any, Row], text: Callable[[Row], str]
) -> Column:
    """Return a column of a grid: of each bot the text of what was found of it there, with its lead.

    There is another bot, or a seat.
    """

    def marked(row: Row) -> str:
        its = found.get((row["bot"], there))
        if its is None:
            return "· " if row["bot"] == there else "- "
        return text(its) + _MARKS[its["lead"]]

    def style(row: Row) -> Style | None:
        its = found.get((row["bot"], there))
        return _STYLES.get(its["lead"]) if its else None

    return Column(title, marked, "right", style=style)


def wins_text(row: Row) -> str:
    """Return wins, draws and losses."""
    return f"{row['wins']}/{row['draws']}/{row['losses']}"


_TEXTS: Mapping[Cell, Callable[[Row], str]] = {
    "wins": wins_text,
    "points": lambda row: f"{100 * row['points']:.1f}",
    "places": lambda row: f"{row['mean_place']:.2f}",
}
_MARKS = {1: "+", 0: " ", -1: "-"}
_STYLES: Mapping[int, Style] = {1: "good", -1: "bad"}


_MEANINGS: Mapping[Cell, str] = {
    "wins": "matches with the better/the same/the worse place",
    "points": "percent of the points: 1 for the better place, half for the same",
    "places": "the mean place of the row's bot where both sat",
}


def _notes(field: Field, rows: Sequence[Standing], cell: Cell) -> list[str]:
    meaning = "wins/draws/losses" if cell == "wins" and field.duels else _MEANINGS[cell]
    notes = [
        f"{field.extent}. Row against column: {meaning}.",
        "+ and -: surely ahead and surely behind by the matches of the two; ranks are by all.",
    ]
    groups = {row.group for row in rows if row.group}
    if len(groups) > 1:
        notes.append(f"{len(groups)} groups of bots never met each other: one table for each.")
    alone = [row.bot for row in rows if not row.group]
    if alone:
        notes.append(f"Met no other bot: {first_few(alone)}.")
    return [*notes, *field.remarks]


def _cycle_notes(threes: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    for first, second, third in islice(threes, _NAMED_CYCLES):
        yield (
            f"A cycle, which no rating shows: {first} surely beats {second}, {second} {third}, and "
            f"{third} {first}."
        )
    if len(threes) > _NAMED_CYCLES:
        yield f"There are {len(threes)} such cycles."
