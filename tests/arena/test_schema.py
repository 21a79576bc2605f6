"""Databases of earlier versions: brought up to date, with all that is in them."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from arena.migrations import prepare
from arena.schema import VERSION
from arena.store import Store
from arena.stored import deal_name, deal_number, deal_range
from protocol.errors import ArenaError, RunError
from tests.arena.conftest import ordinary_user

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

VERSION_2 = """
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
PRAGMA application_id = 1095913025;
PRAGMA user_version = 2;
"""


def version_2_of(path: Path) -> None:
    """Put in the place of a database what version 2 would have stored."""
    now = path.rename(path.with_name("now.db"))
    with closing(sqlite3.connect(path)) as old, old:
        old.executescript(VERSION_2)
        old.execute("ATTACH ? AS now", (str(now),))
        for table in ("setting", "bot", "lineup", "result", "record"):
            old.execute(f"INSERT INTO {table} SELECT * FROM now.{table}")
        old.execute("INSERT INTO deal SELECT name, number, lineup FROM now.deal")
        old.execute(
            "INSERT INTO match SELECT name, rotation, result, reason, decisions, faults, "
            "forfeits, moves, clock, record FROM now.match JOIN now.deal ON deal.id = match.deal"
        )
    now.unlink()


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


def told(arena: Callable[..., Result], folder: Path) -> list[str]:
    """Return what the commands tell of a league."""
    lines = [("rank",), ("rank", "--times"), ("table",), ("matches",), ("verify",), ("export",)]
    results = [arena(word, folder, *more) for word, *more in lines]
    assert [result.exit_code for result in results] == [0] * len(lines)
    return [result.stdout for result in results]


def without_some_matches(folder: Path) -> None:
    """Leave of one deal a match, and of another one nothing."""
    with closing(sqlite3.connect(folder / "league.db")) as db, db:
        db.execute("DELETE FROM match WHERE deal = 2 AND rotation = 0 OR deal = 3")
        db.execute("DELETE FROM deal WHERE id = 3")
        db.execute("DELETE FROM record WHERE id NOT IN (SELECT record FROM match)")
        db.execute("DELETE FROM result WHERE id NOT IN (SELECT result FROM match)")


Older = Callable[[Path], None]
"""What puts in the place of a database what an earlier version would have stored."""
older = pytest.mark.parametrize("older", [version_1_of, version_2_of])


@older
def test_an_older_version_is_brought_up_to_date_with_all_it_holds(
    copy: Path, arena: Callable[..., Result], older: Older
) -> None:
    without_some_matches(copy)
    database = copy / "league.db"
    before, said = content(database), told(arena, copy)
    older(database)
    assert told(arena, copy) == said
    assert content(database) == before
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT min(id), max(id) FROM deal").fetchone() == (1, 5)


@older
def test_a_league_of_an_older_version_goes_on(
    copy: Path, arena: Callable[..., Result], older: Older
) -> None:
    table = arena("rank", copy).stdout
    without_some_matches(copy)
    older(copy / "league.db")
    assert arena("run", copy, "--workers", "1").exit_code == 0
    assert arena("rank", copy).stdout == table
    assert arena("verify", copy).stdout == "12 matches verified; none differs.\n"
    assert "Nothing is missing" in arena("run", copy, "--workers", "1").stderr


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM deal WHERE number = 1",
        "UPDATE deal SET number = 1",
        "UPDATE deal SET lineup = 1",
        "DROP TABLE deal",
        "ALTER TABLE deal ADD COLUMN more TEXT",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -2",
    ],
)
def test_a_damaged_database_of_version_2_is_told_and_left_as_it_was(
    copy: Path, damage: str
) -> None:
    database = copy / "league.db"
    version_2_of(database)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute(damage)
    before = database.read_bytes()
    with pytest.raises(RunError) as caught:
        Store(database)
    assert str(caught.value).startswith(f"{database} is damaged: ")
    assert database.read_bytes() == before


@pytest.mark.parametrize("version", [1, 2])
def test_a_database_is_not_taken_for_an_older_one(copy: Path, version: int) -> None:
    """Its header may be damaged, and then nothing else is to be."""
    database = copy / "league.db"
    with closing(sqlite3.connect(database)) as db:
        db.execute(f"PRAGMA user_version = {version}")
    before = database.read_bytes()
    with pytest.raises(RunError, match="is damaged"):
        Store(database)
    assert database.read_bytes() == before


@older
def test_two_who_open_an_older_version_at_once_bring_it_up_to_date_once(
    copy: Path, older: Older
) -> None:
    """The second one waits for the first, and finds nothing left to do."""
    database = copy / "league.db"
    before = content(database)
    older(database)
    with closing(sqlite3.connect(database)) as db, db:
        for _ in range(2):
            prepare(db, database)
    assert content(database) == before


@older
def test_an_older_version_that_may_not_be_written_is_told(
    copy: Path, public: Path, older: Older
) -> None:
    older(copy / "league.db")
    database = Path(shutil.copy(copy / "league.db", public))
    database.chmod(0o444)
    before = database.read_bytes()
    with ordinary_user(), pytest.raises(RunError) as caught:
        Store(database)
    assert str(caught.value).startswith(f"{database} may not be written by you (uid ")
    assert "is read-only" in str(caught.value)
    assert database.read_bytes() == before


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
