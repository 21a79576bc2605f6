"""What every bot of a match is allowed: time, memory, faults, and the walls around it."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from protocol.messages import TimeControl

_DAY = 86_400
Seconds = Annotated[float, Meta(ge=0, le=_DAY)]
PositiveSeconds = Annotated[float, Meta(gt=0, le=_DAY)]


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a league, as `[limits]` in its file gives them; times are in seconds."""

    sandbox: Literal["none"]
    """The walls around each bot; there is no default, so that nobody goes without unknowingly."""
    move_time: PositiveSeconds = 1.0
    """Free at each decision."""
    bank: Seconds = 0.0
    """For a match: what a decision takes beyond `move_time` is drawn from it."""
    increment: Seconds = 0.0
    """Added to the bank after each decision."""
    clock: Literal["cpu", "wall"] = "cpu"
    """Whether the bot's CPU time is judged, or the time on the wall."""
    startup: PositiveSeconds = 10.0
    """From the start of the process to its `ready`; judged like a decision."""
    faults_allowed: Annotated[int, Meta(ge=0)] = 2
    """The fault after these forfeits the match."""
    fresh: bool = False
    """Whether every match gets new processes."""
    memory_mb: Annotated[int, Meta(ge=16, le=1 << 20)] = 512
    """The most data memory of a process, in MiB."""

    @property
    def memory(self) -> int:
        """The most data memory of a process, in bytes."""
        return self.memory_mb << 20

    @property
    def time_control(self) -> TimeControl:
        """The part that concerns time, as bots are told it."""
        return TimeControl(
            judge=self.clock,
            move_time=self.move_time,
            bank=self.bank,
            increment=self.increment,
        )
