"""The channels that are tried between two bots, and the ways in which two bots can meet."""

from dataclasses import dataclass
from typing import Literal

Meeting = Literal["match", "two", "deal", "fresh"]
"""How bots meet: the seats of one `match`; in `two` matches at the same time, on other cores;
in the matches of a `deal`, one after the other, by processes that are kept; or by `fresh` ones,
of which the first has ended.
"""
MEETINGS: dict[Meeting, str] = {
    "match": "One match",
    "two": "Two matches at once",
    "deal": "Next match of a deal",
    "fresh": "Next match, `fresh`",
}
KEPT: tuple[Meeting, ...] = ("match", "two", "deal")
ALL: tuple[Meeting, ...] = (*KEPT, "fresh")
ONCE = 0
"""As a number of lanes: each place says one bit, once, so all are said together."""


@dataclass(frozen=True)
class Channel:
    """One channel: the program of its two ends lies in `programs/`."""

    group: str
    name: str
    """What the table calls it."""
    program: str
    act: str
    """The class in the program."""
    lanes: int = 1
    """How many bits are said at a time."""
    meetings: tuple[Meeting, ...] = KEPT
    period: float = 0.008
    """Seconds from one saying to the next, where only the clock says when."""
    feature: str = ""
    """What this kernel must have."""
    is_timing: bool = False
    """Whether nothing is heard but how long things take, on hardware that is shared."""

    @property
    def slug(self) -> str:
        """The channel's name in tests."""
        return f"{self.program}.{self.act}"


def _rows(group: str, program: str, *rows: Channel) -> list[Channel]:
    return [Channel(group, program=program, **_facts(row)) for row in rows]


def _facts(row: Channel) -> dict[str, object]:
    return {key: value for key, value in vars(row).items() if key not in ("group", "program")}


def _c(name: str, act: str, lanes: int = 1, **more: object) -> Channel:
    return Channel("", name, "", act, lanes, **more)  # type: ignore[arg-type]


CHANNELS = [
    *_rows(
        "Processes",
        "processes",
        _c("CPU clock of a pid", "CpuClock", period=0.012),
        _c("I/O priority", "InputPriority", 3),
        _c("slice of the scheduler", "SchedulerSlice", 16),
        _c("a limit", "Limit", 16),
        _c("name in `/proc`", "ThreadName", 16),
        _c("who is to die first", "DeathPriority", 8),
        _c("list of robust futexes", "RobustList", 16),
        _c("core affinity", "Cores", feature="cores"),
        _c("signals", "Signals"),
        _c("memory of the other", "Memory", 32, feature="attach"),
        _c("numbers of threads", "ThreadNumbers", period=0.016),
        _c("threads, by `stat`", "ThreadsByStat"),
        _c("open files, by `stat`", "OpenFilesByStat", feature="sizes of fd"),
        _c("dumpable, by `stat`", "DumpableByStat"),
        _c("numbers of processes", "ProcessNumbers", meetings=ALL, period=0.03),
        _c("counts of processes", "ProcessCounts", period=0.06, feature="counts"),
    ),
    *_rows(
        "Names",
        "objects",
        _c("System V segment", "Segment", 32, meetings=ALL, feature="sysv"),
        _c("System V semaphore", "Semaphore", 8, meetings=ALL, feature="sysv"),
        _c("System V queue", "Queue", 32, meetings=ALL, feature="sysv"),
        _c("key in a keyring", "Key", 32, meetings=ALL, feature="keys"),
        _c("abstract unix socket", "AbstractName"),
        _c("TCP port", "Port"),
        _c("vsock port", "Vsock", feature="vsock"),
        _c("netlink port", "Netlink"),
    ),
    *_rows(
        "Files",
        "objects",
        _c("a file left", "LeftFile", meetings=ALL),
        _c("`flock`", "FileLocks", 8),
        _c("record locks", "RecordLocks", 8),
        _c("write hints", "WriteHints", 8),
        _c("inotify", "Watch"),
        _c("waiting in a file, at once", "FileFutexes", 8, period=0.03),
    ),
    *_rows(
        "Files",
        "pages",
        _c("access times", "AccessTimes", ONCE, meetings=ALL, feature="access times"),
        _c("pages, by `mincore`", "PagesInCore", ONCE, meetings=ALL, feature="evictable"),
        _c("pages, by `preadv2`", "PagesWithoutWaiting", ONCE, meetings=ALL, feature="evictable"),
        _c("pages, by `cachestat`", "PagesCounted", ONCE, meetings=ALL, feature="cachestat"),
        _c("pages, by faults", "PagesByFaults", ONCE, meetings=ALL, feature="evictable"),
        _c(
            "pages, by time",
            "PagesByTime",
            ONCE,
            meetings=ALL,
            feature="evictable",
            is_timing=True,
        ),
        _c("pages put out", "PagesPutOut", ONCE, meetings=ALL, feature="evictable"),
    ),
    *_rows(
        "Quotas and totals",
        "quotas",
        _c("files under way", "DescriptorsInFlight"),
        _c("queued signals", "QueuedSignals", period=0.02),
        _c("size of pipes", "PipeQuota", period=0.02),
        _c("pipes of children", "PipesOfChildren", meetings=("match", "deal")),
        _c("instances of inotify", "WatchQuota", period=0.02),
        _c("asynchronous input", "AsynchronousInput", period=0.04, feature="aio"),
        _c("threads, by `sysinfo`", "TotalOfThreads", period=0.02),
        _c("`/proc/loadavg`", "LoadAverage", period=0.02),
        _c("`/proc/stat`", "CountOfForks", period=0.02),
        _c("`/proc/meminfo`", "MemoryInUse", period=0.06),
        _c("`/proc/sys/fs/file-nr`", "OpenFiles"),
        _c("numbers of event files", "EventNumbers"),
        _c("free blocks of the disk", "FreeBlocks", period=0.03),
        _c("numbers of sockets", "SocketNumbers", meetings=("match", "deal")),
        _c("numbers of pipes", "PipeNumbers", meetings=ALL, period=0.04),
    ),
    *_rows(
        "Time",
        "timing",
        _c("memory bandwidth", "MemoryBandwidth", meetings=("two",), period=0.02, is_timing=True),
        _c("arithmetic", "Arithmetic", meetings=("two",), is_timing=True),
        _c("opening one file", "KernelLocks", meetings=("two",), is_timing=True),
        _c("mapping one file", "MapsOfOneFile", meetings=("two",), is_timing=True),
        _c("the core off turn", "CoreOffTurn", meetings=("match",), is_timing=True),
        _c("the moment of an answer", "MomentOfAnswer", meetings=("match",), is_timing=True),
        _c("standard error", "StandardError", meetings=("match",), is_timing=True),
        _c("what an ask says", "WhatIsAsked", meetings=("match",)),
    ),
]
BY_SLUG = {channel.slug: channel for channel in CHANNELS}
