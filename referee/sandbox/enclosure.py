"""What the referee and its fork server say to each other, in JSON objects; types alone.

Kinds of sandbox describe what is put around a program, be it a bot or a build, as an `Enclosure`;
the `Starter` adds who runs it and where. The fork server, which imports nothing that it can do
without, reads all of this as it is. Bytes are in base64.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Required, TypedDict

if TYPE_CHECKING:
    from referee.sandbox.seccomp import Filter


class Ruleset(TypedDict):
    """What Landlock is to refuse unless a rule allows it, and the rules."""

    filesystem: int
    network: int
    scopes: int
    rules: list[tuple[str, int]]
    """Paths, each with the rights beneath it."""


class LoadedFilter(TypedDict):
    """A filter of system calls, as the program loads it before it is executed."""

    code: str
    own_pid_at: Sequence[int]
    """Where its own pid is written into the code, in bytes."""
    then: str
    """A filter that is loaded beside it, once the server has what the kernel asks it by."""
    asks: bool
    """Whether it leaves calls open, about which the kernel asks the fork server."""


class OwnRoot(TypedDict, total=False):
    """A file system of its own: another root folder, or else a mount namespace."""

    chroot: str
    """The folder that becomes the root; it was assembled before."""
    shown: Sequence[tuple[str, str, str]]
    """How a path is shown in the namespace: (`bind`, `device` or `link`, path, target of links)."""


class BwrapGate(TypedDict):
    """What bwrap, which is the program, is held back for until it is done."""

    filter: str
    """The filter that bwrap loads."""
    limits: Sequence[tuple[int, int]]
    """Limits of the process inside."""
    port: int | None
    """Where a door listens inside, if there is one."""


class OwnCgroup(TypedDict):
    """The cgroup of a bot."""

    folder: str
    limits: Mapping[str, str]
    """By file, what it is bounded to."""


class Enclosure(TypedDict, total=False):
    """All that is put around a program; what is left out is not there, or as the server has it."""

    argv: Required[Sequence[str]]
    env: Required[Mapping[str, str]]
    """The whole environment."""
    limits: Required[Sequence[tuple[int, int]]]
    """Numbers of setrlimit with their values."""
    landlock: Ruleset | None
    seccomp: LoadedFilter | None
    threads: int
    """How many threads, or processes of a build, the server lets it have, where the filter asks."""
    cleared: bool
    """Whether folders that show what others did are empty for it: the server was told which."""
    root: OwnRoot | None
    bwrap: BwrapGate
    cores: Sequence[int]
    """The cores that it may use; the server's, if there are none."""
    area: str
    """The folder of a build, in which the server changes modes and times for it."""
    cwd: str
    uid: int | None
    """The user that it becomes; the server's, if there is none."""
    cgroup: OwnCgroup
    descriptors: int
    """How many come with the request, for its 0, 1 and 2, and for 3 and 4 of a door."""


class ServerRequest(TypedDict, total=False):
    """What the fork server is asked: a start with its number, or one of the others."""

    start: Enclosure
    """Answered by `pid`, or by `error`."""
    number: int
    stop: int
    """The pid of what is to end, or 0 for all: `ended` is the answer.

    So it is for what had ended before, as killed: the referee may have missed the first report.
    """
    stage: str
    """A folder that goes with everything else."""
    cgroup: str
    """Likewise a cgroup."""
    clear: Sequence[str]
    """Folders that are to be empty for what is started and `cleared`; answered by `uncleared`."""


class ServerAnswer(TypedDict, total=False):
    """What the fork server says; every end is told, whether or not it was asked for."""

    number: int
    """Of the start that is answered."""
    pid: int
    """With a pidfd and, where one was asked for, a listener in the bot's own network."""
    descriptors: int
    """How many come with the pid."""
    error: str
    """Why it could not be started."""
    machine: int | None
    """The errno, where no bot could be started."""
    uncleared: str
    """Why folders could not be cleared; empty if they were."""
    ended: int
    status: int
    """As `wait` has it."""
    cpu: float
    """Seconds."""
    memory: int
    """Bytes at its peak."""
    refused: int
    """Threads asked for beyond its limit."""
    peak: int | None
    """Of a bot in a cgroup, its bytes there; None if that was taken away."""
    starved: bool
    """Whether they were too few."""


def loaded(filter_: "Filter", *, then: bytes = b"", asks: bool = True) -> LoadedFilter:
    """Return how a filter is loaded."""
    return LoadedFilter(
        code=in_base64(filter_.code),
        own_pid_at=filter_.own_pid_at,
        then=in_base64(then),
        asks=asks,
    )


def in_base64(data: bytes) -> str:
    """Return bytes as they are sent."""
    return base64.b64encode(data).decode("ascii")
