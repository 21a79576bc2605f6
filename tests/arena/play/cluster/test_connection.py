"""Dask kept quiet; and waiting for its futures, with a real Dask worker."""

import asyncio
import gc
import logging
import signal
import warnings
from pathlib import Path
from typing import Any

import pytest
from distributed import Client
from distributed.versions import VersionMismatchWarning

from arena.play.cluster.connection import dask_kept_quiet, result_of
from tests.arena.coroutines import run_apart
from tests.arena.play.cluster.dask_cluster import DaskCluster, DaskWorker


async def _until_status(future: Any, status: str) -> None:
    async with asyncio.timeout(30):
        while future.status != status:
            await asyncio.sleep(0.01)


async def _complaints(cluster: DaskCluster, worker: DaskWorker) -> list[dict[str, Any]]:
    """Kill a Dask worker while a result is fetched, cancel that; return what asyncio says."""
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    client: Any = await Client(cluster.address, asynchronous=True, set_as_default=False)  # type: ignore[no-untyped-call]
    future = client.submit(bytes, 1_000, pure=False)
    await _until_status(future, "finished")
    worker.signal(signal.SIGSTOP)
    waiting = asyncio.ensure_future(result_of(future))
    await asyncio.sleep(0.3)  # for the scheduler to ask who has stopped
    worker.signal(signal.SIGKILL)
    await _until_status(future, "pending")
    await asyncio.sleep(0.1)
    waiting.cancel()
    await client.cancel([future])
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await client.close()
    del future, waiting
    gc.collect()
    return told


@pytest.mark.slow
def test_nobody_complains_of_a_fetch_that_is_cancelled_as_its_worker_died(tmp_path: Path) -> None:
    with DaskCluster(tmp_path) as cluster:
        worker = cluster.add_worker("ant")
        assert run_apart(_complaints(cluster, worker)) == []


@pytest.mark.filterwarnings("always")
def test_dask_is_quiet_and_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    def say_all() -> list[str]:
        caplog.clear()
        for name in ("distributed", "distributed.client", "tornado.application", "mine"):
            logger = logging.getLogger(name)
            logger.addHandler(caplog.handler)  # as Dask's do not propagate
            logger.error(name)
            logger.removeHandler(caplog.handler)
        with warnings.catch_warnings(record=True) as warned:
            warnings.warn("of Dask", VersionMismatchWarning, stacklevel=1)
            warnings.warn("of mine", UserWarning, stacklevel=1)
        return sorted({*caplog.messages, *(str(each.message) for each in warned)})

    before = say_all(), list(warnings.filters)
    assert "distributed.client" in before[0]
    with dask_kept_quiet():
        logging.getLogger("distributed.made_later").error("later")
        assert say_all() == ["mine", "of mine"]
    assert (say_all(), list(warnings.filters)) == before
