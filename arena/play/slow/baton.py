"""Threads of which one works at a time: it hands over where it waits."""

import mmap
import os
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from referee.polling import Poll

NOBODY = -1
_BYTES = 8


class Note:
    """A number in memory that outlives the process which writes it, shared by its path."""

    def __init__(self, path: str | None = None) -> None:
        """Make one, or open that of another process, which must still be there."""
        if path is None:
            self._file = os.memfd_create("bot-arena-holder")
            os.ftruncate(self._file, mmap.PAGESIZE)
        else:
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._memory = mmap.mmap(self._file, mmap.PAGESIZE)

    @property
    def path(self) -> str:
        """Where other processes of this user find it, as long as this one is there."""
        return f"/proc/{os.getpid()}/fd/{self._file}"

    @property
    def number(self) -> int:
        """What was written last."""
        return int.from_bytes(self._memory[:_BYTES], "little", signed=True)

    def write(self, number: int) -> None:
        """Write a number."""
        self._memory[:_BYTES] = number.to_bytes(_BYTES, "little", signed=True)

    def close(self) -> None:
        """Forget it."""
        self._memory.close()
        os.close(self._file)


class Baton:
    """Held by the one thread that works.

    Who holds it stands in a note, so that others can tell who worked when the process died. What
    the threads share needs no locks of its own, and a game's code runs as in a process alone.
    """

    def __init__(self, note: Note) -> None:
        self.turns = 0
        """How often it was taken: while that stays the same, so does the holder."""
        self.thread: int | None = None
        """The holder's, as `threading.get_ident` numbers it; None if nobody holds it."""
        self._note = note
        self._lock = threading.Lock()

    @contextmanager
    def held(self, number: int) -> Iterator[None]:
        """Work under a number, as soon as nobody else does."""
        self.take(number)
        try:
            yield
        finally:
            self._pass_on()

    def take(self, number: int) -> None:
        """Work under a number, as soon as nobody else does, for ever."""
        self._lock.acquire()
        self.turns += 1
        self.thread = threading.get_ident()
        self._note.write(number)

    def _pass_on(self) -> None:
        self._note.write(NOBODY)
        self.thread = None
        self._lock.release()

    @contextmanager
    def released(self, number: int) -> Iterator[None]:
        """Let others work meanwhile; `number` is under what this thread works."""
        self._pass_on()
        try:
            yield
        finally:
            self.take(number)


class TurnedWaits:
    """What one thread waits for, while others have the baton.

    It must be there when one is called, and is back when the call returns.
    """

    def __init__(self, baton: Baton, number: int) -> None:
        """Take the baton, and the number under which the thread works."""
        self.woke = monotonic()
        """When the last wait ended, in seconds of `time.monotonic`: the baton may come later."""
        self._baton = baton
        self._number = number

    def poll(self) -> Poll:
        """Return what waits for descriptors."""
        return _Poll(self)

    def wait(self, waiting: select.poll, milliseconds: float) -> list[tuple[int, int]]:
        """Wait as `select.poll` does."""
        found = waiting.poll(0)
        self.woke = monotonic()
        if found:
            return found
        with self._baton.released(self._number):
            found = waiting.poll(milliseconds)
            self.woke = monotonic()
        return found


class _Poll:
    """As `select.poll` returns it, but for the baton."""

    def __init__(self, pauses: TurnedWaits) -> None:
        self._pauses = pauses
        self._poll = select.poll()
        self.register = self._poll.register
        self.unregister = self._poll.unregister

    def poll(self, milliseconds: float) -> list[tuple[int, int]]:
        """Wait without the baton; come back with it."""
        return self._pauses.wait(self._poll, milliseconds)
