"""The tables of a league's database: made new, brought up to date, refused, and added to."""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from arena.result import MatchResult, Record, clock_of, digest_of
from protocol.errors import ArenaError

VERSION = 2
APPLICATION_ID = 0x41524E41  # "ARNA"
_DIGITS = 16  # of a deal's id
_REMEMBERED = 20_000  # numbers of line-ups and of results, some MB each

_SCHEMA = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE bot (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;
CREATE TABLE lineup (id INTEGER PRIMARY KEY, bots TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE deal (
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL,
    lineup INTEGER NOT NULL REFERENCES lineup (id)
) STRICT;
CREATE INDEX deal_in_order ON deal (number, lineup);
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

A deal's number is its id in the league, so that the order of storing shows nowhere.
"""


def is_current(db: sqlite3.Connection) -> bool:
    """Return whether a database is one of ours and up to date."""
    found = [db.execute(f"PRAGMA {word}").fetchone() for word in ("application_id", "user_version")]
    return found == [(APPLICATION_ID,), (VERSION,)]


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new database, or bring an older one up to date.

    Raises ArenaError for a database that is another program's or a newer arena's.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not tables:
        _make_tables(db)
    elif application != APPLICATION_ID:
        raise ArenaError(f"{path} is a database of some other program.")
    elif version > VERSION:
        raise ArenaError(
            f"{path} was written by a newer Bot Arena (database version {version}, this one "
            f"reads {VERSION}). Use the newer one."
        )
    else:
        _from_version_1(db, path)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def _make_tables(db: sqlite3.Connection) -> None:
    for statement in _SCHEMA.split(";")[:-1]:
        db.execute(statement)


def deal_number(name: str) -> int:
    """Return the number that stands in the database for a deal's id, 16 hexadecimal digits."""
    return int.from_bytes(bytes.fromhex(name), "big", signed=True)


def deal_name(number: int) -> str:
    """Return the id of a deal, given its number in the database."""
    return number.to_bytes(8, "big", signed=True).hex()


def deal_range(prefix: str) -> tuple[int, int]:
    """Return the first and the last number of the deals whose ids begin with a text.

    No deal lies between them if the text begins no id.
    """
    ends = prefix.ljust(_DIGITS, "0"), prefix.ljust(_DIGITS, "f")
    if not prefix or len(prefix) > _DIGITS or not set(prefix) <= set("0123456789abcdef"):
        return 1, 0
    return deal_number(ends[0]), deal_number(ends[1])


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
    bots: Sequence[int]
    record: Sequence[Any]
    """The columns of its record."""


class Writer:
    """Adds matches to a database, within transactions; of no more use once one was rolled back."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._lineup = lru_cache(_REMEMBERED)(self._find_lineup)
        self._result = lru_cache(_REMEMBERED)(self._find_result)

    def add(self, result: MatchResult, bots: Sequence[int], record: Sequence[Any]) -> None:
        """Add one match; raise IntegrityError if it is there already."""
        self.add_all([NewMatch(result, bots, record)])

    def add_all(self, matches: Iterable[NewMatch]) -> None:
        """Add matches, in the order of their keys, so that each page is written once.

        Raises IntegrityError if one is there already.
        """
        keyed = [((deal_number(each.result.deal), each.result.rotation), each) for each in matches]
        keyed.sort(key=itemgetter(0))
        (last,) = self._db.execute("SELECT coalesce(max(id), 0) FROM record").fetchone()
        deals: dict[int, tuple[int, int, int]] = {}
        records, rows = [], []
        for (deal, rotation), (result, seats, record) in keyed:
            last += 1
            bots = tuple(seats)
            if deal not in deals:
                deals[deal] = deal, result.number, self._lineup(bots)
            records.append((last, *record))
            number = self._result(bots, tuple(result.places))
            rows.append((deal, rotation, number, *match_columns(result).values(), last))
        self._db.executemany("INSERT OR IGNORE INTO deal VALUES (?,?,?)", deals.values())
        self._db.executemany("INSERT INTO record VALUES (?,?,?,?,?,?,?)", records)
        self._db.executemany("INSERT INTO match VALUES (?,?,?,?,?,?,?,?,?,?)", rows)

    def _find_lineup(self, bots: tuple[int, ...]) -> int:
        names = {
            number: [name, version]
            for number, name, version in self._db.execute("SELECT id, name, version FROM bot")
        }
        return self._number(_LINEUP, sorted(names[bot] for bot in bots))

    def _find_result(self, bots: tuple[int, ...], places: tuple[int, ...]) -> int:
        return self._number(_RESULT, bots, places)

    def _number(self, rows: _Numbered, *lists: Sequence[object]) -> int:
        """Return the number of the row that holds these lists, which is added if need be."""
        values = tuple(map(json.dumps, lists))
        found = self._db.execute(rows.find, values).fetchone()
        found = found or self._db.execute(rows.add, values).fetchone()
        return int(found[0])


def match_columns(result: MatchResult) -> dict[str, object]:
    """Return what is stored of a result in the columns of its match, by their names.

    Lists of numbers are the same in JSON as in Python.
    """
    return {
        "reason": result.reason,
        "decisions": result.decisions,
        "faults": json.dumps(result.faults) if any(result.faults) else None,
        "forfeits": str(result.forfeits) if result.forfeits else None,
        "moves": result.moves,
        "clock": str(result.clock),
    }


def _from_version_1(db: sqlite3.Connection, path: Path) -> None:
    """Bring a database up to date in which a match's row was not yet split."""
    for table in ("match", "record"):
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    for statement in _SCHEMA.split(";")[:-1]:
        if not statement.startswith(("\nCREATE TABLE setting", "\nCREATE TABLE bot")):
            db.execute(statement)
    writer = Writer(db)
    rows = db.execute(
        "SELECT old_match.id, deal, number, rotation, bots, places, reason, decisions, faults, "
        "forfeits, replay, evidence, seconds, played_at, machine, sandbox "
        "FROM old_match JOIN old_record ON old_record.match = old_match.id ORDER BY old_match.id"
    )
    for match, deal, number, rotation, bots, places, reason, decisions, *rest in rows:
        faults, forfeits, *record = rest
        kept = Record(*record[:3])
        try:
            replay, evidence = kept.open_replay(), kept.open_evidence()
        except (zlib.error, msgspec.DecodeError) as error:
            raise ArenaError(
                f"{path}: the record of match {match} is damaged ({error}), and version 1 of a "
                f"database cannot be brought up to date without it."
            ) from None
        result = MatchResult(
            match=match,
            deal=deal,
            number=number,
            rotation=rotation,
            bots=json.loads(bots),
            places=json.loads(places),
            reason=reason,
            decisions=decisions,
            faults=json.loads(faults),
            forfeits=json.loads(forfeits),
            moves=digest_of(replay),
            clock=clock_of(replay, evidence),
        )
        writer.add(result, result.bots, record)
    db.execute("DROP TABLE old_record")
    db.execute("DROP TABLE old_match")
