"""Results as CSV, as spreadsheets and data frames write it: a row for each bot of a match."""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import msgspec

from arena.tables.results.lines import Lines
from arena.tables.results.played import MATCH, Played, no_place, no_score, quoted
from arena.text import composed, unguarded
from referee.match.scoring import Number
from referee.rules.options import suggestion

_REQUIRED = ("match", "bot", "place")
_COLUMNS = (*_REQUIRED, "deal", "score")
_INDEX = "(index)"
_SEPARATOR = re.compile(r'(?i)"?sep=([,;\t])"?\s*')
_PLACE = re.compile(r"[0-9]{1,9}(\.0*)?")  # 1.0 is how pandas writes it beside empty cells


class _Match(NamedTuple):
    """One match of a CSV file, as far as its rows were read."""

    line: int
    places: dict[str, int]
    deal: str
    scores: dict[str, Number]


def begins(_line: str) -> bool:
    """Return whether the first line of a file shows this form, which any may that no other has."""
    return True


def read(lines: Lines, played: Played) -> None:
    """Read matches, whose rows may lie anywhere; raise ArenaError for a row that is no bot's."""
    texts = iter(lines)
    first = next(texts)
    said = _SEPARATOR.fullmatch(first)  # as Excel reads and writes it
    delimiter = said[1] if said else max(",;\t", key=first.count)
    point = "," if delimiter == ";" else "."  # of decimals, if not as usual
    rows = _rows(texts if said else chain([first], texts), lines, delimiter)
    header = [name.lower() for name in next(rows, [])]
    if header[:1] == [""]:
        header[0] = _INDEX  # as pandas writes it
    _check_header(header, lines)
    matches: dict[str, _Match] = {}
    for row in rows:
        if len(row) != len(header):
            raise lines.error(
                f"this row has {len(row)} cells, and the header {len(header)}; give both as many."
            )
        cells = dict(zip(header, row, strict=True))
        name, deal = cells["match"], cells.get("deal", "")
        if not name:
            raise lines.error("the cell of the match is empty; name the match.")
        match = matches.get(name)
        if match is None:
            match = matches[name] = _Match(lines.number, {}, deal, {})
        if match.deal != deal:
            raise lines.error(
                f"match {quoted(name)} is of deal {quoted(deal)} here and of "
                f"{quoted(match.deal)} on line {match.line}; a match has one deal."
            )
        bot, place, score = composed(unguarded(cells["bot"])), cells["place"], cells.get("score")
        if bot in match.places:
            raise lines.error(
                f"bot {quoted(bot)} is already in match {quoted(name)}, which begins on line "
                f"{match.line}; take a row out, or give the match another name."
            )
        if not _PLACE.fullmatch(place.replace(point, ".")):
            raise lines.error(no_place(bot, place))
        match.places[sys.intern(bot)] = int(float(place.replace(point, ".")))
        if score:
            try:
                match.scores[bot] = msgspec.json.decode(score.replace(point, "."), type=Number)
            except msgspec.MsgspecError:
                raise lines.error(no_score(bot, score)) from None
    for match in matches.values():
        played.add(match.line, match.places, match.deal, match.scores or None)


def _rows(texts: Iterable[str], lines: Lines, delimiter: str) -> Iterator[list[str]]:
    """Yield the stripped cells of every row that has any; a row is one line."""
    for text in texts:
        if "\r" in text.rstrip("\r\n"):
            raise lines.error("lines end in CR alone; save the file with LF or CR LF.")
        try:
            row = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
        except csv.Error as error:
            raise lines.error(f"not CSV: {error}.") from None
        if row and row[-1].endswith("\n"):
            raise lines.error("a quote is not closed on this line; no cell may have line ends.")
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield cells


def _check_header(header: list[str], lines: Lines) -> None:
    missing = [name for name in _REQUIRED if name not in header]
    if len(missing) == len(_REQUIRED):
        raise lines.error(
            f"this is not a results file, which begins with a JSON object, such as {MATCH}, or "
            f"with a CSV header, {','.join(_REQUIRED)}."
        )
    for name, count in Counter(header).items():
        if name not in (*_COLUMNS, _INDEX):
            raise lines.error(f"there is no column {quoted(name)}. {suggestion(name, _COLUMNS)}")
        if count > 1:
            raise lines.error(f"the column {name!r} is there twice; take one out.")
    if missing:
        raise lines.error(
            f"the header lacks {' and '.join(missing)}; it must name the columns match, bot and "
            f"place, and may name deal and score."
        )
