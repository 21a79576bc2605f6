"""Tables of results as text, JSON or CSV: the one home of tabulate."""

import csv
import io
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Literal

from tabulate import tabulate, tabulate_formats

from arena.text import UNBROKEN, StandIns, fold, guarded
from arena.text import width as width_of

FORMATS = (*sorted(tabulate_formats), "csv", "json")
"""Everything `--format` takes."""
WIDTH = 80
"""The columns of the screen where nothing else is known, and the most that notes take."""
NAME_WIDTH = 20
"""The `width` of columns of bots' names."""

_MARKUP = frozenset(
    {
        *("asciidoc", "colon_grid", "github", "html", "jira", "mediawiki", "moinmoin", "orgtbl"),
        *("latex", "latex_booktabs", "latex_longtable", "latex_raw"),
        *("pipe", "rst", "textile", "tsv", "unsafehtml", "youtrack"),
    }
)
"""The formats of tabulate that are written for programs: neither folded, split nor coloured."""
_BARS = {
    **dict.fromkeys(("asciidoc", "github", "jira", "pipe", "youtrack"), "\\|"),
    **dict.fromkeys(("mediawiki", "textile"), "&#124;"),
    "orgtbl": "\\vert{}",
}
"""How markup writes a bar that is text."""
_PAGE = 10_000  # rows of a table for people
_AT_ONCE = 200  # rows of JSON or CSV
_BEGINNING, _END = '{\n  "": [', "]\n}"  # of JSON that holds nothing but a list
_DECIMALS = 4  # of numbers in JSON and CSV

Style = Literal["good", "bad", "warning"]
_COLORS: Mapping[Style | None, str] = {"good": "32", "bad": "31", "warning": "33"}

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """One column of a table for people: its title, and a row's key or what is made of a row."""

    title: str
    cell: str | Callable[[Row], str]
    align: str = "left"
    width: int | None = None
    """Down to which longer text is folded, where the table would be too wide; None for never.

    Text with UNBROKEN in it is folded further, as long as its parts stay whole.
    """
    style: Callable[[Row], Style | None] | None = None
    """What a cell's colour is to say, on a terminal."""

    def text(self, row: Row) -> str:
        """Return what stands in the column for a row; UNBROKEN is a space that no line ends at."""
        return self.cell(row) if callable(self.cell) else str(row[self.cell])


class Exact(float):
    """A number that programs get unrounded, as small ones matter: costs, times."""


def with_error(value: float | None, error: float | None, form: str = ".2f") -> str:
    """Return a number and two of its errors, if it has one; a dash if there is no number."""
    if value is None:
        return "-"
    return f"{value:{form}}" if error is None else f"{value:{form}} ± {2 * error:{form}}"


@dataclass(frozen=True)
class Sheet:
    """Columns and rows for people."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    fixed: int = 1
    """The leading columns to repeat, where the others do not fit beside each other."""
    title: str = ""
    """A line above it, in formats for eyes."""


@dataclass(frozen=True)
class Table:
    """Rows of values by key, with facts that hold for all of them and notes for the reader.

    JSON holds the facts and, under `name`, the rows; CSV holds the rows, whose keys are its
    header; the other formats show the columns, then the notes.
    """

    name: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    keys: Sequence[str] = ()
    """The header of the CSV where there are no rows."""
    flat: Callable[[Row], Row] | None = None
    """What makes a row one of CSV, whose cells hold no JSON; None if it is one already."""
    fixed: int = 1
    """The leading columns to repeat, where the others do not fit beside each other."""
    grids: Sequence[Sheet] | None = None
    """What people are shown instead of the columns and rows, where that is laid out otherwise."""
    lead_in: Sequence[str] = ()
    """Sentences that a reader is to see first, above the columns."""
    picture: Sequence[str] = ()
    """Lines that are shown above the notes as they are, in formats for eyes."""


def render(table: Table, form: str, *, width: int = WIDTH, color: bool = False) -> str:
    """Return the table in one of the FORMATS, without a newline at its end.

    Where it would be wider than the screen, whose width is given, the formats for people leave
    out columns in which nothing stands, fold those that may be folded, and then split the others
    into blocks below each other.
    """
    return "".join(pieces(table, table.rows, form, width=width, color=color))


def pieces(
    table: Table, rows: Iterable[Row], form: str, *, width: int = WIDTH, color: bool = False
) -> Iterator[str]:
    """Yield what `render` returns, with these rows, piece by piece.

    Rows are read as they are needed, and notes after them. Those for people come in tables of
    10,000 each.
    """
    if form == "json":
        yield from _json(table, rows)
    elif form == "csv":
        yield from _csv(table, rows)
    else:
        gap = ""
        picture = [] if form in _MARKUP or not table.picture else ["\n".join(table.picture)]
        texts = _texts(table, rows, form, width, color)
        first, last = (_folded(notes, width) for notes in (table.lead_in, table.notes))
        for text in chain(first, texts, picture, last):
            yield f"{gap}{text}"
            gap = "\n\n"


def _texts(table: Table, rows: Iterable[Row], form: str, width: int, color: bool) -> Iterator[str]:
    for grid in _pages(table, rows) if table.grids is None else table.grids:
        if form in _MARKUP:
            yield _markup(grid, form)
        else:
            title = f"{grid.title}\n" * bool(grid.title)
            for block in _Screen(grid, form, width, color).blocks():
                yield f"{title}{block}"
                title = ""


def _pages(table: Table, rows: Iterable[Row]) -> Iterator[Sheet]:
    """Yield at least one grid, and one for each page of rows."""
    left = iter(rows)
    page = list(islice(left, _PAGE))
    while True:
        yield Sheet(table.columns, page, table.fixed)
        page = list(islice(left, _PAGE))
        if not page:
            return


def _folded(notes: Iterable[str], width: int) -> Iterator[str]:
    lines = [line for note in notes for line in fold(note, min(width, WIDTH))]
    if lines:
        yield "\n".join(lines)


def _tabulate(cells: Sequence[Sequence[str]], columns: Sequence[Column], form: str) -> str:
    return tabulate(
        cells,
        headers=[column.title for column in columns],
        tablefmt=form,
        disable_numparse=True,
        colalign=[column.align for column in columns] if cells else None,
    )


def _markup(grid: Sheet, form: str) -> str:
    bar = _BARS.get(form, "|")
    cells = [
        [
            column.text(row).strip().replace("|", bar).replace(UNBROKEN, " ")
            for column in grid.columns
        ]
        for row in grid.rows
    ]
    titles = [column.title.replace("\n", " ").replace("|", bar) for column in grid.columns]
    if form == "tsv":
        cells = [list(map(guarded, row)) for row in cells]
        titles = list(map(guarded, titles))
    columns = [replace(each, title=title) for each, title in zip(grid.columns, titles, strict=True)]
    return _tabulate(cells, columns, form)


class _Screen:
    """A grid for eyes, on a screen of some width."""

    def __init__(self, grid: Sheet, form: str, width: int, color: bool) -> None:
        self._grid = grid
        self._form = form
        self._width = width
        self._color = color
        self._cells = [[column.text(row) for row in grid.rows] for column in grid.columns]
        self._natural = [max(map(_widest, cells), default=0) for cells in self._cells]
        self._least = list(map(_least, grid.columns, self._cells))

    def blocks(self) -> Iterator[str]:
        """Yield the text of as many blocks as it takes to show all columns."""
        columns = list(range(len(self._grid.columns)))
        fixed = columns[: self._grid.fixed]
        if not self._fits(columns):
            columns = [number for number in columns if number in fixed or self._natural[number]]
        if self._fits(columns):
            block = columns
        else:
            block = fixed
            for number in columns[len(fixed) :]:
                if block != fixed and not self._fits([*block, number]):
                    yield self._text(block)
                    block = fixed
                block = [*block, number]
        yield self._text(block)

    def _fits(self, block: Sequence[int]) -> bool:
        return self._measured(block, 0) <= self._width

    def _measured(self, block: Sequence[int], level: int) -> int:
        """Return how wide a block is with its columns folded to that level, where they may be."""
        line = ["x" * width for width in self._folded(block, level)]
        columns = [self._grid.columns[number] for number in block]
        return max(map(len, _tabulate([line], columns, self._form).splitlines()))

    def _folded(self, block: Sequence[int], level: int) -> list[int]:
        return [
            natural if least is None else min(natural, max(least, level))
            for least, natural in ((self._least[n], self._natural[n]) for n in block)
        ]

    def _text(self, block: Sequence[int]) -> str:
        """Return the text of a block, its widest columns folded just so far that it fits."""
        levels = range(max(self._natural, default=0) + 1)
        fitting = bisect_right(levels, self._width, key=lambda level: self._measured(block, level))
        widths = self._folded(block, max(fitting - 1, 0))
        stand_ins = StandIns()
        by_column = [
            [self._cell(number, row, width, stand_ins) for row in range(len(self._grid.rows))]
            for number, width in zip(block, widths, strict=True)
        ]
        columns = [self._grid.columns[number] for number in block]
        cells = list(zip(*by_column, strict=True))
        lines = stand_ins.take(_tabulate(cells, columns, self._form)).splitlines()
        return "\n".join(line.rstrip() for line in lines)

    def _cell(self, number: int, row: int, width: int, stand_ins: StandIns) -> str:
        text = self._cells[number][row]
        lines = text.splitlines() or [""]
        if _widest(text) > width:
            lines = [part for line in lines for part in fold(line, width)]
        style = self._grid.columns[number].style
        start = _COLORS.get(style(self._grid.rows[row])) if style and self._color else None
        paint = f"\x1b[{start}m{{}}\x1b[0m" if start else "{}"
        spaced = (line.replace(UNBROKEN, " ") for line in lines)
        return "\n".join(paint.format(stand_ins.put(line)) for line in spaced)


def _least(column: Column, cells: Sequence[str]) -> int | None:
    """Return down to which width a column is folded: where cells have parts, to the widest."""
    if column.width is None or not any(UNBROKEN in cell for cell in cells):
        return column.width
    parts = (part for cell in cells for part in cell.split(" "))
    return min(column.width, max(map(_widest, parts)))


def _widest(text: str) -> int:
    return max(map(width_of, text.splitlines()), default=0)


def _json(table: Table, rows: Iterable[Row]) -> Iterator[str]:
    facts = {key: rounded(value) for key, value in table.facts.items()}
    yield _dumped({**facts, table.name: []}).removesuffix(_END)
    before, end, left = "", _END, iter(rows)
    while some := [
        {key: rounded(value) for key, value in row.items()} for row in islice(left, _AT_ONCE)
    ]:
        yield before + _dumped({"": some}).removeprefix(_BEGINNING).removesuffix(f"\n  {_END}")
        before, end = ",", f"\n  {_END}"
    yield end


def _dumped(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _csv(table: Table, rows: Iterable[Row]) -> Iterator[str]:
    left = map(table.flat, rows) if table.flat else iter(rows)
    first = next(left, None)
    keys = list(first or _flat_keys(table))
    yield _lines([[guarded(key) for key in keys]])
    left = chain([] if first is None else [first], left)
    while some := [[_cell(rounded(row[key])) for key in keys] for row in islice(left, _AT_ONCE)]:
        yield "\n" + _lines(some)


def _flat_keys(table: Table) -> Iterable[str]:
    return table.flat(dict.fromkeys(table.keys)) if table.flat else table.keys


def _lines(rows: Iterable[Sequence[Any]]) -> str:
    """Return lines of CSV, without the end of the last."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().removesuffix("\n")


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return guarded(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def rounded(value: Any) -> Any:
    """Return a value with its numbers rounded, so that it reads the same everywhere."""
    if isinstance(value, Exact):
        return float(value)
    if isinstance(value, float):
        return round(value, _DECIMALS) + 0.0  # no minus zero
    if isinstance(value, Mapping):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(inner) for inner in value]
    return value
