"""The socket by which slow matches call the server that reaches remote bots.

It is in the folder of the league. What they say there is in `protocol/remote.py`.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SOCKET = "remote.sock"
"""The name of the socket in the folder of what was handed in, which only its owner enters."""

_BACKLOG = 512


def listening(home: Path) -> socket.socket:
    """Return a socket that takes calls, in a folder; one that another left there is replaced.

    Raises OSError.
    """
    with _short(home) as path:
        with suppress(FileNotFoundError):
            Path(path).unlink()
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            found.bind(path)
            Path(path).chmod(0o600)
            found.listen(_BACKLOG)
        except BaseException:
            found.close()
            raise
        return found


def called(home: Path) -> socket.socket:
    """Return a connection to whoever takes calls in a folder; raise OSError if nobody does."""
    with _short(home) as path:
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            found.connect(path)
        except BaseException:
            found.close()
            raise
        return found


@contextmanager
def _short(home: Path) -> Iterator[str]:
    """Name the socket of a folder by a path that is short enough, wherever the folder is."""
    folder = os.open(home, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{SOCKET}"
    finally:
        os.close(folder)
