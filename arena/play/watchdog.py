"""Notices a match that a game's code keeps from ending; its worker is alive, so nobody else can."""

from collections.abc import Iterator
from contextlib import contextmanager

from referee.match import Match

STUCK_SECONDS = 20.0
"""CPU seconds of a worker's own between two looks: games take milliseconds for a decision."""
MOST_DECISIONS = 1_000_000
"""Of a match; one that goes on longer never ends."""


class StuckError(Exception):
    """A game whose code does not come back, or whose match does not end."""


class Watchdog:
    """Looks at the match that is being played, every so many seconds of CPU time."""

    def __init__(self) -> None:
        self._match: Match | None = None
        self._decisions_then = -1  # at the last look

    @contextmanager
    def watching(self, match: Match) -> Iterator[None]:
        """Let `look` look at this match."""
        self._decisions_then = -1
        self._match = match
        try:
            yield
        finally:
            self._match = None

    def look(self) -> None:
        """Raise StuckError if nothing was decided since the last look, or far too much.

        Called by a signal, in the middle of whatever is executed.
        """
        match, before = self._match, self._decisions_then
        if match is None:
            return
        self._decisions_then = match.decisions
        if match.decisions == before:
            raise StuckError(
                f"the game has used {STUCK_SECONDS:g} s of CPU time since decision {before}: an "
                f"endless loop?"
            )
        if match.decisions > MOST_DECISIONS:
            raise StuckError(f"the match has not ended after {MOST_DECISIONS:,} decisions")
