"""What the kernel has in memory of a file."""

import os
from pathlib import Path

_RWF_NOWAIT = 8


def set_in_memory(path: Path, *, there: bool) -> None:
    """Have all of a file in memory, or none of it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        if there:
            while os.read(descriptor, 1 << 20):
                pass
        else:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def in_memory(path: Path, place: int) -> bool:
    """Return whether a byte of a file can be had without the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.preadv(descriptor, [bytearray(1)], place, _RWF_NOWAIT) == 1
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
