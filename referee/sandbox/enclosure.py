"""What the fork server puts around a program, be it a bot or a build.

Kinds of sandbox make such descriptions, the `Starter` adds who runs it and where, and the fork
server, which imports nothing that it can do without, reads them as JSON of the same names.
"""

from collections.abc import Mapping, Sequence

import msgspec

from referee.sandbox.landlock import Ruleset
from referee.sandbox.seccomp import Filter


class LoadedFilter(msgspec.Struct):
    """A filter of system calls, as the program loads it before it is executed."""

    code: bytes
    own_pid_at: Sequence[int] = ()
    """Where its own pid is written into the code, in bytes."""
    then: bytes = b""
    """A filter that is loaded beside it, once the server has what the kernel asks it by."""
    asks: bool = True
    """Whether it leaves calls open, about which the kernel asks the fork server."""

    @classmethod
    def of(cls, filter_: Filter, **more: bytes | bool) -> "LoadedFilter":
        """Return how a filter is loaded."""
        return cls(filter_.code, filter_.own_pid_at, **more)  # type: ignore[arg-type]


class OwnRoot(msgspec.Struct):
    """A file system of its own: another root folder, or else a mount namespace."""

    chroot: str = ""
    """The folder that becomes the root; it was assembled before."""
    shown: Sequence[tuple[str, str, str]] = ()
    """How a path is shown in the namespace: (`bind`, `device` or `link`, path, target of links)."""


class BwrapGate(msgspec.Struct):
    """What bwrap, which is the program, is held back for until it is done."""

    filter: bytes
    """The filter that bwrap loads."""
    limits: Sequence[tuple[int, int]] = ()
    """Limits of the process inside."""
    port: int | None = None
    """Where a door listens inside, if there is one."""


class Enclosure(msgspec.Struct, kw_only=True):
    """All that is put around a program."""

    argv: Sequence[str]
    env: Mapping[str, str]
    """The whole environment."""
    limits: Sequence[tuple[int, int]]
    """Numbers of setrlimit with their values."""
    landlock: Ruleset | None = None
    seccomp: LoadedFilter | None = None
    threads: int = 0
    """How many threads, or processes of a build, the server lets it have, where the filter asks."""
    cleared: bool = False
    """Whether folders that show what others did are empty for it: the server was told which."""
    root: OwnRoot | None = None
    bwrap: BwrapGate | None = None
    cores: Sequence[int] = ()
    """The cores that it may use; the server's, if there are none."""
    area: str = ""
    """The folder of a build, in which the server changes modes and times for it."""
    cwd: str = ""
    uid: int | None = None
    """The user that it becomes; the server's, if there is none."""
    cgroup: Mapping[str, object] | None = None
    """The `folder` of its cgroup, and by file the `limits` there."""
    descriptors: int = 0
    """How many come with the request, for its 0, 1 and 2, and for 3 and 4 of a door."""
