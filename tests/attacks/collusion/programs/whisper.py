"""A bot that says something to another by a channel, or hears it; each ask says which."""

import ctypes
import importlib
import json
import os
import sys
import threading
import time
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
SLOWEST_NOTE = 1000
"""Characters of a note that are kept: what is heard must fit."""

_NUMBERS = {  # x86_64, aarch64
    "clone": (56, 220),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "sysinfo": (99, 179),
    "futex": (202, 98),
    "io_setup": (206, 0),
    "io_destroy": (207, 1),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "ioprio_set": (251, 30),
    "ioprio_get": (252, 31),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "process_vm_readv": (310, 270),
    "sched_setattr": (314, 274),
    "sched_getattr": (315, 275),
    "cachestat": (451, 451),
}


def checked(result: int) -> int:
    """Return the result of a call of the C library; raise OSError if it failed."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def raw(name: str, *arguments: Any) -> int:
    """Make a system call that Python has no word for; raise OSError if it is refused."""
    number = _NUMBERS[name][os.uname().machine == "aarch64"]
    sent = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return checked(libc.syscall(ctypes.c_long(number), *sent))


def digits(value: int, lanes: int) -> list[int]:
    """Return a number's lowest bits, the highest of them first."""
    return [value >> at & 1 for at in reversed(range(lanes))]


class Channel:
    """One way to say bits to another bot, who hears numbers that depend on them."""

    acts_at_once = False
    """Whether it is heard only while it is being said."""

    def __init__(self, view: dict[str, Any]) -> None:
        self.partner: int = view["partner"]
        """The pid of the other bot, as the machine knows it."""
        self.common: str = view["common"]
        """A folder that both may read."""
        self.loose: str = view["loose"]
        """A folder in which everybody may write, where there is no sandbox."""
        self.key: int = view["key"]
        """A number that both know, and nobody else uses."""
        self.is_apart: bool = view["apart"]
        """Whether the other bot has another core."""
        self.until = 0.0
        """When to stop saying what is heard only meanwhile."""
        self.gap = 0
        """Microseconds from the last answer to this ask."""
        self.ask: dict[str, Any] = {}

    def send(self, bits: str) -> None:
        raise NotImplementedError

    def hear(self, lanes: int) -> list[int]:
        raise NotImplementedError


class Pool:
    """Threads that wait, as many as are wanted."""

    def __init__(self) -> None:
        threading.stack_size(max(1 << 16, os.sysconf("SC_THREAD_STACK_MIN")))
        self._ends: list[tuple[threading.Thread, Any]] = []

    def set(self, count: int) -> None:
        while len(self._ends) < count:
            lock = threading.Lock()
            lock.acquire()
            thread = threading.Thread(target=lock.acquire, daemon=True)
            thread.start()
            self._ends.append((thread, lock))
        while len(self._ends) > count:
            thread, lock = self._ends.pop()
            lock.release()
            thread.join()


def burn(seconds: float) -> None:
    """Use the CPU for so long."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def sleep_until(moment: float) -> None:
    left = moment - time.monotonic()
    if left > 0:
        time.sleep(left)


def carried_out(channel: Channel, view: dict[str, Any]) -> list[int]:
    """Say all that the ask holds, or hear; return what was heard."""
    heard: list[int] = []
    at, period = view["at"], view["period"]
    for slot in range(view["slots"]):
        if at:
            begins = at + slot * period
            after = 0.0 if view["bits"] is not None else 0.3 if channel.acts_at_once else 0.6
            sleep_until(begins + after * period)
            channel.until = begins + 0.9 * period
        if view["bits"] is None:
            heard += channel.hear(view["lanes"])
        else:
            channel.send(view["bits"][slot])
    return heard


def main() -> None:
    """Play: the first arguments name the module and the class of the channel."""
    kind: type[Channel] = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
    channel = None
    answered = 0.0
    for line in sys.stdin.buffer:
        asked = time.monotonic()
        message = json.loads(line)
        if message["type"] == "hello":
            os.write(1, b'{"type":"ready"}\n')
        if message["type"] != "ask":
            continue
        view = message["view"]
        try:
            channel = channel or kind(view)
            channel.gap = round((asked - answered) * 1e6) if answered else 0
            channel.ask = message
            told = json.dumps(carried_out(channel, view), separators=(",", ":"))
        except (OSError, MemoryError, RuntimeError, ValueError) as error:
            told = f"refused: {error!r}"
        except Exception as error:
            told = f"broken: {error!r}"
        if len(told) > SLOWEST_NOTE:
            told = f"broken: too long: {told[:900]}"
        reply = {"id": message["id"], "move": {"done": 1}, "note": told}
        os.write(1, json.dumps(reply).encode() + b"\n")
        answered = time.monotonic()


if __name__ == "__main__":
    sys.modules["whisper"] = sys.modules["__main__"]
    sys.setswitchinterval(0.0005)
    main()
