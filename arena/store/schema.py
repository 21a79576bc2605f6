"""The tables of a league's database, and how matches are added to them."""

import json
import re
import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, Self

from arena.store.result import MatchResult, PlayedMatch
from arena.store.rows import BotRow, Damage, deal_name, deal_number

VERSION = 5
APPLICATION_ID = 0x41524E41  # "ARNA"
_MANY = 20  # rows added by one statement
_REMEMBERED = 20_000  # numbers of line-ups, of results and of deals, some MB each

_SCHEMA = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE bot (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;
CREATE TABLE look (
    name TEXT NOT NULL, digest TEXT NOT NULL, version TEXT NOT NULL, signature TEXT NOT NULL,
    seal TEXT NOT NULL, PRIMARY KEY (name, digest)
) STRICT;
CREATE TABLE suspension (
    bot INTEGER PRIMARY KEY REFERENCES bot (id), reason TEXT NOT NULL
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

A look is what the files of a bot were last seen to be; `continuity` tells what for. Its seal is a
hash of the rest of the row, which nothing else would prove. A suspension is why a bot was suspended
in the last run that it was to play in.
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


class _Rows(NamedTuple):
    """How rows are added to a table: one by one, and many at once, which takes a fifth less."""

    width: int
    one: str
    many: str

    @classmethod
    def added(cls, statement: str, width: int) -> Self:
        """Return how a statement adds rows of so many columns."""
        row = f"({','.join('?' * width)})"
        return cls(
            width, f"{statement} VALUES {row}", f"{statement} VALUES {','.join([row] * _MANY)}"
        )

    def add(self, db: sqlite3.Connection, values: list[Any]) -> int:
        """Add rows whose values stand one after another; return how many were added."""
        step = self.width * _MANY
        rest = len(values) - len(values) % step
        count = 0
        for first in range(0, rest, step):
            count += db.execute(self.many, values[first : first + step]).rowcount
        last = [
            values[first : first + self.width] for first in range(rest, len(values), self.width)
        ]
        if last:
            count += db.executemany(self.one, last).rowcount
        return count


_DEALS = _Rows.added("INSERT OR IGNORE INTO deal", 4)
_RECORDS = _Rows.added("INSERT INTO record", 7)
_MATCHES = _Rows.added("INSERT INTO match", 10)


NewMatch = tuple[PlayedMatch, tuple[BotRow, ...], str]
"""A match to be added, the database's numbers of its bots by seat, and when it was played."""


class Writer:
    """Adds matches to a database, within transactions; of no more use once one was rolled back."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._lineup = lru_cache(_REMEMBERED)(self._find_lineup)
        self._result = lru_cache(_REMEMBERED)(self._find_result)
        self._bots: dict[BotRow, tuple[str, str]] = {}
        """The names and versions of bots, by number."""
        self._deals: dict[str, int] = {}
        """The rows of deals, by name: the other rotations of the last ones are still to come."""

    def add(self, matches: Iterable[NewMatch]) -> None:
        """Add matches; raise IntegrityError if one is there already."""
        last_deal, last = self._db.execute(_LAST).fetchone()
        if len(self._deals) > _REMEMBERED:
            self._deals.clear()
        known = self._deals
        deals: list[Any] = []  # as the next two, rows that stand one after another
        records: list[Any] = []
        rows: list[Any] = []
        for played, bots, played_at in matches:
            result, record = played.result, played.record
            last += 1
            deal = known.get(result.deal)
            if deal is None:
                last_deal += 1
                deal = known[result.deal] = last_deal
                deals += deal, deal_number(result.deal), result.number, self._lineup(bots)
            records += last, record.replay, record.evidence, record.seconds
            records += played_at, played.machine, played.sandbox
            rows += deal, result.rotation, self._result(bots, tuple(result.places))
            rows += match_columns(result)
            rows.append(last)
        if _DEALS.add(self._db, deals) * _DEALS.width < len(deals):
            self._correct(deals, rows)
        _RECORDS.add(self._db, records)
        _MATCHES.add(self._db, rows)

    def _correct(self, deals: list[Any], matches: list[Any]) -> None:
        """Put the true rows of deals, some of which were there, into the rows of matches.

        Raises Damage if one of these has another name than it must have.
        """
        true = {}
        width = _DEALS.width
        for row, name, number, lineup in (
            deals[at : at + width] for at in range(0, len(deals), width)
        ):
            true[row], stored = self._db.execute(_DEAL, (number, lineup)).fetchone()
            if stored != name:
                raise Damage(f"deal {deal_name(name)} is stored as {deal_name(stored)}")
            self._deals[deal_name(name)] = true[row]
        matches[:: _MATCHES.width] = [true.get(deal, deal) for deal in matches[:: _MATCHES.width]]

    def _find_lineup(self, bots: tuple[BotRow, ...]) -> int:
        if not self._bots.keys() >= {*bots}:
            rows = self._db.execute("SELECT id, name, version FROM bot")
            self._bots = {number: (name, version) for number, name, version in rows}
        return self._number(_LINEUP, lineup_text(self._bots[bot] for bot in bots))

    def _find_result(self, bots: tuple[BotRow, ...], places: tuple[int, ...]) -> int:
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
        result.clock,
    )
