"""The fork server of a workshop: run as `python -I -S build_server.py FD`.

A build may have children, and may change modes and times of its files. Landlock judges neither, so
the filter leaves such calls to this server. It counts a build's processes and threads. Modes and
times it changes itself, beneath the build's own folder and nowhere else: it could not let the
kernel go on, since the build may write another path into its memory meanwhile.

In a request to start, `threads` is for all processes together, and `area` is the build's folder.
"""

import ctypes
import errno
import os
import stat
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.sandbox import fork_server
    from referee.sandbox.enclosure import Enclosure
else:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import fork_server

    del sys.path[0]

NAMES = {number: name for name, number in fork_server.CALLS.items()}
RESOLVE_BENEATH = 0x08 | 0x02  # and no links of /proc
AT_FDCWD = -100
AT_SYMLINK_NOFOLLOW = 0x100
UTIME_NOW, UTIME_OMIT = 0x3FFFFFFF, 0x3FFFFFFE
CLOCK_REALTIME_COARSE = 5
PATH_LIMIT = 4096  # bytes, the last one 0
TIMES_SIZE = 32  # bytes of two struct timespec
MODE = 0o1777  # without the bits that make a program run as its owner or group


class StartedBuild(fork_server.StartedBot):
    """A build: its first process leads the group that all its others stay in."""

    def __init__(self, pid: int, listener: int, request: "Enclosure") -> None:
        super().__init__(pid, listener, request)
        self.area = request["area"]
        self.uid = request.get("uid")

    def reply(self, notice: bytearray) -> bytes:
        """Return the reply to a notice of one of the calls that the filter leaves open."""
        thread, _, number = struct.unpack_from("=IIi", notice, 8)
        words: tuple[int, ...] = struct.unpack_from("=6Q", notice, 32)
        name = NAMES[number]
        if name in ("clone", "fork", "vfork"):
            self.reap()
            return super().reply(notice)
        if name in ("kill", "tkill", "tgkill"):
            if self.is_own(signed(words[0])):
                return fork_server.go_on(notice)
            return fork_server.refuse(notice, errno.EPERM)
        try:
            with self.its_rights():
                self.change(name, thread, words)
        except OSError as error:
            return fork_server.refuse(notice, error.errno or errno.EPERM)
        return fork_server.refuse(notice, 0)

    @contextmanager
    def its_rights(self) -> Iterator[None]:
        """Do what is done as the user that the build has, if it has one of its own."""
        if self.uid:
            os.setegid(self.uid)
            os.seteuid(self.uid)
        try:
            yield
        finally:
            if self.uid:
                os.seteuid(0)
                os.setegid(0)

    def tasks(self) -> int:
        """Return how many processes and threads the build has."""
        count = 0
        for pid in self.family():
            with suppress(OSError):  # it has ended
                count += os.stat(f"/proc/{pid}/task").st_nlink - 2
        return count

    def family(self) -> Iterator[int]:
        """Yield the build's processes: the orphans among them have become our children."""
        left = [pid for pid in children_of(os.getpid()) if group_of(pid) == self.pid]
        while left:
            pid = left.pop()
            left += children_of(pid)
            yield pid

    def is_own(self, target: int) -> bool:
        """Return whether a signal to `target`, as `kill` takes it, stays in the build."""
        if target <= 0:
            return target in (0, -self.pid)
        return group_of(target) == self.pid

    def reap(self) -> None:
        """Reap orphans that have ended, which the kernel counts as processes until then."""
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            while (found := os.waitid(os.P_PGID, self.pid, flags)) and found.si_pid != self.pid:
                _, _, used = os.wait4(found.si_pid, 0)
                self.reaped += used.ru_utime + used.ru_stime
        except ChildProcessError:
            pass

    def change(self, name: str, thread: int, words: tuple[int, ...]) -> None:
        """Do with a file of the build what a call asks for; raise OSError if that cannot be."""
        if name == "fchmod":
            file = self.opened(thread, words[0])
        elif name == "chmod":
            file = self.found(thread, AT_FDCWD, words[0])
        elif name == "utimensat" and not words[1]:
            file = self.opened(thread, words[0])
        else:
            follow = name != "utimensat" or not words[3] & AT_SYMLINK_NOFOLLOW
            file = self.found(thread, signed(words[0]), words[1], follow=follow)
        try:
            if name != "utimensat":
                os.chmod(f"/proc/self/fd/{file}", words[2 if name == "fchmodat" else 1] & MODE)
            elif not stat.S_ISLNK(os.fstat(file).st_mode):  # a link's own times stay as they are
                set_times(file, memory(thread, words[2], TIMES_SIZE) if words[2] else b"")
        finally:
            os.close(file)

    def opened(self, thread: int, descriptor: int) -> int:
        """Return a file that a thread has open, if it is the build's."""
        file = os.open(f"/proc/{thread}/fd/{signed(descriptor)}", fork_server.O_PATH)
        if not f"{os.readlink(f'/proc/self/fd/{file}')}/".startswith(f"{self.area}/"):
            os.close(file)
            raise OSError(errno.EPERM, "outside")
        return file

    def found(self, thread: int, folder: int, address: int, *, follow: bool = True) -> int:
        """Return the file at the path that a thread has at `address`, if it is the build's."""
        path, end, _ = memory(thread, address, PATH_LIMIT).partition(b"\0")
        if not path or not end:
            raise OSError(errno.ENAMETOOLONG if path else errno.ENOENT, "no path")
        if not path.startswith(b"/"):
            base = "cwd" if folder == AT_FDCWD else f"fd/{folder}"
            path = os.readlink(os.fsencode(f"/proc/{thread}/{base}")) + b"/" + path
        area = os.fsencode(self.area)
        if not (path + b"/").startswith(area + b"/"):
            raise OSError(errno.EPERM, "outside")
        return open_beneath(self.area, path[len(area) :].lstrip(b"/") or b".", follow=follow)


def signed(word: int) -> int:
    """Return a word of a call as the kernel takes it for an int."""
    return ctypes.c_int32(word & 0xFFFFFFFF).value


def memory(thread: int, address: int, size: int) -> bytes:
    """Return what a thread has at an address: fewer bytes if its memory ends."""
    file = os.open(f"/proc/{thread}/mem", os.O_RDONLY)
    try:
        return os.pread(file, size, address)
    except OverflowError:
        raise OSError(errno.EFAULT, "no address") from None
    finally:
        os.close(file)


def open_beneath(folder: str, path: bytes, *, follow: bool) -> int:
    """Return a file at a path that does not lead out of a folder."""
    flags = fork_server.O_PATH | (0 if follow else os.O_NOFOLLOW)
    how = struct.pack("QQQ", flags, 0, RESOLVE_BENEATH)
    top = os.open(folder, fork_server.O_PATH)
    try:
        return fork_server.system_call("openat2", top, ctypes.c_char_p(path), how, len(how))
    except OSError as error:
        number = errno.EPERM if error.errno == errno.EXDEV else error.errno
        raise OSError(number, "outside") from None
    finally:
        os.close(top)


def set_times(file: int, times: bytes) -> None:
    """Set the times of a file as two struct timespec say; without any, to now."""
    path = f"/proc/self/fd/{file}"
    if times and len(times) < TIMES_SIZE:
        raise OSError(errno.EFAULT, "no times")
    read, read_nano, written, written_nano = struct.unpack("=4q", times or bytes(TIMES_SIZE))
    if not times or read_nano == written_nano == UTIME_NOW:
        os.utime(path)
        return
    before = os.stat(path)
    now = time.clock_gettime_ns(CLOCK_REALTIME_COARSE)  # as the kernel dates new files
    whole = [
        {UTIME_NOW: now, UTIME_OMIT: old}.get(nano, seconds * 1_000_000_000 + nano)
        for seconds, nano, old in (
            (read, read_nano, before.st_atime_ns),
            (written, written_nano, before.st_mtime_ns),
        )
    ]
    try:
        os.utime(path, ns=(whole[0], whole[1]))
    except OverflowError:
        raise OSError(errno.EINVAL, "no time") from None


def children_of(pid: int) -> list[int]:
    """Return the children of a process; none if it has ended."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def group_of(pid: int) -> int:
    """Return a process's group; 0 if it has ended."""
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


if __name__ == "__main__":
    fork_server.main(StartedBuild)
