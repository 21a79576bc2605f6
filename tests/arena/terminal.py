"""A command at a pseudo-terminal, with somebody who reads and types."""

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.arena.conftest import ARENA, ROOT
from tests.referee.process_watch import command_line, fields, processes, state

ROWS, COLUMNS = 50, 80
PATIENCE = 20.0
"""Seconds after which a test fails that waits in vain."""
MOST_PATIENCE = 60.0
"""And for the end of a command that shows something all the time."""

_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
"""So that Ctrl-C typed there is a signal, run a program as this one's arguments say."""


class Terminal:
    """What a command shows on its screen, and the keys it gets."""

    def __init__(self, words: list[str], settings: dict[str, str]) -> None:
        self._screen, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        sizeless = {name: os.environ[name] for name in os.environ.keys() - {"COLUMNS", "LINES"}}
        self.command = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *ARENA, *words],
            cwd=ROOT,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
            env={**sizeless, "TERM": "dumb", **settings},
        )
        os.close(inner)
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self.shown = ""
        self._read_to = 0

    def resize(self, rows: int, columns: int) -> None:
        """Give the screen another size, which the command is told by a signal."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, size)

    def until(self, text: str) -> str:
        """Wait for a text; return what was shown since the last one."""
        deadline = time.monotonic() + PATIENCE
        while (at := self.shown.find(text, self._read_to)) < 0:
            assert time.monotonic() < deadline, f"{text!r} is not shown: {self.shown[-2000:]}"
            assert self._read(), f"it has ended without {text!r}: {self.shown[-2000:]}"
        found = self.shown[self._read_to : at + len(text)]
        self._read_to = at + len(text)
        return found

    def type(self, text: str) -> None:
        """Press keys; a line is sent with its end."""
        os.write(self._screen, text.encode())

    def end(self) -> int:
        """Wait for the end of the command, which may take a minute; return its exit code."""
        deadline = time.monotonic() + MOST_PATIENCE
        while self._read():
            assert time.monotonic() < deadline, f"it goes on: {self.shown[-2000:]}"
        return self.command.wait(timeout=PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._screen], [], [], PATIENCE)
        assert ready, f"nothing more is shown: {self.shown[-2000:]}"
        try:
            data = os.read(self._screen, 65536)
        except OSError:  # the command has ended
            return False
        self.shown += self._decode(data).replace("\r\n", "\n")
        return bool(data)

    def close(self) -> None:
        """End whatever a failed test left running."""
        if self.command.poll() is None:
            os.killpg(self.command.pid, signal.SIGKILL)
            self.command.wait()
        os.close(self._screen)


@contextmanager
def at_terminal(*words: str | Path, **settings: str) -> Iterator[Terminal]:
    """Run a command of ours at a terminal of 80 columns."""
    terminal = Terminal([str(word) for word in words], settings)
    try:
        yield terminal
    finally:
        terminal.close()


def bots_of(terminal: Terminal) -> dict[int, str]:
    """Return the state by pid, as /proc gives it, of all bots in guerra that the command runs."""
    found = (pid for pid in processes() if "guerra_" in command_line(pid))
    return {pid: state(pid) for pid in found if _descends(pid, terminal.command.pid)}


def _descends(pid: int, wanted: int) -> bool:
    """Whether a process descends from another."""
    while pid > 1 and pid != wanted:
        pid = int([*fields(pid), "0", "0"][1])
    return pid == wanted
