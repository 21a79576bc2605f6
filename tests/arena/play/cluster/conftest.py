"""Clusters and leagues for tests that only look at what they do."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.conftest import League, arena, public
from tests.arena.play.cluster.dask_cluster import DaskCluster

__all__ = ["arena", "public"]  # fixtures


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Two Dask workers of one thread each, which nobody may hurt."""
    with DaskCluster(tmp_path_factory.mktemp("dask")) as cluster:
        for name in ("ant", "bee"):
            cluster.add_worker(name)
        yield cluster


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    league = League(tmp_path / "home")
    yield league
    league.close()


@pytest.fixture(autouse=True)
def cores(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have the cores of this machine to a test on a cluster: each is claimed once."""
    if {"cluster", "unlike"}.isdisjoint(request.fixturenames):
        yield
        return
    with Path(tempfile.gettempdir(), f"arena-tests-cores-{os.getuid()}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
