"""The answers of a match kept as they come, so that it can go on after an interruption."""

from collections.abc import Callable, Sequence
from typing import Self

import msgspec

from referee.match.match import Due
from referee.match.seat import ProcessSeat, Seat
from referee.rules.game import Move
from referee.turn.answer import Answer, Fault, Kind, shown
from referee.turn.clock import Turn

_CHANGED = (
    "asked again after an interruption, it answers otherwise than before; its first answer stands"
)

_BEFORE = "it was so before the match was interrupted"


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

    @property
    def turn(self) -> Turn:
        """What its turn took, as if it had begun at 0."""
        return Turn(0.0, self.taken, self.cpu, self.wall)


class KeptAnswers:
    """The answers of all seats of a match that may have begun before: for its driver.

    The bots are new, and are asked for all of their decisions again. What was answered before
    stands, with the time that it took then. A bot that answers otherwise now has a fault at the
    first decision where it does: the rest of its answers may follow from that one.

    Args:
        seats: the seats; what one without a process answered before stands, whatever it says now.
        kept: by seat, the answers that were kept, oldest first. It is read, not changed.
        keep: called with a seat, the number of an answer from 0, and what is new of it, before
            anything follows from that.

    """

    def __init__(
        self,
        seats: Sequence[Seat],
        kept: Sequence[Sequence[KeptAnswer]],
        keep: Callable[[int, int, KeptAnswer], None],
    ) -> None:
        self._seats = seats
        self._kept = [[*answers] for answers in kept]
        self._keep = keep
        self._asked = [0] * len(seats)
        self._changed: set[int] = set()  # the seats that answer otherwise now

    def before(self, due: Due) -> None:
        """Let a seat know what its turn took before, as it is asked again."""
        seat = self._seats[due.seat]
        if isinstance(seat, ProcessSeat):
            then = self._then(due.seat)
            seat.then = None if then is None else then.turn

    def after(self, due: Due, answer: Answer) -> Answer:
        """Keep an answer, and return it; one that was kept stands."""
        seat = due.seat
        then, number = self._then(seat), self._asked[seat]
        self._asked[seat] += 1
        if then is None:
            self._keep(seat, number, KeptAnswer.of(answer))
            return answer
        if then.move is None:
            assert then.fault is not None
            fault = answer.fault
            if fault is None or fault.kind != then.fault:
                fault = Fault(then.fault, _BEFORE)
            return Answer(None, answer.turn, fault, answer.note, answer.line, answer.stderr)
        if not isinstance(self._seats[seat], ProcessSeat):
            fault = None if then.fault is None else Fault(then.fault, _BEFORE)
            return Answer(then.move, then.turn, fault)
        is_same = answer.fault is None and answer.move == then.move
        if is_same and then.fault is None:
            return answer
        if then.fault is None and seat not in self._changed:
            then = msgspec.structs.replace(then, fault="changed")
            self._keep(seat, number, then)
        if not is_same:
            self._changed.add(seat)
        fault = Fault("changed", _CHANGED, shown(answer.line)) if then.fault else None
        return Answer(then.move, answer.turn, fault)

    def _then(self, seat: int) -> KeptAnswer | None:
        """Return what was answered before to what is asked now, or None."""
        kept, number = self._kept[seat], self._asked[seat]
        return kept[number] if number < len(kept) else None
