"""What is mounted here, as the kernel shows it: see proc_pid_mountinfo(5)."""

import os
import re
from pathlib import Path
from typing import NamedTuple

MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(rb"\\([0-3][0-7]{2})")
_FIXED = 6  # words before those that may be there, which a dash ends


class Mount(NamedTuple):
    """A mount; its paths are as in `os.fsdecode`."""

    part: str
    """The folder of the file system that is shown."""
    where: str
    """Where it is shown."""
    kind: str
    """The kind of file system, such as `cgroup2`."""


def mounts(table: Path = MOUNTS) -> list[Mount]:
    """Return what is mounted, in order; raise OSError if the table cannot be read.

    A line that is none of the kernel's is passed over. Names may hold any byte but the four that
    are escaped: space, tab, line feed and backslash.
    """
    found = []
    for line in table.read_bytes().split(b"\n"):
        words = line.split(b" ")
        if b"\0" in line or b"-" not in words[_FIXED:-1]:
            continue
        kind = words[words.index(b"-", _FIXED) + 1]
        found.append(Mount(_plain(words[3]), _plain(words[4]), os.fsdecode(kind)))
    return found


def _plain(word: bytes) -> str:
    return os.fsdecode(_ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), word))
