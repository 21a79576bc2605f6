"""The cross-table as a picture: cells by the share of the points, coloured in eleven steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from arena.tables.table import Row, Table
from arena.text import many

LEVELS = 10
"""The last of the steps; the middle one is a half of the points."""
MOST_BOTS = 150
"""The most bots of a group: a browser would choke on the cells of many more."""
_COMPACT_FROM, _DENSE_FROM, _TINY_FROM = 21, 46, 111  # bots that are drawn
_MARKS = {1: "+", 0: "", -1: "−"}
_WORDS = {1: ", surely ahead", 0: "", -1: ", surely behind"}


@dataclass(frozen=True, slots=True)
class Cell:
    """What the bot of a row did against that of a column."""

    level: int
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
    return Cell(
        level=round(LEVELS * share),
        percent=100 * share,
        mark=_MARKS[row["lead"]],
        words=f"{row['wins']}/{row['draws']}/{row['losses']} in "
        f"{many(row['matches'], 'match', 'matches')}{_WORDS[row['lead']]}",
    )
