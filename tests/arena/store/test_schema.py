"""The tables of a database, and those of other versions, which are refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.store.rows import deal_name, deal_number, deal_range
from arena.store.schema import VERSION
from arena.store.store import Store
from protocol.errors import ArenaError, RunError


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


@pytest.mark.parametrize(
    ("version", "kind", "says"),
    [
        *((0, RunError, " is damaged: "), (-2, RunError, " is damaged: ")),
        (VERSION - 1, ArenaError, "was written by another Bot Arena"),
        (VERSION + 1, ArenaError, "Use that one, or play the league again in a new folder"),
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


def test_a_deals_number_stands_for_its_id_and_no_other_text_means_one() -> None:
    for name in ("0" * 16, "7" + "f" * 15, "8" + "0" * 15, "f" * 16):
        assert deal_name(deal_number(name)) == name
        for prefix in (name, name[:5], name[:1]):
            first, last = deal_range(prefix)
            assert first <= deal_number(name) <= last
    for text in ("", "x", "%", "0" * 17, "A"):
        first, last = deal_range(text)
        assert first > last
