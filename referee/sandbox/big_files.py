"""Big files of bots: read once, and one copy of each for all that run bots, by what is in it."""

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from referee.sandbox.by_hash import Content, FilesByHash, hash_of
from referee.sandbox.errors import MachineError, StartError
from referee.sandbox.kept import alone, forget_old, kept_folder
from referee.sandbox.program import Program, barrier
from referee.sandbox.sources import copy_file, sizes_of
from referee.sandbox.temporary import room_for

BIG = 64 << 20
"""The fewest bytes of a big file; programs are smaller, so few users need a folder for such."""
FRESH = 2 * 10**9
"""Nanoseconds in which a file may change again and keep its times."""
CHANGED = "it changed while it was read; try again"

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
    if found := _known(file, before):
        return found
    digest = hash_of(file)
    if _signature(os.fstat(file.fileno())) != _signature(before):
        raise OSError(0, CHANGED)
    _note(before, digest, asked)
    return digest


def is_big(content: Content) -> bool:
    """Return whether a file is one of those that are kept once for all bots."""
    return content.size >= BIG


def content_of(file: BinaryIO) -> Content:
    """Return what is in an open file; the hash of a big one is remembered. Raises OSError."""
    found = os.fstat(file.fileno())
    digest = digest_of(file) if found.st_size >= BIG else hash_of(file)
    return _content(digest, found)


def _content(digest: str, found: os.stat_result) -> Content:
    return Content(digest, found.st_size, bool(found.st_mode & 0o111))


def _known(file: BinaryIO, found: os.stat_result) -> str:
    """Return the hash of an open file that is kept by it, or remembered; empty if neither is."""
    return FilesByHash(_files()).digest_of(file) or _noted(found)


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


def _files() -> str:
    return f"{os.path.abspath(kept_folder())}/files"


@contextmanager
def room_for_files() -> Iterator[None]:
    """Turn what goes wrong with writing big files into a MachineError."""
    folder = os.path.abspath(kept_folder())
    with room_for("big files of bots cannot be kept in", folder, "XDG_CACHE_HOME"):
        yield


def kept_files() -> FilesByHash:
    """Return the files that all bots of this user share; raise MachineError without a place."""
    with room_for_files():
        os.makedirs(_files(), 0o700, exist_ok=True)
    return FilesByHash(_files())


class BigFiles:
    """The copies of big files, kept from run to run in one folder; each has one inode.

    They are files that nobody writes. Those that `uid` runs as get them by another name, in a
    folder of `base`, which is on the same file system. Raises MachineError if the user could not
    enter that.
    """

    def __init__(self, uid: int) -> None:
        self.base = os.path.abspath(kept_folder())
        self._kept = kept_files()
        if uid != os.geteuid():
            with room_for_files():
                mode = os.stat(self.base).st_mode | 0o011  # whatever the umask is
                os.chmod(self.base, mode)
        if part := barrier(self.base, uid):
            raise MachineError(
                f"big files of bots are kept in {self.base}, which uid {uid} cannot enter (stopped "
                f"at {part}). Set XDG_CACHE_HOME to a folder open to everybody; then run again."
            )

    def link(self, source: BinaryIO, found: os.stat_result, name: str, target: str) -> None:
        """Make a new path in `base` a name of the copy of an open file, made if need be.

        The file is as was `found`. Raises StartError, with what its owner calls it, if it changes
        meanwhile, and MachineError if the copy cannot be written.
        """
        with room_for_files():
            if self._is_linked(source, found, target):
                return
            with alone(Path(self._kept.folder)):  # who waits for another finds what that has kept
                if not self._is_linked(source, found, target):
                    self._keep(source, found, name, target)

    def _is_linked(self, source: BinaryIO, found: os.stat_result, target: str) -> bool:
        """Give a copy that is there and unchanged another name; return False if it is not."""
        if not (digest := _known(source, found)):
            return False
        content = _content(digest, found)
        try:
            if not self._kept.has(content):
                return False
            os.link(self._kept.path(content), target)
        except FileNotFoundError:
            return False
        return True

    def _keep(self, source: BinaryIO, found: os.stat_result, name: str, target: str) -> None:
        """Copy a file to `target`, and keep that: whoever is killed here leaves nothing half."""
        asked = time.time_ns()
        copy_file(source, target, found.st_size)
        with open(target, "rb") as copy:
            os.fsync(copy.fileno())  # before it is marked as whole: the machine may lose power
            digest = hash_of(copy)
            is_same = os.fstat(copy.fileno()).st_size == found.st_size
        if not is_same or _signature(os.fstat(source.fileno())) != _signature(found):
            raise StartError(f"{name}: {CHANGED}")
        forget_old(Path(self._kept.folder))
        self._kept.put(target, _content(digest, found))
        _note(found, digest, asked)
