"""The results of a league in SQLite: the only module with SQL.

Only what was played is stored, never a rating. Nothing is ever overwritten: a match has one row,
written in the same transaction as its record.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import msgspec

from arena.result import MatchResult, PlayedMatch, Record
from arena.roster import Bot
from protocol.errors import ArenaError, RunError

SCHEMA_VERSION = 1
APPLICATION_ID = 0x41524E41  # "ARNA"
_MAGIC = b"SQLite format 3\0"
_WAIT = 30.0  # seconds for another process to let go of the database

_SCHEMA = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE bot (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;
CREATE TABLE match (
    id TEXT PRIMARY KEY, deal TEXT NOT NULL, number INTEGER NOT NULL, rotation INTEGER NOT NULL,
    bots TEXT NOT NULL, places TEXT NOT NULL, reason TEXT NOT NULL, decisions INTEGER NOT NULL,
    faults TEXT NOT NULL, forfeits TEXT NOT NULL
) STRICT;
CREATE TABLE record (
    match TEXT PRIMARY KEY REFERENCES match (id), replay BLOB NOT NULL, evidence BLOB NOT NULL,
    seconds REAL NOT NULL, played_at TEXT NOT NULL, machine TEXT NOT NULL, sandbox TEXT NOT NULL
) STRICT;
"""


@dataclass(frozen=True)
class BotVersion:
    """A bot that has played: its name, and the hash of what was run."""

    name: str
    version: str


@dataclass(frozen=True)
class StoredMatch:
    """A match as the tables read it; every list goes by seat."""

    id: str
    deal: str
    number: int
    rotation: int
    bots: tuple[BotVersion, ...]
    places: tuple[int, ...]
    reason: str
    decisions: int
    faults: tuple[Mapping[str, int], ...]
    forfeits: tuple[int, ...]


@dataclass(frozen=True)
class Circumstances:
    """When, where and behind which walls a match was played."""

    played_at: str
    machine: str
    sandbox: str
    seconds: float


class Store:
    """An open database; a context manager that closes it."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._path = path
        if not create and not path.exists():
            raise ArenaError(f"{path.parent} has no results yet; `arena run` plays them.")
        self._check_magic()
        with self._explained():
            self._db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
            try:
                self._prepare()
            except BaseException:  # Ctrl-C too: raised again once the file is closed
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def _check_magic(self) -> None:
        """Refuse a file that is no database, which SQLite would take for empty if it is short."""
        try:
            with self._path.open("rb") as file:
                start = file.read(len(_MAGIC))
        except OSError:
            return  # SQLite will say it
        if start and start != _MAGIC:
            raise ArenaError(f"{self._path} is not a league's database: it is no database at all.")

    def _prepare(self) -> None:
        """Make the tables of a new database, or refuse one that is not ours to read."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if not tables:
            with self._transaction():
                for statement in _SCHEMA.split(";")[:-1]:
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        elif application != APPLICATION_ID:
            raise ArenaError(f"{self._path} is a database of some other program.")
        elif version > SCHEMA_VERSION:
            raise ArenaError(
                f"{self._path} was written by a newer Bot Arena (database version {version}, "
                f"this one reads {SCHEMA_VERSION}). Upgrade with: pip install -U bot-arena"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones a person can act on."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise  # two rows for one match would be a fault of ours
        except sqlite3.OperationalError as error:
            raise RunError(
                f"{self._path}: {error}. What was stored before is safe; free the disk or the "
                f"file, then run again."
            ) from None
        except sqlite3.DatabaseError as error:
            raise ArenaError(f"{self._path} is not a league's database: {error}.") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:  # Ctrl-C too: raised again once all is as before
                if self._db.in_transaction:  # on a full disk SQLite has done it already
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def settings(self) -> dict[str, Any]:
        """Return the settings the stored matches were played with; empty before the first."""
        with self._explained():
            rows = self._db.execute("SELECT key, value FROM setting").fetchall()
        return {key: json.loads(value) for key, value in rows}

    def keep_settings(self, settings: Mapping[str, Any]) -> None:
        """Store the settings that may not change once a match is stored, unless one is."""
        with self._transaction():
            self._db.execute("DELETE FROM setting WHERE NOT EXISTS (SELECT 1 FROM match)")
            self._db.executemany(
                "INSERT OR IGNORE INTO setting VALUES (?, ?)",
                [(key, json.dumps(value)) for key, value in settings.items()],
            )

    def bot_ids(self, bots: Sequence[Bot]) -> list[int]:
        """Return the database's numbers of bots, adding those it does not know."""
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO bot (name, version, command) VALUES (?, ?, ?)",
                [(bot.name, bot.version, json.dumps(bot.command)) for bot in bots],
            )
            return [
                self._db.execute(
                    "SELECT id FROM bot WHERE name = ? AND version = ?", (bot.name, bot.version)
                ).fetchone()[0]
                for bot in bots
            ]

    def add(
        self,
        played: Iterable[PlayedMatch],
        ids: Sequence[int],
        *,
        played_at: str,
        machine: str,
        sandbox: str,
    ) -> None:
        """Store matches, all or none; `ids` are the database's numbers of the league's bots."""
        matches = []
        records = []
        for each in played:
            result, record = each.result, each.record
            matches.append(_row(result, ids))
            records.append(
                (
                    result.match,
                    record.replay,
                    record.evidence,
                    record.seconds,
                    played_at,
                    machine,
                    sandbox,
                )
            )
        with self._transaction():
            self._db.executemany("INSERT INTO match VALUES (?,?,?,?,?,?,?,?,?,?)", matches)
            self._db.executemany("INSERT INTO record VALUES (?,?,?,?,?,?,?)", records)

    def match_ids(self) -> set[str]:
        """Return the ids of all stored matches."""
        with self._explained():
            return {row[0] for row in self._db.execute("SELECT id FROM match")}

    def mean_seconds(self) -> float | None:
        """Return the mean time on the wall of the stored matches; None if there are none."""
        with self._explained():
            (mean,) = self._db.execute("SELECT avg(seconds) FROM record").fetchone()
        return mean if mean is None else float(mean)

    def matches(self) -> list[StoredMatch]:
        """Return all stored matches, sorted by deal, line-up and rotation."""
        with self._explained():
            bots = {
                number: BotVersion(name, version)
                for number, name, version in self._db.execute("SELECT id, name, version FROM bot")
            }
            rows = self._db.execute("SELECT * FROM match").fetchall()
        found = [_stored(row, bots) for row in rows]
        found.sort(key=lambda match: (match.number, _names(match), match.deal, match.rotation))
        return found

    def find(self, prefix: str) -> StoredMatch:
        """Return the match whose id begins with `prefix`; raise ArenaError unless there is one."""
        found = [match for match in self.matches() if match.id.startswith(prefix)]
        if not found:
            raise ArenaError(f"there is no match {prefix!r}; `arena matches` lists them.")
        if len(found) > 1 and found[0].id != prefix:
            raise ArenaError(f"{prefix!r} begins {len(found)} ids; give more of it.")
        return found[0]

    def record(self, match: str) -> tuple[Record, Circumstances]:
        """Return the record of a stored match and its circumstances."""
        with self._explained():
            replay, evidence, seconds, *rest = self._db.execute(
                "SELECT replay, evidence, seconds, played_at, machine, sandbox FROM record "
                "WHERE match = ?",
                (match,),
            ).fetchone()
        played_at, machine, sandbox = rest
        return Record(replay, evidence, seconds), Circumstances(
            played_at, machine, sandbox, seconds
        )


def _row(result: MatchResult, ids: Sequence[int]) -> tuple[Any, ...]:
    return (
        result.match,
        result.deal,
        result.number,
        result.rotation,
        json.dumps([ids[bot] for bot in result.bots]),
        json.dumps(result.places),
        result.reason,
        result.decisions,
        json.dumps(result.faults),
        json.dumps(result.forfeits),
    )


def _stored(row: Sequence[Any], bots: Mapping[int, BotVersion]) -> StoredMatch:
    match, deal, number, rotation, seats, places, reason, decisions, faults, forfeits = row
    return StoredMatch(
        id=match,
        deal=deal,
        number=number,
        rotation=rotation,
        bots=tuple(bots[bot] for bot in msgspec.json.decode(seats)),
        places=tuple(msgspec.json.decode(places)),
        reason=reason,
        decisions=decisions,
        faults=tuple(msgspec.json.decode(faults)),
        forfeits=tuple(msgspec.json.decode(forfeits)),
    )


def _names(match: StoredMatch) -> list[tuple[str, str]]:
    return sorted((bot.name, bot.version) for bot in match.bots)
