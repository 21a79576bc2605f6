"""Big files of bots: read once, and one copy of each for all that run bots, by what is in it."""

import fcntl
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from referee.sandbox.errors import MachineError, StartError
from referee.sandbox.kept import forget_old, kept_folder
from referee.sandbox.program import Program, barrier
from referee.sandbox.sources import copy_file, sizes_of
from referee.sandbox.temporary import room_for

BIG = 64 << 20
"""The fewest bytes of a big file; programs are smaller, so few users need a folder for such."""
FRESH = 2 * 10**9
"""Nanoseconds in which a file may change again and keep its times."""
CHANGED = "it changed while it was read; try again"

_MADE = 1_000_000_000 * 10**9  # what has another time of change was changed since it was kept
_FAR = 4_102_444_800 * 10**9  # the year 2100
_DAY = 86_400


def has_big_files(program: Program) -> bool:
    """Return whether any of a program's files is big, of those that are there."""
    return any(size >= BIG for size in sizes_of(program.paths).values())


def digest_of(file: BinaryIO) -> str:
    """Return the hash of all that an open file holds.

    It is remembered between commands, for as long as the file is as it was by all that the kernel
    notes of it. Raises OSError if it changes meanwhile.
    """
    asked = time.time_ns()
    before = os.fstat(file.fileno())
    if found := _noted(before):
        return found
    digest = _hash(file)
    if _signature(os.fstat(file.fileno())) != _signature(before):
        raise OSError(0, CHANGED)
    _note(before, digest, asked)
    return digest


def _hash(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def _signature(found: os.stat_result) -> tuple[int, ...]:
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return (found.st_dev, found.st_ino, found.st_size, *times)


def _note_of(found: os.stat_result) -> Path:
    name = hashlib.sha256(repr(_signature(found)).encode()).hexdigest()
    return kept_folder() / "hashes" / name


def _noted(found: os.stat_result) -> str:
    """Return the hash that is remembered of a file; empty if none is."""
    note = _note_of(found)
    try:
        digest, noted = os.readlink(note), note.lstat()
        if noted.st_mtime < time.time() - _DAY:  # it is used
            os.utime(note, follow_symlinks=False)
    except OSError:
        return ""
    return digest if noted.st_uid == os.geteuid() else ""


def _note(found: os.stat_result, digest: str, asked: int) -> None:
    """Remember the hash of a file, unless it may have changed again when it was read."""
    if max(found.st_mtime_ns, found.st_ctime_ns) > asked - FRESH:
        return
    note = _note_of(found)
    with suppress(OSError):  # it would only save time
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        forget_old(note.parent)
        note.symlink_to(digest)  # a link is there whole, or not at all


class BigFiles:
    """The copies of big files, kept from run to run in one folder; each has one inode.

    They are files that nobody writes. Those that `uid` runs as get them by another name, in a
    folder of `base`, which is on the same file system. Raises MachineError if the user could not
    enter that.
    """

    def __init__(self, uid: int) -> None:
        self.base = os.path.abspath(kept_folder())
        self._folder = f"{self.base}/files"
        with self.room():
            os.makedirs(self._folder, 0o700, exist_ok=True)
            if uid != os.geteuid():
                mode = os.stat(self.base).st_mode | 0o011  # whatever the umask is
                os.chmod(self.base, mode)
        if part := barrier(self.base, uid):
            raise MachineError(
                f"big files of bots are kept in {self.base}, which uid {uid} cannot enter (stopped "
                f"at {part}). Set XDG_CACHE_HOME to a folder open to everybody; then run again."
            )

    @contextmanager
    def room(self) -> Iterator[None]:
        """Turn what goes wrong with writing into a MachineError."""
        with room_for("big files of bots cannot be kept in", self.base, "XDG_CACHE_HOME"):
            yield

    def link(self, source: BinaryIO, found: os.stat_result, name: str, target: str) -> None:
        """Make a new path in `base` a name of the copy of an open file, made if need be.

        The file is as was `found`. Raises StartError, with what its owner calls it, if it changes
        meanwhile, and MachineError if the copy cannot be written.
        """
        with self.room():
            if self._is_linked(found, target):
                return
            with self._alone():  # who waits for another finds what that has kept
                if not self._is_linked(found, target):
                    self._keep(source, found, name, target)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until we end, however we do
            yield
        finally:
            os.close(lock)

    def _is_linked(self, found: os.stat_result, target: str) -> bool:
        """Give a copy that is there and unchanged another name; return False if it is not."""
        if not (digest := _noted(found)):
            return False
        kept = self._path(digest, found)
        try:
            if not _is_whole(os.lstat(kept), found.st_size):
                return False
            os.link(kept, target)
        except FileNotFoundError:
            return False
        return True

    def _path(self, digest: str, found: os.stat_result) -> str:
        return f"{self._folder}/{digest}{'-x' if found.st_mode & 0o111 else ''}"

    def _keep(self, source: BinaryIO, found: os.stat_result, name: str, target: str) -> None:
        """Copy a file to `target`, and keep that: whoever is killed here leaves nothing half."""
        asked = time.time_ns()
        copy_file(source, target, found.st_size)
        with open(target, "rb") as copy:
            os.fsync(copy.fileno())  # before it is marked as whole: the machine may lose power
            digest = _hash(copy)
            is_same = os.fstat(copy.fileno()).st_size == found.st_size
        if not is_same or _signature(os.fstat(source.fileno())) != _signature(found):
            raise StartError(f"{name}: {CHANGED}")
        os.chmod(target, 0o555 if found.st_mode & 0o111 else 0o444)
        keep_times(target, _MADE)
        kept = self._path(digest, found)
        forget_old(Path(self._folder))
        try:
            os.link(target, kept)
        except FileExistsError:
            if _is_whole(os.lstat(kept), found.st_size):  # of a file that is alike
                os.unlink(target)
                os.link(kept, target)
            else:  # something has changed it since it was kept
                os.unlink(kept)
                os.link(target, kept)
        _note(found, digest, asked)


def _is_whole(kept: os.stat_result, size: int) -> bool:
    """Return whether a kept file is as it was made: what writes to it sets its time of change."""
    is_ours = stat.S_ISREG(kept.st_mode) and kept.st_uid == os.geteuid()
    return is_ours and (kept.st_size, kept.st_mtime_ns) == (size, _MADE)


def keep_times(path: str | Path, changed: int) -> None:
    """Set when a copy was changed, in nanoseconds, and make sure that nothing shows its reading.

    All processes of a bot share its copies, and could leave one another word by reading them. The
    kernel (relatime) leaves a time of access alone that is younger than those of change.
    """
    os.utime(path, ns=(_FAR, changed))
