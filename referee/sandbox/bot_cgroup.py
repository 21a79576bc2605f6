"""The cgroup of one bot, as the fork server makes, reads and removes it.

It is imported by the fork server, which is run by itself, and so by the standard library alone.
"""

import contextlib
import errno
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.sandbox.enclosure import OwnCgroup

END_SECONDS = 3.0  # within which what was killed has left its cgroup


def make(asked: "OwnCgroup") -> None:
    """Make a cgroup with its limits; raise OSError, and leave none, if that cannot be."""
    os.mkdir(asked["folder"])
    try:
        for name, value in asked["limits"].items():
            write(f"{asked['folder']}/{name}", value)
    except OSError:
        remove(asked["folder"])
        raise


def write(path: str, value: str) -> None:
    """Write into a file of a cgroup; raise OSError, which names it, if the kernel refuses."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)  # which makes no file where none is
    try:
        os.write(descriptor, value.encode())
    except OSError as error:
        error.filename = path
        raise
    finally:
        os.close(descriptor)


def enter(folder: str) -> None:
    """Move this process into a cgroup, where all that it starts will be; raise OSError if not."""
    write(f"{folder}/cgroup.procs", "0")


def kill(folder: str) -> None:
    """Kill everything in a cgroup, if it is still there."""
    with contextlib.suppress(OSError):
        write(f"{folder}/cgroup.kill", "1")


def measured(folder: str) -> tuple[int | None, bool]:
    """Return how much memory a cgroup had at its peak, in bytes, and whether it lacked some.

    Nothing can be said of one that was taken away: then the peak is None.
    """
    try:
        events = dict(line.split() for line in read(f"{folder}/memory.events").splitlines())
        peak = int(read(f"{folder}/memory.peak"))
    except OSError:
        return None, False
    # `oom` is its own limit; what kills may be one around it
    return peak, int(events["oom"]) > 0 and int(events["oom_kill"]) > 0


def read(path: str) -> str:
    """Return what a file of a cgroup says."""
    with open(path) as file:
        return file.read()


def remove(folder: str, seconds: float = END_SECONDS) -> bool:
    """Remove a cgroup with those in it; return whether it is gone.

    What was killed in it may take a moment to leave it, for which it is waited.
    """
    until = time.monotonic() + seconds
    try:
        with os.scandir(folder) as entries:
            inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return not os.path.exists(folder)
    for each in inner:
        remove(each, max(0.0, until - time.monotonic()))
    while True:
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            return True
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() >= until:
                return False
            time.sleep(0.001)
        else:
            return True
