"""A match as it is to be played, and what may keep it while it is played."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from arena.schedule.deal import BotIndex, Deal
from referee.match.evidence import Played
from referee.match.match import Due
from referee.match.seat import Seat
from referee.turn.answer import Answer


class AwayError(Exception):
    """A match that cannot go on, as a remote bot of it is not reached; the text says how.

    Not by the bot's doing: it may go on, or begin, when that is there again.
    """

    has_begun = False
    """Whether anything was answered in the match."""
    server_is_gone = False
    """Whether nobody takes calls, which is no doing of a bot's."""


class Fixture(NamedTuple):
    """One match of a schedule, before it is played."""

    deal: Deal
    rotation: int
    match: str
    """Its id."""
    bots: tuple[BotIndex, ...]
    """By seat."""


class KeptMatch(Protocol):
    """A match that may last for hours, kept as it is played, so that it can be gone on with."""

    def reach(self, bot: BotIndex) -> Seat | None:
        """Return the seat of a bot that runs elsewhere; None of one that is to be started here.

        Raises AwayError and StartupError.
        """

    def seated(self, seats: Sequence[Seat]) -> None:
        """Take the seats of the match, which then begins."""

    def before(self, due: Due) -> None:
        """Hear what a seat is about to be asked."""

    def after(self, due: Due, answer: Answer) -> Answer:
        """Take what it answers; return what the match is to go on with."""

    def played(self, played: Played) -> Played:
        """Return the match as it is to be recorded."""


KeepMatch = Callable[[Fixture], AbstractContextManager[KeptMatch | None]]
"""Keeps a match while it is played; the context is left when that ends, in any way."""
