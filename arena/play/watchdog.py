"""Notices a match that a game's code keeps from ending; its worker is alive, so nobody else can."""

from collections.abc import Iterator
from contextlib import contextmanager

from referee.match.match import Match

STUCK_SECONDS = 20.0
"""CPU seconds of a worker's own for one decision: games take milliseconds."""
LOOK_SECONDS = 5.0
"""CPU seconds of a worker's own between two looks."""
MOST_DECISIONS = 1_000_000
"""Of a match; one that goes on longer never ends."""


class Standstill:
    """Whether what should change has stood still for STUCK_SECONDS of CPU time."""

    def __init__(self) -> None:
        self._seen: object = None
        self._looks = 0

    def lasts(self, now: object) -> bool:
        """Take what is seen at a look; return whether it was the same for all that time."""
        self._looks = self._looks + 1 if now == self._seen else 0
        self._seen = now
        return self._looks * LOOK_SECONDS >= STUCK_SECONDS


class Watchdog:
    """Looks at the match that is being played, every so many seconds of CPU time."""

    def __init__(self) -> None:
        self._match: Match | None = None
        self._standstill = Standstill()

    @contextmanager
    def watching(self, match: Match) -> Iterator[None]:
        """Let `look` look at this match."""
        self._standstill = Standstill()
        self._match = match
        try:
            yield
        finally:
            self._match = None

    def look(self) -> None:
        """Raise RuntimeError if nothing was decided for STUCK_SECONDS, or far too much.

        Called by a signal, in the middle of whatever is executed.
        """
        match = self._match
        if match is None:
            return
        if self._standstill.lasts(match.decisions):
            raise RuntimeError(
                f"the game has used {STUCK_SECONDS:g} s of CPU time since decision "
                f"{match.decisions}: an endless loop?"
            )
        if match.decisions > MOST_DECISIONS:
            raise RuntimeError(f"the match has not ended after {MOST_DECISIONS:,} decisions")
