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
    with _opened(home) as (found, path):
        with suppress(FileNotFoundError):
            Path(path).unlink()
        found.bind(path)
        Path(path).chmod(0o600)
        found.listen(_BACKLOG)
    return found


def called(home: Path) -> socket.socket:
    """Return a connection to whoever takes calls in a folder; raise OSError if nobody does."""
    with _opened(home) as (found, path):
        found.connect(path)
    return found


@contextmanager
def _opened(home: Path) -> Iterator[tuple[socket.socket, str]]:
    """Open a socket for a folder, and name it by a path that is short enough, wherever that is.

    It stays open unless an error ends the context.
    """
    folder = os.open(home, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        yield found, f"/proc/self/fd/{folder}/{SOCKET}"
    except BaseException:
        found.close()
        raise
    finally:
        os.close(folder)
