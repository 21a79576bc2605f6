"""The three pipes of a bot's process, read and written by lines; it knows no clock."""

import fcntl
import io
import os
import select
import termios
from typing import Protocol

from protocol.lines import LineBuffer
from referee.process.output import Capture
from referee.process.polling import ALONE, Polling

_GLANCE = 470  # bytes read at a look: nearly always a whole line, and no work for malloc
_PIECE = 64 << 10  # bytes read at a time: what a pipe holds
_DRAINED = 64  # pieces of standard error read when nothing waits for them


class Ends(Protocol):
    """Our ends of the pipes of a process, by their descriptors."""

    @property
    def stdin(self) -> int:
        """Where what it reads is written."""

    @property
    def stdout(self) -> int:
        """Where what it writes is read."""

    @property
    def stderr(self) -> int:
        """Where what it writes to its standard error is read."""


class Pipes:
    """The referee's ends of the pipes; only `wait` takes time.

    They are closed with the end of the process: then others may have their numbers, and nothing
    here may be called but `unread`.
    """

    __slots__ = (
        *("_lines", "_poll", "_read", "_read_errors", "_stderr", "_stdin", "_stdout", "_unsent"),
        "stderr",
    )

    def __init__(self, child: Ends, limit: int, *, polling: Polling = ALONE) -> None:
        """Take the ends of a process that may write lines of so many bytes."""
        self._stdin, self._stdout, self._stderr = child.stdin, child.stdout, child.stderr
        self._read = io.FileIO(child.stdout, closefd=False).read  # None while there is nothing
        self._read_errors = io.FileIO(child.stderr, closefd=False).read
        self._poll = polling.poll()
        self._poll.register(child.stdout, select.POLLIN)
        self._poll.register(child.stderr, select.POLLIN)
        self._lines = LineBuffer(limit)
        self._unsent = b""
        self.stderr = Capture()
        """What was read of the standard error."""

    def send(self, line: bytes) -> None:
        """Send a line, or as much of it as the pipe holds; the rest is kept for `wait`.

        Raises BrokenPipeError, whose text says which pipe it closed, if the bot cannot read it.
        """
        data = self._unsent + line if self._unsent else line
        try:
            sent = os.write(self._stdin, data)
        except BlockingIOError:
            sent = 0
        except BrokenPipeError:
            raise BrokenPipeError("it closed its standard input") from None
        self._unsent = data[sent:] if sent < len(data) else b""

    def ask(self, line: bytes) -> bytes | None:
        """Send a line; return the next one of the bot if it is there already.

        So it is mostly where the bot has the same core: it answers while it is written to. Raises
        BrokenPipeError if there is none and will be none, or as `send` does, and ProtocolError.
        """
        if self._unsent or self._lines.held:
            self.send(line)
            return self.look()
        try:  # as nearly always, and a call less
            sent = os.write(self._stdin, line)
        except OSError:
            self.send(line)  # which knows what to make of it
        else:
            if sent < len(line):
                self._unsent = line[sent:]
        data = self._read(_GLANCE)
        if data is None:
            return None
        found, newline, more = data.partition(b"\n")
        return found if newline and not more else self._cut(data)

    def look(self) -> bytes | None:
        """Return the next line if it is there already; raise what `ask` does."""
        if self._lines.held and (found := self._lines.pop()) is not None:
            return found
        data = self._read(_GLANCE)
        return None if data is None else self._cut(data)

    def wait(self, seconds: float) -> bytes | None:
        """Return the next line, after a wait until something happens; None if it is not there then.

        Raises what `look` does, and what `send` does.
        """
        line = self._lines.pop() if self._lines.held else None
        if line is not None:
            return line
        if is_full := bool(self._unsent):
            self._poll.register(self._stdin, select.POLLOUT)
        events = self._poll.poll(seconds * 1000)  # rounded up
        if is_full:
            self._poll.unregister(self._stdin)
        for descriptor, _ in events:
            if descriptor == self._stdout:
                line = self._cut(os.read(descriptor, _PIECE))
            elif descriptor == self._stdin:
                self.send(b"")
            elif data := os.read(descriptor, _PIECE):
                self.stderr.add(data)
            else:
                self._poll.unregister(descriptor)
        return line

    def _cut(self, data: bytes) -> bytes | None:
        """Take what was read of the output; return the next line, if it is there now."""
        if not data:
            raise BrokenPipeError("it closed its standard output")
        self._lines.push(data)
        return self._lines.pop()

    @property
    def unsent(self) -> int:
        """How many bytes wait for the bot to read what was sent before."""
        return len(self._unsent)

    def unread(self) -> bytes:
        """Return the incomplete line that the bot has sent."""
        return bytes(self._lines.held)

    def has_read_all(self) -> bool:
        """Return whether the bot has read all that is in its standard input."""
        return not any(fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4)))

    def drain(self) -> None:
        """Read what is left of the standard error, without waiting for more."""
        for _ in range(_DRAINED):
            data = self._read_errors(_PIECE)
            if not data:
                return
            self.stderr.add(data)

    def close_input(self) -> None:
        """Let the bot read the end of its input; what is sent afterwards goes nowhere."""
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(null, self._stdin, inheritable=False)
        os.close(null)
