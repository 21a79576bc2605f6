"""What a kernel must have for a channel to be possible at all, and whether this one has it."""

import ctypes
import os
import socket
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.attacks.features import missing as missing_for_attack

_CACHESTAT = 451


def _vsock() -> str:
    try:
        socket.socket(40, socket.SOCK_STREAM).close()
    except OSError:
        return "this kernel has no vsock"
    return ""


def _cachestat() -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(ctypes.c_long(_CACHESTAT), -1, None, None, 0)
    return "this kernel has no cachestat" if ctypes.get_errno() == 38 else _evictable()


def _evictable() -> str:
    return missing_for_attack("evictable", "none")


def _sizes() -> str:
    if Path("/proc/self/fd").stat().st_size:
        return ""
    return "this kernel does not show how many files a process has open"


_PROBES: dict[str, Callable[[], str]] = {
    "vsock": _vsock,
    "cachestat": _cachestat,
    "sizes of fd": _sizes,
    "cores": lambda: "" if (os.cpu_count() or 1) > 1 else "there is only one core",
}


@cache
def missing(feature: str) -> str:
    """Return why a channel that needs a feature cannot be there; empty if it can."""
    if feature in _PROBES:
        return _PROBES[feature]()
    return missing_for_attack(feature, "none")
