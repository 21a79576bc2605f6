"""What every bot is allowed: in a match, and while it is built."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from protocol.messages import TimeControl
from referee.allowed import all_allowed

CAP_FACTOR = 2.0
CAP_SECONDS = 1.0
"""Seconds on the wall in which a decision that is judged by CPU time costs only that."""
MOST_FILES_MB = 1 << 16
"""The most MiB that a bot's files may have together, whatever a league allows."""
_DAY = 86_400
Seconds = Annotated[float, Meta(ge=0, le=_DAY)]
PositiveSeconds = Annotated[float, Meta(gt=0, le=_DAY)]

SandboxName = Literal["landlock", "bwrap", "uid", "none"]
Pace = Literal["fast", "slow"]
Slots = Annotated[int, Meta(ge=1, le=5000)]
Device = Literal["nvidia"]
DoorEntry = Annotated[
    str,
    Meta(max_length=1500, extra={"allowed": 'requests such as "POST https://api.example.org/v1"'}),
]
"""A request, as `[door]` of a league's file allows it: see `referee.allowed`."""
Megabytes = Annotated[int, Meta(ge=16, le=1 << 20)]
Descriptors = Annotated[int, Meta(ge=8, le=4096)]
Tasks = Annotated[int, Meta(ge=3, le=4096)]
"""As root, two of them are bwrap's own: with fewer than three no bot starts."""
Threads = Annotated[int, Meta(ge=1, le=1024)]
FilesMegabytes = Annotated[int, Meta(ge=1, le=MOST_FILES_MB)]
ScratchMegabytes = Annotated[int, Meta(ge=1, le=1 << 16)]


class MatchLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits that decide a match, and are stored with it; times are in seconds."""

    sandbox: SandboxName = "landlock"
    """The sandbox around each bot."""
    move_time: Seconds = 1.0
    """Free at each decision; with 0, the bank pays for all."""
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
    memory_mb: Megabytes = 512
    """The most data memory of a process, in MiB."""
    open_files: Descriptors = 64
    """The most files a process may have open."""
    processes: Tasks = 32
    """The most processes and threads of a bot in bwrap; the others allow threads alone."""
    scratch_mb: ScratchMegabytes = 16
    """The size of a bot's scratch folder in bwrap, in MiB; the others have none."""
    threads: Threads = 1
    """How many threads of a bot can run at a time: a match gets so many cores.

    By CPU time, a decision may use so many times `move_time`; the wall is bounded as for one.
    """
    devices: tuple[Device, ...] = ()
    """The devices that are let through: "nvidia" is a GPU. bwrap alone lets them through."""
    door: tuple[DoorEntry, ...] = ()
    """The requests that a bot may make through the door; without any it has no door."""

    pace: Pace = "fast"
    """Whether bots compute, and each match has a core of its own, or wait for something elsewhere.

    Slow matches share all cores: one process waits for the bots of hundreds. The wall is judged.
    """
    remote: bool = False
    """Whether the bot runs on its author's machine, and is asked over a connection."""
    cgroup: bool = False
    """Whether a cgroup bounds and measures all that a bot's processes use together."""
    proc: bool = False
    """Whether a bot sees /proc: its own in bwrap, and the machine's, unread, behind Landlock."""

    def __post_init__(self) -> None:
        """Raise ValueError for no time, and for what the sandbox has not, or no request means."""
        if not (self.move_time or self.bank):
            raise ValueError("with move_time = 0 the bank pays for all: have bank = 60, or so")
        _check_together(self)

    @property
    def again(self) -> "Limits":
        """The same for bots that are run again: of how large they may be, no match knows."""
        return Limits(**{name: getattr(self, name) for name in _OF_MATCHES}, files_mb=MOST_FILES_MB)

    def stored(self) -> dict[str, Any]:
        """Return the limits as leagues and exports hold them, in values of JSON."""
        own = msgspec.json.decode(msgspec.json.encode(self))
        return {name: own[name] for name in _OF_MATCHES}

    @property
    def decision_seconds(self) -> float:
        """What a bot has for a decision without counting, in seconds: the bank, where all is it."""
        return self.move_time or self.bank

    @property
    def enclosure(self) -> tuple[str, tuple[Device, ...], bool]:
        """The sandbox, and what is let through it: devices, and whether there is a door."""
        return self.sandbox, self.devices, bool(self.door)

    @property
    def shows_proc(self) -> bool:
        """Whether a bot sees /proc: a GPU's driver writes there."""
        return self.proc or bool(self.devices)

    @property
    def memory(self) -> int:
        """The most data memory of a process, in bytes."""
        return self.memory_mb << 20

    @property
    def scratch(self) -> int:
        """The size of its scratch folder, in bytes, and so of a file that it writes."""
        return self.scratch_mb << 20

    @property
    def startup_cap(self) -> float:
        """How long a bot is waited for until it is ready, in seconds on the wall."""
        return wall_cap(self.startup) if self.judge == "cpu" else self.startup

    @property
    def judge(self) -> Literal["cpu", "wall"]:
        """The clock that bots are judged by.

        In bwrap a bot may have children, whose CPU time shows on no clock: the wall is judged. So
        it is of bots that wait for what is elsewhere.
        """
        return "wall" if self.sandbox == "bwrap" or self.pace == "slow" else self.clock

    @property
    def time_control(self) -> TimeControl:
        """The part that concerns time, as it is sent to bots."""
        return TimeControl(
            judge=self.judge,
            move_time=self.move_time,
            bank=self.bank,
            increment=self.increment,
        )


_OF_MATCHES = MatchLimits.__struct_fields__
_WITHOUT_DEVICES = {"landlock": "Landlock", "uid": "uid"}
"""The sandboxes that let no device through, in words."""


def _check_together(limits: "MatchLimits | Grant") -> None:
    """Raise ValueError for what its sandbox never gives, or requests that cannot be meant."""
    if limits.devices and limits.sandbox in _WITHOUT_DEVICES:
        keeps_out = _WITHOUT_DEVICES[limits.sandbox]
        raise ValueError(
            f'no device is let through {keeps_out}; with devices, have sandbox = "bwrap"'
        )
    if limits.proc and limits.sandbox == "uid":
        raise ValueError(
            'uid has no /proc to show: have sandbox = "landlock" or "bwrap", or proc = false'
        )
    try:
        all_allowed(limits.door or ())
    except ValueError as error:
        raise ValueError(f"door: {error}.") from None


class Limits(MatchLimits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a league, as `[limits]` in its file gives them."""

    files_mb: FilesMegabytes = 256
    """The most MiB that the files of a bot may have together."""
    slots: Slots = 200
    """How many slow matches are played at once."""

    @property
    def files(self) -> int:
        """The most bytes that the files of a bot may have together."""
        return self.files_mb << 20

    @property
    def of_matches(self) -> MatchLimits:
        """Those that decide a match, and may not change once one was played."""
        return MatchLimits(**{name: getattr(self, name) for name in _OF_MATCHES})


_Some = TypeVar("_Some", "Limits", "Grant")
Given: TypeAlias = str | bool | int | float | list[str]


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one bot is allowed in place of the limits of its league, as its `[[bot]]` says.

    None is as the league has it.
    """

    sandbox: SandboxName | None = None
    """The sandbox around it."""
    memory_mb: Megabytes | None = None
    """The most data memory of a process, in MiB."""
    open_files: Descriptors | None = None
    """The most files a process may have open."""
    processes: Tasks | None = None
    """The most processes and threads in bwrap."""
    scratch_mb: ScratchMegabytes | None = None
    """The size of its scratch folder in bwrap, in MiB."""
    threads: Threads | None = None
    """How many of its threads can run at a time; the matches that it plays get so many cores."""
    files_mb: FilesMegabytes | None = None
    """The most MiB that its files may have together; it decides no match."""
    startup: PositiveSeconds | None = None
    """From its start to its `ready`, in seconds."""
    time_factor: Annotated[float, Meta(ge=0.001, le=1000)] | None = None
    """How many times the league's move time, bank and increment it has: a handicap."""
    devices: tuple[Device, ...] | None = None
    """The devices that it may use; one that has some is in bwrap, whatever its league has."""
    door: tuple[DoorEntry, ...] | None = None
    """The requests that it may make through the door, in whatever sandbox it is."""
    remote: bool | None = None
    """Whether it runs on its author's machine, by `arena connect`."""
    proc: bool | None = None
    """Whether it sees /proc; uid has none."""

    def __post_init__(self) -> None:
        """Raise ValueError for what its sandbox never gives, or requests that cannot be meant."""
        _check_together(self)

    @property
    def given(self) -> dict[str, Given]:
        """What is not as the league has it, by key."""
        found = ((key, getattr(self, key)) for key in self.__struct_fields__)
        return {key: _short(value) for key, value in found if value is not None}

    @property
    def words(self) -> str:
        """What it gives, as it is written: "memory_mb = 2048, startup = 30"; may be empty."""
        return ", ".join(f"{key} = {json.dumps(value)}" for key, value in self.given.items())

    @property
    def unaskable(self) -> str:
        """What of it no bot may ask for, as only an organizer gives it; empty if there is none."""
        if self.time_factor is not None:
            return "time_factor"
        return 'sandbox = "none"' if self.sandbox == "none" else ""

    @property
    def deciding(self) -> dict[str, Given]:
        """What of it decides a match, and so makes the bot's version."""
        return {key: value for key, value in self.given.items() if key != "files_mb"}

    def beyond(self, limits: Limits) -> "Grant":
        """Return what of it is more than these limits give, or another sandbox."""
        asked = self.given.items()
        found = {key: value for key, value in asked if not _is_in(value, getattr(limits, key))}
        return msgspec.convert(found, Grant)

    def within(self, most: "Grant") -> "Grant":
        """Return what of it is no more than another grant gives, key by key."""
        bounds = most.given
        found = {key: value for key, value in self.given.items() if _is_in(value, bounds.get(key))}
        return msgspec.convert(found, Grant)

    def plus(self, more: "Grant") -> "Grant":
        """Return this with what another gives; raise ArenaError if they do not go together."""
        return _changed(self, {key: getattr(more, key) for key in more.given})

    def of(self, limits: Limits) -> Limits:
        """Return the limits of the bot in a league that has these.

        Raises ArenaError if they do not go together.
        """
        own = {key: getattr(self, key) for key in self.given if key != "time_factor"}
        if self.devices and self.sandbox is None and limits.sandbox in _WITHOUT_DEVICES:
            own["sandbox"] = "bwrap"
        if self.sandbox in _WITHOUT_DEVICES:
            own["devices"] = ()
        factor = 1.0 if self.time_factor is None else self.time_factor
        times = {key: getattr(limits, key) * factor for key in _TIMES} if factor != 1 else {}
        return _changed(limits, {**own, **times})


def _changed(limits: _Some, changes: Mapping[str, Any]) -> _Some:
    try:
        return msgspec.structs.replace(limits, **changes)
    except ValueError as error:
        raise ArenaError(str(error)) from None


def _short(value: str | float | tuple[str, ...]) -> Given:
    """Return a value as it is written: 20 for 20.0."""
    if isinstance(value, tuple):
        return [*value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_in(value: Any, bound: Any) -> bool:
    """Return whether a limit is within another, if there is one: the same, fewer, or less."""
    if bound is None or isinstance(value, str):
        return bool(value == bound)
    return set(value) <= set(bound) if isinstance(value, list) else bool(value <= bound)


NO_GRANT = Grant()
"""All is as the league has it."""
_TIMES = ("move_time", "bank", "increment")
"""What a factor of time concerns."""


class WorkLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a command may use that builds a bot, as `[build]` in a league's file gives it."""

    sandbox: Annotated[
        Literal["auto", "bwrap", "landlock"],
        Meta(extra={"because": "no other confines what starts processes and writes files"}),
    ] = "auto"
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


def wall_cap(allowed: float) -> float:
    """Return how long a bot that is judged by CPU time may take on the wall, in seconds.

    It stops sleepers, and leaves a slow machine enough room to run an honest bot.
    """
    return CAP_FACTOR * allowed + CAP_SECONDS


def cap_words(allowed: float) -> str:
    """Return the wall cap in words, and how it is worked out."""
    return (
        f"{wall_cap(allowed):.3f} s allowed there: {CAP_FACTOR:g} times the {allowed:.3f} s that "
        f"it has, and {CAP_SECONDS:g} s"
    )
