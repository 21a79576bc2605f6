"""What is not closed, with the reason and the most that was seen; and what no kernel here shows."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.attacks.collusion.channels import MEETINGS, Meeting
from tests.attacks.users import WITHOUT_MOUNTS

_EVERYBODY = ("user", "root", WITHOUT_MOUNTS)
_BOTH = ("landlock", "bwrap")
_ALL = (*_BOTH, "uid")


@dataclass(frozen=True)
class Gap:
    """A channel that a sandbox leaves open."""

    channel: str
    sandboxes: tuple[str, ...]
    most: int
    """Bits a second, rounded up to a power of ten: more than that is a fault of this list."""
    reason: str
    users: tuple[str, ...] = _EVERYBODY
    meetings: tuple[Meeting, ...] = tuple(MEETINGS)
    where_proc_is_seen: bool = False
    """Whether it is closed where /proc can be hidden, as it is where the table was measured."""

    def covers(self, channel: str, meeting: str, sandbox: str, user: str) -> bool:
        """Return whether it is about this."""
        return (
            channel == self.channel
            and meeting in self.meetings
            and sandbox in self.sandboxes
            and user in self.users
        )


_STAT = "Landlock does not govern stat, and /proc shows every process's files to everybody: {}."
_VM = "Only a virtual machine for each author has a kernel of its own."
GAPS: tuple[Gap, ...] = (
    Gap(
        "processes.ThreadNumbers",
        ("landlock", "uid"),
        1000,
        "Calls that threads need for themselves say which pids are there. bwrap hides other "
        "processes.",
    ),
    Gap(
        "processes.ThreadsByStat",
        ("landlock",),
        100_000,
        _STAT.format("the number of links of `task` is that of the threads"),
        where_proc_is_seen=True,
    ),
    Gap(
        "processes.OpenFilesByStat",
        ("landlock",),
        100_000,
        _STAT.format("since Linux 6.2 the size of `fd` is the number of open files"),
        where_proc_is_seen=True,
    ),
    Gap(
        "processes.ProcessNumbers",
        ("landlock", "uid"),
        10_000,
        "Processes and threads are numbered one after another on the whole machine. bwrap numbers "
        "each bot's anew.",
    ),
    Gap(
        "objects.FileFutexes",
        _ALL,
        100_000,
        "Who wakes those that wait in a file that both may read is told how many they were. "
        "Programs need such calls to wait for threads, and for children in bwrap. Who is frozen "
        "waits no more, so that whoever counts later finds nobody: the attack *waiting in a file* "
        "is contained in bwrap. Who counts at once finds him: in another match it is his turn, and "
        "just after it he may not have had the core to stop on. " + _VM,
    ),
    Gap(
        "pages.AccessTimes",
        ("landlock",),
        1_000_000,
        "Reading a file that others may read too sets its time of access, once a day: one bit for "
        "each file, and then none. Not on file systems that are mounted `noatime`; in bwrap all "
        "is mounted to be read only.",
    ),
    Gap(
        "pages.AccessTimes",
        ("uid",),
        1_000_000,
        "As behind Landlock. In a mount namespace all is mounted `noatime`.",
        users=(WITHOUT_MOUNTS,),
    ),
    Gap(
        "pages.PagesByFaults",
        _ALL,
        1_000_000,
        "What was read is in memory for everybody, until something else needs the place: one bit "
        "for each 4 KiB that nobody has read before, and then none. " + _VM,
    ),
    Gap(
        "quotas.QueuedSignals",
        _BOTH,
        10_000,
        "A user's bots have 1,024 queued signals together: who counts what is left knows what the "
        "other has queued. Root runs each bot as a user of its own.",
        users=("user",),
    ),
    Gap(
        "quotas.PipesOfChildren",
        ("bwrap",),
        100,
        "A user has 16,384 pages of pipes, after which his new pipes are small. A bot with 32 "
        "processes has nearly as many; behind Landlock, where it has one, some 500. Root runs "
        "each bot as a user of its own.",
        users=("user",),
    ),
    Gap(
        "quotas.TotalOfThreads",
        _ALL,
        10_000,
        "`sysinfo` says how many threads the machine has, and how much memory is free. The C "
        "library takes its answer for granted, so that a refusal would be a random number. " + _VM,
    ),
    Gap(
        "quotas.PipeNumbers",
        _ALL,
        100_000,
        "The kernel numbers pipes and sockets one after another on each core, and everybody sees "
        "the numbers of his own. " + _VM,
    ),
)

TIMING = (
    "Memory, caches, the disk, the core and the referee are shared, and how long something takes "
    "is seen by everybody who has a clock."
)

UNAIDED: dict[str, str] = {
    "timing.WhatIsAsked": "An ask says nothing of the other bots' time, with any sandbox.",
}
"""What says nothing without a sandbox either, so that there `none` proves nothing."""


def gap_of(channel: str, meeting: str, sandbox: str, user: str) -> Gap | None:
    """Return the gap that is named for this, if there is one."""
    return next(_covering(channel, meeting, sandbox, user), None)


def _covering(channel: str, meeting: str, sandbox: str, user: str) -> Iterator[Gap]:
    return (gap for gap in GAPS if gap.covers(channel, meeting, sandbox, user))
