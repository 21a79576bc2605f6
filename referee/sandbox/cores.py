"""The cores that this process may use, and whether they are enough for the threads of a bot."""

import os

from referee.sandbox.errors import SandboxError


def own_cores() -> list[int]:
    """Return the numbers of the cores that this process may use, in order."""
    return sorted(os.sched_getaffinity(0))


def check_cores(threads: int) -> None:
    """Raise SandboxError unless there is a core here for each of so many threads of a bot."""
    count = len(own_cores())
    if threads > count:
        raise SandboxError(
            f"the limit threads = {threads} asks for {threads} cores for each match, and only "
            f"{count} can be used here. Lower it, or play on a machine that has more.",
            "cores",
        )
