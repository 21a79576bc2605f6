"""Hints for authors on their bots' faults."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import msgspec

from protocol.lines import encode
from referee.fault import Fault
from referee.game import Decision, Move

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
        asked += ", which lists no moves (`arena schema GAME` shows what they look like)"
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
