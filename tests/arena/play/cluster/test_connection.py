"""Waiting for Dask's futures, with a real Dask worker."""

import asyncio
import gc
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from arena.play.cluster.connection import result_of
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


def test_nobody_complains_of_a_fetch_that_is_cancelled_as_its_worker_died(tmp_path: Path) -> None:
    with DaskCluster(tmp_path) as cluster:
        worker = cluster.add_worker("ant")
        with ThreadPoolExecutor(1) as pool:  # this thread may have a loop, of a browser's tests
            assert pool.submit(lambda: asyncio.run(_complaints(cluster, worker))).result() == []
