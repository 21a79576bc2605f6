"""The files of a bot as their author left them: opened and read without trust in what they are."""

import ctypes
import errno
import os
import stat
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from referee.limits import MOST_FILES_MB
from referee.sandbox.syscalls import EVERYWHERE

FILES_LIMIT = 20_000
"""The most files that a bot may have."""
BYTES_LIMIT = MOST_FILES_MB << 20
"""The most bytes that they may hold together, whatever else is allowed."""


class Amount(NamedTuple):
    """How much is taken at the most."""

    files: int
    size: int
    """In bytes, all files together."""


_PIECE = 1 << 20  # bytes read at a time
_COPIED = 64 << 20  # bytes copied at a time: signals are heard in between
_UNCOPIED = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}
"""What the kernel says where it cannot copy from one file to another by itself."""
_TRIES, _TRY_SECONDS = 200, 0.005
_RESOLVE_BENEATH = 0x08 | 0x02  # and no links of /proc
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}
_PRIVATE = (
    "it may be a hard link to what its folder's owner may not read. Copy the file, or let "
    "everybody read it (chmod o+r)"
)
_OPENED = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # a FIFO would keep us waiting

_libc = ctypes.CDLL(None, use_errno=True)


def odd_kind(mode: int) -> str:
    """Return what a file is by its mode, if it is no regular one; else nothing."""
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no regular file")


def sizes_of(paths: Iterable[str]) -> dict[str, int]:
    """Return how many bytes each of some files has, of those that are there."""
    found = {}
    for path in paths:
        with suppress(OSError):  # whoever opens it explains better what that is
            found[path] = os.stat(path).st_size
    return found


def too_large(paths: Iterable[str], most_mb: int) -> str:
    """Return why a bot's files are more than it may have, in MiB, and what to do; else nothing."""
    sizes = sizes_of(paths)
    total = sum(sizes.values())
    if total <= most_mb << 20:
        return ""
    largest = max(sizes, key=lambda path: sizes[path])
    return (
        f"its files have {_mib(total):,} MiB together ({os.path.basename(largest)} has "
        f"{_mib(sizes[largest]):,}), and files_mb allows {most_mb:,}. Let it have "
        f"files_mb = {_mib(total)}: under its [[bot]] in league.toml; or by needs = {{ files_mb = "
        f"{_mib(total)} }} in its bot.toml, and `arena add --grant`; or, without a league, by "
        f"--limit files_mb={_mib(total)}. Or name only what it needs in bot.toml: files = [...]."
    )


def _mib(size: int) -> int:
    return -(-size >> 20)


def read_at_most(path: str | Path, most: int) -> bytes:
    """Return what a regular file holds; raise OSError for others, and for more than `most`."""
    try:
        descriptor = os.open(path, _OPENED)
    except OSError as error:
        raise _explained(error.errno or 0, str(path)) from None
    try:
        _check_regular(os.fstat(descriptor), str(path))
    except OSError:
        os.close(descriptor)
        raise
    with open(descriptor, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 10} KiB", str(path))
    return data


class Sources:
    """A bot's folder, open to read its files, and at most so many bytes of them.

    `borrowed` are files that lie elsewhere, each with its absolute path. Everything is asked of
    the open file, whatever its owner puts in its place meanwhile. All methods raise OSError with
    what is wrong in words.
    """

    def __init__(
        self,
        folder: str | Path,
        borrowed: Iterable[tuple[str, str]] = (),
        *,
        most: int = BYTES_LIMIT,
    ) -> None:
        self._borrowed = dict(borrowed)
        self._folder = _opened_folder(folder)
        self._most = self._left = most

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._folder)

    def open(self, name: str) -> BinaryIO:
        """Open a file by a path that does not lead out of the folder."""
        if name not in self._borrowed:
            return self._opened(self._folder, name)
        path = Path(self._borrowed[name])
        folder = _opened_folder(path.parent)
        try:
            return self._opened(folder, path.name)
        finally:
            os.close(folder)

    def _opened(self, folder: int, name: str) -> BinaryIO:
        descriptor = open_beneath(folder, name)
        try:
            self._check(os.fstat(descriptor), os.fstat(folder), name)
        except OSError:
            os.close(descriptor)
            raise
        return open(descriptor, "rb", buffering=0)

    def _check(self, found: os.stat_result, folder: os.stat_result, name: str) -> None:
        _check_regular(found, name)
        if _is_private(found, folder):
            raise OSError(errno.EACCES, _PRIVATE, name)
        self._check_room(found.st_size, name)

    def pieces(self, file: BinaryIO, name: str) -> Iterator[bytes]:
        """Yield the rest of an open file; it may be longer by now than it was when opened."""
        while piece := file.read(_PIECE):
            self._check_room(len(piece), name)
            self._left -= len(piece)
            yield piece

    def count(self, size: int, name: str) -> None:
        """Count the bytes of a file that is used without reading its `pieces`."""
        self._check_room(size, name)
        self._left -= size

    def _check_room(self, size: int, name: str) -> None:
        if size > self._left:
            most = f"{self._most >> 20} MiB"
            raise OSError(errno.EFBIG, f"with it, the bot's files are larger than {most}", name)


def copy_file(source: BinaryIO, target: str | Path, size: int) -> None:
    """Copy an open file, of that size, to a new one: by the kernel, which may share the blocks."""
    source.seek(0)
    with open(target, "xb", buffering=0) as copy:
        try:
            while size and (
                done := os.copy_file_range(source.fileno(), copy.fileno(), min(size, _COPIED))
            ):
                size -= done
        except OSError as error:
            if error.errno not in _UNCOPIED:
                raise
            while size and (piece := source.read(min(size, _COPIED))):
                size -= copy.write(piece)
                source.seek(copy.tell())  # not all of it may have been written


def _opened_folder(path: str | Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _check_regular(found: os.stat_result, name: str) -> None:
    if kind := odd_kind(found.st_mode):
        raise OSError(errno.EINVAL, f"it is {kind}", name)


def _is_private(file: os.stat_result, folder: os.stat_result) -> bool:
    """Return whether a file was perhaps put into a folder by a user who may not read it.

    A hard link takes any file into a folder of one's own, and root, or its owner, would read it for
    the maker of the link. Where all may read it, nothing is given away. Else it must belong to the
    folder's owner, unless the folder is root's or ours; where others may write into that, it must
    have no other name.
    """
    if file.st_mode & stat.S_IROTH:
        return False
    if folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return file.st_nlink > 1
    return folder.st_uid not in (file.st_uid, 0, os.geteuid())


def open_beneath(folder: int, name: str) -> int:
    """Open a file to be read, by a path that does not lead out of an open folder.

    While anything on the machine is renamed or mounted, the kernel may be unable to tell where a
    link with `..` leads, and says so: openat2(2), EAGAIN. It is asked again then.
    """
    how = struct.pack("QQQ", _OPENED, 0, _RESOLVE_BENEATH)
    path = ctypes.c_char_p(os.fsencode(name))
    for _ in range(_TRIES):
        found = _libc.syscall(EVERYWHERE["openat2"], folder, path, how, len(how))
        if found >= 0:
            return int(found)
        if ctypes.get_errno() != errno.EAGAIN:
            break
        time.sleep(_TRY_SECONDS)
    raise _explained(ctypes.get_errno(), name)


def _explained(number: int, name: str) -> OSError:
    """Return the error of a file that was not opened; the right class is Python's choice."""
    words = {errno.EXDEV: "it leads out of its folder", errno.ENXIO: "it is a socket or a device"}
    return OSError(number, words.get(number, os.strerror(number)), name)
