"""Channels through what a user, or the machine, has only so much of, or counts."""

import array
import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
import struct
import threading
from typing import Any

from whisper import Channel, Pool, checked, libc, raw

F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032
SIGNALS, MOST_SIGNALS = 64, 1024
LARGE_PIPES, USUAL_PIPES = 70, 20
PIPES_OF_CHILD, CHILDREN, FEW_CHILDREN = 28, 28, 12
IN_FLIGHT = 200
FEW_FILES = 64
AIO_MANY, AIO_FEW = 60_000, 10_000
THREADS = 12
FILES = 30
EVENTS = 30
MEGABYTES = 32
COOKIES, SO_COOKIE = 40, 57
PIPES, PIPES_APART = 40, 1100


def at_most(what: int, number: int) -> None:
    """Lower a limit of one's own, without which no quota would be reached."""
    now, most = resource.getrlimit(what)
    few = number if now == resource.RLIM_INFINITY else min(now, number)
    resource.setrlimit(what, (few, most))


class DescriptorsInFlight(Channel):
    """Sends open files to itself, of which a user may have so many under way."""

    pair: Any = None

    def send(self, bits: str) -> None:
        if self.pair is not None:
            for end in self.pair:
                end.close()
            self.pair = None
        if bits == "1":
            self.pair = self._sent(IN_FLIGHT)

    def _sent(self, count: int) -> Any:
        pair = socket.socketpair()
        fds = array.array("i", [0] * count)
        try:
            pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        except OSError:
            for end in pair:
                end.close()
            raise
        return pair

    def hear(self, lanes: int) -> list[int]:
        at_most(resource.RLIMIT_NOFILE, FEW_FILES)
        try:
            pair = self._sent(1)
        except OSError as error:
            if error.errno != errno.ETOOMANYREFS:
                raise
            return [1]
        for end in pair:
            end.close()
        return [0]


class QueuedSignals(Channel):
    """Queues signals, of which a user has so many: the other counts what is left."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
        at_most(resource.RLIMIT_SIGPENDING, MOST_SIGNALS)

    def _queue(self, count: int) -> int:
        for at in range(count):
            if libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(0)) != 0:
                if ctypes.get_errno() != errno.EAGAIN:
                    checked(-1)
                return at
        return count

    def _drop(self) -> None:
        while signal.sigtimedwait({signal.SIGRTMIN}, 0) is not None:
            pass

    def send(self, bits: str) -> None:
        self._drop()
        self._queue(SIGNALS * int(bits))

    def hear(self, lanes: int) -> list[int]:
        count = self._queue(MOST_SIGNALS)
        self._drop()
        return [count]


class PipeQuota(Channel):
    """Has large pipes, until a user's others are small."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.held: list[int] = []

    def send(self, bits: str) -> None:
        if bits == "1" and not self.held:
            for _ in range(LARGE_PIPES):
                both = os.pipe()
                self.held += both
                try:
                    fcntl.fcntl(both[0], F_SETPIPE_SZ, 1 << 20)
                except PermissionError:
                    if len(self.held) == len(both):
                        raise
                    break
            for _ in range(USUAL_PIPES):  # what was left for others
                self.held += os.pipe()
        if bits == "0":
            while self.held:
                os.close(self.held.pop())

    def hear(self, lanes: int) -> list[int]:
        both = os.pipe()
        size = fcntl.fcntl(both[0], F_GETPIPE_SZ)
        for end in both:
            os.close(end)
        return [size]


class PipesOfChildren(Channel):
    """Has children that have pipes, until a user's others are small: children have files too."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.held: list[int] = []

    def _child(self, told: int) -> int:
        """Start a child that makes pipes, and tells how small the smallest is."""
        pid = os.fork()
        if pid == 0:
            sizes = [fcntl.fcntl(os.pipe()[0], F_GETPIPE_SZ) for _ in range(PIPES_OF_CHILD)]
            os.write(told, struct.pack("I", min(sizes)))
            while True:
                signal.pause()
        return pid

    def _children(self, count: int) -> tuple[list[int], int]:
        """Return so many children, and the smallest of their pipes."""
        reading, writing = os.pipe()
        found = [self._child(writing) for _ in range(count)]
        sizes = [struct.unpack("I", os.read(reading, 4))[0] for _ in found]
        os.close(reading)
        os.close(writing)
        return found, min(sizes)

    def _end(self, pids: list[int]) -> None:
        while pids:
            os.kill(pids[-1], signal.SIGKILL)
            os.waitpid(pids.pop(), 0)

    def send(self, bits: str) -> None:
        if bits == "1" and not self.held:
            self.held, _ = self._children(CHILDREN)
        if bits == "0":
            self._end(self.held)

    def hear(self, lanes: int) -> list[int]:
        pids, smallest = self._children(FEW_CHILDREN)
        self._end(pids)
        return [smallest]


class WatchQuota(Channel):
    """Makes instances of inotify, of which a user has so many."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.held: list[int] = []

    def send(self, bits: str) -> None:
        if bits == "1" and not self.held:
            with_error = 0
            while not with_error:
                made = libc.inotify_init1(0)
                with_error = ctypes.get_errno() if made < 0 else 0
                if made >= 0:
                    self.held.append(made)
            if with_error != errno.EMFILE:
                checked(-1)
        if bits == "0":
            while self.held:
                os.close(self.held.pop())

    def hear(self, lanes: int) -> list[int]:
        made = libc.inotify_init1(0)
        if made < 0 and ctypes.get_errno() != errno.EMFILE:
            checked(-1)
        if made >= 0:
            os.close(made)
        return [int(made >= 0)]


class AsynchronousInput(Channel):
    """Takes places for asynchronous input, of which a machine has so many."""

    held: int | None = None

    def _take(self, count: int) -> int | None:
        place = ctypes.c_ulong(0)
        try:
            raw("io_setup", count, ctypes.byref(place))
        except BlockingIOError:
            return None
        return place.value

    def send(self, bits: str) -> None:
        if bits == "1" and self.held is None:
            self.held = self._take(AIO_MANY)
        if bits == "0" and self.held is not None:
            raw("io_destroy", ctypes.c_ulong(self.held))
            self.held = None

    def hear(self, lanes: int) -> list[int]:
        place = self._take(AIO_FEW)
        if place is not None:
            raw("io_destroy", ctypes.c_ulong(place))
        return [int(place is not None)]


class WithThreads(Channel):
    """Has a dozen threads more or not."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.pool = Pool()

    def send(self, bits: str) -> None:
        self.pool.set(THREADS * int(bits))


class TotalOfThreads(WithThreads):
    def hear(self, lanes: int) -> list[int]:
        found = ctypes.create_string_buffer(128)
        raw("sysinfo", found)
        return [struct.unpack_from("H", found, 80)[0]]


class LoadAverage(WithThreads):
    def hear(self, lanes: int) -> list[int]:
        with open("/proc/loadavg") as file:
            return [int(file.read().split()[3].partition("/")[2])]


class CountOfForks(Channel):
    """Starts threads, which /proc/stat counts."""

    last = 0

    def send(self, bits: str) -> None:
        for _ in range(THREADS * int(bits)):
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()

    def hear(self, lanes: int) -> list[int]:
        with open("/proc/stat") as file:
            lines = [line for line in file if line.startswith("processes ")]
        now = int(lines[0].split()[1]) if lines else 0
        before, self.last = self.last, now
        return [now - before]


class MemoryInUse(Channel):
    """Takes memory or gives it back, of which the machine counts all."""

    held: Any = None

    def send(self, bits: str) -> None:
        if bits == "1" and self.held is None:
            self.held = bytearray(b"x") * (MEGABYTES << 20)
        if bits == "0":
            self.held = None

    def hear(self, lanes: int) -> list[int]:
        with open("/proc/meminfo") as file:
            lines = [line for line in file if line.startswith("AnonPages:")]
        return [int(lines[0].split()[1]) >> 10 if lines else 0]


class OpenFiles(Channel):
    """Opens files, of which the machine counts all."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.held: list[int] = []

    def send(self, bits: str) -> None:
        while len(self.held) < FILES * int(bits):
            self.held.append(os.open("/dev/null", os.O_RDONLY))
        while len(self.held) > FILES * int(bits):
            os.close(self.held.pop())

    def hear(self, lanes: int) -> list[int]:
        with open("/proc/sys/fs/file-nr") as file:
            return [int(file.read().split()[0])]


class EventNumbers(Channel):
    """Has event files, of which the machine gives each the lowest number that is free."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.held: list[int] = []

    def send(self, bits: str) -> None:
        while len(self.held) < EVENTS * int(bits):
            self.held.append(os.eventfd(0))
        while len(self.held) > EVENTS * int(bits):
            os.close(self.held.pop())

    def hear(self, lanes: int) -> list[int]:
        made = os.eventfd(0)
        try:
            with open(f"/proc/self/fdinfo/{made}") as file:
                return [int(line.split()[1]) for line in file if line.startswith("eventfd-id")]
        finally:
            os.close(made)


class FreeBlocks(Channel):
    """Writes a file, or removes it, on the disk that both have."""

    def send(self, bits: str) -> None:
        path = f"{self.loose}/blocks"
        file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o666)
        if bits == "1":
            os.write(file, bytes(4 << 20))
            os.fsync(file)
        os.close(file)

    def hear(self, lanes: int) -> list[int]:
        return [os.statvfs(self.common).f_bfree]


class SocketNumbers(Channel):
    """Asks sockets for numbers, which the kernel gives them then, one after another on a core."""

    last = 0

    def _next(self, count: int) -> int:
        found = b""
        for _ in range(count):
            one, other = socket.socketpair()
            with one, other:
                found = one.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8)
        return int(struct.unpack("Q", found)[0]) if found else 0

    def send(self, bits: str) -> None:
        self._next(COOKIES * int(bits))

    def hear(self, lanes: int) -> list[int]:
        now = self._next(1)
        before, self.last = self.last, now
        return [(now - before) % (1 << 32)]


class PipeNumbers(Channel):
    """Makes pipes, which the kernel numbers: one after another on a core, by batches elsewhere."""

    last = 0

    def _next(self, count: int) -> int:
        found = 0
        for _ in range(count):
            both = os.pipe()
            found = os.fstat(both[0]).st_ino
            for end in both:
                os.close(end)
        return found

    def send(self, bits: str) -> None:
        self._next((PIPES_APART if self.is_apart else PIPES) * int(bits))

    def hear(self, lanes: int) -> list[int]:
        now = self._next(PIPES_APART if self.is_apart else 1)
        before, self.last = self.last, now
        return [(now - before) % (1 << 32)]
