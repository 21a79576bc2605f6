"""A seat whose answers are kept as they come, so that its match can go on after an interruption."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

import msgspec

from referee.answer import Answer
from referee.clock import Turn
from referee.fault import Fault, Kind, shown
from referee.game import Decision, Move, Observation
from referee.visiting import VisitingSeat
from referee.wire import Wire

if TYPE_CHECKING:
    from referee.door import DoorClient


_CHANGED = (
    "asked again after an interruption, it answers otherwise than before; its first answer stands"
)


class KeptAnswer(msgspec.Struct, frozen=True, array_like=True):
    """One answer of a seat, and what its turn took, in seconds."""

    move: Move | None
    """As the bot sent it; None with most faults."""
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


class KeptSeat(VisitingSeat):
    """A seat held by a process, in a match that may have begun before.

    The bot is new, and is asked for all of its decisions again. What was answered before stands,
    with the time that it took then. A bot that answers otherwise now has a fault at the first
    decision where it does: the rest of its answers may follow from that one.

    Args:
        process: the bot's.
        kept: the answers that were kept, oldest first.
        keep: called with the number of an answer from 0, and with what is new of it, before
            anything follows from that.
        client: the bot at its door, if it has one.

    """

    def __init__(
        self,
        process: Wire,
        kept: Sequence[KeptAnswer],
        keep: Callable[[int, KeptAnswer], None],
        client: "DoorClient | None" = None,
    ) -> None:
        super().__init__(process, client)
        self._kept = [*kept]
        self._keep = keep
        self._number = -1  # of the answer, from 0
        self._then: KeptAnswer | None = None
        self._has_changed = False
        self._close_turn = self._turn_of_then

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Ask, and keep the answer; one that was kept stands."""
        self._number += 1
        self._then = self._kept[self._number] if self._number < len(self._kept) else None
        answer = super().ask(decision, view)
        if self._then is not None:
            return self._as_then(self._then, answer)
        self._keep(self._number, KeptAnswer.of(answer))
        return answer

    def _as_then(self, then: KeptAnswer, now: Answer) -> Answer:
        """Return an answer as it was given first, now that it was given again."""
        if then.move is None:
            assert then.fault is not None
            fault = now.fault
            if fault is None or fault.kind != then.fault:
                fault = Fault(then.fault, "it was so before the match was interrupted")
            return Answer(None, now.turn, fault, now.note, now.line, now.stderr)
        is_same = now.fault is None and now.move == then.move
        if is_same and then.fault is None:
            return now
        if then.fault is None and not self._has_changed:
            then = msgspec.structs.replace(then, fault="changed")
            self._keep(self._number, then)
        self._has_changed |= not is_same
        fault = Fault("changed", _CHANGED, shown(now.line)) if then.fault else None
        return Answer(then.move, now.turn, fault)

    def _turn_of_then(self) -> Turn:
        """Stop the clock; return what the turn took, when it was first taken."""
        turn, then = self._turn(), self._then
        if then is None:
            return turn
        return Turn(turn.began, turn.began + then.taken, then.cpu, then.wall)
