"""Where temporary files are put: where TMPDIR says, or nowhere.

tempfile's own choice is not used: it writes a file to try each folder, may be killed before that is
removed, and goes elsewhere without a word.
"""

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.sandbox.errors import MachineError
from referee.sandbox.landlock import PROGRAMS, SETTINGS
from referee.sandbox.program import barrier

_DEFAULT = ("/tmp", "/var/tmp")  # noqa: S108 - what we make there is new and ours


def temporary_base(uid: int | None = None) -> str:
    """Return the folder for temporary files, which a user is to enter: by default our own.

    Without TMPDIR it is one in which programs may be executed, if there is one. Raises
    MachineError for a TMPDIR that is of no use.
    """
    user = os.geteuid() if uid is None else uid
    chosen = os.environ.get("TMPDIR")
    folders = [os.path.abspath(chosen)] if chosen else list(_DEFAULT)
    obstacles = {folder: _obstacle(folder, user) for folder in folders}
    usable = [folder for folder, obstacle in obstacles.items() if not obstacle]
    if not usable:
        found = "; ".join(f"{folder} {obstacle}" for folder, obstacle in obstacles.items())
        name = "TMPDIR=" if chosen else ""
        raise MachineError(
            f"there is no place for temporary files: {name}{found}. Set TMPDIR to a folder open "
            f"to everybody; then run again."
        )
    return next((folder for folder in usable if not is_noexec(folder)), usable[0])


def _obstacle(folder: str, uid: int) -> str:
    """Return why a folder cannot be used, as what follows its name; empty if it can."""
    if not os.path.lexists(folder):
        return "is not there"
    if os.path.exists(folder) and not os.path.isdir(folder):
        return "is no folder"
    if part := barrier(folder, uid):
        at = "" if part == folder else f" (stopped at {part})"
        return f"cannot be entered by uid {uid}{at}"
    return "" if os.access(folder, os.W_OK) else f"cannot be written by uid {os.geteuid()}"


def is_noexec(path: str) -> bool:
    """Return whether a path is on a file system on which no program may be executed."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_NOEXEC)
    except OSError:  # whoever opens it explains better what that is
        return False


def read_by_all(path: str) -> str:
    """Return what every bot may read, in any sandbox, and a path lies in; empty if nothing."""
    real = Path(os.path.realpath(path))
    readable = (*PROGRAMS, *SETTINGS, sys.base_prefix)
    return next((each for each in readable if real.is_relative_to(os.path.realpath(each))), "")


def temporary_folder(prefix: str) -> Path:
    """Make a folder of our own for temporary files; raise MachineError if that cannot be."""
    base = temporary_base()
    with room_for("a folder for temporary files cannot be made in", base):
        return Path(tempfile.mkdtemp(prefix=prefix, dir=base))


@contextmanager
def room_for(what: str, folder: str, variable: str = "TMPDIR") -> Iterator[None]:
    """Turn what goes wrong with writing into a MachineError; `what` fails is said first.

    `variable` is that of the environment which says where the folder is.
    """
    try:
        yield
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "Free some space there, or set" if is_full else "Set"
        raise MachineError(
            f"{what} {folder}: {error.strerror}. {remedy} {variable} to another folder open to "
            f"everybody; then run again."
        ) from None
