"""Databases of earlier versions: brought up to date, with all that is in them."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from arena.schema import VERSION, deal_name, deal_number, deal_range
from arena.store import Store
from protocol.errors import ArenaError

VERSION_1 = """
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
PRAGMA application_id = 1095913025;
PRAGMA user_version = 1;
"""


def version_1_of(path: Path) -> None:
    """Put in the place of a database what version 1 would have stored."""
    with Store(path) as store:
        kept = [(match, *store.record(match)) for match in store.matches()]
    with closing(sqlite3.connect(path)) as now:
        settings = now.execute("SELECT * FROM setting").fetchall()
        bots = now.execute("SELECT * FROM bot").fetchall()
    path.unlink()
    numbers = {(name, version): number for number, name, version, _ in bots}
    with closing(sqlite3.connect(path)) as old, old:
        old.executescript(VERSION_1)
        old.executemany("INSERT INTO setting VALUES (?, ?)", settings)
        old.executemany("INSERT INTO bot VALUES (?, ?, ?, ?)", bots)
        for match, record, played in kept:
            seats = [numbers[bot.name, bot.version] for bot in match.bots]
            lists = (seats, match.places, match.faults, match.forfeits)
            seats_text, places, faults, forfeits = map(json.dumps, lists)
            old.execute(
                "INSERT INTO match VALUES (?,?,?,?,?,?,?,?,?,?)",
                (
                    *(match.id, match.deal, match.number, match.rotation, seats_text, places),
                    *(match.reason, match.decisions, faults, forfeits),
                ),
            )
            old.execute(
                "INSERT INTO record VALUES (?,?,?,?,?,?,?)",
                (
                    *(match.id, record.replay, record.evidence, record.seconds),
                    *(played.played_at, played.machine, played.sandbox),
                ),
            )


def content(path: Path) -> list[object]:
    """Return all that is stored, numbers of the database's own aside."""
    with Store(path) as store:
        results = store.results()
        return [
            store.settings(),
            [(match, store.record(match)) for match in store.matches()],
            sorted(repr((results[number], clock)) for number, clock in store.clocks()),
            sorted(count for _, _, count in store.deals(moves=True)),
        ]


def test_version_1_is_brought_up_to_date_with_all_it_holds(
    copy: Path, arena: Callable[..., Result]
) -> None:
    database = copy / "league.db"
    before, table = content(database), arena("rank", copy, "--format", "json").stdout
    version_1_of(database)
    again = arena("rank", copy, "--format", "json")
    assert again.stdout == table, again.stderr
    assert content(database) == before
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_league_of_version_1_goes_on(copy: Path, arena: Callable[..., Result]) -> None:
    version_1_of(copy / "league.db")
    assert "Nothing is missing" in arena("run", copy, "--workers", "1").stderr


def test_a_record_that_cannot_be_read_leaves_version_1_as_it_was(copy: Path) -> None:
    database = copy / "league.db"
    version_1_of(database)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("UPDATE record SET replay = x'00' WHERE rowid = 3")
    with pytest.raises(ArenaError, match=r"league\.db: the record of match [0-9a-f]{16}-\d is "):
        Store(database)
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("SELECT count(*) FROM match").fetchone() == (12,)


@pytest.mark.parametrize("name", ["0" * 16, "7" + "f" * 15, "8" + "0" * 15, "f" * 16])
def test_a_deals_number_stands_for_its_id(name: str) -> None:
    assert deal_name(deal_number(name)) == name
    for prefix in (name, name[:5], name[:1]):
        first, last = deal_range(prefix)
        assert first <= deal_number(name) <= last


@pytest.mark.parametrize("text", ["", "x", "%", "0" * 17, "A"])
def test_a_text_that_begins_no_id_means_no_deal(text: str) -> None:
    first, last = deal_range(text)
    assert first > last
