"""The copies of a bot that play at home, one for each match: processes in the sandbox."""

import select
from collections import deque
from time import monotonic
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from protocol.errors import ProtocolError
from protocol.lines import BOT_LINE_BYTES
from protocol.messages import Start
from protocol.remote import FRAME_LIMIT
from referee.limits import Limits
from referee.process.pipes import Pipes
from referee.sandbox import Child, Launcher, Program, StartError
from referee.sandbox.stage import unstaged
from referee.turn.verdict import verdict

_MOST_UNREAD = 2 * FRAME_LIMIT  # bytes that wait for a copy to read them
_EXIT_GRACE = 0.2  # seconds in which a copy that closed a pipe may end by itself
_END_GRACE = 0.3  # ... and one of which nothing more is asked
_GLANCES = 64  # at the output of one copy that ends, before others have their turn
_MOST_GLANCES = 400  # at what a process may have left in its pipe
_BY_ITSELF = "ended"


class Written(NamedTuple):
    """A copy has written a line."""

    copy: int
    line: str


class CopyEnd(NamedTuple):
    """A copy has ended by itself, or was not started."""

    copy: int
    match: str
    how: str
    """As what follows «it»."""
    stderr: str


News: TypeAlias = Written | CopyEnd


class _Copy:
    """A process; what it writes is looked at as far as it was asked for something."""

    def __init__(self, number: int, child: Child) -> None:
        self.number = number
        self.match = ""
        """The id of its match, once it was told."""
        self.child = child
        self.pipes = Pipes(child, BOT_LINE_BYTES)
        self.state: Literal["plays", "closing", "ending"] = "plays"
        self.until = 0.0
        """When it is killed, if it still runs: on the clock of `monotonic`."""
        self.why = ""
        """What it did that it has to end for."""
        self.owes = 0
        """How many lines it was sent and has not answered; those that need no answer too."""
        self.watched: set[int] = set()
        """Its descriptors that are waited for."""


class Copies:
    """All copies, on one thread; whoever has the `poll` calls `ready` and `tick`, and reads `news`.

    What `ready` and `tick` need not wait for is in `news`, in order.
    """

    def __init__(
        self, launcher: Launcher, program: Program, limits: Limits, poll: select.poll
    ) -> None:
        self._launcher = launcher
        self._program = program
        self._limits = limits
        self._poll = poll
        self._copies: dict[int, _Copy] = {}
        self._by_descriptor: dict[int, _Copy] = {}
        self.news: deque[News] = deque()

    def __contains__(self, number: int) -> bool:
        """Return whether a copy of this number plays."""
        found = self._copies.get(number)
        return found is not None and found.state != "ending"

    def __len__(self) -> int:
        """Return how many play."""
        return sum(copy.state != "ending" for copy in self._copies.values())

    def begin(self, number: int, most: int) -> None:
        """Start a copy; there are no more than `most` processes, some of which may be ending.

        Raises MachineError if nothing can be started here.
        """
        ending = [copy for copy in self._copies.values() if copy.state == "ending"]
        for copy in ending[: max(0, len(self._copies) + 1 - most)]:
            self._stop(copy)
        if number in self._copies:
            self._stop(self._copies[number])
        try:
            child = self._launcher.start(self._program, self._limits)
        except StartError as error:
            self.news.append(CopyEnd(number, "", f"could not be started: {error}", ""))
            return
        copy = self._copies[number] = _Copy(number, child)
        self._by_descriptor |= dict.fromkeys(
            (child.stdin, child.stdout, child.stderr, child.pidfd), copy
        )
        self._watch(copy, child.stderr)
        self._watch(copy, child.pidfd)

    def send(self, number: int, line: str) -> None:
        """Send a line to a copy that plays; raise ProtocolError if too much waits for it."""
        copy = self._copies[number]
        if copy.state != "plays":
            return
        copy.owes += 1
        if not copy.match:
            copy.match = _match_in(line)
        try:
            copy.pipes.send(line.encode() + b"\n")
        except BrokenPipeError as error:
            self._close(copy, str(error))
            return
        if copy.pipes.unsent:
            if copy.pipes.unsent > _MOST_UNREAD:
                raise ProtocolError("it sends a bot more than that reads")
            self._watch(copy, copy.child.stdin, select.POLLOUT)
        if copy.child.stdout not in copy.watched:
            self._watch(copy, copy.child.stdout)
            self._read(copy)  # a part may have been read already

    def end(self, number: int) -> None:
        """Let a copy end, of which nothing more is asked; it may take a moment."""
        copy = self._copies[number]
        if copy.state == "closing":
            self._stop(copy)
            return
        self._leave(copy, copy.child.stdin)
        copy.pipes.close_input()
        copy.state, copy.until = "ending", monotonic() + _END_GRACE
        self._watch(copy, copy.child.stdout)

    def end_all(self) -> None:
        """End all copies at once."""
        for copy in list(self._copies.values()):
            self._stop(copy)
        self.news.clear()

    def ready(self, descriptor: int, events: int) -> None:
        """Do what a descriptor is ready for, if it is a copy's."""
        copy = self._by_descriptor.get(descriptor)
        if copy is None or descriptor not in copy.watched:
            return
        child = copy.child
        if descriptor == child.stderr:
            copy.pipes.drain()
            if not events & select.POLLIN:
                self._leave(copy, descriptor)
        elif descriptor == child.stdin:
            self._write(copy)
        elif descriptor == child.stdout:
            self._read(copy)
        else:
            self._has_ended(copy)

    def tick(self) -> float | None:
        """End the copies whose time is up; return when the next one's is, if any."""
        now = monotonic()
        for copy in list(self._copies.values()):
            if copy.state != "plays" and copy.until <= now:
                self._stop(copy, copy.why)
        waited = [copy.until for copy in self._copies.values() if copy.state != "plays"]
        return min(waited, default=None)

    def _write(self, copy: _Copy) -> None:
        try:
            copy.pipes.send(b"")
        except BrokenPipeError as error:
            self._close(copy, str(error))
            return
        if not copy.pipes.unsent:
            self._leave(copy, copy.child.stdin)

    def _read(self, copy: _Copy) -> None:
        """Take the lines that a copy owes, as far as they are there, or all, once it is to end.

        What it writes beyond those stays in its pipe, as in a match beside the referee.
        """
        try:
            if copy.state == "ending":
                for _ in range(_GLANCES):
                    if copy.pipes.look() is None:
                        return
                return
            while copy.owes:
                line = copy.pipes.look()
                if line is None:
                    return
                copy.owes -= 1
                self.news.append(Written(copy.number, line.decode()))
            self._leave(copy, copy.child.stdout)
        except BrokenPipeError as error:
            self._leave(copy, copy.child.stdout)
            self._close(copy, str(error))
        except ProtocolError as error:
            self._stop(copy, f"wrote {error}")
        except UnicodeDecodeError:
            self._stop(copy, "wrote a line that is not UTF-8")

    def _close(self, copy: _Copy, why: str) -> None:
        """Take note that a copy closed a pipe: most have ended, or do in a moment."""
        if copy.state == "plays":
            for descriptor in (copy.child.stdin, copy.child.stdout):
                self._leave(copy, descriptor)
            copy.state, copy.until = "closing", monotonic() + _EXIT_GRACE
            copy.why = why.removeprefix("it ")

    def _has_ended(self, copy: _Copy) -> None:
        """Say how a process has ended, after what it wrote before."""
        if copy.state != "ending":
            for _ in range(_MOST_GLANCES):
                if not copy.owes or copy.child.stdout < 0:
                    break
                self._read(copy)
        if copy.number in self._copies:
            self._stop(copy, "" if copy.state == "ending" else _BY_ITSELF)

    def _stop(self, copy: _Copy, how: str = "") -> None:
        """End a process and forget it; if it was to go on, say what it did."""
        is_told = bool(how) and copy.state != "ending"
        for descriptor in list(copy.watched):
            self._leave(copy, descriptor)
        child = copy.child
        for descriptor in (child.stdin, child.stdout, child.stderr, child.pidfd):
            del self._by_descriptor[descriptor]
        del self._copies[copy.number]
        copy.pipes.drain()
        ended = self._launcher.stop(child)
        if not is_told:
            return
        stderr = unstaged(copy.pipes.stderr.text(), ".")
        if how == _BY_ITSELF:
            _, why = verdict(ended, stderr, self._limits)
            how = f"{ended}; {why}" if why else f"{ended}"
        self.news.append(CopyEnd(copy.number, copy.match, how, stderr))

    def _watch(self, copy: _Copy, descriptor: int, events: int = select.POLLIN) -> None:
        if descriptor not in copy.watched:
            self._poll.register(descriptor, events)
            copy.watched.add(descriptor)

    def _leave(self, copy: _Copy, descriptor: int) -> None:
        if descriptor in copy.watched:
            self._poll.unregister(descriptor)
            copy.watched.remove(descriptor)


def _match_in(line: str) -> str:
    """Return the id of the match that a line begins; empty for another line."""
    try:
        return msgspec.json.decode(line, type=Start).match
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""
