"""Writes the files that a kernel begins with, as an archive in the format `newc` of cpio."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Self

_FIELDS = 13  # of eight hexadecimal digits each, after the magic number


class Archive:
    """An archive in the making; everything in it is root's."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._number = 0
        self._folders: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if error == (None, None, None):
            self._entry("TRAILER!!!", 0, b"")

    def folder(self, path: str, mode: int = 0o755) -> None:
        """Add a folder, unless it is there; what is added has the folders that it is in."""
        if path and path not in self._folders:
            self._folders.add(path)
            self._entry(path, stat.S_IFDIR | mode, b"")

    def file(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Add a file."""
        self._entry(path, stat.S_IFREG | mode, data)

    def link(self, path: str, target: str) -> None:
        """Add a symbolic link."""
        self._entry(path, stat.S_IFLNK | 0o777, target.encode())

    def device(self, path: str, major: int, minor: int) -> None:
        """Add a character device."""
        self._entry(path, stat.S_IFCHR | 0o600, b"", (major, minor))

    def tree(self, top: Path, name: Callable[[str], str]) -> None:
        """Add all that a folder holds.

        `name` returns the name in the archive of a path below `top`; empty leaves it out.
        """
        for path in _below(top):
            mode = path.lstat().st_mode
            if not (here := name(str(path.relative_to(top)))):
                continue
            if stat.S_ISLNK(mode):
                self.link(here, str(path.readlink()))
            elif stat.S_ISDIR(mode):
                self.folder(here, stat.S_IMODE(mode) | 0o755)
            elif stat.S_ISREG(mode):
                self.file(here, path.read_bytes(), stat.S_IMODE(mode) | 0o444)

    def _entry(self, path: str, mode: int, data: bytes, device: tuple[int, int] = (0, 0)) -> None:
        self.folder(path.rpartition("/")[0])
        self._number += 1
        name = os.fsencode(path) + b"\0"
        # number, mode, uid, gid, links, time, size, device, which device it is, name's length, sum
        fields = (self._number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0)
        assert len(fields) == _FIELDS
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self._file.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))


def _below(top: Path) -> Iterator[Path]:
    """Yield everything below a folder, each folder before what is in it, in order."""
    for path in sorted(top.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
