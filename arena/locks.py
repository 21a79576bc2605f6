"""Who may work in a folder now, and where what is unfinished is kept until it is whole."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protocol.errors import ArenaError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others away from a folder; the lock is on the folder and leaves nothing behind.

    Not on a file in it: an editor that saves puts another file in its place. Raises ArenaError,
    naming the process, if somebody else has it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArenaError(
                f"{folder} is in use by another run or import ({_holder(descriptor)}); wait for "
                f"it, or stop it."
            ) from None
        yield
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    """Return who holds the lock of an open file, from the kernel's table."""
    inode = f":{os.fstat(descriptor).st_ino}"
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if words[1] == "FLOCK" and words[5].endswith(inode):
            return f"process {words[4]}"
    return "on another machine or in another container"


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Make a hidden folder beside a file or folder that is to be made whole or not at all.

    It is gone in the end. Were it not, as its maker was killed, the next one for this target
    would empty it. Raises OSError if it cannot be made, and ArenaError while it is in use.
    """
    hidden = target.with_name(f".{target.name}.unfinished")
    hidden.mkdir(exist_ok=True)
    with locked(hidden):
        try:
            for left in hidden.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            yield hidden
        finally:
            shutil.rmtree(hidden, ignore_errors=True)
