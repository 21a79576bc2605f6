"""What a seat needs of a bot, wherever that runs: it is asked one thing at a time, by lines."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from referee.sandbox import Ended
from referee.turn.clock import Clock, Turn


class Measured(msgspec.Struct, kw_only=True):
    """What was measured of a bot in one match, beside its turns."""

    stderr: str = ""
    """What is kept of its standard error."""
    conversation: list[str] = []
    """The last lines exchanged before its first fault."""
    burner: bool = False
    """Whether it used more CPU between its turns than is free; then it was frozen there."""
    charged: float = 0.0
    """CPU seconds used between its turns that its decisions were charged."""
    unfrozen: float = 0.0
    """CPU seconds that it used while it was frozen."""
    trip: float = 0.0
    """Seconds that a line takes to where it runs and back; 0 beside us."""
    memory_peak: int = 0
    """The most memory of its processes together, in bytes; 0 where none measures it."""


class Wire(Protocol):
    """A bot that is asked: in a process beside us, or elsewhere.

    A turn is `ask`, perhaps `read_line`, and `close_turn`. What is done here is for a bot that runs
    elsewhere, where nobody sees or stops it between its turns; a process beside us does its own.
    """

    samples: int
    """How many legal moves it wants to see of a decision that does not list them."""
    is_ready: bool
    """Whether it has said that it is ready."""
    threads: int
    """How many of its threads can run at a time."""
    ended: Ended | None
    """How it ended, once it has."""
    outage: str = ""
    """How a request has failed that it made in its last turn, in words; "" if none has."""

    def begin_match(self) -> None:
        """Forget the last match."""

    def end_match(self) -> None:
        """Rest until it plays again."""

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer; raise BotError if the bot cannot read it."""

    def prepare(self) -> None:
        """Let the bot get ready for its first turn."""

    def ask(self, line: bytes, clock: Clock) -> bytes:
        """Start the clock, send what is asked, and return the bot's next line.

        Raises what `read_line` does, and BotError of the kind `unfrozen` before the bot is asked.
        """

    def read_line(self) -> bytes:
        """Return another line in the same turn.

        Raises BotError when its time is up or when there will be no more lines, and
        ProtocolError for one that is too long.
        """

    def close_turn(self) -> Turn:
        """Stop the clock; return what the turn took."""

    def why_overdrawn(self, turn: Turn) -> str:
        """Return in words why an answer in this turn came too late."""

    def unread(self) -> bytes:
        """Return the incomplete line that the bot has sent."""

    def watch(self) -> None:
        """Stop it if it uses more CPU than is free, while another is asked."""

    def freeze(self) -> None:
        """Stop it where it is, as far as that can be done."""

    def close_input(self) -> None:
        """Let the bot read the end of its input, so that it can end by itself."""

    def stop(self, grace: float = 0.0) -> Ended:
        """End it, after `grace` seconds in which it may do so itself."""

    def stderr_text(self) -> str:
        """Return what is kept of its standard error."""

    @property
    def family(self) -> Sequence[int]:
        """Its processes that run beside us, by pid."""
        return ()

    def measured(self) -> Measured:
        """Return what was measured in this match, beside its turns."""
        return Measured()
