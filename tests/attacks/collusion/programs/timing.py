"""Channels through how long things take, and through what the referee sends."""

import mmap
import os
import threading
import time
from typing import Any

from whisper import Channel, burn

DELAY = 0.003
MUCH = 60_000
SIZE = 8 << 20


class Meanwhile(Channel):
    """Does something, or nothing, while the other measures how long its own work takes."""

    acts_at_once = True

    def work(self) -> None:
        raise NotImplementedError

    def send(self, bits: str) -> None:
        if bits == "1":
            while time.monotonic() < self.until:
                self.work()

    def hear(self, lanes: int) -> list[int]:
        times = []
        for _ in range(3):
            before = time.perf_counter_ns()
            self.work()
            times.append(time.perf_counter_ns() - before)
        return [min(times) // 1000]


class MemoryBandwidth(Meanwhile):
    """Copies more than the caches of a core hold."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.there, self.here = bytearray(SIZE), bytearray(SIZE)

    def work(self) -> None:
        self.there[:] = self.here


class Arithmetic(Meanwhile):
    """Computes, which is slower where cores have two threads or one clock."""

    def work(self) -> None:
        pow(3, 3**500, 10**200 + 7)


class KernelLocks(Meanwhile):
    """Asks for one file again and again, which the kernel counts in one place."""

    def work(self) -> None:
        for _ in range(300):
            os.close(os.open(f"{self.common}/bit00", os.O_RDONLY))


class MapsOfOneFile(Meanwhile):
    """Maps one file again and again, whose maps the kernel keeps in one list."""

    def __init__(self, view: dict[str, Any]) -> None:
        super().__init__(view)
        self.file = os.open(f"{self.common}/bit00", os.O_RDONLY)

    def work(self) -> None:
        for _ in range(100):
            mmap.mmap(self.file, 0, mmap.MAP_SHARED, mmap.PROT_READ).close()


class CoreOffTurn(Channel):
    """Uses the core for a moment after it has answered."""

    def send(self, bits: str) -> None:
        if bits == "1":
            threading.Thread(target=burn, args=(DELAY,), daemon=True).start()

    def hear(self, lanes: int) -> list[int]:
        began = time.perf_counter_ns()
        burn(0.001)
        return [(time.perf_counter_ns() - began) // 1000]


class MomentOfAnswer(Channel):
    """Answers later or sooner; the other sees when it is asked."""

    def send(self, bits: str) -> None:
        if bits == "1":
            time.sleep(DELAY)

    def hear(self, lanes: int) -> list[int]:
        return [self.gap]


class StandardError(Channel):
    """Writes much to its standard error, which the referee must read."""

    def send(self, bits: str) -> None:
        if bits == "1":
            os.write(2, b"x" * MUCH)

    def hear(self, lanes: int) -> list[int]:
        return [self.gap]


class WhatIsAsked(Channel):
    """Uses up its own time; the other looks whether its ask says something else for it."""

    def send(self, bits: str) -> None:
        if bits == "1":
            burn(DELAY)
            os.write(2, b"x" * 100)

    def hear(self, lanes: int) -> list[int]:
        clock = self.ask["clock"]
        return [round((clock["move_time"] + clock["bank"]) * 1e6) + len(self.ask["view"])]
