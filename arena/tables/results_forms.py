"""The two forms of a results file, JSON lines and CSV: text in, matches as written out; pure."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import msgspec

from arena.text import composed, unguarded
from protocol.errors import ArenaError
from referee.options import suggestion

MATCH = '{"places": {"A": 1, "B": 2}}'
"""How a match is written."""

_LINE_LIMIT = 1 << 20  # bytes, the newline included
_SHOWN = 40  # characters of somebody's text in a message
_COLUMNS = ("match", "bot", "place", "deal")
_REQUIRED = _COLUMNS[:3]


class Written(NamedTuple):
    """One match, as it was written; the places are not yet looked at."""

    line: int
    """Where it begins."""
    places: Mapping[str, int]
    deal: str
    """Empty if none was given."""


class Named(NamedTuple):
    """The line that names all bots."""

    line: int
    bots: tuple[str, ...]


Parts: TypeAlias = Iterator[Written | Named]
"""What a file says, piece by piece; a form raises ArenaError for what it does not allow."""


class Lines:
    """The lines of a file as text, counted, blank ones included; ArenaError if that fails."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self._name = name
        self._stream = stream
        self.number = 0
        """That of the last line that was read."""

    def __iter__(self) -> Iterator[str]:
        while line := self._stream.readline(_LINE_LIMIT + 1):
            self.number += 1
            if len(line) > _LINE_LIMIT:
                raise self.error("a line of more than 1 MiB; give every match a line of its own.")
            try:
                yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise self.error("not UTF-8; save the file with that encoding.") from None

    def error(self, what: str, line: int = 0) -> ArenaError:
        """Return the error about a line, by default the last one."""
        return ArenaError(f"{self._name}:{line or self.number}: {what}")


def parts(lines: Lines) -> Parts:
    """Yield what the lines say: they are JSON if the first one that is not blank begins so."""
    rest = iter(lines)
    for first in rest:
        if not first.strip():
            continue
        if first.lstrip().startswith(("{", "[")):
            yield from _json_parts(lines, chain([first], rest))
        else:
            yield from _csv_parts(lines, chain([first], rest), max(",;\t", key=first.count))


def no_place(bot: str, place: object) -> str:
    """Return the complaint about what is no place, whoever else played."""
    return (
        f"the place of {_quoted(bot)} is {_shown(place)}; places are whole numbers, 1 for the best."
    )


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line of JSON: a match, or the names of all bots."""

    places: dict[str, int] | None = None
    deal: str | int | None = None
    match: str | int | None = None
    bots: list[str] | None = None


_decoder = msgspec.json.Decoder(_Line)


def _json_parts(lines: Lines, texts: Iterable[str]) -> Parts:
    seen: dict[str, int] = {}
    for text in texts:
        if text.isspace():
            continue
        try:
            line = _decoder.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise lines.error(_fault(text, error)) from None
        places, deal, match, bots = line.places, line.deal, line.match, line.bots
        keys = 1 + len(places or ()) + (deal is not None) + (match is not None)
        if text.count(":") != keys and (twice := _repeated_key(text)) is not None:
            raise lines.error(f"the key {_quoted(twice)} twice in one object; take one out.")
        if deal == "" or match == "":
            raise lines.error("deal or match is empty; name it, or leave it out.")
        if bots is not None:
            if line != _Line(bots=bots):
                raise lines.error("bots are named on a line of their own, without a match.")
            yield Named(lines.number, tuple(map(composed, bots)))
            continue
        if places is None:
            raise lines.error(f"places are missing; a match is written {MATCH}.")
        if match is not None:
            first = seen.setdefault(str(match), lines.number)
            if first != lines.number:
                raise lines.error(
                    f"match {_quoted(str(match))} is also on line {first}; take one out, or give "
                    f"it another name."
                )
        if not all(map(str.isascii, places)):
            places = {composed(bot): place for bot, place in places.items()}
            if len(places) < len(line.places or ()):
                raise lines.error("one bot's name is written in two ways here; take one out.")
        yield Written(lines.number, places, "" if deal is None else str(deal))


def _fault(text: str, error: Exception) -> str:
    """Return why a line is none that the decoder takes."""
    try:
        return _misfit(json.loads(text)) or f"no match: {error}."
    except json.JSONDecodeError as malformed:
        return f"not JSON at column {malformed.colno}: {malformed.msg}; a match is one whole line."
    except (ValueError, RecursionError):
        return "a number too long, or lists too deep, for a match."


def _misfit(value: Any) -> str | None:
    """Return what is wrong with the types of a line."""
    if not isinstance(value, dict):
        return f"a match is written as an object, {MATCH}, not as {_shown(value)}."
    if value.get("arena") == "league":
        return (
            "this is an exported league: `arena import NEW FILE` makes one of it, for `arena rank "
            "NEW` to read."
        )
    known = _Line.__struct_fields__
    for key in value:
        if key not in known:
            return f"there is no key {_quoted(key)}. {suggestion(key, known)}"
    given = {key: inner for key, inner in value.items() if inner is not None}
    for key in ("deal", "match"):
        if type(given.get(key, "")) not in (str, int):
            return f"{key} is text or a whole number, not {_shown(given[key])}."
    bots, places = given.get("bots", []), given.get("places", {})
    if not isinstance(bots, list) or not all(isinstance(bot, str) for bot in bots):
        return f"bots is a list of names, not {_shown(bots)}."
    if not isinstance(places, dict):
        return f'places give each bot its own, {{"A": 1, "B": 2}}, not {_shown(places)}.'
    return next((no_place(*item) for item in places.items() if type(item[1]) is not int), None)


def _repeated_key(text: str) -> str | None:
    """Return a key that stands twice in one object of a line."""
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        found.extend(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)

    json.loads(text, object_pairs_hook=look)
    return found[0] if found else None


@dataclass(slots=True)
class _Entry:
    """One match of a CSV file, as far as its rows were read."""

    line: int
    deal: str
    places: dict[str, int] = field(default_factory=dict)


def _csv_parts(lines: Lines, texts: Iterable[str], delimiter: str) -> Parts:
    rows = _rows(lines, texts, delimiter)
    header = [name.lower() for name in next(rows, [])]
    _check_header(lines, header)
    at_match, at_bot, at_place = map(header.index, _REQUIRED)
    at_deal = header.index("deal") if "deal" in header else None
    entries: dict[str, _Entry] = {}
    names: dict[str, str] = {}  # each kept once, by what stands in the cell
    for row in rows:
        if len(row) != len(header):
            raise lines.error(f"{len(row)} cells, where the header has {len(header)}.")
        match, deal = row[at_match], "" if at_deal is None else row[at_deal]
        if not match:
            raise lines.error("the cell of the match is empty; name the match.")
        entry = entries.get(match)
        if entry is None:
            entry = entries[match] = _Entry(lines.number, deal)
        if entry.deal != deal:
            raise lines.error(
                f"match {_quoted(match)} is of deal {_quoted(deal)} here and of "
                f"{_quoted(entry.deal)} on line {entry.line}; a match has one deal."
            )
        bot = row[at_bot]
        bot = names.get(bot) or names.setdefault(bot, composed(unguarded(bot)))
        if bot in entry.places:
            raise lines.error(
                f"bot {_quoted(bot)} is in match {_quoted(match)}, begun on line {entry.line}, "
                f"already; take a row out, or give the match another name."
            )
        entry.places[bot] = _place(lines, bot, row[at_place])
    for entry in entries.values():
        yield Written(entry.line, entry.places, entry.deal)


def _rows(lines: Lines, texts: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the stripped cells of every row that has any."""
    csv.field_size_limit(_LINE_LIMIT)
    reader = csv.reader(texts, delimiter=delimiter, skipinitialspace=True)
    done = 0
    try:
        for row in reader:
            if reader.line_num > done + 1:
                break
            done += 1
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield cells
        else:
            return
    except csv.Error as error:
        if "new-line character" in str(error):
            raise lines.error("lines end in CR alone; save the file with LF or CR LF.") from None
        if reader.line_num == done + 1:
            raise lines.error(f"not CSV: {error}.") from None
    opened = lines.number - (reader.line_num - done) + 1
    raise lines.error("a quote is opened and not closed on this line.", opened)


def _check_header(lines: Lines, header: list[str]) -> None:
    missing = [name for name in _REQUIRED if name not in header]
    if len(missing) == len(_REQUIRED):
        raise lines.error(
            f"no results file: that begins with a JSON object, such as {MATCH}, or with a CSV "
            f"header, {','.join(_REQUIRED)}."
        )
    for name, count in Counter(header).items():
        if name not in _COLUMNS:
            raise lines.error(f"there is no column {_quoted(name)}. {suggestion(name, _COLUMNS)}")
        if count > 1:
            raise lines.error(f"the column {name!r} twice; take one out.")
    if missing:
        raise lines.error(
            f"the header lacks {' and '.join(missing)}; it names the columns match, bot and "
            f"place, and perhaps deal."
        )


def _place(lines: Lines, bot: str, cell: str) -> int:
    if not cell.isascii() or not cell.isdigit() or len(cell) > _SHOWN:
        raise lines.error(no_place(bot, cell))
    return int(cell)


def _quoted(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else name[:_SHOWN] + "…")


def _shown(value: object) -> str:
    if isinstance(value, str) and len(value) > _SHOWN:
        value = value[:_SHOWN] + "…"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2 * _SHOWN else text[:_SHOWN] + "…"
