"""Files that are kept by what is in them: each is there whole, or not at all, and nobody writes it.

Whoever is killed while a file comes, in one piece or in many, leaves nothing half in its place.
"""

import hashlib
import os
import stat
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
from msgspec import Meta

from referee.sandbox.kept import alone, unfinished
from referee.sandbox.sources import BYTES_LIMIT

_MADE = 1_000_000_000 * 10**9  # what has another time of change was changed since it was kept
_FAR = 4_102_444_800 * 10**9  # the year 2100
_EXECUTABLE = "-x"


class Content(msgspec.Struct, frozen=True):
    """What distinguishes files that are kept: what is in them, and whether they are executable."""

    digest: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    size: Annotated[int, Meta(ge=0, le=BYTES_LIMIT)]
    """In bytes."""
    is_executable: bool = False

    @property
    def name(self) -> str:
        """What its file is called where it is kept."""
        return f"{self.digest}{_EXECUTABLE if self.is_executable else ''}"


class FilesByHash:
    """The files in a folder, which is there already and only ours to enter.

    Those that last are still whole when the machine has lost power.
    """

    def __init__(self, folder: str, *, lasts: bool = True) -> None:
        self.folder = folder
        self._lasts = lasts

    def path(self, content: Content) -> str:
        """Return where a file is, if it is kept."""
        return f"{self.folder}/{content.name}"

    def has(self, content: Content) -> bool:
        """Return whether a file is kept whole; note that it is used."""
        path = self.path(content)
        try:
            if not _is_whole(os.lstat(path), content.size):
                return False
            keep_times(path, _MADE)
        except FileNotFoundError:
            return False
        return True

    def digest_of(self, file: BinaryIO) -> str:
        """Return the hash of an open file that is kept here whole; empty for others."""
        folder, name = os.path.split(os.readlink(f"/proc/self/fd/{file.fileno()}"))
        found = os.fstat(file.fileno())
        if folder != os.path.realpath(self.folder) or not _is_whole(found, found.st_size):
            return ""
        return "" if name.startswith(".") else name.removesuffix(_EXECUTABLE)

    def put(self, path: str, content: Content) -> None:
        """Keep a file of the same file system that holds a content, under `path` too.

        What is kept already stays, and `path` becomes a name of that, if it is whole.
        """
        seal(path, content)
        kept = self.path(content)
        try:
            os.link(path, kept)
        except FileExistsError:
            if _is_whole(os.lstat(kept), content.size):  # of a file that is alike
                os.unlink(path)
                os.link(kept, path)
            else:  # something has changed it since it was kept
                os.unlink(kept)
                os.link(path, kept)

    def begun(self, content: Content) -> int:
        """Return how many bytes of a file have come so far."""
        try:
            return os.lstat(self._part(content)).st_size
        except FileNotFoundError:
            return 0

    def add(self, content: Content, offset: int, piece: bytes) -> bool:
        """Write a piece of a file that comes in pieces, and keep the file once it is whole.

        What has come before is left as it is, so that two may send the same. Returns False, and
        forgets what has come, if there is a gap before the piece or the file is another one.
        Raises OSError, and forgets it too, if it cannot be written.
        """
        with alone(Path(self.folder)):
            if self.has(content):
                return True
            part = self._part(content)
            is_right = False
            try:
                is_right = self._added(part, content, offset, piece)
            finally:
                if not is_right:
                    part.unlink(missing_ok=True)
            return is_right

    def _part(self, content: Content) -> Path:
        return unfinished(Path(self.path(content)))

    def _added(self, part: Path, content: Content, offset: int, piece: bytes) -> bool:
        with part.open("ab") as file:
            there = file.tell()
            if offset > there:
                return False
            file.write(piece[there - offset :])
            size = file.tell()
            if size < content.size:
                return True
            if size > content.size:
                return False
            if self._lasts:
                file.flush()
                os.fsync(file.fileno())  # before it is marked as whole
        with part.open("rb") as file:
            if hash_of(file) != content.digest:
                return False
        seal(str(part), content)
        part.rename(self.path(content))
        return True


def hash_of(file: BinaryIO) -> str:
    """Return the SHA-256 of all that an open file holds."""
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def seal(path: str, content: Content) -> None:
    """Let nobody write a file, and mark it as one that holds a content whole."""
    os.chmod(path, 0o555 if content.is_executable else 0o444)
    keep_times(path, _MADE)


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
