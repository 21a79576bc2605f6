"""The arena with less patience, for tests that wait until it has run out.

`python -m tests.arena.play.cluster.impatient` is the command; a Dask worker preloads this module.
"""

from arena.__main__ import run
from arena.play.cluster import greeting, host, link, pool

SECONDS = 6.0
"""What is 30 or 60 seconds elsewhere: without a heartbeat, an answer, a sign of life, a task."""


def dask_setup(dask_worker: object) -> None:
    """Be what Dask asks of a module that it preloads."""


link._SILENT_SECONDS = link._ANSWER_SECONDS = greeting._ANSWER_SECONDS = SECONDS
pool._GRACE_SECONDS = SECONDS
host._IDLE_SECONDS = SECONDS

if __name__ == "__main__":
    run()
