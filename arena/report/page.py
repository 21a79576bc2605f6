"""The page of a league, as one file of HTML: a summary, a cross-table as a picture, matches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import msgspec
from markupsafe import Markup

from arena.report import charts
from arena.report.data import data_of
from arena.report.inlined import data_block, inlined
from arena.report.progress import Point
from arena.report.summary import Summary
from arena.report.templates import FOLDER, environment
from arena.stats.encounters import SURE
from arena.tables.table import Row, Table
from arena.text import many

LEVELS = 10
"""The last of the steps in which cells are coloured; the middle one is a half of the points."""
_SHARP, _BLURRED, _PALEST = 0.1, 0.4, 0.2
"""Half of an interval that fades no colour, half of one that fades it most, and what is left."""
MOST_BOTS = 150
"""The most bots of a group: a browser would choke on the cells of many more."""
_COMPACT_FROM, _DENSE_FROM, _TINY_FROM = 21, 46, 111  # bots that are drawn
_MARKS = {1: "+", 0: "", -1: "−"}
_WORDS = {1: ", surely ahead", 0: "", -1: ", surely behind"}
_PRINTED_PAIRS = 400  # paper has no room for the table of more


def page_of(summary: Summary, replays_json: str | None = None) -> str:
    """Return the page: it needs no network, and runs no script but its own.

    `replays_json` is the payload of the viewer of matches; without it the page has no viewer. The
    same summary and payload always make the same page, to the byte.
    """
    names = ["report.css", "board.js", "tables.js", "pages.js"]
    if replays_json is not None:
        names += ["viewer.css", "viewer.js"]
    text = (
        environment(FOLDER)
        .get_template("report.html")
        .render(
            **inlined([FOLDER / name for name in names]),
            replays=None if replays_json is None else data_block(replays_json),
            data=data_block(msgspec.json.encode(data_of(summary)).decode()),
            summary=summary,
            **_parts(summary),
        )
    )
    return text + "\n"


def _parts(summary: Summary) -> dict[str, Any]:
    """Return what the template shows beside the summary, laid out for it."""
    rows = summary.standings.rows
    bots = [row["bot"] for row in rows]
    points = summary.progress
    drawn = [bot for bot in bots if points and bot in points[-1].ratings][: charts.MOST_LINES]
    timed = charts.timed(rows)
    bins = charts.binned(summary.lengths.decisions) if summary.lengths.decisions else []
    drawn_heats = list(heats(summary.standings, summary.encounters))
    drawn_pairs = pairs(drawn_heats, summary.encounters)
    everybody = [
        row for row in summary.seats.rows if row["bot"] is None and row["points"] is not None
    ]
    return {
        "rows": rows,
        "axis": charts.Axis(rows),
        "kinds": sorted({kind for row in rows for kind in row["faults"] or ()}),
        "many_groups": any(row["group"] > 1 for row in rows),
        "heats": drawn_heats,
        "pairs": drawn_pairs,
        "are_pairs_printed": len(drawn_pairs) <= _PRINTED_PAIRS,
        "notes": _notes(summary),
        "most_bots": MOST_BOTS,
        "points": points,
        "drawn": drawn,
        "rating_at": partial(_rating_at, points),
        "scale": charts.scale_of(points),
        "timed": timed,
        "bins": bins,
        "sat": _sat(summary.seats.rows),
        "pictures": {
            "progress": _safe(charts.rating_chart(points, drawn)) if len(points) > 1 else None,
            "lengths": _safe(charts.length_chart(bins)) if len(bins) > 1 else None,
            "seats": _safe(charts.seat_chart(everybody)) if everybody else None,
            "times": _safe(charts.time_chart(timed)) if timed else None,
        },
    }


def _notes(summary: Summary) -> dict[str, list[str]]:
    """Return the notes of every table; what they all say stands below the first one only."""
    remarks = set(summary.field.remarks)
    of_times = [note for facet in summary.field.optional for note in facet.notes]

    def own(table: Table) -> list[str]:
        return [note for note in table.notes if note not in remarks]

    return {
        "standings": [note for note in summary.standings.notes if note not in of_times],
        "encounters": own(summary.encounters),
        "seats": own(summary.seats),
        "times": of_times,
    }


def _safe(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704 - shapes and escaped text only


def _rating_at(points: Sequence[Point], point: Point, bot: str) -> str:
    found = charts.rated_at(points, point, bot)
    return "" if found is None else found[1]


def _sat(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the table of seats: the seats, and the cells of everybody and of every bot."""
    seats = sorted({row["seat"] for row in rows})
    by_bot: dict[str | None, dict[int, dict[str, Any]]] = {}
    for row in rows:
        cell = {"points": row["points"], "text": _points(row), "mark": _MARKS[row["lead"]]}
        by_bot.setdefault(row["bot"], {})[row["seat"]] = cell
    return {"seats": seats, "everybody": by_bot.pop(None, {}), "by_bot": by_bot}


def _points(row: Row) -> str:
    if row["points"] is None:
        return "–"
    points = f"{100 * row['points']:.1f}"
    return points if row["error"] is None else f"{points} ± {100 * SURE * row['error']:.1f}"


@dataclass(frozen=True, slots=True)
class Cell:
    """What the bot of a row did against that of a column."""

    level: int
    """Of its colour, which fades towards the middle with few deals: by how unsure the share is."""
    percent: float
    mark: str
    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """A row: the number of its bot in the leaderboard, and a cell for each bot it met."""

    number: int
    bot: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True, slots=True)
class Heat:
    """The first bots of a group that met each other, in the order of the leaderboard."""

    lines: Sequence[Line]
    bots: int
    """How many there are in the group."""

    @property
    def compact(self) -> bool:
        """Whether there are so many cells that they must be small."""
        return len(self.lines) >= _COMPACT_FROM

    @property
    def dense(self) -> bool:
        """Whether paper is too narrow for what stands in them."""
        return len(self.lines) >= _DENSE_FROM

    @property
    def tiny(self) -> bool:
        """Whether there are so many that paper has hardly room for the cells themselves."""
        return len(self.lines) >= _TINY_FROM


def heats(standings: Table, encounters: Table) -> Iterator[Heat]:
    """Yield the picture of every group of bots that met."""
    met = {(row["bot"], row["other"]): row for row in encounters.rows}
    numbered = list(enumerate(standings.rows, 1))
    for group, rows in groupby(numbered, key=lambda each: each[1]["group"]):
        if not group:
            continue
        bots = [(number, row["bot"]) for number, row in rows]
        drawn = bots[:MOST_BOTS]
        lines = [
            Line(number, bot, [_cell(met.get((bot, other))) for _, other in drawn])
            for number, bot in drawn
        ]
        yield Heat(lines, len(bots))


def pairs(drawn: Sequence[Heat], encounters: Table) -> list[Row]:
    """Return the rows of the pairs that are drawn."""
    bots = {line.bot for heat in drawn for line in heat.lines}
    return [row for row in encounters.rows if row["bot"] in bots and row["other"] in bots]


def _cell(row: Row | None) -> Cell | None:
    if row is None:
        return None
    share = row["points"]
    half = (row["high"] - row["low"]) / 2
    left = min(1.0, max(_PALEST, (_BLURRED - half) / (_BLURRED - _SHARP)))
    return Cell(
        level=round(LEVELS * (0.5 + (share - 0.5) * left)),
        percent=100 * share,
        mark=_MARKS[row["lead"]],
        words=f"{row['wins']}/{row['draws']}/{row['losses']} in "
        f"{many(row['matches'], 'match', 'matches')}{_WORDS[row['lead']]}",
    )
