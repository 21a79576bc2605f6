"""Databases of earlier versions: brought up to date, with all that is in them."""

import gc
import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from arena.store.migrations import prepare
from arena.store.rows import deal_name, deal_number, deal_range
from arena.store.schema import VERSION
from arena.store.store import Store
from protocol.errors import ArenaError, RunError
from tests.arena.conftest import ordinary_user


def without_scores(path: Path) -> None:
    """Put in the place of a database what is stored where nothing is counted."""
    gc.collect()  # see `change` in test_verify
    with closing(sqlite3.connect(path)) as db, db:
        for number, packed in db.execute("SELECT id, replay FROM record").fetchall():
            replay = json.loads(zlib.decompress(packed))
            kept = {key: replay[key] for key in replay if key not in ("scores", "numbers")}
            text = json.dumps(kept, separators=(",", ":")).encode()
            new = zlib.compress(text, 1)
            db.execute("UPDATE record SET replay = ? WHERE id = ?", (new, number))
        db.execute("UPDATE match SET scores = NULL, numbers = NULL")


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


def version_7_of(path: Path) -> None:
    """Put in the place of a database what version 7 would have stored."""
    change(path, "DROP TABLE timing", "PRAGMA user_version = 7")


def version_6_of(path: Path) -> None:
    """As version_7_of, of version 6; and so on."""
    version_7_of(path)
    change(path, "DROP TABLE round", "PRAGMA user_version = 6")


def version_5_of(path: Path) -> None:
    version_6_of(path)
    without_scores(path)
    drops = [f"ALTER TABLE match DROP COLUMN {name}" for name in ("scores", "numbers")]
    change(path, *drops, "PRAGMA user_version = 5")


def version_4_of(path: Path) -> None:
    version_5_of(path)
    with closing(sqlite3.connect(path)) as db, db:
        for deal, rotation, clock in db.execute("SELECT deal, rotation, clock FROM match"):
            old = str([seat[:3] for seat in json.loads(clock)])
            db.execute(
                "UPDATE match SET clock = ? WHERE deal = ? AND rotation = ?", (old, deal, rotation)
            )
    change(path, "DROP TABLE suspension", "PRAGMA user_version = 4")


def version_3_of(path: Path) -> None:
    version_4_of(path)
    change(path, "DROP TABLE look", "PRAGMA user_version = 3")


def content(path: Path) -> list[object]:
    """Return all that is stored, numbers of the database's own aside."""
    with Store(path) as store:
        results = store.results()
        return [
            store.settings(),
            [store.whole(match) for match in store.matches()],
            sorted(repr((results[number], clock)) for number, clock in store.clocks()),
            sorted(count for *_, count in store.deals(moves=True)),
        ]


def told(arena: Callable[..., Result], folder: Path) -> list[str]:
    lines = [("rank",), ("rank", "--times"), ("table",), ("matches",), ("verify",), ("export",)]
    results = [arena(word, folder, *more) for word, *more in lines]
    assert [result.exit_code for result in results] == [0] * len(lines)
    return [result.stdout for result in results]


def without_some_matches(folder: Path) -> None:
    """Leave of one deal a match, and of another one nothing."""
    change(
        folder / "league.db",
        "DELETE FROM match WHERE deal = 2 AND rotation = 0 OR deal = 3",
        "DELETE FROM deal WHERE id = 3",
        "DELETE FROM record WHERE id NOT IN (SELECT record FROM match)",
        "DELETE FROM result WHERE id NOT IN (SELECT result FROM match)",
    )


Older = Callable[[Path], None]
"""What puts in the place of a database what an earlier version would have stored."""
older = pytest.mark.parametrize(
    "older", [version_3_of, version_4_of, version_5_of, version_6_of, version_7_of]
)


@pytest.mark.slow
@pytest.mark.usefixtures("inline")
@older
def test_an_older_version_is_brought_up_to_date_with_all_it_holds_and_goes_on(
    copy: Path, arena: Callable[..., Result], older: Older
) -> None:
    table = arena("rank", copy).stdout
    without_some_matches(copy)
    database = copy / "league.db"
    without_scores(database)
    change(database, "DELETE FROM timing")  # as where nobody looked how quiet machines were
    before, said = content(database), told(arena, copy)
    older(database)
    assert told(arena, copy) == said
    assert content(database) == before
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT min(id), max(id) FROM deal").fetchone() == (1, 6)
    assert arena("run", copy, "--workers", "1").exit_code == 0
    assert arena("rank", copy).stdout == table
    assert arena("verify", copy).stdout == "12 matches verified; none differs.\n"


@pytest.mark.parametrize(
    ("version", "kind", "says"),
    [
        *((0, RunError, " is damaged: "), (-2, RunError, " is damaged: ")),
        *((1, ArenaError, "older than the first release"), (2, ArenaError, "older than the first")),
    ],
)
def test_a_version_that_the_database_is_not_of_is_told_and_changes_nothing(
    copy: Path, version: int, kind: type[ArenaError], says: str
) -> None:
    """Its header may be damaged, and then nothing else is to be."""
    database = copy / "league.db"
    damage = ["DROP TABLE deal"] if version <= 0 else []
    change(database, *damage, f"PRAGMA user_version = {version}")
    before = database.read_bytes()
    with pytest.raises(ArenaError, match=says) as caught:
        Store(database)
    assert type(caught.value) is kind
    assert database.read_bytes() == before


@pytest.mark.slow
@older
def test_two_at_once_bring_an_older_version_up_to_date_once(copy: Path, older: Older) -> None:
    """The second one waits for the first, and finds nothing left to do."""
    database = copy / "league.db"
    without_scores(database)
    before = content(database)
    older(database)
    with closing(sqlite3.connect(database)) as db, db:
        for _ in range(2):
            prepare(db, database)
    assert content(database) == before


@pytest.mark.slow
@older
def test_an_older_version_to_read_only_is_told(copy: Path, public: Path, older: Older) -> None:
    older(copy / "league.db")
    database = Path(shutil.copy(copy / "league.db", public))
    database.chmod(0o444)
    public.chmod(0o777)
    before = database.read_bytes()
    with ordinary_user(), pytest.raises(RunError) as caught:
        Store(database)
    assert str(caught.value).startswith(f"{database} may not be written by you (uid ")
    assert "the file is read-only. It is of an older Bot Arena" in str(caught.value)
    assert f"run `arena rank {public}` once, or copy the whole folder to" in str(caught.value)
    assert database.read_bytes() == before
    database.chmod(0o666)
    public.chmod(0o555)
    with ordinary_user(), pytest.raises(RunError, match=r"folder is read-only\. It is of an older"):
        Store(database)
    public.chmod(0o755)


@pytest.mark.slow
def test_a_damaged_record_keeps_no_other(copy: Path, arena: Callable[..., Result]) -> None:
    table = arena("rank", copy).stdout
    database = copy / "league.db"
    version_4_of(database)
    change(database, "UPDATE record SET replay = x'00' WHERE rowid = 3")
    assert arena("rank", copy, "--times").exit_code == 0
    assert arena("rank", copy).stdout == table
    assert "1 problem" in arena("verify", copy).output


def test_a_deals_number_stands_for_its_id_and_no_other_text_means_one() -> None:
    for name in ("0" * 16, "7" + "f" * 15, "8" + "0" * 15, "f" * 16):
        assert deal_name(deal_number(name)) == name
        for prefix in (name, name[:5], name[:1]):
            first, last = deal_range(prefix)
            assert first <= deal_number(name) <= last
    for text in ("", "x", "%", "0" * 17, "A"):
        first, last = deal_range(text)
        assert first > last
