"""Files of SQLite: opened, written to, and in words what is wrong with one and how to mend it."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from arena.streams import say_at_once
from arena.text import quoted, safe
from protocol.errors import ArenaError, RunError

WAIT = 30.0
"""Seconds for another process to let go of the database."""

Damage = sqlite3.DatabaseError
"""What is stored is not what was written; the text says what, in a few words.

It is SQLite's own error, which we raise for what SQLite cannot know.
"""

T = TypeVar("T")

_SILENT = 2.0  # seconds of it without a word
_MAGIC = b"SQLite format 3\0"
_DAMAGED = {
    *(sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT),
    *(sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG),
}
_MOVED = sqlite3.SQLITE_READONLY_DBMOVED
_CUT_OFF = {sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_IOERR_DELETE}


class SqliteFile:
    """An open file of SQLite, and transactions on it; a context manager that closes it.

    `remedy` is what to do about damage. It may be used `by_threads`, by one at a time. Each kind of
    file says in `prepare` how it is made ready.
    """

    def __init__(self, path: Path, remedy: str, *, by_threads: bool = False) -> None:
        self.path = path
        self._remedy = remedy
        with self.explained():
            self.connection = sqlite3.connect(
                path, timeout=WAIT, isolation_level=None, check_same_thread=not by_threads
            )
            self.execute = self.connection.execute
            self.executemany = self.connection.executemany
            try:
                self.prepare()
            except BaseException:  # Ctrl-C too: raised again once the file is closed
                self.close()
                raise

    def prepare(self) -> None:
        """Make the file ready: its tables, if there are none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def explained(self) -> AbstractContextManager[None]:
        """Return a context in which damage and SQLite's errors become ones a person can act on."""
        return explained(self.path, self._remedy)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of what is written in this context, or nothing if an error leaves it.

        Nobody else writes meanwhile.
        """
        with self.explained():
            self.begin_transaction()
            try:
                yield
                self.execute("COMMIT")
            except BaseException:  # Ctrl-C too: raised again once all is as before
                if self.connection.in_transaction:  # on a full disk SQLite has done it already
                    self.execute("ROLLBACK")
                raise

    def begin_transaction(self) -> None:
        """Let nobody else write from now on."""
        self.execute("BEGIN IMMEDIATE")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows that a query finds."""
        with self.explained():
            return self.execute(query, values).fetchall()

    @property
    def marks(self) -> tuple[int, int]:
        """The numbers in its head that say whose it is, and of which version."""
        words = ("application_id", "user_version")
        whose, version = (self.execute(f"PRAGMA {word}").fetchone()[0] for word in words)
        return whose, version

    def make_tables(self, marks: tuple[int, int], statements: Iterable[str]) -> bool:
        """Make the tables of a new file within a transaction; return whether it was new.

        Raises ArenaError for a file that is another program's.
        """
        if self.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            if self.marks[0] != marks[0]:
                raise ArenaError(f"{self.path} is a database of some other program.")
            return False
        for statement in statements:
            self.execute(statement)
        for word, number in zip(("application_id", "user_version"), marks, strict=True):
            self.execute(f"PRAGMA {word} = {number}")
        return True


def check_file(path: Path, *, create: bool) -> None:
    """Raise ArenaError, or RunError, for a file that SQLite would explain badly or not at all.

    It takes a file that is empty or short for a new database. With `create`, it may be new.
    """
    folder = quoted(path.parent)
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        if create:
            return
        raise ArenaError(
            f"{path.parent} has no results yet; `arena run {folder}` plays them."
        ) from None
    except IsADirectoryError:
        raise RunError(
            f"{path} is a folder; move it away, and put the database in its place if there was one."
        ) from None
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from None
    if not start and not create:
        raise ArenaError(
            f"{path} is empty (0 bytes): if there were results in it, put back a copy; if not, "
            f"`arena run {folder}` plays them."
        )
    if not _MAGIC.startswith(start):
        raise ArenaError(f"{path} is not a league's database: it is not a database at all.")
    if 0 < len(start) < len(_MAGIC):
        raise Damage(f"it has been cut off after {len(start)} bytes")


def _you() -> str:
    return f"you (uid {os.geteuid()})"


@contextmanager
def explained(path: Path, remedy: str) -> Iterator[None]:
    """Turn damage and SQLite's errors into ones a person can act on; damage with its remedy."""
    try:
        yield
    except UnicodeDecodeError:  # in the words of an error of SQLite's
        raise RunError(f"{path} is damaged: its tables cannot be read. {remedy}") from None
    except sqlite3.IntegrityError:
        raise  # two rows for one match would be a fault of ours
    except Damage as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)  # no UTF-8, or ours
        if code & 0xFF in _DAMAGED:
            words = " ".join(str(error).split()).rstrip(".")
            raise RunError(f"{path} is damaged: {words}. {remedy}") from None
        raise RunError(f"{path}{_told(path, error, code)}") from None


def patiently(file: SqliteFile, act: Callable[[], T]) -> T:
    """Do what may have to wait for another process; say so on standard error if that takes long.

    `act` is done anew if the database was locked.
    """
    _let_wait(file, _SILENT)
    try:
        return act()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        what = f"{file.path}, which another process has locked"
        say_at_once(safe(f"Waiting for {what}; {WAIT:.0f} s at the most."))
        _let_wait(file, WAIT - _SILENT)
        return act()
    finally:
        _let_wait(file, WAIT)


def _let_wait(file: SqliteFile, seconds: float) -> None:
    file.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")


def _told(path: Path, error: sqlite3.Error, code: int) -> str:
    """Return what is wrong and what to do about it, as what follows the path."""
    if code == _MOVED or not path.parent.exists():
        return (
            " was moved, removed or replaced while it was in use. What was stored before is in the "
            "file that was there; put that back, then run again."
        )
    closed = not os.access(path.parent, os.W_OK, effective_ids=True)
    if code in _CUT_OFF:
        return (
            f" was left unfinished by a run that was cut off, and {_you()} may not repair it. "
            f"Somebody who may write there must run any command on the league once."
        )
    if code & 0xFF == sqlite3.SQLITE_BUSY:
        return (
            f" is locked: another process has been writing into it for {WAIT:.0f} seconds, a "
            f"large import perhaps. What was stored before is safe; run again when that is done."
        )
    if code & 0xFF == sqlite3.SQLITE_READONLY or (
        code & 0xFF == sqlite3.SQLITE_CANTOPEN and closed
    ):
        what = "its folder" if closed else "the file"
        return (
            f" may not be written by {_you()}: {what} is read-only. What was stored before is "
            f"safe; get permission to write there, then run again."
        )
    return f": {error}. What was stored before is safe; free the disk or the file, then run again."
