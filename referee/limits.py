"""What every bot is allowed: in a match, and while it is built."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from protocol.messages import TimeControl
from referee.clock import wall_cap

MOST_FILES_MB = 1 << 16
"""The most MiB that a bot's files may have together, whatever a league allows."""
_DAY = 86_400
Seconds = Annotated[float, Meta(ge=0, le=_DAY)]
PositiveSeconds = Annotated[float, Meta(gt=0, le=_DAY)]


class MatchLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits that decide a match, and are stored with it; times are in seconds."""

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


class Limits(MatchLimits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a league, as `[limits]` in its file gives them."""

    files_mb: Annotated[int, Meta(ge=1, le=MOST_FILES_MB)] = 256
    """The most MiB that the files of a bot may have together."""

    @property
    def files(self) -> int:
        """The most bytes that the files of a bot may have together."""
        return self.files_mb << 20

    @property
    def of_matches(self) -> MatchLimits:
        """Those that decide a match, and may not change once one was played."""
        names = MatchLimits.__struct_fields__
        return MatchLimits(**{name: getattr(self, name) for name in names})


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
