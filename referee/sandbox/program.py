"""What is executed for a bot, who can reach it, and whether there are cores for it."""

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from referee.sandbox.errors import SandboxError

PYTHON = "{python}"
"""In a command, the interpreter that runs the arena itself."""
SYSTEM_PYTHON = "/usr/bin/python3"


@dataclass(frozen=True)
class Program:
    """A command, run in a folder, of which it may read exactly `files`, relative to it.

    The first word is an absolute path, or PYTHON. `borrowed` are those of the files that lie
    elsewhere, each with its absolute path: the program finds them in its folder all the same,
    since it is run from copies, whatever the sandbox. `shared` are absolute paths of files and
    folders elsewhere that it may read and execute where they are, as others may.
    """

    argv: tuple[str, ...]
    folder: str
    files: tuple[str, ...] = ()
    borrowed: tuple[tuple[str, str], ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def paths(self) -> list[str]:
        """Where its files lie, in their order."""
        elsewhere = dict(self.borrowed)
        return [elsewhere.get(name, f"{self.folder}/{name}") for name in self.files]


def barrier(path: str, uid: int) -> str:
    """Return the first part of a path that a user without groups cannot enter; empty if none.

    The path's own end must be executable.
    """
    real = os.path.realpath(path)
    for part in [*reversed([str(parent) for parent in Path(real).parents]), real]:
        try:
            found = os.stat(part)
        except OSError:
            return part
        needed = stat.S_IXUSR if found.st_uid == uid else stat.S_IXOTH
        if not found.st_mode & needed:
            return part
    return ""


def interpreter(uid: int | None) -> str:
    """Return the Python that runs PYTHON's bots: the arena's own, or else the system's.

    It is the real one, not a virtual environment's link to it. With a `uid`, it is one that this
    user can execute; empty if there is none.
    """
    own = os.path.realpath(sys.executable)
    if uid is None or not barrier(own, uid):
        return own
    return "" if barrier(SYSTEM_PYTHON, uid) else SYSTEM_PYTHON


def own_python(uid: int | None) -> tuple[str, ...]:
    """Return the folder of the arena's own Python, which is to be shown; none for one in /usr.

    Nor is there any for a `uid` that cannot enter it.
    """
    prefix = sys.base_prefix
    is_shown = not prefix.startswith("/usr/") and (uid is None or not barrier(prefix, uid))
    return (prefix,) if is_shown else ()


def own_cores() -> list[int]:
    """Return the numbers of the cores that this process may use, in order."""
    return sorted(os.sched_getaffinity(0))


def check_cores(threads: int) -> None:
    """Raise SandboxError unless there is a core here for each of so many threads of a bot."""
    count = len(own_cores())
    if threads > count:
        raise SandboxError(
            f"the limit threads = {threads} asks for {threads} cores for each match, and only "
            f"{count} can be used here. Lower it, or play on a machine that has more.",
            "cores",
        )
