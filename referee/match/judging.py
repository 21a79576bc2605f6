"""One rule for every fault: what is wrong with an answer, who forfeits, and what comes of it."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

import msgspec

from protocol.lines import encode
from referee.rules.game import Decision, Move, ranked
from referee.turn.answer import FATAL, Answer, Fault, Kind, shown

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


_ALIKE = 0.6  # from which on two moves, as text, are taken for the same mistaken
_COMPARED = 500  # listed moves that are looked at
_LISTED = 3
_LAST = 4096  # characters of a standard error that are looked at
_LONG = 160  # characters of a move or of limits that are shown


def at_decision(decision: Decision, fault: Fault, stderr: str) -> Fault:
    """Return a fault whose reason begins with what was asked.

    If a bot crashes because it expects a list of moves, the reason says that there is none.
    """
    asked = decision.name
    if fault.kind == "crash" and decision.legal is None and "legal" in stderr[-_LAST:]:
        asked += ", which lists no moves (`arena games GAME --schema` shows what they look like)"
    return msgspec.structs.replace(fault, reason=f"{asked}: {fault.reason}")


def refusal(decision: Decision, move: Move, reason: str) -> str:
    """Return why a move was refused, with what was sent and what would have been legal.

    Of listed moves, it shows the one most like it or, if none is, the first few.
    """
    legal = decision.legal
    if legal is None:
        allowed = "" if decision.limits is None else f"; limits: {_text(decision.limits)}"
    elif near := _nearest(move, legal[:_COMPARED]):
        allowed = f"; did you mean {_text(near)}?"
    else:
        more = f" and {len(legal) - _LISTED} more" if len(legal) > _LISTED else ""
        allowed = f"; legal: {', '.join(map(_text, legal[:_LISTED]))}{more}"
    return f"{reason}; sent: {_text(move)}{allowed}"


def _nearest(move: Move, legal: Sequence[Move]) -> Move | None:
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(_text(move))
    best, found = _ALIKE, None
    for each in legal:
        matcher.set_seq1(_text(each))
        if matcher.real_quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, found = ratio, each
    return found


def _text(value: object) -> str:
    text = encode(value).decode().rstrip()
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"
