"""A league's database made, brought up to date from earlier versions, or refused."""

import json
import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from arena.store.result import Record, clock_of, clock_text
from arena.store.rows import Damage
from arena.store.schema import APPLICATION_ID, STATEMENTS, VERSION
from protocol.errors import ArenaError

_UNRELEASED = (1, 2)
_OLDER = (3, 4, 5, 6, 7)


def is_current(db: sqlite3.Connection) -> bool:
    """Return whether a database is one of ours and up to date."""
    found = [db.execute(f"PRAGMA {word}").fetchone() for word in ("application_id", "user_version")]
    return found == [(APPLICATION_ID,), (VERSION,)]


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new database, or bring an older one up to date.

    Raises ArenaError for a database that is another program's or a newer arena's, and Damage.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not tables:
        _make(db, STATEMENTS)
    elif application != APPLICATION_ID:
        raise ArenaError(f"{path} is a database of some other program.")
    elif version > VERSION:
        raise ArenaError(
            f"{path} was written by a newer Bot Arena (database version {version}, this one "
            f"reads {VERSION}). Use the newer one."
        )
    elif version in _OLDER:
        added = ("look", "suspension", "round", "timing")
        _make(db, [name for name in added if name not in _tables(db)])
        if version < 5:
            _renew_clocks(db)
        known = {column for _, column, *_ in db.execute("PRAGMA table_info(match)")}
        for name in ("scores", "numbers"):  # none, for the matches that are there
            if name not in known:
                db.execute(f"ALTER TABLE match ADD COLUMN {name} TEXT")
    elif version in _UNRELEASED:
        raise ArenaError(
            f"{path} is older than the first release of Bot Arena (database version {version}; "
            f"this one reads {_OLDER[0]} to {VERSION}). Play the league again."
        )
    elif version != VERSION:  # to which another process may just have brought it
        raise Damage(f"its version is {version}, which does not exist")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def _make(db: sqlite3.Connection, names: Iterable[str]) -> None:
    for name in names:
        db.execute(STATEMENTS[name])


def _tables(db: sqlite3.Connection) -> set[str]:
    return {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def _renew_clocks(db: sqlite3.Connection) -> None:
    """Add to the clocks of all matches what they lacked before version 5, the time on the wall."""
    matches = db.execute("SELECT deal, rotation, record, clock FROM match").fetchall()
    for deal, rotation, number, clock in matches:
        row = db.execute("SELECT replay, evidence FROM record WHERE id = ?", (number,)).fetchone()
        try:
            record = Record(row[0], row[1], 0.0)
            found = clock_text(clock_of(record.open_replay(), record.open_evidence()))
        except (TypeError, ValueError, zlib.error, msgspec.MsgspecError):
            known = json.loads(clock)  # of a damaged record, as `verify` is to report
            found = json.dumps([[*seat, 0] for seat in known])
        db.execute(
            "UPDATE match SET clock = ? WHERE deal = ? AND rotation = ?",
            (found, deal, rotation),
        )
