"""A seat whose answers are kept as they come, so that its match can go on after an interruption."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

import msgspec

from referee.answer import Answer
from referee.clock import Turn
from referee.fault import Kind
from referee.game import Decision, Move, Observation
from referee.visiting import VisitingSeat
from referee.wire import Wire

if TYPE_CHECKING:
    from referee.door import DoorClient


class DisagreedError(Exception):
    """A bot that was asked again has not answered as it did before; the text is its name."""


class KeptAnswer(msgspec.Struct, frozen=True, array_like=True):
    """One answer of a seat, and what its turn took, in seconds."""

    move: Move | None
    """As the bot sent it; None with a fault."""
    fault: Kind | None
    cpu: float
    wall: float
    """What is held against the bot."""
    taken: float
    """From the ask to the answer."""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return what is kept of an answer."""
        turn, fault = answer.turn, answer.fault
        kind = fault.kind if fault is not None else None
        return cls(answer.move, kind, turn.cpu, turn.wall, turn.ended - turn.began)

    def is_as(self, other: "KeptAnswer") -> bool:
        """Return whether both are the same move, or the same fault."""
        return (self.move, self.fault) == (other.move, other.fault)


class KeptSeat(VisitingSeat):
    """A seat held by a process, in a match that may have begun before.

    The bot is new, and is asked for all of its decisions again. What it answered before counts
    with the time that it took then, if it answers the same now.

    Args:
        process: the bot's.
        name: what the bot is called.
        before: the answers that were kept, oldest first.
        keep: called with each answer that is new, before anything follows from it.
        client: the bot at its door, if it has one.

    """

    def __init__(
        self,
        process: Wire,
        name: str,
        before: Sequence[KeptAnswer],
        keep: Callable[[KeptAnswer], None],
        client: "DoorClient | None" = None,
    ) -> None:
        super().__init__(process, name, client)
        self._kept = iter(before)
        self._keep = keep
        self._then: KeptAnswer | None = None
        self._close_turn = self._turn_of_then

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Ask, and keep the answer; raise DisagreedError if it was another one before."""
        self._then = next(self._kept, None)
        answer = super().ask(decision, view)
        now = KeptAnswer.of(answer)
        if self._then is None:
            self._keep(now)
        elif not now.is_as(self._then):
            raise DisagreedError(self.name)
        return answer

    def _turn_of_then(self) -> Turn:
        """Stop the clock; return what the turn took, when it was first taken."""
        turn, then = self._turn(), self._then
        if then is None:
            return turn
        return Turn(turn.began, turn.began + then.taken, then.cpu, then.wall)
