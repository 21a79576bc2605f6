"""The judges of attacks by bots with a door: they look at the ends that the referee has."""

import contextlib
import fcntl
import os
import re
import select
import socket
import struct
import termios
from pathlib import Path

from referee.sandbox import Child
from tests.attacks.judges import MUCH_MEMORY, Case

USUAL_PIPE = 65536
"""Bytes that a pipe holds."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


def reached_endpoint(case: Case) -> bool:
    """Another bot's endpoint, or what listens at its port on the host, has heard the bot."""
    return case.scene.heard("endpoint") or any(_connections(case, case.rival))


def _connections(case: Case, child: Child | None) -> list[socket.socket]:
    """Return the connections to a bot's endpoint, which are kept."""
    found: list[socket.socket] = case.before.setdefault(f"heard {id(child)}", [])  # type: ignore[assignment]
    if child is None or child.listener is None:
        return found
    listener = socket.socket(fileno=os.dup(child.listener))
    with listener, contextlib.suppress(BlockingIOError):
        while True:
            found.append(listener.accept()[0])
    return found


def listens(case: Case) -> bool:
    """A socket of the bot's listens."""
    own = {match[1] for _, target in case.open_files() if (match := _SOCKET.match(target))}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{case.pid}/net/tcp").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in own:
                return True
    return False


_SOCKET = re.compile(r"socket:\[(\d+)\]")


def tcp_memory() -> int:
    """Return the bytes that all connections of the machine hold."""
    text = Path("/proc/net/sockstat").read_text()
    return int(text.split("\nTCP:")[1].split(" mem ")[1].split()[0]) * _PAGE


def connections_hold_much(case: Case) -> bool:
    """What waits in connections is far more than before, and than the limit of memory."""
    before = case.before["connections hold"]
    assert isinstance(before, int)
    return tcp_memory() - before > MUCH_MEMORY / 4


def got_descriptor(case: Case) -> bool:
    """Somebody who listens was passed an open file."""
    listeners = [case.scene.unix, case.scene.abstract]
    for listener in listeners:
        with contextlib.suppress(BlockingIOError):
            while True:
                _connections(case, None).append(listener.accept()[0])
    for made in (*_connections(case, None), *_connections(case, case.child)):
        if select.select([made], [], [], 0)[0]:
            _, descriptors, _, _ = socket.recv_fds(made, 1000, 4)
            for descriptor in descriptors:
                os.close(descriptor)
            if descriptors:
                return True
    return False


def pipe_holds_more(case: Case) -> bool:
    """More waits at the referee's end of the door than a pipe holds."""
    if case.child is None or case.child.door is None:
        return False
    waiting = fcntl.ioctl(case.child.door[0], termios.FIONREAD, b"\0" * 4)
    return int(struct.unpack("i", waiting)[0]) > USUAL_PIPE


def asked_for_another(case: Case) -> bool:
    """What the bot made up came out of another bot's door."""
    if case.rival is None or case.rival.door is None:
        return False
    with contextlib.suppress(BlockingIOError):
        return case.scene.token.encode() in os.read(case.rival.door[0], 65536)
    return False
