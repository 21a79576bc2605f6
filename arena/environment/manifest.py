"""What an environment held when it was made, so that a file which has changed since is noticed.

Nothing is read for that but what the file system knows of each file: its mode, its size, and when
it was changed. Who sets that time back is not found out.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from arena.text import safe

_FILE = "manifest.json"
_Known: TypeAlias = tuple[int, int, int]  # its mode, its bytes, and nanoseconds since 1970
_Manifest: TypeAlias = dict[str, _Known]


def write_manifest(folder: Path) -> Path:
    """Write down what a folder holds, in a new file in it, which is returned."""
    file = folder / _FILE
    file.write_bytes(msgspec.json.encode(dict(_held(folder))))
    return file


def what_changed(folder: Path) -> str:
    """Return the first file that is not as its manifest says, in words; empty if all are."""
    try:
        known = msgspec.json.decode((folder / _FILE).read_bytes(), type=_Manifest)
    except (OSError, ValueError):
        return f"{_FILE} cannot be read"
    for name, now in _held(folder):
        then = known.pop(name, None)
        if then is None:
            return f"{safe(name)} is new there"
        if then != now:
            return f"{safe(name)} was changed"
    return f"{safe(min(known))} is gone" if known else ""


def _held(folder: Path) -> Iterator[tuple[str, _Known]]:
    """Yield the files of a folder by their paths in it, but for its manifest."""
    left = [""]
    while left:
        here = left.pop()
        with os.scandir(folder / here) as entries:
            for entry in entries:
                path = f"{here}/{entry.name}" if here else entry.name
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    left.append(path)
                elif path != _FILE:
                    yield path, (found.st_mode, found.st_size, found.st_mtime_ns)
