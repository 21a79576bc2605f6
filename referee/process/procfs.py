"""What the kernel shows of running processes: see proc(5), and sched-stats in its documentation."""

import os
import signal
from collections.abc import Iterable, Set
from contextlib import suppress
from time import clock_gettime
from typing import NamedTuple

File = tuple[int, int]
"""A file by the numbers of its device and of its inode."""

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_TRIES = 10  # at finding a file that may be getting another number just now
_CUTIME, _CSTIME, _PROCESSOR = 13, 14, 36  # places in /proc/PID/stat after the name


def children(pid: int) -> list[int]:
    """Return the children of a process; what has ended has none."""
    found: list[int] = []
    for thread in _threads(pid):
        with suppress(OSError), open(f"{thread}/children", "rb") as file:
            found += map(int, file.read().split())
    return found


def descendants(pid: int) -> list[int]:
    """Return the children of a process, theirs, and so on; what has ended has none."""
    found = []
    left = [pid]
    while left:
        new = children(left.pop())
        found += new
        left += new
    return found


def family(pid: int) -> list[int]:
    """Return a process with all that it has started."""
    return [pid, *descendants(pid)]


def cores_of(pid: int) -> set[int]:
    """Return the numbers of the cores that a process may use; none if it has ended."""
    with suppress(ProcessLookupError):
        return os.sched_getaffinity(pid)
    return set()


def cpu_of(pids: Iterable[int]) -> float:
    """Return the CPU seconds used by processes, and by those children that they have reaped."""
    used = 0.0
    for pid in pids:
        with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
            reaped = int(fields[_CUTIME]) + int(fields[_CSTIME])
            used += clock_gettime(cpu_clock(pid)) + reaped * _TICK
    return used


def awaits(pid: int, number: int) -> bool:
    """Return whether a process was sent a signal that none of its threads has taken up yet."""
    with suppress(OSError), open(f"/proc/{pid}/status", "rb") as file:
        for line in file:
            if line.startswith(b"ShdPnd:"):
                return bool(int(line[7:], 16) >> (number - 1) & 1)
    return False


def open_files(pid: int) -> set[File]:
    """Return the files that a process has open; raise PermissionError if that is not shown.

    They are those of any of its threads; one that has ended shows none.
    """
    found: set[File] = set()
    for thread in _threads(pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            for name in os.listdir(f"{thread}/fd"):
                with suppress(FileNotFoundError):  # closed meanwhile
                    found.add(identity(os.stat(f"{thread}/fd/{name}")))
        if found:
            break
    return found


def identity(seen: os.stat_result) -> File:
    """Return which file it is that was looked at."""
    return seen.st_dev, seen.st_ino


def open_in_none(pids: Iterable[int], files: Set[File]) -> set[File]:
    """Return which of some files none of the processes has open, as far as can be seen.

    A process that is ending has nothing open: if all are ending, nothing is known. A file may get
    another number while the numbers are read, as kits do with the output, and is looked for again.
    """
    pids = list(pids)
    missing = set(files)
    for _ in range(_TRIES):
        try:
            found = set[File]().union(*(open_files(pid) for pid in pids))
        except PermissionError:
            return set()
        if not found:
            return set()
        missing -= found
        if not missing:
            break
    return missing


class Scheduled(NamedTuple):
    """A thread's time: seconds that it ran, and seconds that it was ready and had no core."""

    ran: float
    waited: float


class Waits:
    """How long a process had no core, as others had it, from when this is made.

    A thread may also wait for others of its own process. On one core, it does for as long as they
    run; on several cores, they run on all of them meanwhile, and so use as many times that. This is
    taken off, so that a bot gains no time by making itself wait. Without schedstats in the kernel,
    no waiting is seen.

    Args:
        pid: the process.
        cores: how many cores it has.

    """

    def __init__(self, pid: int, cores: int) -> None:
        self._pid = pid
        self._count = cores
        self._used, self._before = self._now()
        self._most = 0.0

    def seconds(self) -> float:
        """Return the seconds that the thread waited that waited longest; never less than before."""
        used, now = self._now()
        for thread, (ran, waited) in now.items():
            before = self._before.get(thread, Scheduled(0.0, 0.0))
            others = used - self._used - (ran - before.ran)
            own = max(0.0, others) / self._count
            self._most = max(self._most, waited - before.waited - own)
        return self._most

    def _now(self) -> tuple[float, dict[int, Scheduled]]:
        """Return what the process has used in all, and how its threads were scheduled."""
        threads = {}
        for thread in self._threads():
            with suppress(OSError), open(f"{thread}/schedstat", "rb") as file:
                ran, waited, _ = file.read().split()
                name = int(thread.rpartition("/")[2])
                threads[name] = Scheduled(int(ran) * 1e-9, int(waited) * 1e-9)
        with suppress(OSError):
            return clock_gettime(cpu_clock(self._pid)), threads
        return 0.0, {}  # it has ended

    def _threads(self) -> list[str]:
        return _threads(self._pid)


class WaitsInside(Waits):
    """The same for all processes of a sandbox, on the cores that they may use.

    Children that keep their parent waiting may be gone, and with them what they used. So it is no
    more than what all other processes on those cores are seen to have used, of each core alike.
    """

    def __init__(self, pid: int, cores: Set[int]) -> None:
        self._cores = cores
        self._others = _cpu_of_others(family(pid), cores)
        super().__init__(pid, max(1, len(cores)))

    def seconds(self) -> float:
        """Return the least of what a thread waited, and what others used; never less than before.

        What began to run there since, or runs elsewhere now, is left out.
        """
        now = _cpu_of_others(family(self._pid), self._cores)
        used = sum(now[pid] - self._others[pid] for pid in now.keys() & self._others.keys())
        others = used / self._count
        _, threads = self._now()
        zero = Scheduled(0.0, 0.0)
        waited = (
            each.waited - self._before.get(name, zero).waited for name, each in threads.items()
        )
        self._most = max(self._most, min(max(waited, default=0.0), others))
        return self._most

    def _threads(self) -> list[str]:
        return [thread for pid in family(self._pid) for thread in _threads(pid)]


def _cpu_of_others(pids: Iterable[int], cores: Set[int]) -> dict[int, float]:
    """Return the CPU seconds of all processes but some that ran on some cores last, by process."""
    left_out = set(pids)
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (pid := int(name)) not in left_out:
            with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[_PROCESSOR]) in cores:
                    found[pid] = clock_gettime(cpu_clock(pid))
    return found


def _threads(pid: int) -> list[str]:
    """Return the folders of a process's threads; none if it has ended."""
    with suppress(OSError):
        return [f"/proc/{pid}/task/{name}" for name in os.listdir(f"/proc/{pid}/task")]
    return []


def cpu_clock(pid: int) -> int:
    """Return the kernel's clock of a process: the CPU time of all its threads.

    See CPUCLOCK_SCHED in the kernel's posix-timers: the pid inverted, then three bits of kind.
    """
    return (~pid << 3) | 2


def signal_name(number: int) -> str:
    """Return what a signal is called: not all of those of real time have a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
