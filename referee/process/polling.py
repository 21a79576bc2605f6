"""How a referee waits for its bots: by itself, or in turn with others of the same thread."""

import select
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

_T = TypeVar("_T")


class Poll(Protocol):
    """What `select.poll` returns, as far as it is used here."""

    def register(self, descriptor: int, events: int, /) -> None:
        """Wait for events of a descriptor too."""

    def unregister(self, descriptor: int, /) -> None:
        """Wait for a descriptor no more."""

    def poll(self, milliseconds: float, /) -> list[tuple[int, int]]:
        """Wait for events, at most so long; return the descriptors with their events."""


class Polling:
    """All waits of one match: here the thread has nothing else to do meanwhile."""

    look_seconds = 0.02
    """Between looks at a bot that has not answered, each of which takes some 30 us."""

    woke: Callable[[], float] = staticmethod(time.monotonic)
    """Returns when the last wait came to its end, however long others kept one from going on."""

    def poll(self) -> Poll:
        """Return what waits for descriptors."""
        return select.poll()

    def sleep(self, seconds: float) -> None:
        """Wait for a time to pass."""
        time.sleep(seconds)

    def result(self, future: Future[_T]) -> _T:
        """Wait for what another thread does; return or raise what comes of it."""
        return future.result()


ALONE = Polling()
"""One match is played by one process, which has nothing else to do."""
