"""What a seat answers when it is asked, before anybody has judged it; or what it did wrong."""

from typing import Literal

import msgspec

from referee.rules.game import Move
from referee.turn.clock import Turn

Kind = Literal[
    "late",
    "illegal",
    "malformed",
    "unfrozen",
    "crash",
    "memory",
    "files",
    "processes",
    "killed",
    "flood",
    "startup",
    "outage",
    "changed",
]

FATAL: frozenset[Kind] = frozenset(
    {"crash", "memory", "files", "processes", "killed", "flood", "startup"}
)
"""The kinds after which no process is left to ask: they forfeit at once."""

STANDING: frozenset[Kind] = frozenset({"changed"})
"""The kinds with which the move that was answered stands, as others have seen it."""

_SHOWN = 2000  # characters of a line that are kept


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """One fault: its kind, the reason in words for the author, and the lines that show it."""

    kind: Kind
    reason: str
    line: str = ""
    """The offending line as it was sent, shortened if it is long."""
    forfeit: bool = False
    """Whether the seat forfeits the match with it."""


def shown(line: bytes) -> str:
    """Return a line of the wire as text to keep: any bytes, not too many."""
    text = line.rstrip(b"\n")[:_SHOWN].decode(errors="backslashreplace")
    return text if len(line) <= _SHOWN else f"{text}… ({len(line)} bytes)"


class BotError(Exception):
    """A bot that does not answer, or get ready; the text says how, and `kind` what fault it is."""

    def __init__(self, how: str, kind: Kind = "crash", stderr: str = "") -> None:
        super().__init__(how)
        self.kind = kind
        """That its time was up, that it ran while it was frozen, or what ended it."""
        self.stderr = stderr
        """If it did not get ready: what it wrote to its standard error."""


class Answer(msgspec.Struct, frozen=True, gc=False):
    """A move that still has to be checked, or a fault, and what the turn took."""

    move: Move | None
    turn: Turn
    fault: Fault | None = None
    note: str | None = None
    line: bytes = b""
    """The line that it came in, to be kept with an illegal move."""
    stderr: str = ""
    """With a fault: the standard error so far, in which the reason may be seen."""
