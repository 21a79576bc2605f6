"""Tables of results as text, JSON or CSV: the one home of tabulate."""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tabulate import tabulate, tabulate_formats

FORMATS = (*sorted(tabulate_formats), "csv", "json")
"""Everything `--format` takes."""

_WIDTH = 80
_DECIMALS = 4  # of numbers in JSON and CSV


Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """One column of a table for people: its title, and a row's key or what is made of a row."""

    title: str
    cell: str | Callable[[Row], str]
    align: str = "left"
    width: int | None = None
    """Where longer text is folded."""

    def text(self, row: Row) -> str:
        """Return what stands in the column for a row."""
        return self.cell(row) if callable(self.cell) else str(row[self.cell])


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


def render(table: Table, form: str) -> str:
    """Return the table in one of the FORMATS, without a newline at its end."""
    if form == "json":
        rows = [{key: _plain(value) for key, value in row.items()} for row in table.rows]
        facts = {key: _plain(value) for key, value in table.facts.items()}
        return json.dumps({**facts, table.name: rows}, indent=2, ensure_ascii=False)
    if form == "csv":
        return _csv(table)
    text = tabulate(
        [[column.text(row) for column in table.columns] for row in table.rows],
        headers=[column.title for column in table.columns],
        tablefmt=form,
        disable_numparse=True,
        colalign=[column.align for column in table.columns] if table.rows else None,
        maxcolwidths=[column.width for column in table.columns] if table.rows else None,
    )
    notes = [textwrap.fill(note, _WIDTH, break_on_hyphens=False) for note in table.notes]
    return "\n".join([text, *(["", *notes] if notes else [])])


def _csv(table: Table) -> str:
    keys = list(table.rows[0] if table.rows else table.keys)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(keys)
    for row in table.rows:
        writer.writerow([_cell(_plain(row[key])) for key in keys])
    return file.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _plain(value: Any) -> Any:
    """Return a value with its numbers rounded, so that it reads the same everywhere."""
    if isinstance(value, float):
        return round(value, _DECIMALS) + 0.0  # no minus zero
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
