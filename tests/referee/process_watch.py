"""What the kernel says of processes, and waiting for it to be so."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds to wait for what takes milliseconds, on a machine that has other things to do."""


def until(true: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Return what `true` returns as soon as that is true; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, f"still not true after {seconds} s"
        time.sleep(0.002)
    return found


def fields(pid: int) -> list[str]:
    """Return the fields of `/proc/PID/stat` after the name, the state first; [] if it is gone."""
    return fields_in(Path(f"/proc/{pid}"))


def fields_in(folder: Path) -> list[str]:
    """Return the same of a process, or of a thread, by its folder below /proc."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def command_line(pid: int) -> str:
    """Return the words of a process, whoever started it; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def state(pid: int) -> str:
    """Return a process's state: R running, S sleeping, T stopped; X if it has ended."""
    found = fields(pid)
    return found[0] if found and found[0] != "Z" else "X"


def gone(*pids: int) -> bool:
    """Return whether all these processes have ended."""
    return all(state(pid) == "X" for pid in pids)


def cpu(pid: int) -> float:
    """Return the CPU seconds a process has used."""
    return time.clock_gettime((~pid << 3) | 2)


def processes() -> list[int]:
    """Return the pids of all processes of the machine."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def children(parent: int) -> set[int]:
    """Return the pids of a process's children, the dead that were not reaped included."""
    return {pid for pid in processes() if fields(pid)[1:2] == [str(parent)]}


def working_in(folder: Path) -> set[int]:
    """Return the pids of the processes whose working directory is `folder`."""
    found = set()
    for pid in processes():
        with suppress(OSError):  # it has just ended, or belongs to somebody else
            if Path(f"/proc/{pid}/cwd").readlink() == folder:
                found.add(pid)
    return found


def descriptors() -> set[int]:
    """Return the descriptors that this process has open."""
    listed = {int(entry.name) for entry in Path("/proc/self/fd").iterdir()}
    return {number for number in listed if _is_open(number)}  # the listing itself is closed


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
