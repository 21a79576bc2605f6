"""A bot's running process: its pipes, its CPU clock, its standard error, and its end."""

import fcntl
import io
import os
import re
import select
import termios
from collections.abc import Collection
from time import clock_gettime, monotonic
from typing import NoReturn

from protocol.lines import LINE_LIMIT, LineBuffer
from referee.capture import Capture
from referee.clock import CAP_SECONDS, Clock, Turn, cap_words, cpu_clock, wall_cap
from referee.freezer import Freezer
from referee.limits import Limits
from referee.lookout import LOOK_SECONDS, Lookout
from referee.meter import Meter
from referee.procfs import family
from referee.sandbox import Child, Ended, Launcher
from referee.verdict import Verdict, instead, verdict

_GLANCE = 470  # bytes read at a look: nearly always a whole line, and no work for malloc
_PIECE = LINE_LIMIT  # bytes read at a time: what a pipe holds, and never too much for a line
_DRAINED = 64  # pieces of standard error read when nobody waits for them
_STALL_SECONDS = 0.5  # a wait that overran by more: the referee was stopped, and the bot perhaps
_RUN_SECONDS = 2e-6  # a write that took longer: a bot on the same core ran, and may have answered
_EXIT_GRACE = 0.2  # seconds in which a bot that closed its output may end by itself
_IDLE_SHARE = 0.1  # of the time allowed: who used less CPU waits for something
_SHORT_SECONDS = 0.0001  # between two turns: what was used then counts as used in the second
_LEAST_SECONDS = 0.01  # for which a bot that had no core is waited for once more


class LateError(Exception):
    """The bot has used up its time; the text says how."""


class UnfrozenError(Exception):
    """The bot has run while it was frozen; the text says how long."""


class GoneError(Exception):
    """The bot's process has ended or will not talk any more; the text says how."""

    def __init__(self, how: str, kind: Verdict = "crash") -> None:
        super().__init__(how)
        self.kind = kind
        """Which limit it hit, as far as that shows."""


class BotProcess:
    """One process, asked one thing at a time: `ask`, perhaps `read_line`, `close_turn`.

    Everything happens on the caller's thread, in one poll of the bot's output and standard
    error; nothing is read while nothing is asked.
    """

    def __init__(
        self,
        launcher: Launcher,
        child: Child,
        limits: Limits,
        neighbours: Collection["BotProcess"] = (),
    ) -> None:
        self._launcher = launcher
        self._limits = limits
        self._lookout = Lookout(child, limits.sandbox, neighbours)
        self._is_inside = limits.sandbox == "bwrap"  # of what is known, and no clock shows it
        self._child = child
        self._cpu_clock = cpu_clock(child.pid)
        self._lines = LineBuffer()
        self._unsent = b""
        self._stdin = child.stdin
        self._read = io.FileIO(child.stdout, closefd=False).read  # None while there is nothing
        self._read_errors = io.FileIO(child.stderr, closefd=False).read
        self._poll = select.poll()
        self._poll.register(child.stdout, select.POLLIN)
        self._poll.register(child.stderr, select.POLLIN)
        self._began = self._cap_start = self._answered = 0.0  # the turn, its cap, the last answer
        self._turn_cpu = 0.0
        self._charge = self._charged = 0.0  # what was charged last, and when that turn began
        self.allowed = 0.0
        self._by_cpu = True
        self.is_ready = False
        """Whether it has said so."""
        self.ended: Ended | None = None
        """How the process ended, once it has."""
        self.freezer = Freezer(child, limits.sandbox)
        self.meter = Meter(self._cpu())
        self.stderr = Capture()
        self._begun = -1  # matches: the start of the process comes first
        self.begin_match()

    def begin_match(self) -> None:
        """Forget the last match, but for what the bot used since then.

        What it wrote to its standard error before it was ready stays for the first.
        """
        self._begun += 1
        if self._begun > 1:
            self.stderr = Capture()
        self.burner = False
        """Whether it burnt CPU between its turns; then it is frozen there."""
        self.meter.begin_match()
        self.freezer.begin_match()
        self._rested = 0.0  # when its last turn ended, if it had one in this match

    def end_match(self) -> None:
        """Empty the standard error and leave the process frozen until it plays again."""
        if self.ended is None:
            self._drain()
            self.freeze()

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer; raise GoneError if nobody can read it."""
        if self.ended is not None:  # its descriptors are closed: others may have their numbers
            if self.freezer.lifted:
                raise GoneError(self.freezer.lifted, "killed")
            raise GoneError(f"it {self.ended}")
        data = self._unsent + line if self._unsent else line
        try:
            sent = os.write(self._stdin, data)
        except BlockingIOError:
            sent = 0
        except BrokenPipeError:
            self._gone("it closed its standard input")
        self._unsent = data[sent:] if sent < len(data) else b""

    def ask(self, line: bytes, clock: Clock) -> bytes:
        """Start the clock, send what is asked, and return the bot's next line.

        Raises what `read_line` does, and UnfrozenError, with which the bot is not asked.
        """
        self.allowed = clock.allowed
        self._by_cpu = clock.by_cpu
        self._turn_cpu = self.meter.mark
        self._began = self._cap_start = self._answered = began = monotonic()
        if self.freezer.frozen:
            self._wake()
        if began - self._rested > _SHORT_SECONDS:
            self._settle()
        if self._unsent or self.ended is not None:
            self.send(line)
        else:  # as nearly always, and a call less
            try:
                sent = os.write(self._stdin, line)
            except OSError:
                self.send(line)  # which knows what to make of it
            else:
                if sent < len(line):
                    self._unsent = line[sent:]
        self._cap_start = self._answered = asked = monotonic()  # what was before is the referee's
        if not self._by_cpu:
            self._cap_start -= self._charge_now()
        return self._next_line(self.allowed, look=asked - began > _RUN_SECONDS)

    def _wake(self) -> None:
        """Thaw the bot for its turn; raise UnfrozenError if it has done so by itself."""
        self.thaw()
        if self.freezer.lifted and self.ended is None:
            self._settle()
            raise UnfrozenError(self.freezer.tell())

    def _settle(self) -> None:
        """Tell what the bot used since its last turn from what it uses in this one.

        What was not free is charged to this turn. After a moment there is nothing to tell: the
        bot pays for that itself.
        """
        if self.ended is not None:
            return  # as it is told when something is sent
        try:
            cpu = clock_gettime(self._cpu_clock)
        except OSError:  # it has ended; what holds its pipes now is not the bot
            self._gone("it has ended")
        charge = self.meter.settle(cpu)
        if charge:
            self._charge, self._charged = charge, self._began
            self.burner = True
        self._turn_cpu = cpu - charge

    def _charge_now(self) -> float:
        """Return the seconds that this turn is charged for what was used before it."""
        return self._charge if self._charged == self._began else 0.0

    def read_line(self) -> bytes:
        """Return another line in the same turn.

        Raises LateError when its time is up, GoneError when there will be no more lines, and
        OverlongLineError.
        """
        self._answered = monotonic()
        return self._next_line(self._time_left())

    def _next_line(self, timeout: float, *, look: bool = False) -> bytes:
        line = self._lines.pop() if self._lines.held else None
        if look and line is None and (data := self._read(_GLANCE)) is not None:
            line = self._heard(data)
            self._answered = monotonic()
        while line is None:
            wait = min(LOOK_SECONDS, timeout)
            due = self._answered + wait
            if self._unsent:
                line = self._flush(wait)
            else:
                line = self._collect(self._poll.poll(wait * 1000))  # rounded up
            self._answered = monotonic()
            if self._answered - due > _STALL_SECONDS:
                self._cap_start = self._answered
                self._lookout.forget()
            if line is None:
                timeout = self._time_left()
        return line

    def unread(self) -> bytes:
        """Return what the bot has sent that is not a whole line."""
        return bytes(self._lines.held)

    def overheard(self, seconds: float) -> bytes:
        """Let the bot run for a while in which nothing is asked; return what it says all the same.

        What it burns meanwhile is off turn. It is frozen afterwards, as between matches. Raises
        what `read_line` does, but for LateError.
        """
        line = None
        self.thaw()
        until = monotonic() + seconds
        while line is None and (left := until - monotonic()) > 0:
            line = self._collect(self._poll.poll(left * 1000))
        self._settle()
        self.freeze()
        return self.unread() if line is None else line

    def close_turn(self) -> Turn:
        """Stop the clock; return what the turn took."""
        answered = self._rested = self._answered
        if not self._by_cpu or answered - self._cap_start > CAP_SECONDS:  # where it may cost
            self._cap_start += self._lookout.waited(self._began)
        meter = self.meter
        try:
            meter.mark = mark = clock_gettime(self._cpu_clock)
        except OSError:  # it has ended, as the next turn is to find out
            meter.mark = mark = self._turn_cpu
            self._rested = 0.0
        cpu = mark - self._turn_cpu
        meter.on_turn += cpu
        if self.burner or self._is_inside:
            self.freeze()
        return Turn(self._began, answered, cpu, answered - self._cap_start)

    def stderr_text(self) -> str:
        """Return what is kept of its standard error, its files named as their author knows them."""
        text, stage = self.stderr.text(), self._launcher.folder
        return re.sub(rf"{re.escape(stage)}/\d+/", "", text) if text and stage else text

    @property
    def family(self) -> list[int]:
        """The process with all that it has started, by pid."""
        return family(self._child.pid)

    def freeze(self) -> None:
        """Stop the process where it is."""
        if self.ended is None:
            self.freezer.freeze()

    def thaw(self) -> None:
        """Let a frozen process go on, unless it did so by itself: then it stays until its turn."""
        if self.freezer.frozen and self.ended is None:
            self._look_at_freeze()
            if not self.freezer.lifted:
                self.freezer.thaw()

    def prepare(self) -> None:
        """Let the bot get ready for its first turn, if it can be seen what it uses for that."""
        if not self._is_inside:
            self.thaw()

    def watch(self) -> None:
        """Look at what the process uses while another is asked.

        It is frozen if that is more than is free; who lifts its freeze is known, and ended the
        second time.
        """
        if self.ended is not None:
            return
        if self.freezer.frozen:
            self._look_at_freeze()
        elif self.meter.is_overdrawn(self._cpu()):
            self.burner = True
            self.freeze()

    def _look_at_freeze(self) -> None:
        used = self.freezer.look()
        if self._is_inside:  # no clock shows it
            self.meter.owed += used
        if self.freezer.is_hopeless:
            self.stop()

    def close_input(self) -> None:
        """Tell the bot that no more will come, so that it can exit by itself."""
        if self.ended is None:
            self.thaw()
            null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            os.dup2(null, self._child.stdin, inheritable=False)
            os.close(null)

    def stop(self, grace: float = 0.0) -> Ended:
        """End the process, after `grace` seconds in which it may do so itself."""
        if self.ended is None:
            if grace:
                self._wait_for_end(grace)
            self._drain()
            self.ended = self._launcher.stop(self._child)
        return self.ended

    def _cpu(self) -> float:
        try:
            return clock_gettime(self._cpu_clock)
        except OSError:  # it has ended and was reaped
            return self._turn_cpu

    def _collect(self, events: list[tuple[int, int]]) -> bytes | None:
        """Read what a poll found; return the next line, if it is there now."""
        line = None
        for descriptor, _ in events:
            data = os.read(descriptor, _PIECE)
            if descriptor == self._child.stderr:
                if data:
                    self.stderr.add(data)
                else:
                    self._poll.unregister(descriptor)
            else:
                line = self._heard(data)
        return line

    def _heard(self, data: bytes) -> bytes | None:
        """Take what was read of the bot's output; return the next line, if it is there now."""
        if 0 < data.find(b"\n") + 1 == len(data) and not self._lines.held:
            return data[:-1]  # one whole line, as nearly always
        if not data:
            self._gone("it closed its standard output")
        self._lines.push(data)
        return self._lines.pop()

    def _gone(self, closed: str) -> NoReturn:
        """Raise GoneError for a process that has ended, or has `closed` a pipe and lives on."""
        has_ended = self._wait_for_end(_EXIT_GRACE)
        ended = self.stop()
        if not has_ended:
            raise GoneError(closed)
        kind, why = verdict(ended, self.stderr_text(), self._limits)
        raise GoneError(f"it {ended}; {why}" if why else f"it {ended}", kind)

    def _wait_for_end(self, seconds: float) -> bool:
        waiting = select.poll()
        waiting.register(self._child.pidfd, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))

    def _flush(self, timeout: float) -> bytes | None:
        """Wait until the bot reads on or says something; send what it had not read.

        Returns the bot's next line, if it is there now.
        """
        stdin = self._child.stdin
        self._poll.register(stdin, select.POLLOUT)
        events = self._poll.poll(timeout * 1000)
        self._poll.unregister(stdin)
        line = self._collect([event for event in events if event[0] != stdin])
        if any(event[0] == stdin for event in events):
            self.send(b"")
        return line

    def _drain(self) -> None:
        """Read what is left of the standard error, without waiting for more."""
        for _ in range(_DRAINED):
            data = self._read_errors(_PIECE)
            if not data:
                return
            self.stderr.add(data)

    def _time_left(self) -> float:
        """Return how long to wait for the bot now, in seconds; raise LateError if it is late."""
        moment = monotonic()
        cpu = self._cpu() - self._turn_cpu
        if self._lookout.is_due(moment, self._began):
            closed = self._lookout.look(self, moment, self._began, cpu)
            if closed:
                self._gone(f"it closed its standard {closed}")
        cap = wall_cap(self.allowed) if self._by_cpu else self.allowed
        if self._by_cpu and cpu >= self.allowed:
            raise self._late(
                f"{cpu:.3f} s of CPU time used{self.of_it_before()}; {self.allowed:.3f} s allowed"
            )
        left = cap - (moment - self._cap_start)
        if left <= 0:
            self._cap_start += self._lookout.waited(self._began)
            left = cap - (moment - self._cap_start)
            if left <= 0:
                raise self._late(self._too_long(moment, cpu))
            left = max(left, _LEAST_SECONDS)
        return min(self.allowed - cpu, left) if self._by_cpu else left

    def _too_long(self, moment: float, cpu: float) -> str:
        """Return why a bot is late by the wall, in words."""
        wall = moment - self._cap_start
        if not self._by_cpu:
            before = self.of_it_before()
            return f"no answer after {wall:.3f} s{before}; {self.allowed:.3f} s allowed"
        return (
            f"no answer after {wall:.3f} s on the wall, {cpu:.3f} s of CPU time used; "
            f"{cap_words(self.allowed)}"
        )

    def of_it_before(self) -> str:
        """Return in words what of a turn's time was used before it; nothing if nothing was."""
        charge = self._charge_now()
        return f", {charge:.3f} s of it before it was asked" if charge else ""

    def _late(self, reason: str) -> LateError:
        """Return the error of a bot whose time is up, with what it did instead of answering."""
        unread = any(fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4)))
        is_idle = self._cpu() - self._turn_cpu < _IDLE_SHARE * self.allowed
        did = instead(
            self.unread(),
            has_unread=unread,
            is_idle=is_idle,
            is_ready=self.is_ready,
            waited=self._lookout.told(self._began),
        )
        return LateError(reason + did)
