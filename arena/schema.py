"""The tables of a league's database, and how matches are added to them."""

import json
import re
import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from arena.result import MatchResult
from arena.stored import Damage, deal_name, deal_number

VERSION = 3
APPLICATION_ID = 0x41524E41  # "ARNA"
_REMEMBERED = 20_000  # numbers of line-ups, of results and of deals, some MB each

_SCHEMA = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE bot (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;
CREATE TABLE lineup (id INTEGER PRIMARY KEY, bots TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE deal (
    id INTEGER PRIMARY KEY, name INTEGER NOT NULL, number INTEGER NOT NULL,
    lineup INTEGER NOT NULL REFERENCES lineup (id)
) STRICT;
CREATE UNIQUE INDEX deal_in_order ON deal (number, lineup);
CREATE TABLE result (
    id INTEGER PRIMARY KEY, bots TEXT NOT NULL, places TEXT NOT NULL, UNIQUE (bots, places)
) STRICT;
CREATE TABLE match (
    deal INTEGER NOT NULL REFERENCES deal (id), rotation INTEGER NOT NULL,
    result INTEGER NOT NULL REFERENCES result (id), reason TEXT NOT NULL,
    decisions INTEGER NOT NULL, faults TEXT, forfeits TEXT, moves INTEGER NOT NULL,
    clock TEXT NOT NULL, record INTEGER NOT NULL REFERENCES record (id),
    PRIMARY KEY (deal, rotation)
) STRICT, WITHOUT ROWID;
CREATE TABLE record (
    id INTEGER PRIMARY KEY, replay BLOB NOT NULL, evidence BLOB NOT NULL,
    seconds REAL NOT NULL, played_at TEXT NOT NULL, machine TEXT NOT NULL, sandbox TEXT NOT NULL
) STRICT;
"""
"""Results are few and matches many, so a match holds the number of its result.

Deals are numbered as they come, so that what is added stands together in the file, however many
there are. A deal's name is its id in the league, a hash, as `deal_number` makes a number of it; it
has no index, whose pages would be touched at random. The order of storing shows nowhere else.
"""
STATEMENTS = {
    re.findall(r"(?:TABLE|INDEX) (\w+)", statement)[0]: statement
    for statement in _SCHEMA.split(";")[:-1]
}
"""The statement that makes each table and index, by name."""

MATCH_COLUMNS = ("reason", "decisions", "faults", "forfeits", "moves", "clock")
"""The columns of a match that follow from its record."""

_LAST = """
    SELECT max(
            coalesce((SELECT max(id) FROM deal), 0), coalesce((SELECT max(deal) FROM match), 0)
        ), coalesce((SELECT max(id) FROM record), 0)
"""
_DEAL = "SELECT id, name FROM deal WHERE number = ? AND lineup = ?"


class _Numbered(NamedTuple):
    """How the number of a row is found, and how the row is added."""

    find: str
    add: str


_LINEUP = _Numbered(
    "SELECT id FROM lineup WHERE bots = ?", "INSERT INTO lineup (bots) VALUES (?) RETURNING id"
)
_RESULT = _Numbered(
    "SELECT id FROM result WHERE bots = ? AND places = ?",
    "INSERT INTO result (bots, places) VALUES (?, ?) RETURNING id",
)


class NewMatch(NamedTuple):
    """A match to be added: its bots are the database's numbers, by seat."""

    result: MatchResult
    bots: tuple[int, ...]
    record: tuple[Any, ...]
    """The columns of its record."""


class Writer:
    """Adds matches to a database, within transactions; of no more use once one was rolled back."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._lineup = lru_cache(_REMEMBERED)(self._find_lineup)
        self._result = lru_cache(_REMEMBERED)(self._find_result)
        self._deals: dict[str, int] = {}
        """The rows of deals, by name: the other rotations of the last ones are still to come."""

    def add(self, result: MatchResult, bots: Iterable[int], record: Iterable[Any]) -> None:
        """Add one match; raise IntegrityError if it is there already."""
        self.add_all([NewMatch(result, tuple(bots), tuple(record))])

    def add_all(self, matches: Iterable[NewMatch]) -> None:
        """Add matches; raise IntegrityError if one is there already."""
        last_deal, last = self._db.execute(_LAST).fetchone()
        if len(self._deals) > _REMEMBERED:
            self._deals.clear()
        known = self._deals
        deals, records, rows = [], [], []
        for result, bots, record in matches:
            last += 1
            deal = known.get(result.deal)
            if deal is None:
                last_deal += 1
                deal = known[result.deal] = last_deal
                name = deal_number(result.deal)
                deals.append((deal, name, result.number, self._lineup(bots)))
            records.append((last, *record))
            number = self._result(bots, tuple(result.places))
            rows.append((deal, result.rotation, number, *match_columns(result), last))
        added = self._db.executemany("INSERT OR IGNORE INTO deal VALUES (?,?,?,?)", deals)
        if added.rowcount < len(deals):
            rows = self._with_rows_of(deals, rows)
        self._db.executemany("INSERT INTO record VALUES (?,?,?,?,?,?,?)", records)
        self._db.executemany("INSERT INTO match VALUES (?,?,?,?,?,?,?,?,?,?)", rows)

    def _with_rows_of(
        self, deals: Iterable[tuple[int, int, int, int]], matches: Iterable[tuple[Any, ...]]
    ) -> list[tuple[Any, ...]]:
        """Return the rows of matches with the true rows of their deals, some of which were there.

        Raises Damage if one of these has another name than it must have.
        """
        true = {}
        for row, name, number, lineup in deals:
            true[row], stored = self._db.execute(_DEAL, (number, lineup)).fetchone()
            if stored != name:
                raise Damage(f"deal {deal_name(name)} is stored as {deal_name(stored)}")
            self._deals[deal_name(name)] = true[row]
        return [(true.get(deal, deal), *columns) for deal, *columns in matches]

    def _find_lineup(self, bots: tuple[int, ...]) -> int:
        names = {
            number: (name, version)
            for number, name, version in self._db.execute("SELECT id, name, version FROM bot")
        }
        return self._number(_LINEUP, lineup_text(names[bot] for bot in bots))

    def _find_result(self, bots: tuple[int, ...], places: tuple[int, ...]) -> int:
        return self._number(_RESULT, json.dumps(bots), json.dumps(places))

    def _number(self, rows: _Numbered, *values: str) -> int:
        """Return the number of the row that holds these values, which is added if need be."""
        found = self._db.execute(rows.find, values).fetchone()
        found = found or self._db.execute(rows.add, values).fetchone()
        return int(found[0])


def lineup_text(bots: Iterable[tuple[str, str]]) -> str:
    """Return what stands in the database for a line-up, given names and versions of its bots."""
    return json.dumps(sorted(bots))


def match_columns(result: MatchResult) -> tuple[object, ...]:
    """Return what is stored of a result in these columns.

    Lists of numbers are the same in JSON as in Python.
    """
    return (
        result.reason,
        result.decisions,
        json.dumps(result.faults) if any(result.faults) else None,
        str(result.forfeits) if result.forfeits else None,
        result.moves,
        str(result.clock),
    )
