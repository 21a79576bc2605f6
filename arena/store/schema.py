"""The tables of a league's database, and how matches are added to them."""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import astuple

from arena.store.columns import DealRow, MatchRow, RecordRow, StoredRow, columns
from arena.store.result import MatchResult, PlayedMatch
from arena.store.rows import BotRow, deal_name, deal_number
from arena.store.sqlite_file import Damage
from protocol.errors import ArenaError

VERSION = 10
MARKS = (0x41524E41, VERSION)
"""The marks of a league's database, of which the first is "ARNA"."""
_MANY = 20  # rows added by one statement
_REMEMBERED = 20_000  # numbers of line-ups, of results and of deals, some MB each

_SCHEMA = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE bot (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,
    is_bundled INTEGER NOT NULL, UNIQUE (name, version)
) STRICT;
CREATE TABLE look (
    name TEXT NOT NULL, digest TEXT NOT NULL, signature TEXT NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (name, digest)
) STRICT;
CREATE TABLE suspension (
    bot INTEGER PRIMARY KEY REFERENCES bot (id), reason TEXT NOT NULL
) STRICT;
CREATE TABLE lineup (id INTEGER PRIMARY KEY, bots TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE deal (
    id INTEGER PRIMARY KEY, name INTEGER NOT NULL, number INTEGER NOT NULL,
    lineup INTEGER NOT NULL REFERENCES lineup (id), rotations TEXT
) STRICT;
CREATE UNIQUE INDEX deal_in_order ON deal (number, lineup);
CREATE TABLE result (
    id INTEGER PRIMARY KEY, bots TEXT NOT NULL, places TEXT NOT NULL, UNIQUE (bots, places)
) STRICT;
CREATE TABLE match (
    deal INTEGER NOT NULL REFERENCES deal (id), rotation INTEGER NOT NULL,
    result INTEGER NOT NULL REFERENCES result (id), reason TEXT NOT NULL,
    decisions INTEGER NOT NULL, faults TEXT, forfeits TEXT, moves INTEGER NOT NULL,
    clock TEXT NOT NULL, record INTEGER NOT NULL REFERENCES record (id), scores TEXT, numbers TEXT,
    PRIMARY KEY (deal, rotation)
) STRICT, WITHOUT ROWID;
CREATE TABLE record (
    id INTEGER PRIMARY KEY, replay BLOB NOT NULL, evidence BLOB NOT NULL,
    seconds REAL NOT NULL, played_at TEXT NOT NULL, machine TEXT NOT NULL, sandbox TEXT NOT NULL
) STRICT;
CREATE TABLE round (number INTEGER PRIMARY KEY, drawn TEXT NOT NULL, out TEXT NOT NULL) STRICT;
CREATE TABLE timing (began TEXT NOT NULL, report TEXT NOT NULL) STRICT;
"""
"""Results are few and matches many, so a match holds the number of its result.

Deals are numbered as they come, so that what is added stands together in the file, however many
there are. A deal's name is its id in the league, a hash, as `deal_number` makes a number of it; it
has no index, whose pages would be touched at random. The order of storing shows nowhere else.

A deal's rotations are those of a mirrored one, in the order in which they are played; of others
there are none. A look is what the files of a bot were last seen to be; `opening` says what for.
Its seal is a hash of the rest of the row, which nothing else would prove. A suspension is why a bot
was suspended in the last run that it was to play in. A round is what `Drawn` says, of a format that
goes by results, and `out` the bots of it that were gone before all of their deals were played. A
timing is how quiet a machine was when a run `began` there.
"""
STATEMENTS = {
    re.findall(r"(?:TABLE|INDEX) (\w+)", statement)[0]: statement
    for statement in _SCHEMA.split(";")[:-1]
}
"""The statement that makes each table and index, by name."""

_encode = msgspec.json.Encoder().encode  # of every match, where json takes eight times as long
_LAST = """
    SELECT max(
            coalesce((SELECT max(id) FROM deal), 0), coalesce((SELECT max(deal) FROM match), 0)
        ), coalesce((SELECT max(id) FROM record), 0)
"""
_DEAL = "SELECT id, name, rotations FROM deal WHERE number = ? AND lineup = ?"


_LINEUP = (
    "SELECT id FROM lineup WHERE bots = ?",
    "INSERT INTO lineup (bots) VALUES (?) RETURNING id",
)
"""How the number of a row is found, and how the row is added."""
_RESULT = (
    "SELECT id FROM result WHERE bots = ? AND places = ?",
    "INSERT INTO result (bots, places) VALUES (?, ?) RETURNING id",
)


class _Rows:
    """How rows are added to a table: one by one, and many at once, which takes a fifth less."""

    def __init__(self, statement: str, row: type[StoredRow]) -> None:
        self.width = len(row.__struct_fields__)
        values = f"({','.join('?' * self.width)})"
        self._one = f"{statement} ({columns(row)}) VALUES {values}"
        self._many = f"{statement} ({columns(row)}) VALUES {','.join([values] * _MANY)}"

    def add(self, db: sqlite3.Connection, values: Sequence[Any]) -> int:
        """Add rows whose values stand one after another; return how many were added."""
        step = self.width * _MANY
        rest = len(values) - len(values) % step
        count = 0
        for first in range(0, rest, step):
            count += db.execute(self._many, values[first : first + step]).rowcount
        last = [
            values[first : first + self.width] for first in range(rest, len(values), self.width)
        ]
        if last:
            count += db.executemany(self._one, last).rowcount
        return count


_DEALS = _Rows("INSERT OR IGNORE INTO deal", DealRow)
_RECORDS = _Rows("INSERT INTO record", RecordRow)
_MATCHES = _Rows("INSERT INTO match", MatchRow)


def check_version(path: Path, version: int) -> None:
    """Raise ArenaError for a database that is not of this version."""
    if version < 1:
        raise Damage(f"its version is {version}, which does not exist")
    if version != VERSION:  # to which another process may just have brought it
        raise ArenaError(
            f"{path} was written by another Bot Arena (database version {version}; this one reads "
            f"{VERSION}). Use that one, or play the league again in a new folder."
        )


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
        deals: list[DealRow] = []
        records: list[Any] = []  # values of rows one after another: fewer objects take less time
        rows: list[Any] = []
        for played, bots, played_at in matches:
            result, record = played.result, played.record
            last += 1
            deal = known.get(result.deal)
            if deal is None:
                last_deal += 1
                deal = known[result.deal] = last_deal
                lineup = self._lineup(bots)
                order = None if result.order is None else json.dumps(result.order)
                name = deal_number(result.deal)
                deals.append(DealRow(deal, name, result.number, lineup, order))
            records += astuple(
                RecordRow(
                    last,
                    record.replay,
                    record.evidence,
                    record.seconds,
                    played_at,
                    played.machine,
                    played.sandbox,
                )
            )
            places = self._result(bots, result.places)
            rows += astuple(match_row(result, deal, places, last))
        new = [value for deal_row in deals for value in astuple(deal_row)]
        if _DEALS.add(self._db, new) < len(deals):
            self._correct(deals, rows)
        _RECORDS.add(self._db, records)
        _MATCHES.add(self._db, rows)

    def _correct(self, deals: Iterable[DealRow], matches: list[Any]) -> None:
        """Put the true rows of deals, some of which were there, into the rows of matches.

        Raises Damage if one of these has another name than it must have.
        """
        true = {}
        for deal in deals:
            found = self._db.execute(_DEAL, (deal.number, deal.lineup)).fetchone()
            row, stored, order = found
            if stored != deal.name:
                raise Damage(f"deal {deal_name(deal.name)} is stored as {deal_name(stored)}")
            if order != deal.rotations:
                raise Damage(f"the rotations of deal {deal_name(stored)} are said to be others")
            true[deal.id] = self._deals[deal_name(deal.name)] = row
        column = slice(MatchRow.__struct_fields__.index("deal"), None, _MATCHES.width)
        matches[column] = [true.get(number, number) for number in matches[column]]

    def _find_lineup(self, bots: tuple[BotRow, ...]) -> int:
        if not self._bots.keys() >= {*bots}:
            rows = self._db.execute("SELECT id, name, version FROM bot")
            self._bots = {number: (name, version) for number, name, version in rows}
        return self._number(_LINEUP, lineup_text(self._bots[bot] for bot in bots))

    def _find_result(self, bots: tuple[BotRow, ...], places: tuple[int, ...]) -> int:
        return self._number(_RESULT, json.dumps(bots), json.dumps(places))

    def _number(self, statements: Sequence[str], *values: str) -> int:
        """Return the number of the row that holds these values, which is added if need be."""
        found = (self._db.execute(each, values).fetchone() for each in statements)
        return int(next(filter(None, found))[0])


def lineup_text(bots: Iterable[tuple[str, str]]) -> str:
    """Return what stands in the database for a line-up, given names and versions of its bots."""
    return json.dumps(sorted(bots))


def match_row(result: MatchResult, deal: int, places: int, record: int) -> MatchRow:
    """Return what is stored of a result, given the rows of its deal, its places and its record."""
    return MatchRow(
        deal,
        result.rotation,
        places,
        result.reason,
        result.decisions,
        json.dumps(result.faults) if any(result.faults) else None,
        json.dumps(result.forfeits) if result.forfeits else None,
        result.moves,
        result.clock,
        record,
        None if result.scores is None else _encode(result.scores).decode(),
        None if result.numbers is None else _encode(result.numbers).decode(),
    )
