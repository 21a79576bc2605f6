"""The judges of what a bot takes of the machine and leaves on it."""

import contextlib
import ctypes
import fcntl
import os
from pathlib import Path

from tests.attacks.judges import MEGABYTE, MEMORY, Case, Judge, libc

SCRATCH = 16 * MEGABYTE
TASKS = 64
"""More tasks than a bot of the suite is allowed."""
_CLOCK_REALTIME, _TFD_CANCEL = 0, 3
_ECANCELED = 125


def takes_memory(case: Case) -> bool:
    """The bot's processes hold twice the memory that they are allowed, in whatever way."""
    names = ("RssAnon", "RssShmem", "VmPTE")
    total = 0
    for pid in case.scene.bot_processes():
        total += sum(case.status(pid, name) for name in names) * 1024
    for descriptor, target in case.open_files():
        if target.startswith("/memfd:"):
            with contextlib.suppress(OSError):
                total += descriptor.stat().st_blocks * 512
    return total > 2 * MEMORY


def locks_memory(case: Case) -> bool:
    """The bot has locked more than a megabyte."""
    return case.status(case.pid, "VmLck") > 1024


def many_processes(case: Case) -> bool:
    """The bot has more processes than it is allowed."""
    return len(case.scene.bot_processes()) > TASKS


def many_threads(case: Case) -> bool:
    """The bot has threads by the thousand."""
    return case.status(case.pid, "Threads") > 1000


def _written(case: Case) -> list[os.stat_result]:
    """Return what the bot has written, its private folders included."""
    found = []
    inside = Path(f"/proc/{case.pid}/root")
    places = [case.scene.loose, case.folder, Path("/dev/shm", case.scene.stray)]
    if not case.over and not inside.samefile("/"):
        places += [inside / "scratch", inside / "dev/shm"]
    for place in places:
        for folder, _, files in os.walk(place):
            for name in files:
                with contextlib.suppress(OSError):
                    found.append(Path(folder, name).lstat())
    return found


def big_file(case: Case) -> bool:
    """A file is larger than the limit."""
    return any(seen.st_blocks * 512 > SCRATCH * 3 // 2 for seen in _written(case))


def much_written(case: Case) -> bool:
    """The files together are larger than the scratch folder."""
    return sum(seen.st_blocks * 512 for seen in _written(case)) > SCRATCH * 3 // 2


def many_files(case: Case) -> bool:
    """There are files by the thousand."""
    return len(_written(case)) > 1_000


def many_descriptors(case: Case) -> bool:
    """The bot has more files open than it is allowed."""
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{case.pid}/fd").iterdir()) > TASKS
    return False


def no_pipes_left(case: Case) -> bool:
    """Nobody else of the same user gets a large pipe any more."""
    reading, writing = os.pipe()
    try:
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, MEGABYTE)
    except PermissionError:
        return True
    finally:
        os.close(reading)
        os.close(writing)
    return False


def queued_signals(case: Case) -> bool:
    """The signals that wait for the referee's user are thousands more than before."""
    return signals_waiting() > int(str(case.before["signals"])) + 8_000


def signals_waiting() -> int:
    """Return how many signals are queued for this user, as every process of the user is told."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("SigQ:"):
            return int(line.split()[1].partition("/")[0])
    return 0


def aio_taken(case: Case) -> bool:
    """The bot holds places for asynchronous input and output by the thousand."""
    return aio_places() > int(str(case.before["aio"])) + 8_000


def aio_places() -> int:
    """Return how many places for asynchronous input and output are taken on the machine."""
    with contextlib.suppress(OSError):
        return int(Path("/proc/sys/fs/aio-nr").read_text())
    return 0


def many_locks(case: Case) -> bool:
    """The kernel keeps thousands of locks for the bot."""
    text = Path("/proc/locks").read_text()
    return sum(1 for line in text.splitlines() if f" {case.pid} " in line) > 4000


def hard_limits(pid: int) -> dict[str, float]:
    """Return the limits that a process cannot go beyond."""
    found = {}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/limits").read_text().splitlines()[1:]:
            hard = line[47:68].strip()
            found[line[:26].strip()] = float("inf") if hard == "unlimited" else float(hard)
    return found


def limits_raised(case: Case) -> bool:
    """A limit is higher than at the beginning."""
    before = case.before["limits"]
    assert isinstance(before, dict)
    return any(hard > before.get(name, hard) for name, hard in hard_limits(case.pid).items())


def cores(pid: int) -> int:
    """Return on how many cores a process may run."""
    with contextlib.suppress(OSError):
        return len(os.sched_getaffinity(pid))
    return 0


def on_more_cores(case: Case) -> bool:
    """The bot runs on more cores than the one that it was given."""
    return cores(case.pid) > int(str(case.before["cores"]))


def favoured(case: Case) -> bool:
    """The bot has a better priority than it began with."""
    with contextlib.suppress(OSError):
        return (
            os.sched_getscheduler(case.pid) in (os.SCHED_FIFO, os.SCHED_RR)
            or os.getpriority(os.PRIO_PROCESS, case.pid) < 0
        )
    return False


def core_left(case: Case) -> bool:
    """The memory of a dead bot has become a file."""
    folders = (case.scene.loose, case.folder, case.scene.cwd)
    return any(path for folder in folders for path in folder.glob("core*"))


# Leftovers


def ipc_left(kind: str) -> Judge:
    """Return the judge of whether a segment, semaphores or a queue stay after the game."""

    def judge(case: Case) -> bool:
        if not case.over:
            return False
        key = int(case.scene.token[-6:], 16)
        lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
        mine = [int(line.split()[1]) for line in lines if int(line.split()[0]) == key]
        for number in mine:
            remove = {
                "shm": lambda: libc.shmctl(number, 0, None),  # noqa: B023 - called at once
                "sem": lambda: libc.semctl(number, 0, 0),  # noqa: B023
                "msg": lambda: libc.msgctl(number, 0, None),  # noqa: B023
            }
            remove[kind]()
        return bool(mine)

    return judge


def queue_left(case: Case) -> bool:
    """A message queue stays after the game."""
    return case.over and libc.mq_unlink(f"/{case.scene.stray}".encode()) == 0


def key_left(case: Case) -> bool:
    """The kernel keeps more keys for somebody than before the attack."""
    return case.over and any(
        count > before_of(case).get(user, 0) for user, count in key_counts().items()
    )


def before_of(case: Case) -> dict[str, int]:
    """Return the number of keys of every user before the attack."""
    before = case.before["keys"]
    assert isinstance(before, dict)
    return before


def key_counts() -> dict[str, int]:
    """Return the number of instantiated keys of every user."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/key-users").read_text().splitlines()
        return {
            line.split(":")[0].strip(): int(line.split()[2].partition("/")[0]) for line in lines
        }
    return {}


class ClockWatch:
    """A timer that the kernel cancels when somebody sets the clock."""

    def __init__(self) -> None:
        self.descriptor = libc.timerfd_create(_CLOCK_REALTIME, os.O_NONBLOCK | os.O_CLOEXEC)
        far = (ctypes.c_long * 4)(0, 0, 1 << 40, 0)
        libc.timerfd_settime(self.descriptor, _TFD_CANCEL, far, None)

    def was_set(self) -> bool:
        """Return whether the clock has been set since."""
        try:
            os.read(self.descriptor, 8)
        except BlockingIOError:
            return False
        except OSError as error:
            return error.errno == _ECANCELED
        return False

    def close(self) -> None:
        """Give the timer back."""
        os.close(self.descriptor)


def clock_set(case: Case) -> bool:
    """Somebody has set the clock."""
    watch = case.before["clock"]
    assert isinstance(watch, ClockWatch)
    return watch.was_set()
