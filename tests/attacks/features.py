"""What a kernel must have for an attack to be possible at all, and whether this one has it."""

import array
import contextlib
import ctypes
import fcntl
import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.attacks.judges_sharing import flushes
from tests.attacks.pages import in_memory, set_in_memory

_libc = ctypes.CDLL(None, use_errno=True)
_IO_URING_SETUP = 425


def _value(path: str) -> str:
    with contextlib.suppress(OSError):
        return Path(path).read_text().strip()
    return ""


def _native(act: str) -> str:
    program = os.environ.get("ATTACKS_NATIVE", "")
    if not program:
        return "there is no C compiler (cc)"
    ran = subprocess.run([program, act], input=b"go\n", capture_output=True)
    return "" if ran.returncode == 0 else f"this kernel has no such system calls ({act})"


def _ring() -> str:
    ring = _libc.syscall(_IO_URING_SETUP, 4, bytes(120))
    if ring < 0:
        return "this kernel has no io_uring, or not for this user"
    os.close(ring)
    return ""


def _xattr() -> str:
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.setxattr(file.name, "user.probe", b"1")
        except OSError as error:
            return f"the temporary folder knows no extended attributes ({error.strerror})"
    return ""


def _inode_flags() -> str:
    with tempfile.NamedTemporaryFile() as file:
        try:
            fcntl.ioctl(file, 0x40086602, array.array("L", [0x40]))
        except OSError as error:
            return f"the temporary folder knows no inode flags ({error.strerror})"
    return ""


def _user_namespaces() -> str:
    ran = subprocess.run(["unshare", "--user", "true"], capture_output=True, check=False)
    return "" if ran.returncode == 0 else "this user may not make user namespaces here"


def _typing() -> str:
    if os.getuid() != 0 and _value("/proc/sys/dev/tty/legacy_tiocsti") == "0":
        return "dev.tty.legacy_tiocsti is 0: nobody may type into a terminal"
    return ""


def _fchmodat2() -> str:
    _libc.syscall(452, -1, b"", 0, 0)
    return "this kernel has no fchmodat2" if ctypes.get_errno() == 38 else ""


def _broadcast() -> str:
    if os.environ.get("ATTACKS_OWN_USER"):
        return ""
    return "never tried as a user who has other processes: it would reach them all"


def _pinnable() -> str:
    return "" if len(os.sched_getaffinity(0)) > 1 else "there is only one core"


def _aio() -> str:
    return "" if _value("/proc/sys/fs/aio-max-nr") else "this kernel has no asynchronous input"


def _locks() -> str:
    return "" if Path("/proc/locks").exists() else "this kernel does not show its locks"


def _sysv() -> str:
    return "" if Path("/proc/sysvipc/shm").exists() else "this kernel has no System V IPC"


def _keys() -> str:
    return "" if Path("/proc/key-users").exists() else "this kernel keeps no keys"


def _attach() -> str:
    if os.getuid() != 0 and _value("/proc/sys/kernel/yama/ptrace_scope") not in ("", "0"):
        return "kernel.yama.ptrace_scope lets nobody but root trace here"
    return ""


def _counters() -> str:
    paranoia = _value("/proc/sys/kernel/perf_event_paranoid")
    if os.getuid() != 0 and int(paranoia or 9) > 2:
        return "kernel.perf_event_paranoid lets nobody but root count here"
    return ""


def _posix_queues() -> str:
    return "" if Path("/proc/sys/fs/mqueue").exists() else "this kernel has no POSIX queues"


def _evictable() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pages")
        path.write_bytes(b"x" * 8192)
        set_in_memory(path, there=False)
        return "" if not in_memory(path, 0) else "the temporary folder's files stay in memory"


def _access_times() -> str:
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
        file.flush()
        Path(file.name).read_bytes()
        seen = Path(file.name).stat()
        if seen.st_atime_ns > seen.st_mtime_ns:
            return ""
        return "the temporary folder is mounted noatime"


def _core_scheduling() -> str:
    cookie = ctypes.c_ulong()
    if _libc.prctl(62, 0, 0, 0, ctypes.byref(cookie)) == 0:
        return ""
    return "no core here has two threads, or this kernel cannot keep them apart"


def _counts() -> str:
    with subprocess.Popen(["true"]) as process:
        numbers = [os.pidfd_open(pid) for pid in (os.getpid(), process.pid)]
    inodes = {os.fstat(number).st_ino for number in numbers}
    for number in numbers:
        os.close(number)
    return "" if len(inodes) == 2 else "this kernel gives processes no inodes of their own"


def _huge_pages() -> str:
    chosen = _value("/sys/kernel/mm/transparent_hugepage/enabled")
    return "" if chosen and "[never]" not in chosen else "this kernel makes no huge pages"


def _flushes() -> str:
    with tempfile.NamedTemporaryFile() as file:
        before = flushes()
        for _ in range(50):
            os.fsync(file.fileno())
        return "" if flushes() > before + 25 else "the temporary folder's disk needs no flushing"


_PROBES: dict[str, Callable[[], str]] = {
    "compiler": lambda: "" if os.environ.get("ATTACKS_NATIVE") else "there is no C compiler (cc)",
    "32-bit calls": lambda: _native("call_32_bits"),
    "x32 calls": lambda: _native("call_x32"),
    "io_uring": _ring,
    "xattr": _xattr,
    "inode flags": _inode_flags,
    "user namespaces": _user_namespaces,
    "typing": _typing,
    "fchmodat2": _fchmodat2,
    "broadcast": _broadcast,
    "cores": _pinnable,
    "aio": _aio,
    "locks": _locks,
    "sysv": _sysv,
    "keys": _keys,
    "attach": _attach,
    "counters": _counters,
    "posix queues": _posix_queues,
    "evictable": _evictable,
    "access times": _access_times,
    "core scheduling": _core_scheduling,
    "counts": _counts,
    "huge pages": _huge_pages,
    "flushes": _flushes,
}


@cache
def missing(feature: str, sandbox: str) -> str:
    """Return why an attack that needs a feature cannot be carried out here; empty if it can.

    As root a broadcast is tried in a sandbox alone, by a bot that makes sure it is not root.
    """
    if feature == "broadcast" and os.getuid() == 0 and sandbox != "none":
        return ""
    return _PROBES[feature]() if feature else ""
