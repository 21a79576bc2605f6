"""What a build uses: the memory of all its processes together, and its room on the disk."""

import ctypes
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from referee.limits import WorkLimits
from referee.process.procfs import File, children, family, identity
from referee.sandbox.errors import MachineError

_libc = ctypes.CDLL(None, use_errno=True)
_SETRESUID, _SETRESGID = 117, 119
_BLOCK = 512
_KIB = 1024
_MEMORY = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")
_SHARES = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
SOCKETS = 256
"""How many ends of socket pairs may be open at a time: the kernel keeps 200 KiB for each."""
RESERVE_MB = 64
"""How much of the disk stays free, whatever a command may use."""
_DUTY = 10  # a look at the disk takes at most one part in so many of the time
_HIDDEN_LOOKS = 3  # in a row: a process that begins or ends is hidden for a moment
_DELETED = b" (deleted)\n"


def processes_of(pid: int, server: int) -> list[int]:
    """Return the processes of a build: what it began with, and all in its group.

    Orphans among them have become children of the fork server, `server`.
    """
    found = family(pid)
    for child in children(server):
        with suppress(ProcessLookupError):
            if child != pid and os.getpgid(child) == pid:
                found += family(child)
    return found


def memory_of(pids: Iterable[int], uid: int | None, most: int) -> int:
    """Return the bytes of memory that a user's processes hold together; shared ones count twice.

    Where that is more than `most`, what is shared is divided among those that share it.
    """
    used = {task: _sum(f"{task}/status", _MEMORY) for task in map(_task, pids) if task}
    if sum(used.values()) <= most:
        return sum(used.values())
    with seen_as(uid):  # where the kernel does not show shares, it shows what there is still
        return sum(
            _sum(f"{task}/smaps_rollup", _SHARES) or _sum(f"{task}/status", _MEMORY)
            for task in used
        )


def _task(pid: int) -> str:
    """Return the folder in /proc of a thread that has memory; nothing if the process is ending.

    The first thread may have ended before the others.
    """
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/status", "rb") as file:
                if b"\nRssAnon:" in file.read():
                    return f"/proc/{pid}/task/{task}"
    return ""


def _sum(path: str, names: tuple[bytes, ...]) -> int:
    """Return the sum of what a file of /proc gives in kB for some names, in bytes."""
    with suppress(OSError), open(path, "rb") as file:
        return _KIB * sum(int(line.split()[1]) for line in file if line.startswith(names))
    return 0


@contextmanager
def seen_as(uid: int | None) -> Iterator[None]:
    """Look at /proc as a user does, where we are root: in Docker, root may not see another's.

    This is for the calling thread only, to which the library's own functions do not confine it.
    """
    is_root = uid is not None and os.geteuid() == 0
    if is_root:
        _become(uid, uid)
    try:
        yield
    finally:
        if is_root:
            _become(0, os.getgid())


def _become(uid: int | None, gid: int | None) -> None:
    """Change the effective user and group; raise OSError if the kernel refuses."""
    for number, value in ((_SETRESUID, 0), (_SETRESGID, gid), (_SETRESUID, uid)):
        if _libc.syscall(number, -1, value, -1):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Disk:
    """The room that a build takes in its folder, with what it removed and has open still.

    Its processes are those of `uid`; None for our own user.
    """

    def __init__(self, folder: str, uid: int | None, limits: WorkLimits) -> None:
        self.folder = folder
        self.uid = uid
        self._most_files = limits.files
        self._most_mb = limits.disk_mb
        self._size = 0  # bytes, as the disk has room for them
        self._files = 0  # and folders
        self._seen: set[File] = set()
        self._sockets = 0  # ends of pairs that are open, each of which may hold memory
        self._hides = ""  # what it did so that nobody can measure what it keeps, in words
        self._hidden = 0
        self._next = 0.0
        self._before = (0, 0)

    def too_much(self, pids: Iterable[int] = (), *, now: bool = False) -> str:
        """Return what is wrong with it, in words; nothing if it has no more than it may have.

        It is measured anew, unless that was done just now and little of the disk was taken since: a
        tenth of what it may have. Raises MachineError if the disk is full.
        """
        found = os.statvfs(self.folder)
        free = found.f_bfree * found.f_frsize, found.f_ffree
        before, size = self._before, self._most_mb << 20
        grew = free[0] < before[0] - size // 10 or free[1] < before[1] - self._most_files // 10
        if now or grew or monotonic() >= self._next:
            self._before = free
            self._measure(pids)
        if self._hides:
            return self._hides
        if self._size > size:
            return f"used more than {self._most_mb} MB of disk"
        if self._files > self._most_files:
            return f"made more than {self._most_files} files and folders"
        if self._sockets > SOCKETS:
            return f"opened more than {SOCKETS} sockets"
        if found.f_bavail * found.f_frsize < RESERVE_MB << 20:
            raise MachineError(
                f"the disk of {self.folder} is full: less than {RESERVE_MB} MB are free. Free some "
                f"space there, or set TMPDIR to another folder; then run again."
            )
        return ""

    def _measure(self, pids: Iterable[int]) -> None:
        begun = monotonic()
        self._size = self._files = self._sockets = 0
        self._seen.clear()
        self._count_folder(self.folder)
        if self._files > self._most_files:
            return  # while more is counted, more is made
        device = os.stat(self.folder).st_dev
        with seen_as(self.uid):
            hiding = [pid for pid in pids if self._count_open(pid, device)]
        self._hidden = self._hidden + 1 if hiding else 0
        if self._hidden >= _HIDDEN_LOOKS:
            self._hides = "ran a program that hides which files it has open"
        self._next = monotonic() + _DUTY * (monotonic() - begun)

    def _count(self, found: os.stat_result) -> None:
        self._files += 1
        is_folder = stat.S_ISDIR(found.st_mode)
        if found.st_nlink != 1 and not is_folder:
            if identity(found) in self._seen:
                return
            self._seen.add(identity(found))
        self._size += found.st_blocks * _BLOCK

    def _count_folder(self, folder: str) -> None:
        """Count what is in a folder, until there are more files than it may have."""
        left = [folder]
        while left:
            path = left.pop()
            try:
                with os.scandir(path) as entries:
                    for entry in entries:
                        if self._files > self._most_files:
                            return
                        with suppress(FileNotFoundError):  # removed meanwhile
                            self._count(entry.stat(follow_symlinks=False))
                            if entry.is_dir(follow_symlinks=False):
                                left.append(entry.path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except PermissionError:
                self._hides = "made a folder that may not be read"
            except OSError:
                self._hides = "made folders in each other whose path is too long"

    def _count_open(self, pid: int, device: int) -> bool:
        """Count what a process has removed and has open still; return whether it hides that."""
        if not (task := _task(pid)):
            return False
        try:
            for found in _open_files(task):
                if found.st_dev == device and not found.st_nlink and stat.S_ISREG(found.st_mode):
                    self._count(found)
                self._sockets += stat.S_ISSOCK(found.st_mode)
            self._count_mapped(task, device)
        except PermissionError:
            return bool(_task(pid))
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended
        return False

    def _count_mapped(self, task: str, device: int) -> None:
        """Count the removed files that a process has in memory."""
        with open(f"{task}/maps", "rb") as file:
            deleted = [line for line in file if line.endswith(_DELETED)]
        for line in deleted:
            span, _, _, numbers, inode = line.split()[:5]
            major, minor = (int(number, 16) for number in numbers.split(b":"))
            if os.makedev(major, minor) != device or (device, int(inode)) in self._seen:
                continue
            place = f"{task.partition('/task/')[0]}/map_files/{span.decode()}"
            try:
                self._count(os.stat(place))
            except FileNotFoundError:
                continue
            except PermissionError:
                self._hides = "removed a file that it has in memory still"


def _open_files(task: str) -> Iterator[os.stat_result]:
    for name in os.listdir(f"{task}/fd"):
        with suppress(FileNotFoundError):
            yield os.stat(f"{task}/fd/{name}")
    with suppress(FileNotFoundError):
        yield os.stat(f"{task}/exe")
