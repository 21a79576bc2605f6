"""A file of names, of a class perhaps: who is to be added, with mistakes by line."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from arena.handin.people import PERSON, Newcomer, Role
from arena.league.bot import check_name
from arena.text import composed, likeness
from protocol.errors import ArenaError
from referee.sandbox.sources import read_at_most

_LIMIT = 1 << 20
_COLUMNS = ("name", "role")
_SEPARATORS = "\t;,"


def read_names(file: Path) -> list[Newcomer]:
    """Return who stands in a CSV file: a name in each line, and perhaps a role.

    A comma is between them, a semicolon, as spreadsheets write it in much of Europe, or a tab. The
    first line may name the columns. Raises ArenaError with all mistakes, each with its line.
    """
    try:
        text = read_at_most(file, _LIMIT).decode("utf-8-sig")
    except OSError as error:
        raise ArenaError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ArenaError(f"{file}:{line}: not UTF-8; save it as UTF-8.") from None
    wanted, mistakes = [], []
    lines: dict[str, int] = {}
    for line, cells in _rows(file, text):
        try:
            each = _wanted(cells, f"{file}:{line}: ")
            check_name(each.name, PERSON)
            _check_once(each, line, lines)
            wanted.append(each)
        except ArenaError as error:
            mistakes.append(f"{file}:{line}: {error}")
    if mistakes:
        said = f" {mistakes[0]}" if len(mistakes) == 1 else "\n".join(["", *mistakes])
        raise ArenaError(f"nobody was added:{said}")
    if not wanted:
        raise ArenaError(f"{file} has no names; write one in each line.")
    return wanted


def _check_once(each: Newcomer, line: int, lines: dict[str, int]) -> None:
    before = lines.setdefault(likeness(each.name), line)
    if before != line:
        raise ArenaError(f"{each.name!r} stands in line {before} already.")


def _rows(file: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that hold something, with their numbers, without one that names columns."""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            [row] = csv.reader([line], delimiter=_separator(line), strict=True)
        except csv.Error as error:
            raise ArenaError(f"{file}:{number}: not CSV: {error}.") from None
        cells = [cell.strip() for cell in row]
        while cells and not cells[-1]:  # empty columns of a spreadsheet
            cells.pop()
        titles = tuple(cell.casefold() for cell in cells)
        if cells and not (number == 1 and titles in (_COLUMNS, _COLUMNS[:1])):
            yield number, cells


def _separator(line: str) -> str:
    """Return what separates the cells of a line: a name may hold a comma, but hardly the others."""
    plain = re.sub('"[^"]*"', "", line)
    return next((sign for sign in _SEPARATORS if sign in plain), ",")


def _wanted(cells: list[str], where: str) -> Newcomer:
    name, role, *more = [*cells, ""] if len(cells) < len(_COLUMNS) else cells
    if more:
        raise ArenaError(f"{len(cells)} columns; a line is a name, and perhaps a role.")
    for known in get_args(Role):
        if role.casefold() in ("", known):
            return Newcomer(composed(name), known, where)
    raise ArenaError(f"{role!r} is no role; the roles are {', '.join(get_args(Role))}.")
