"""The benchmark of runner and store: that it still does what it measures."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.play import worker
from arena.store.opening import open_store
from arena.store.store import Store
from tests.benchmarks import dispatch, ready_worker

TABLES = ("lineup", "deal", "result", "match", "record")


@pytest.fixture
def league(tmp_path: Path) -> LeaguePlan:
    """A league of 60 matches, whose bots are never started."""
    bots = [{"name": f"bot {number}", "shipped": "random"} for number in range(3)]
    settings = Settings(game="guerra", seats=2, seed=1, deals=10)
    return make_league(tmp_path / "league", settings, {}, {"sandbox": "none"}, bots)


@pytest.mark.slow  # it plays a league
def test_ready_matches_are_handed_out_and_stored_by_the_real_runner(
    league: LeaguePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "main", ready_worker.main)
    dispatch.run(league, 2, is_stored=True)
    with open_store(league) as store:
        assert store.count() == 60
        reasons = {match.reason for match in store.matches()}
    assert reasons == {"made up"}


@pytest.fixture
def stores(league: LeaguePlan, tmp_path: Path) -> Iterator[list[Store]]:
    """Two new databases for the league."""
    with (
        Store(tmp_path / "one.db", create=True) as one,
        Store(tmp_path / "two.db", create=True) as two,
    ):
        for store in (one, two):
            store.bots.rows(league.bots)
        yield [one, two]


def test_plain_inserts_leave_the_same_rows_as_a_run(
    league: LeaguePlan, stores: list[Store]
) -> None:
    """The same as in the benchmark, where both take turns in one database."""
    ids = list(range(1, 4))
    ours, turns = stores
    matches = dispatch.ready_matches(league)
    for number in range(8):
        batch = list(islice(matches, 8))
        dispatch.add(ours, ids, batch)
        if number % 2:
            dispatch.insert(turns, dispatch.rows_of(league, turns, ids, batch))
        else:
            dispatch.add(turns, ids, batch)
    for table in TABLES:
        rows = [store.db.execute(f"SELECT * FROM {table}").fetchall() for store in stores]
        assert rows[0] == rows[1]
        assert rows[0]
