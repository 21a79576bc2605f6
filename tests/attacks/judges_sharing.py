"""The judges of frozen bots, and of what a bot takes from its rivals."""

import contextlib
import ctypes
import fcntl
import math
import os
import signal
import struct
import time
from pathlib import Path

from referee.sandbox import Child
from tests.attacks.judges import MEGABYTE, Case, Judge, libc
from tests.attacks.judges_resources import SCRATCH
from tests.attacks.pages import in_memory
from tests.attacks.scene import MESSAGE_BITS, PAGE_STEP, PAGES, Scene
from tests.attacks.settings import SLOWNESS
from tests.referee.process_watch import cpu, fields, fields_in

FREEZES, OFTEN = 3, 20
SETTLE = 0.02 * SLOWNESS
"""Seconds in which what is frozen may come to rest, and what is let go may run."""
REST = 1.0 * SLOWNESS
"""Seconds for which one waits that it has, where others have the cores; it hardly uses any then."""
FROZEN = 0.1
MOST_CPU = 0.005
"""Seconds of CPU time that are more than what is frozen uses in so many; a busy core gives few."""
STOPPING_CPU = 0.1
"""Seconds of CPU time that are more than what threads use until all have stopped."""
FLIGHT = 150
FLUSHES = 100
_PIDFD_GETFD, _SIOCOUTQ = 438, 0x5411
_NICE, _POLICY = 16, 38  # places in /proc/PID/stat after the name
_IOPRIO_GET = {"x86_64": 252, "aarch64": 31}[os.uname().machine]


def send(child: Child, number: int, *, group: bool) -> None:
    """Send a signal to a bot, and to its children as far as they are in its process group."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(child.pidfd, number)
        if group:
            os.killpg(child.pid, number)


def runs_when_frozen(scene: Scene, child: Child, *, group: bool, often: bool) -> bool:
    """Freeze and thaw a bot several times, as a referee does; return whether it runs frozen."""

    for _ in range(OFTEN if often else FREEZES):
        send(child, signal.SIGSTOP, group=group)
        time.sleep(SETTLE)
        told = _used(scene)
        deadline = time.monotonic() + REST
        while not _is_at_rest(scene) and time.monotonic() < deadline:
            time.sleep(0.005)  # on a busy machine not all threads stop at once
        before = _used(scene)
        time.sleep(FROZEN)
        after = _used(scene)
        if _more(before, after) > MOST_CPU or _more(told, before) > STOPPING_CPU:
            return True
        send(child, signal.SIGCONT, group=group)
        time.sleep(SETTLE)
    return False


def _more(before: dict[int, float], after: dict[int, float]) -> float:
    """Return the CPU time that was used in between; endless if other processes are there."""
    if before.keys() != after.keys():
        return math.inf
    return sum(after.values()) - sum(before.values())


def _is_at_rest(scene: Scene) -> bool:
    """Return whether every thread of the bot is stopped, or has ended."""
    tasks = (task for pid in scene.bot_processes() for task in Path(f"/proc/{pid}/task").glob("*"))
    states = (fields_in(task) for task in tasks)
    return all(not found or found[0] in "TZX" for found in states)


def _used(scene: Scene) -> dict[int, float]:
    """Return the CPU time of each process of the bot."""
    found = {}
    for pid in scene.bot_processes():
        with contextlib.suppress(OSError):
            found[pid] = cpu(pid)
    return found


def runs_frozen(case: Case) -> bool:
    """The bot has used the CPU although it was frozen."""
    return bool(case.before.get("runs frozen"))


def lacks(what: str) -> Judge:
    """Return the judge of whether a rival did not get what it needs, or could not even start."""

    def judge(case: Case) -> bool:
        said = str(case.before.get("rival", ""))
        return f"lacks {what}" in said or "not started" in said

    return judge


def much_in_sockets(case: Case) -> bool:
    """The bot's sockets hold more than a bot may write into a file."""
    total = 0
    with contextlib.suppress(OSError):
        process = os.pidfd_open(case.pid)
        for descriptor, target in case.open_files():
            if target.startswith("socket:"):
                number = libc.syscall(_PIDFD_GETFD, process, int(descriptor.name), 0)
                if number >= 0:
                    total += struct.unpack("i", fcntl.ioctl(number, _SIOCOUTQ, bytes(4)))[0]
                    os.close(number)
        os.close(process)
    return total > SCRATCH * 3 // 2


def open_files() -> int:
    """Return how many files are open on the machine, by whomever."""
    return int(Path("/proc/sys/fs/file-nr").read_text().split()[0])


def in_flight(case: Case) -> bool:
    """Far more files are open than before, and the bot has few of them."""
    return not case.over and open_files() > int(str(case.before["files"])) + FLIGHT


def anonymous_memory() -> int:
    """Return the bytes of memory on the machine that can be had."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))


def memory_gone(case: Case) -> bool:
    """Much memory of the machine is gone."""
    return not case.over and anonymous_memory() < int(str(case.before["available"])) - (
        300 * MEGABYTE
    )


def forgotten(case: Case) -> bool:
    """The kernel does not have a file in memory any more that was there."""
    path = case.folder / PAGES
    return not case.over and not all(in_memory(path, at * PAGE_STEP) for at in range(MESSAGE_BITS))


def flushes() -> int:
    """Return how often the machine's disks were told to write everything down."""
    found = 0
    for line in Path("/proc/diskstats").read_text().splitlines():
        words = line.split()
        found += int(words[18]) if len(words) > 18 else 0
    return found


def flushed(case: Case) -> bool:
    """The disks were told to write everything down again and again."""
    return not case.over and flushes() > int(str(case.before["flushes"])) + FLUSHES


def priorities(pid: int) -> tuple[object, ...]:
    """Return what decides when a process runs."""
    stat = fields(pid)
    return (stat[_NICE], stat[_POLICY], libc.syscall(_IOPRIO_GET, 1, pid)) if stat else ()


def other_priority(case: Case) -> bool:
    """The bot has another priority than it began with."""
    return not case.over and priorities(case.pid) != case.before["priorities"]


def alone_on_core(case: Case) -> bool:
    """The bot has a core for itself."""
    cookie = ctypes.c_ulong()
    asked = libc.prctl(62, 0, case.pid, 0, ctypes.byref(cookie))
    return asked == 0 and cookie.value != 0
