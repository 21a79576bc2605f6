"""Channels through files that both may read: when they were read, and what is in memory of them.

Each place says one bit, once: nothing that a bot may do makes it what it was.
"""

import ctypes
import mmap
import os
import resource
import struct
import time
from typing import Any

from whisper import Channel, checked, libc, raw

PAGE_STEP = 1 << 16
RWF_NOWAIT = 8
RECENT = 3600.0


class AccessTimes(Channel):
    """Reads some of many files."""

    def send(self, bits: str) -> None:
        for at, bit in enumerate(bits):
            if bit == "1":
                with open(f"{self.common}/read{at:03}", "rb") as file:
                    file.read(1)

    def hear(self, lanes: int) -> list[int]:
        recent = time.time() - RECENT
        paths = (f"{self.common}/read{at:03}" for at in range(lanes))
        return [int(os.stat(path).st_atime > recent) for path in paths]


class Pages(Channel):
    """Reads some parts of a large file."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.file = os.open(f"{self.common}/pages.bin", os.O_RDONLY)
        self.mapped = mmap.mmap(self.file, 0, mmap.MAP_SHARED, mmap.PROT_READ)
        self.mapped.madvise(mmap.MADV_RANDOM)

    def send(self, bits: str) -> None:
        for at, bit in enumerate(bits):
            if bit == "1":
                self.mapped[at * PAGE_STEP]

    def hear(self, lanes: int) -> list[int]:
        return [self.look(at) for at in range(lanes)]

    def look(self, at: int) -> int:
        raise NotImplementedError


class PagesWithoutWaiting(Pages):
    def look(self, at: int) -> int:
        try:
            return os.preadv(self.file, [bytearray(1)], at * PAGE_STEP, RWF_NOWAIT)
        except BlockingIOError:
            return 0


class PagesInCore(Pages):
    def hear(self, lanes: int) -> list[int]:
        size = lanes * PAGE_STEP
        shared = (mmap.PROT_READ, mmap.MAP_SHARED, self.file, ctypes.c_long(0))
        place = libc.mmap(ctypes.c_void_p(None), ctypes.c_size_t(size), *shared)
        found = ctypes.create_string_buffer(size // mmap.PAGESIZE)
        checked(libc.mincore(ctypes.c_void_p(place), ctypes.c_size_t(size), found))
        return [found.raw[at * PAGE_STEP // mmap.PAGESIZE] & 1 for at in range(lanes)]


class PagesCounted(Pages):
    def look(self, at: int) -> int:
        counts = ctypes.create_string_buffer(40)
        asked = struct.pack("QQ", at * PAGE_STEP, mmap.PAGESIZE)
        raw("cachestat", self.file, asked, counts, 0)
        return struct.unpack_from("Q", counts)[0]


class PagesByFaults(Pages):
    def look(self, at: int) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        self.mapped[at * PAGE_STEP]
        return resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before


class PagesByTime(Pages):
    def look(self, at: int) -> int:
        before = time.perf_counter_ns()
        self.mapped[at * PAGE_STEP]
        return (time.perf_counter_ns() - before) // 100


class PagesPutOut(PagesByFaults):
    """Puts parts of a file out of memory that the other has not yet looked at."""

    def send(self, bits: str) -> None:
        for at, bit in enumerate(bits):
            if bit == "1":
                os.posix_fadvise(self.file, at * PAGE_STEP, mmap.PAGESIZE, os.POSIX_FADV_DONTNEED)
