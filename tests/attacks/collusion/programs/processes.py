"""Channels through what processes can see of each other."""

import ctypes
import os
import resource
import signal
import struct
import threading
import time
from typing import Any

from whisper import Channel, Pool, burn, checked, digits, libc, raw

PR_SET_DUMPABLE, PR_SET_NAME = 4, 15
CLONE_PIDFD = 0x1000
PLACE = 0x10_0000_0000
NEAR = 3000
GROUP = 8
MANY = 24


class CpuClock(Channel):
    """Uses CPU time, which the other reads from its clock."""

    last = 0.0

    def send(self, bits: str) -> None:
        if bits == "1":
            burn(0.003)

    def hear(self, lanes: int) -> list[int]:
        now = time.clock_gettime((~self.partner << 3) | 2)
        before, self.last = self.last, now
        return [round((now - before) * 1e6)]


class InputPriority(Channel):
    def send(self, bits: str) -> None:
        raw("ioprio_set", 1, 0, 2 << 13 | int(bits, 2))

    def hear(self, lanes: int) -> list[int]:
        return digits(raw("ioprio_get", 1, self.partner) & 7, lanes)


class SchedulerSlice(Channel):
    """Asks for a slice of a certain length, which others can read."""

    def send(self, bits: str) -> None:
        attributes = self._read(0)
        struct.pack_into("=Q", attributes, 24, 1_000_000 + 1000 * int(bits, 2))
        raw("sched_setattr", 0, attributes, 0)

    def hear(self, lanes: int) -> list[int]:
        found = struct.unpack_from("=Q", self._read(self.partner), 24)[0]
        return digits(max(0, (found - 1_000_000) // 1000), lanes)

    def _read(self, pid: int) -> Any:
        attributes = ctypes.create_string_buffer(48)
        raw("sched_getattr", pid, attributes, 48, 0)
        return attributes


class Limit(Channel):
    def send(self, bits: str) -> None:
        most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(bits, 2), most))

    def hear(self, lanes: int) -> list[int]:
        return digits(resource.prlimit(self.partner, resource.RLIMIT_FSIZE)[0], lanes)


class ThreadName(Channel):
    def send(self, bits: str) -> None:
        checked(libc.prctl(PR_SET_NAME, f"{int(bits, 2):04x}".encode(), 0, 0, 0))

    def hear(self, lanes: int) -> list[int]:
        with open(f"/proc/{self.partner}/comm") as file:
            return digits(int(file.read(), 16), lanes)


class DeathPriority(Channel):
    """How soon it is to die when memory runs out."""

    def send(self, bits: str) -> None:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(str(int(bits, 2)))

    def hear(self, lanes: int) -> list[int]:
        with open(f"/proc/{self.partner}/oom_score_adj") as file:
            return digits(int(file.read()), lanes)


class RobustList(Channel):
    """Tells the kernel of a list that is nowhere: it gives the place to who asks."""

    def send(self, bits: str) -> None:
        raw("set_robust_list", ctypes.c_void_p(int(bits, 2) << 12), 24)

    def hear(self, lanes: int) -> list[int]:
        place, length = ctypes.c_size_t(), ctypes.c_size_t()
        raw("get_robust_list", self.partner, ctypes.byref(place), ctypes.byref(length))
        return digits(place.value >> 12, lanes)


class Cores(Channel):
    """The cores that it may use."""

    def send(self, bits: str) -> None:
        os.sched_setaffinity(0, range(1 + int(bits)))

    def hear(self, lanes: int) -> list[int]:
        return [len(os.sched_getaffinity(self.partner))]


class Signals(Channel):
    """Sends a signal that does nothing to who does not wait for it."""

    count = 0

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        signal.signal(signal.SIGURG, self._came)

    def _came(self, *_: object) -> None:
        self.count += 1

    def send(self, bits: str) -> None:
        if bits == "1":
            os.kill(self.partner, signal.SIGURG)

    def hear(self, lanes: int) -> list[int]:
        count, self.count = self.count, 0
        return [count]


class Memory(Channel):
    """Writes where the other looks into its memory."""

    page = 0

    def send(self, bits: str) -> None:
        if not self.page:
            place, size, nobody = ctypes.c_void_p(PLACE), ctypes.c_size_t(4096), ctypes.c_long(0)
            self.page = libc.mmap(place, size, 3, 0x32, -1, nobody)
            checked(-1 if self.page != PLACE else 0)
        ctypes.c_uint32.from_address(self.page).value = int(bits, 2)

    def hear(self, lanes: int) -> list[int]:
        found = ctypes.c_uint32()
        ours = struct.pack("QQ", ctypes.addressof(found), 4)
        raw("process_vm_readv", self.partner, ours, 1, struct.pack("QQ", PLACE, 4), 1, 0)
        return digits(found.value, lanes)


class Threads(Channel):
    """Has a thread more or not."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.pool = Pool()

    def send(self, bits: str) -> None:
        self.pool.set(int(bits))


class ThreadNumbers(Threads):
    """The other asks for numbers near its own, and whether somebody has them."""

    def send(self, bits: str) -> None:
        self.pool.set(GROUP * int(bits))

    def hear(self, lanes: int) -> list[int]:
        return [sum(map(self._is_somebody, range(self.partner + 1, self.partner + NEAR)))]

    def _is_somebody(self, number: int) -> bool:
        try:
            os.sched_getscheduler(number)
        except ProcessLookupError:
            return False
        return True


class ThreadsByStat(Threads):
    """The other counts its threads, without opening the folder of them."""

    def hear(self, lanes: int) -> list[int]:
        return [os.stat(f"/proc/{self.partner}/task").st_nlink]


class OpenFilesByStat(Channel):
    """Has more files open or fewer, which the folder of them shows as its size."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.held: list[int] = []

    def send(self, bits: str) -> None:
        while len(self.held) < int(bits):
            self.held.append(os.dup(0))
        while len(self.held) > int(bits):
            os.close(self.held.pop())

    def hear(self, lanes: int) -> list[int]:
        return [os.stat(f"/proc/{self.partner}/fd").st_size]


class DumpableByStat(Channel):
    """May be looked into or not, which changes whose its files in /proc are."""

    def send(self, bits: str) -> None:
        checked(libc.prctl(PR_SET_DUMPABLE, int(bits), 0, 0, 0))

    def hear(self, lanes: int) -> list[int]:
        return [os.stat(f"/proc/{self.partner}/status").st_uid]


class ProcessNumbers(Channel):
    """Uses up numbers, which the whole machine takes from one row."""

    last = 0

    def send(self, bits: str) -> None:
        for _ in range(MANY * int(bits)):
            self._next()

    def hear(self, lanes: int) -> list[int]:
        now = self._next()
        before, self.last = self.last, now
        return [now - before]

    def _next(self) -> int:
        seen: list[int] = []
        thread = threading.Thread(target=lambda: seen.append(threading.get_native_id()))
        thread.start()
        thread.join()
        return seen[0]


class ProcessCounts(Channel):
    """Starts children, and sees by the inode of one how many processes the machine has had."""

    last = 0

    def send(self, bits: str) -> None:
        for _ in range(MANY * int(bits)):
            self._next()

    def hear(self, lanes: int) -> list[int]:
        now = self._next()
        before, self.last = self.last, now
        return [now - before]

    def _next(self) -> int:
        made = ctypes.c_int(-1)
        pid = raw("clone", CLONE_PIDFD | int(signal.SIGCHLD), 0, ctypes.byref(made), 0, 0)
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        found = os.fstat(made.value).st_ino
        os.close(made.value)
        return found
