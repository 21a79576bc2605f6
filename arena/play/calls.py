"""Calls to remote bots: what a slow match and the server that reaches such a bot say to each other.

They share a socket in the folder of the league, one connection for each copy of a bot in a match; a
line of JSON each. Closing it ends the copy.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import msgspec

SOCKET = "remote.sock"
"""The name of the socket in the folder of what was handed in, which only its owner enters."""

_BACKLOG = 512


class Call(msgspec.Struct, tag="call", frozen=True, kw_only=True):
    """The first line, by the match: it needs a copy of a bot."""

    bot: str
    """The bot's key."""
    digest: str
    """Of the files that play, as its author's machine says it."""
    match: str
    """The match's id."""


class CallTaken(msgspec.Struct, tag="taken", frozen=True):
    """The answer: the copy is being started."""


class CallAbsent(msgspec.Struct, tag="absent", frozen=True):
    """The other answer: the bot is not there now, or has no copy left for this match."""


class CallLine(msgspec.Struct, tag="line", frozen=True, kw_only=True, omit_defaults=True):
    """A line of the bots' protocol, in either direction."""

    line: str
    trip: float | None = None
    """From the bot: the round trip to its author's machine, as measured last, in seconds."""


class CallEnded(msgspec.Struct, tag="ended", frozen=True, kw_only=True):
    """The last line, by the server: the copy is there no more."""

    how: str
    """As what follows «it»."""
    stderr: str = ""


ToMatch: TypeAlias = CallTaken | CallAbsent | CallLine | CallEnded

read_call = msgspec.json.Decoder(Call).decode
read_call_line = msgspec.json.Decoder(CallLine).decode
read_to_match = msgspec.json.Decoder(ToMatch).decode


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
