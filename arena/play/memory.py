"""How much memory is left for bots: on this machine, and in the container around us."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.play.control_groups import control_groups

_GROWTH = 2  # times the memory that a bot used when it was ready: what it may come to need
_SPARE = 64 << 20  # bytes that are left to others
_LOOK_SECONDS = 0.2  # between looks at what is available, each of which takes some 200 us
_PAGE = os.sysconf("SC_PAGE_SIZE")


class _Files(NamedTuple):
    """Where a control group says what its processes may use, and what they do."""

    limit: str
    used: str
    cached: str
    """In memory.stat: what is given back when it is needed."""


_FIRST = _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_SECOND = _Files("memory.max", "memory.current", "inactive_file")
"""The two versions of control groups: see "cgroup-v1/memory" and "cgroup-v2" of the kernel."""


class Room:
    """Judges whether there is memory for one more process, by the largest so far."""

    def __init__(self) -> None:
        self._largest = 0  # bytes
        self._enough_at = -_LOOK_SECONDS

    def count(self, pids: Iterable[int]) -> None:
        """Learn what the processes of one bot need when it is ready."""
        self._largest = max(self._largest, size_of(pids))

    def is_short(self) -> bool:
        """Return whether there may be no room for one more, which may grow."""
        moment = time.monotonic()
        if moment - self._enough_at < _LOOK_SECONDS:
            return False
        if available() < _GROWTH * self._largest + _SPARE:
            return True
        self._enough_at = moment
        return False


def available() -> int:
    """Return the bytes that new processes can use before memory is short.

    Where nothing says it, as without /proc/meminfo, none is taken to be short.
    """
    return min([*_of_machine(), *_of_groups()], default=sys.maxsize)


def _of_machine() -> Iterator[int]:
    with suppress(OSError, KeyError, ValueError):  # it is not shown, or not so
        yield int(_numbers(Path("/proc/meminfo"))["MemAvailable:"]) * 1024


def _of_groups() -> Iterator[int]:
    """Yield what each group that we are in, and each around it, has left."""
    for group in control_groups("memory"):
        yield from _of_group(group.folder, _SECOND if group.is_second else _FIRST)


def _of_group(group: Path, files: _Files) -> Iterator[int]:
    with suppress(OSError, ValueError):  # it limits no memory, or is not shown
        limit, used = ((group / name).read_text().strip() for name in (files.limit, files.used))
        cached = _numbers(group / "memory.stat").get(files.cached, "0")
        if limit != "max":
            yield max(0, int(limit) - int(used) + int(cached))


def _numbers(file: Path) -> Mapping[str, str]:
    """Return the first two words of every line."""
    lines = (line.split() for line in file.read_text().splitlines())
    return {words[0]: words[1] for words in lines if len(words) > 1}


def size_of(pids: Iterable[int]) -> int:
    """Return the bytes of memory that processes have for themselves; nothing of those that ended.

    See statm in proc(5): what is resident, less what may be shared.
    """
    total = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            words = Path(f"/proc/{pid}/statm").read_text().split()
            total += (int(words[1]) - int(words[2])) * _PAGE
    return total
