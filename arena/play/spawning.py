"""Processes of ours beside this one: fresh interpreters with a connection, and little in them.

The only module that knows multiprocess, and only its connections: a process that it spawns imports
the main program again, which may be a script that plays a league, and has a tracker of 17 MB by it.
"""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from multiprocess import connection as connections

_CODE = "import sys; sys.path[:] = sys.argv[2:]; from arena.play.spawning import serve; serve()"

_spawned: set["subprocess.Popen[bytes]"] = set()


class Spawned(NamedTuple):
    """A process, and our end of a connection to it, which ends with the process."""

    process: "subprocess.Popen[bytes]"
    link: Any


def spawn(
    target: Callable[..., None], *arguments: object, blocked: Iterable[signal.Signals]
) -> Spawned:
    """Start a process that calls `target` with its end of a connection and `arguments`.

    It begins with the signals `blocked` blocked.
    """
    link, theirs = connections.Pipe()
    end = theirs.fileno()
    words = [sys.executable, "-P", "-c", _CODE, str(end), *sys.path]
    ended = [each for each in list(_spawned) if each.poll() is not None]  # threads spawn, too
    _spawned.difference_update(ended)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=[end])
        _spawned.add(process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
    with suppress(ConnectionError):  # it was killed, as the connection tells
        link.send((target, arguments))
    return Spawned(process, link)


def serve() -> None:
    """Call what whoever started this process wants called, unless they are gone."""
    link = connections.Connection(int(sys.argv[1]))
    try:
        target, arguments = link.recv()
    except EOFError:
        return
    target(link, *arguments)


def wait(links: list[Any], patience: float) -> list[Any]:
    """Return which of some connections have something to say or have ended, within seconds."""
    return list(connections.wait(links, patience))


def kill_all() -> None:
    """Kill all processes that were spawned, and see to their ends."""
    for process in _spawned:
        process.kill()
    for process in _spawned:
        process.wait()
    _spawned.clear()
