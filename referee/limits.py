"""What every bot is allowed: in a match, and while it is built."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from protocol.messages import TimeControl
from referee.clock import wall_cap

_DAY = 86_400
Seconds = Annotated[float, Meta(ge=0, le=_DAY)]
PositiveSeconds = Annotated[float, Meta(gt=0, le=_DAY)]
_ADDED = ("threads",)
"""Limits that came later: what is stored holds them only where they are not the usual ones."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a league, as `[limits]` in its file gives them; times are in seconds."""

    sandbox: Literal["landlock", "bwrap", "none"] = "landlock"
    """The sandbox around each bot."""
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
    open_files: Annotated[int, Meta(ge=8, le=4096)] = 64
    """The most files a process may have open."""
    processes: Annotated[int, Meta(ge=1, le=4096)] = 32
    """The most processes and threads of a bot in bwrap; landlock allows threads alone."""
    scratch_mb: Annotated[int, Meta(ge=1, le=1 << 16)] = 16
    """The size of a bot's scratch folder in bwrap, in MiB; landlock has none."""
    threads: Annotated[int, Meta(ge=1, le=1024)] = 1
    """How many threads of a bot can run at a time: a match gets so many cores.

    By CPU time, a decision may use so many times `move_time`; the wall is bounded as for one.
    """

    def stored(self) -> dict[str, Any]:
        """Return the limits as leagues and exports hold them, so that older ones stay the same."""
        usual = msgspec.to_builtins(Limits())
        return {
            name: value
            for name, value in msgspec.to_builtins(self).items()
            if name not in _ADDED or value != usual[name]
        }

    @property
    def memory(self) -> int:
        """The most data memory of a process, in bytes."""
        return self.memory_mb << 20

    @property
    def startup_cap(self) -> float:
        """How long a bot is waited for until it is ready, in seconds on the wall."""
        return wall_cap(self.startup) if self.judge == "cpu" else self.startup

    @property
    def judge(self) -> Literal["cpu", "wall"]:
        """The clock that bots are judged by.

        In bwrap a bot may have children, whose CPU time shows on no clock: the wall is judged.
        """
        return "wall" if self.sandbox == "bwrap" else self.clock

    @property
    def time_control(self) -> TimeControl:
        """The part that concerns time, as it is sent to bots."""
        return TimeControl(
            judge=self.judge,
            move_time=self.move_time,
            bank=self.bank,
            increment=self.increment,
        )


class WorkLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a command may use that builds a bot, as `[build]` in a league's file gives it."""

    sandbox: Literal["auto", "bwrap", "landlock"] = "auto"
    """The sandbox around it; `auto` is bwrap where that works, and landlock elsewhere."""
    seconds: PositiveSeconds = 120.0
    """How long it may run on the wall."""
    memory_mb: Annotated[int, Meta(ge=64, le=1 << 20)] = 2048
    """The most memory of all its processes together, in MiB."""
    processes: Annotated[int, Meta(ge=1, le=4096)] = 64
    """The most processes and threads at a time."""
    output_kb: Annotated[int, Meta(ge=1, le=1 << 16)] = 256
    """How much of what it prints is kept, in KiB."""
    disk_mb: Annotated[int, Meta(ge=1, le=1 << 20)] = 1024
    """The most that it may write, in MiB."""
    files: Annotated[int, Meta(ge=1, le=1_000_000)] = 20_000
    """The most files and folders that it may make."""
    tools: list[str] = []
    """Folders outside of /usr that hold compilers: it may read them, and run what is in `bin`."""
