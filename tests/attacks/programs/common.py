"""What all hostile programs share: the talk with the runner, raw system calls, bounded children."""

import ctypes
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

Facts = dict[str, Any]
Act = Callable[[Facts], None]

LIFETIME = 25.0
"""Seconds after which whatever got away ends by itself: an attack may succeed, not stay."""

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p

_NUMBERS = {  # x86_64, aarch64
    "clone": (56, 220),
    "socket": (41, 198),
    "setsockopt": (54, 208),
    "ioctl": (16, 29),
    "capset": (126, 91),
    "pivot_root": (155, 41),
    "rt_sigqueueinfo": (129, 138),
    "reboot": (169, 142),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "ioprio_set": (251, 30),
    "rt_tgsigqueueinfo": (297, 240),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "pidfd_getfd": (438, 438),
    "fchmodat2": (452, 452),
    "io_setup": (206, 0),
    "futex": (202, 98),
    "timer_create": (222, 107),
    "ioprio_get": (252, 31),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "sched_setattr": (314, 274),
    "sched_getattr": (315, 275),
}


def say(text: str) -> None:
    """Write a line to the runner, whatever Python thinks of the stream."""
    os.write(1, text.encode(errors="backslashreplace") + b"\n")


def checked(result: int) -> int:
    """Return the result of a call of the C library; raise OSError if it failed."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def call(name: str, *arguments: Any) -> int:
    """Call a function of the C library; raise OSError if it failed."""
    return checked(getattr(libc, name)(*arguments))


def raw(name: str, *arguments: Any) -> int:
    """Make a system call that Python has no word for; raise OSError if it is refused."""
    number = _NUMBERS[name][os.uname().machine == "aarch64"]
    sent = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return checked(libc.syscall(ctypes.c_long(number), *sent))


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; if that is refused, tell the runner why and return None."""
    try:
        return function(*arguments)
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        say(f"{getattr(function, '__name__', function)}: {error!r}")
        return None


def show(path: str) -> None:
    """Send what a file holds to the runner."""

    def read() -> None:
        with open(path, "rb") as file:
            say(file.read(1 << 16).decode(errors="backslashreplace"))

    attempt(read)


def places(facts: Facts) -> list[str]:
    """Return the folders in which a bot might be able to leave something."""
    own = ("/scratch", os.environ.get("TMPDIR", "/scratch"), os.getcwd(), facts["mine"])
    return list(dict.fromkeys((*own, facts["loose"], "/dev/shm")))


def linger() -> None:
    """Stay for as long as anything that got away may."""
    deadline = time.monotonic() + LIFETIME
    while time.monotonic() < deadline:
        with suppress(InterruptedError):
            time.sleep(0.5)


def child(act: Callable[[], None] = linger, flags: int | None = None) -> int:
    """Fork, or clone with `flags`; let the child act and end, and return its pid."""
    pid = os.fork() if flags is None else raw("clone", flags | 17, 0, 0, 0, 0)
    if pid == 0:
        try:
            act()
        except BaseException as error:
            say(f"child: {error!r}")
        finally:
            os._exit(0)
    return pid


def main(acts: Mapping[str, Any]) -> None:
    """Say ready, hear the facts, do what the first argument names, say done and stay."""
    act: Act = acts[sys.argv[1]]
    say("ready")
    facts = json.loads(sys.stdin.readline())
    try:
        act(facts)
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        say(f"refused: {error!r}")
    except Exception as error:
        say(f"broken: {error!r}")
    say("done")
    sys.stdin.read()
