"""The three standard streams, whatever they are: closed, on a full disk, or read by nobody.

What was asked for goes to standard output; what is said of it goes to standard error, and a run
must not depend on whether anybody can read that.
"""

import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from protocol.errors import ArenaError, RunError


def make_sure() -> None:
    """Make sure that all three streams are open, under their own numbers; called first of all.

    A descriptor that is closed would be the next one that is opened: a league's database, or what
    a worker inherits. Then the words for standard error would be written there.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # the lowest number that is free is given
            opened = os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
            os.set_inheritable(opened, True)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(_Input()))
    sys.stdout = _text(_Output(1, is_open=sys.stdout is not None), sys.stdout)
    sys.stderr = _text(_Log(2, is_open=sys.stderr is not None), sys.stderr)


@contextmanager
def finished_anyway() -> Iterator[None]:
    """Bring something to its end though its output may have failed, and only then stop for that."""
    output = getattr(sys.stdout, "buffer", None)
    if not isinstance(output, _Output):
        yield
        return
    output.waits = True
    try:
        yield
    finally:
        output.waits = False
    output.stop_if_failed()


def say_at_once(text: str) -> None:
    """Write a line on standard error, as far as that can be; safe in the handler of a signal."""
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())


class _Input(io.RawIOBase):
    """A standard input that was closed before we began."""

    def readable(self) -> bool:
        return True

    def readinto(self, _: Any) -> int:
        raise ArenaError("standard input is closed, and the command has to read from it.")


class _Stream(io.FileIO):
    """A descriptor that is written to, and what is done if it takes no more."""

    def __init__(self, number: int, *, is_open: bool) -> None:
        super().__init__(number, "wb", closefd=False)
        self._is_open = is_open

    def write(self, data: Any) -> int:
        """Write everything, or give up for ever, or drop it.

        Nothing is written twice when Ctrl-C is noticed after it, which is why there is no
        `BufferedWriter` above: it would write again what it does not know to be written.
        """
        left = memoryview(data)
        try:
            while left:
                written = super().write(left) if self._is_open else self._no_stream()
                if written is None:  # another process made it a stream that does not wait
                    select.select([], [self], [])
                else:
                    left = left[written:]
        except OSError as error:
            self._give_up(error)
        return len(data)

    def _no_stream(self) -> int:
        """Fail as a write to a descriptor that was closed, whose number is another's by now."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def _give_up(self, error: OSError) -> None:
        """Take note that something could not be written."""


class _Log(_Stream):
    """Standard error: what cannot be written is lost, and the next line is tried again."""


class _Output(_Stream):
    """Standard output: what was asked for is not to be had there, and that ends a command."""

    waits = False
    """Whether the command is to be ended later."""
    _failure: OSError | None = None

    def _give_up(self, error: OSError) -> None:
        if self._failure is None:  # or it is what is left of it, when the interpreter ends
            self._failure = error
            if not self.waits:
                self.stop_if_failed()

    def stop_if_failed(self) -> None:
        """End the command if something could not be written: in peace if nobody reads any more."""
        match self._failure:
            case None:
                return
            case OSError(errno=errno.EPIPE):
                sys.exit(0)
            case OSError(errno=errno.EBADF):
                raise RunError("standard output is closed, and the command has to write to it.")
            case error:
                raise RunError(f"standard output cannot be written: {error.strerror}.")


def _text(raw: _Stream, before: TextIO | None) -> TextIO:
    """Return a stream of text that is written as the one before was."""
    errors = getattr(before, "errors", None) or "strict"
    return io.TextIOWrapper(
        raw,  # as Python itself does with -u
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors="backslashreplace" if errors == "strict" else errors,  # rather odd than not at all
        line_buffering=getattr(before, "line_buffering", True),
    )
