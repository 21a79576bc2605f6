"""What a seat answers when it is asked, before anybody has judged it."""

import msgspec

from referee.clock import Turn
from referee.fault import Fault
from referee.game import Move


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
