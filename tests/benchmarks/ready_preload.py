"""For `dask worker --preload`: its workers are those who have every match ready."""

from arena.play import worker
from tests.benchmarks import ready_worker

worker.main = ready_worker.main
