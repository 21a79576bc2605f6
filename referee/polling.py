"""How a referee waits for its bots: by itself, or in turn with others of the same process."""

import select
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple, Protocol


class Poll(Protocol):
    """What `select.poll` returns, as far as it is used here."""

    def register(self, descriptor: int, events: int, /) -> None:
        """Wait for events of a descriptor too."""

    def unregister(self, descriptor: int, /) -> None:
        """Wait for a descriptor no more."""

    def poll(self, milliseconds: float, /) -> list[tuple[int, int]]:
        """Wait for events, at most so long; return the descriptors with their events."""


class Polling(NamedTuple):
    """How one waits for a bot that was asked."""

    poll: Callable[[], Poll] = select.poll
    """Makes what waits."""
    look_seconds: float = 0.02
    """Between looks at a bot that has not answered, each of which takes some 30 us."""
    woke: Callable[[], float] = monotonic
    """Returns when the last wait came to its end, however long others kept one from going on."""


ALONE = Polling()
"""One match is played by one process, which has nothing else to do."""
