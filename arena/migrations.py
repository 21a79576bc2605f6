"""A league's database made, brought up to date from earlier versions, or refused."""

import json
import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from arena.result import MatchResult, PlayedMatch, Record, clock_of, digest_of
from arena.schema import APPLICATION_ID, STATEMENTS, VERSION, Writer
from arena.stored import Damage
from protocol.errors import ArenaError


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
    elif version == 3:
        _make(db, ["look"])
    elif version == 2:
        _from_version_2(db)
    elif version == 1:
        _from_version_1(db, path)
    elif version != VERSION:  # to which another process may just have brought it
        raise Damage(f"its version is {version}, which there never was")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def _make(db: sqlite3.Connection, names: Iterable[str]) -> None:
    for name in names:
        db.execute(STATEMENTS[name])


def _rename(db: sqlite3.Connection, *tables: str) -> None:
    for table in tables:
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")


def _drop(db: sqlite3.Connection, *tables: str) -> None:
    for table in tables:
        db.execute(f"DROP TABLE old_{table}")


def _check_count(db: sqlite3.Connection, copied: int, parts: str) -> None:
    """Raise Damage unless so many matches are all that there were."""
    if db.execute("SELECT count(*) FROM old_match").fetchone() != (copied,):
        raise Damage(f"the {parts} of some matches are missing")


def _from_version_2(db: sqlite3.Connection) -> None:
    """Bring a database up to date in which the number of a deal was its name."""
    _rename(db, "match", "deal")
    _make(db, ("deal", "match"))
    db.execute(  # "*", so that a database of another version with a damaged header is refused
        "INSERT INTO deal SELECT row_number() OVER (ORDER BY number, lineup), * FROM old_deal"
    )
    copied = db.execute(
        "INSERT INTO match SELECT deal.id, rotation, result, reason, decisions, faults, forfeits, "
        "moves, clock, record FROM deal CROSS JOIN old_match ON old_match.deal = deal.name "
        "ORDER BY deal.id, rotation"
    ).rowcount
    _check_count(db, copied, "deals")
    _drop(db, "match", "deal")
    _make(db, ["deal_in_order", "look"])


def _from_version_1(db: sqlite3.Connection, path: Path) -> None:
    """Bring a database up to date in which a match's row was not yet split."""
    _rename(db, "match", "record")
    _make(db, [name for name in STATEMENTS if name not in ("setting", "bot")])
    writer, matches = Writer(db), 0
    rows = db.execute(
        "SELECT old_match.id, deal, number, rotation, bots, places, reason, decisions, faults, "
        "forfeits, replay, evidence, seconds, played_at, machine, sandbox "
        "FROM old_match JOIN old_record ON old_record.match = old_match.id ORDER BY old_match.id"
    )
    for match, deal, number, rotation, bots, places, reason, decisions, *rest in rows:
        faults, forfeits, replay, evidence, seconds, played_at, machine, sandbox = rest
        kept = Record(replay, evidence, seconds)
        try:
            replay, evidence = kept.open_replay(), kept.open_evidence()
        except (zlib.error, msgspec.DecodeError) as error:
            raise ArenaError(
                f"{path}: the record of match {match} is damaged ({error}), and version 1 of a "
                f"database cannot be brought up to date without it."
            ) from None
        result = MatchResult(
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
            clock=str(clock_of(replay, evidence)),
        )
        played = PlayedMatch(result, kept, machine, sandbox)
        writer.add([(played, tuple(result.bots), played_at)])
        matches += 1
    _check_count(db, matches, "records")
    _drop(db, "match", "record")
