"""One rule for every fault: what is wrong with an answer, who forfeits, and what comes of it."""

from collections.abc import Mapping, Sequence

from referee.answer import Answer
from referee.fault import FATAL, Fault, Kind, shown
from referee.game import Decision, Move, ranked
from referee.hint import at_decision, refusal

BY_FORFEIT = "forfeit"
"""The reason of a match that ended because all but one had forfeited."""


def fault_of(decision: Decision, answer: Answer, read: Move | str) -> Fault:
    """Return the fault of an answer: that its move was refused, for a reason, or else its own."""
    fault = answer.fault
    if fault is None or (answer.move is not None and isinstance(read, str)):
        assert answer.move is not None
        fault = Fault("illegal", refusal(decision, answer.move, str(read)), shown(answer.line))
    return at_decision(decision, fault, answer.stderr)


class Forfeits:
    """Counts the faults of a match by seat, and says who forfeits with one.

    A seat forfeits with its first fatal fault, or with more faults than are allowed. Illegal moves
    do not count in a game that punishes them itself.
    """

    def __init__(self, seats: int, allowed: int, *, illegal_is_sanctioned: bool) -> None:
        self.steps: dict[int, int] = {}
        """By seat, the step in which it forfeited."""
        self.end_the_match = False
        """Whether so many have forfeited that nothing more is asked."""
        self._faults = [0] * seats
        self._allowed = allowed
        self._sanctioned = illegal_is_sanctioned

    def judge(self, seat: int, kind: Kind, step: int) -> bool:
        """Count a fault of a seat; return whether it forfeits with it."""
        if kind != "illegal" or not self._sanctioned:
            self._faults[seat] += 1
        if kind not in FATAL and self._faults[seat] <= self._allowed:
            return False
        self.steps[seat] = step
        self.end_the_match = len(self._faults) - len(self.steps) <= 1
        return True


def final_places(
    by_rules: Sequence[int] | None, forfeits: Mapping[int, int], seats: int
) -> list[int]:
    """Return the places of a match, forfeits last.

    The seats still in are ranked by the rules (`by_rules`; None if the match stopped before its
    end: then at most one is left). Seats that forfeited follow, the latest first, those of one
    step sharing a place. If all forfeited, all share the first.
    """
    if len(forfeits) == seats:
        return [1] * seats
    scores = []
    for seat in range(seats):
        if seat in forfeits:
            scores.append((1, -forfeits[seat]))
        else:
            scores.append((0, by_rules[seat] if by_rules else 1))
    return ranked(scores)
