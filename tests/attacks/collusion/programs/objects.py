"""Channels through what has a name of its own: files, locks, keys, segments, addresses."""

import ctypes
import fcntl
import mmap
import os
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import Any

from whisper import Channel, checked, digits, libc, raw

F_SETLK, F_GETLK = 6, 5
F_GET_RW_HINT, F_SET_RW_HINT = 1035, 1036
IPC_CREAT = 0o1000
USER_KEYRING = -4
KEYCTL_SEARCH, KEYCTL_READ = 10, 11
SETVAL, GETVAL = 16, 12
IPC_NOWAIT = 0o4000
FUTEX_WAIT, FUTEX_WAKE = 0, 1
ADDRESS_IN_USE = 98


class Segment(Channel):
    """System V shared memory."""

    place = None

    def _word(self) -> Any:
        if self.place is None:
            number = raw("shmget", self.key, 4096, IPC_CREAT | 0o666)
            self.place = raw("shmat", number, 0, 0)
        return ctypes.c_uint32.from_address(self.place)

    def send(self, bits: str) -> None:
        self._word().value = int(bits, 2)

    def hear(self, lanes: int) -> list[int]:
        return digits(self._word().value, lanes)


class Semaphore(Channel):
    def _number(self) -> int:
        return raw("semget", self.key, 1, IPC_CREAT | 0o666)

    def send(self, bits: str) -> None:
        raw("semctl", self._number(), 0, SETVAL, int(bits, 2))

    def hear(self, lanes: int) -> list[int]:
        return digits(raw("semctl", self._number(), 0, GETVAL, 0), lanes)


class Queue(Channel):
    def _number(self) -> int:
        return raw("msgget", self.key, IPC_CREAT | 0o666)

    def send(self, bits: str) -> None:
        message = struct.pack("=qI", 1, int(bits, 2))
        raw("msgsnd", self._number(), message, 4, IPC_NOWAIT)

    def hear(self, lanes: int) -> list[int]:
        message = ctypes.create_string_buffer(16)
        with suppress(BlockingIOError):
            raw("msgrcv", self._number(), message, 4, 0, IPC_NOWAIT)
        try:
            while True:
                raw("msgrcv", self._number(), message, 4, 0, IPC_NOWAIT)
        except OSError:
            return digits(struct.unpack_from("=I", message, 8)[0], lanes)


class Key(Channel):
    """A key in the ring of its user."""

    def _name(self) -> bytes:
        return f"arena-collusion-{self.key}".encode()

    def send(self, bits: str) -> None:
        raw("add_key", b"user", self._name(), bits.encode(), len(bits), USER_KEYRING)

    def hear(self, lanes: int) -> list[int]:
        found = raw("keyctl", KEYCTL_SEARCH, USER_KEYRING, b"user", self._name(), 0)
        value = ctypes.create_string_buffer(64)
        size = raw("keyctl", KEYCTL_READ, found, value, 64, 0)
        return [int(bit) for bit in value.raw[:size].decode()][-lanes:]


class Taken(Channel):
    """An address that only one socket can have."""

    held = None

    def bind(self) -> socket.socket:
        raise NotImplementedError

    def send(self, bits: str) -> None:
        if bits == "1" and self.held is None:
            self.held = self.bind()
        if bits == "0" and self.held is not None:
            self.held.close()
            self.held = None

    def hear(self, lanes: int) -> list[int]:
        try:
            self.bind().close()
        except OSError as error:
            if error.errno != ADDRESS_IN_USE:
                raise
            return [1]
        return [0]

    def _bound(self, family: int, kind: int, address: Any) -> socket.socket:
        made = socket.socket(family, kind)
        try:
            made.bind(address)
        except OSError:
            made.close()
            raise
        return made


class AbstractName(Taken):
    def bind(self) -> socket.socket:
        return self._bound(socket.AF_UNIX, socket.SOCK_DGRAM, f"\0arena-collusion-{self.key}")


class Port(Taken):
    def bind(self) -> socket.socket:
        return self._bound(
            socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 20000 + self.key % 10000)
        )


class Vsock(Taken):
    def bind(self) -> socket.socket:
        return self._bound(40, socket.SOCK_STREAM, (0xFFFFFFFF, 20000 + self.key % 10000))


class Netlink(Taken):
    def bind(self) -> socket.socket:
        return self._bound(socket.AF_NETLINK, socket.SOCK_RAW, (self.key, 0))


class LeftFile(Channel):
    """A file, wherever one can be left."""

    def _paths(self) -> list[str]:
        own = ("/scratch", os.environ.get("TMPDIR", "/tmp"), ".", self.common)
        return [f"{folder}/arena-{self.key}" for folder in (self.loose, "/dev/shm", *own)]

    def send(self, bits: str) -> None:
        could = False
        for path in self._paths():
            with suppress(OSError):
                if bits == "1":
                    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666))
                elif os.path.exists(path):
                    os.unlink(path)
                could = True
        if not could:
            raise PermissionError("no file can be left anywhere")

    def hear(self, lanes: int) -> list[int]:
        return [sum(map(os.path.exists, self._paths()))]


class Files(Channel):
    """Something about files that both may read, one for each bit."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.files = [os.open(f"{self.common}/bit{at:02}", os.O_RDONLY) for at in range(8)]


class FileLocks(Files):
    def send(self, bits: str) -> None:
        for file, bit in zip(self.files, bits, strict=True):
            fcntl.flock(file, fcntl.LOCK_SH if bit == "1" else fcntl.LOCK_UN)

    def hear(self, lanes: int) -> list[int]:
        return [self._is_locked(file) for file in self.files]

    def _is_locked(self, file: int) -> int:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1
        fcntl.flock(file, fcntl.LOCK_UN)
        return 0


class RecordLocks(Files):
    def send(self, bits: str) -> None:
        for at, bit in enumerate(bits):
            kind = fcntl.F_RDLCK if bit == "1" else fcntl.F_UNLCK
            fcntl.fcntl(self.files[0], F_SETLK, struct.pack("hhqqi", kind, 0, at, 1, 0))

    def hear(self, lanes: int) -> list[int]:
        return [self._is_locked(at) for at in range(lanes)]

    def _is_locked(self, at: int) -> int:
        asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, at, 1, 0)
        answer = fcntl.fcntl(self.files[0], F_GETLK, asked)
        return int(struct.unpack("hhqqi", answer)[0] != fcntl.F_UNLCK)


class WriteHints(Files):
    def send(self, bits: str) -> None:
        for file, bit in zip(self.files, bits, strict=True):
            fcntl.fcntl(file, F_SET_RW_HINT, struct.pack("Q", 5 if bit == "1" else 2))

    def hear(self, lanes: int) -> list[int]:
        return [fcntl.fcntl(file, F_GET_RW_HINT, bytes(8))[0] for file in self.files]


class Watch(Channel):
    """Reads a file that the other watches."""

    watch = -1

    def send(self, bits: str) -> None:
        if bits == "1":
            os.close(os.open(f"{self.common}/bit00", os.O_RDONLY))

    def hear(self, lanes: int) -> list[int]:
        if self.watch < 0:
            self.watch = checked(libc.inotify_init1(os.O_NONBLOCK))
            path = f"{self.common}/bit00".encode()
            checked(libc.inotify_add_watch(self.watch, path, 0x20))  # IN_OPEN
        try:
            return [len(os.read(self.watch, 4096))]
        except BlockingIOError:
            return [0]


class FileFutexes(Channel):
    """Waits in a file that both have mapped: who wakes those is told how many they were."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        threading.stack_size(max(1 << 16, os.sysconf("SC_THREAD_STACK_MIN")))
        file = os.open(f"{self.common}/bit00", os.O_RDONLY)
        shared = (mmap.PROT_READ, mmap.MAP_SHARED, file, ctypes.c_long(0))
        self.page = libc.mmap(ctypes.c_void_p(None), ctypes.c_size_t(mmap.PAGESIZE), *shared)
        checked(-1 if self.page == ctypes.c_void_p(-1).value else 0)

    def send(self, bits: str) -> None:
        for at, bit in enumerate(bits):
            if bit == "1":
                threading.Thread(target=self._wait, args=(at,), daemon=True).start()
        time.sleep(0.001)

    def _wait(self, at: int) -> None:
        here = self.page + 4 * at
        now = ctypes.c_uint.from_address(here).value
        raw("futex", ctypes.c_void_p(here), FUTEX_WAIT, now, 0, 0, 0)

    def hear(self, lanes: int) -> list[int]:
        return [
            raw("futex", ctypes.c_void_p(self.page + 4 * at), FUTEX_WAKE, 99, 0, 0, 0)
            for at in range(lanes)
        ]
