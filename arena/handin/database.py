"""The database of what is handed in to a league: opened, made, and refused in words."""

import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from arena.store.sqlite_file import WAIT, SqliteFile
from arena.text import league_words, quoted
from protocol.errors import ArenaError, Refusal, RunError

FILE = "handin.db"
"""The database's name in a league's folder."""
Row: TypeAlias = sqlite3.Row
"""What a query finds: values by the names of columns."""
HANDED_IN = "handed-in"
"""The folder in a league's folder of the sources of bots that were handed in."""
_ARRIVALS = ".arrivals"  # as it came, until it was looked at

_VERSION = 3
_MARKS = (0x41524E48, _VERSION)  # "ARNH"
_KEY_BYTES = 32
_NO_ROOM = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE),
    *(sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE),
}
"""What SQLite answers where a disk is full, or a quota is used up."""

_SCHEMA = """
CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE person (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, likeness TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL, token BLOB, since TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1,
    began INTEGER NOT NULL DEFAULT 0, spent INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE invitation (
    number INTEGER PRIMARY KEY AUTOINCREMENT, secret BLOB NOT NULL, most INTEGER NOT NULL,
    made_at TEXT NOT NULL, until TEXT NOT NULL, revoked_at TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE invited (
    person INTEGER PRIMARY KEY REFERENCES person (number),
    invitation INTEGER NOT NULL REFERENCES invitation (number)
) STRICT;
CREATE VIEW turn AS SELECT number, name,
    max(began + spent, (SELECT max(began) FROM person)) AS due FROM person;
CREATE TABLE submission (
    number INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL REFERENCES person (number),
    bot TEXT NOT NULL, likeness TEXT NOT NULL, state TEXT NOT NULL,
    received_at TEXT NOT NULL, changed_at TEXT NOT NULL, step TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '', remedy TEXT NOT NULL DEFAULT '',
    can_retry INTEGER NOT NULL DEFAULT 0, digest TEXT NOT NULL, size INTEGER NOT NULL,
    filename TEXT NOT NULL, arrived TEXT NOT NULL, version TEXT NOT NULL DEFAULT '',
    folder TEXT NOT NULL DEFAULT '', steps TEXT NOT NULL DEFAULT '[]',
    output TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0,
    accepted INTEGER NOT NULL DEFAULT 0, only_check INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX submission_of_person ON submission (person, received_at);
CREATE INDEX submission_of_bot ON submission (likeness, state);
CREATE INDEX submission_in_state ON submission (state);
CREATE TABLE history (
    submission INTEGER NOT NULL REFERENCES submission (number), state TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE INDEX history_of_submission ON history (submission);
CREATE TABLE entered (
    submission INTEGER PRIMARY KEY REFERENCES submission (number), entry TEXT NOT NULL
) STRICT;
CREATE TABLE fingerprint (
    submission INTEGER PRIMARY KEY REFERENCES submission (number), files BLOB NOT NULL,
    forms BLOB NOT NULL, prints BLOB NOT NULL, left_out INTEGER NOT NULL
) STRICT;
CREATE TABLE kept (
    submission INTEGER NOT NULL REFERENCES submission (number), place TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (submission, place)
) STRICT;
CREATE TABLE calendar (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, key TEXT NOT NULL, old TEXT NOT NULL,
    new TEXT NOT NULL
) STRICT;
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE message (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, event TEXT NOT NULL,
    body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', tries INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX message_in_state ON message (state);
"""
"""A person's token is its hash, or nothing once the person was removed; the secret of an
invitation is its hash too.

The likeness of a name is what all names have in common that look alike. When a person's last turn
in the queue began, how long it took, and when the next one is due, is in milliseconds of the
queue's own time: see `arena.handin.submissions.begin`. What arrived lies in a file of that name
until it was looked at; `accepted` says that a submission has played, whatever became of it, and
`only_check` that it never shall. What is kept of one are folders outside of the league: see
`arena.handin.kept`; with the bytes there, and when they were last used before its check, in
nanoseconds since 1970. A message is what a hook is told; facts are what became of a contest, and
how much of it hooks were told.
"""


def now() -> datetime:
    """Return the present time."""
    return datetime.now(UTC)


def written(at: datetime) -> str:
    """Return a time as it is stored: in UTC, to the millisecond, so that text sorts as times do."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


class HandIns(SqliteFile):
    """The open database of what is handed in to one league; a context manager that closes it.

    Several processes may have it open, and each thread opens its own. Raises ArenaError if there
    is none and it is not to be made, or if it is another program's or another arena's, and
    RunError if it cannot be read; what cannot be stored for lack of room is a Refusal.
    """

    def __init__(self, league: Path, *, create: bool = False) -> None:
        self.league = league
        self.path = league / FILE
        self._check_file(create=create)
        super().__init__(self.path, "Put back a copy of it from before.")

    @property
    def sources(self) -> Path:
        """The folder of the sources of bots that were handed in."""
        return self.league / HANDED_IN

    @property
    def arrivals(self) -> Path:
        """The folder of what was handed in and not looked at yet, as it came."""
        return self.sources / _ARRIVALS

    def _check_file(self, *, create: bool) -> None:
        """Make the file if need be, for nobody else to read, or raise ArenaError."""
        if not self.league.is_dir():
            raise ArenaError(f"there is no league {str(self.league)!r}: no such folder.")
        try:
            if create:
                with suppress(FileExistsError):
                    os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            found = self.path.stat()
            if stat.S_ISDIR(found.st_mode):
                raise RunError(
                    f"{self.path} is a folder; move it away, and put the database in its place if "
                    f"there was one."
                )
            if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
                self.path.chmod(0o600)  # a copy that was put back, perhaps
        except FileNotFoundError:
            raise ArenaError(
                f"nobody may hand in to {league_words(self.league)} yet: "
                f"`arena author add {quoted(self.league)} NAME` makes an author."
            ) from None
        except OSError as error:
            raise RunError(f"{self.path} cannot be opened: {error.strerror}.") from None

    def prepare(self) -> None:
        """Make the tables if there are none; raise ArenaError for those of another arena."""
        self.connection.row_factory = Row
        # First of all, as it alone does not wait for a process that is just making the tables.
        self.execute(f"PRAGMA busy_timeout = {WAIT * 1000:.0f}")
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = FULL")
        self.execute("PRAGMA foreign_keys = ON")
        if self.marks == _MARKS:
            return
        with self.transaction():
            if self.make_tables(_MARKS, _SCHEMA.split(";")[:-1]):
                key = secrets.token_bytes(_KEY_BYTES)
                self.execute("INSERT INTO secret VALUES ('sessions', ?)", (key,))
            elif self.marks != _MARKS:  # else another process has just made it
                raise ArenaError(
                    f"{self.path} was written by another Bot Arena (version {self.marks[1]} of "
                    f"what is handed in, this one reads {_VERSION}). Use that one."
                )

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones that a person can act on."""
        with super().explained():
            try:
                yield
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                    raise Refusal(
                        503,
                        f"{self.path.name} is locked: another process has been writing into it for "
                        f"{WAIT:.0f} seconds.",
                        "Try again.",
                        after=10.0,
                    ) from None
                if error.sqlite_errorcode not in _NO_ROOM:
                    raise
                raise Refusal(
                    507,
                    f"{self.path.name}: there is no room on the disk.",
                    "Free some space there.",
                ) from None

    def change(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Change rows, within a transaction; return the number of the row that was added last."""
        assert self.connection.in_transaction
        return self.execute(statement, values).lastrowid or 0

    def session_key(self) -> bytes:
        """Return the key that signs the sessions of this league: 32 bytes, made with its file."""
        [(key,)] = self.rows("SELECT value FROM secret WHERE name = 'sessions'")
        return bytes(key)

    def fact(self, name: str) -> str:
        """Return a fact of the contest; empty if it is not known."""
        rows = self.rows("SELECT value FROM fact WHERE name = ?", (name,))
        return str(rows[0]["value"]) if rows else ""

    def note_fact(self, name: str, value: str) -> None:
        """Store a fact of the contest, in place of what it was; within a transaction."""
        self.change("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))
