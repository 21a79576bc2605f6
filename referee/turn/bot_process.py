"""A bot's running process: asked through its pipes, against the clock, frozen, and ended."""

import select
from collections.abc import Callable, Collection
from math import inf
from time import clock_gettime, monotonic
from typing import TYPE_CHECKING, NoReturn

from protocol.lines import BOT_LINE_BYTES
from referee.limits import Limits
from referee.process.output import Capture
from referee.process.pipes import Pipes
from referee.process.polling import ALONE, Polling
from referee.process.procfs import cpu_clock, cpu_of, family
from referee.sandbox import Child, Ended, Launcher
from referee.sandbox.stage import unstaged
from referee.turn.answer import BotError
from referee.turn.clock import Clock, Turn
from referee.turn.freezer import Freezer
from referee.turn.lookout import Lookout
from referee.turn.turn_clock import TurnClock
from referee.turn.verdict import instead, verdict
from referee.turn.wire import Measured, Wire

if TYPE_CHECKING:
    from referee.door import DoorClient

_EXIT_GRACE = 0.2  # seconds in which a bot that closed its output may end by itself


class BotProcess:
    """One process, asked one thing at a time: `ask`, perhaps `read_line`, `close_turn`.

    Everything happens on the caller's thread, and nothing is read while nothing is asked.
    """

    def __init__(
        self,
        launcher: Launcher,
        child: Child,
        limits: Limits,
        neighbours: Collection[Wire] = (),
        polling: Polling = ALONE,
    ) -> None:
        self.polling = polling
        self._look_seconds = polling.look_seconds
        self._woke = polling.woke
        self._launcher = launcher
        self._child = child
        self._limits = limits
        self._is_inside = limits.sandbox == "bwrap"  # where no clock shows its CPU
        self._has_children = limits.sandbox in ("bwrap", "none")  # or may have some
        self._cpu_clock = cpu_clock(child.pid)
        self._lookout = Lookout(child, limits, neighbours, polling.look_seconds)
        self._pipes = Pipes(child, BOT_LINE_BYTES, polling=polling)
        self.threads = limits.threads
        """How many of its threads can run at a time."""
        self.turn_clock = TurnClock(self._cpu(if_gone=0.0), self._waited, self.threads)
        self.meter = self.turn_clock.meter
        self.freezer = Freezer(child, limits.sandbox)
        self.tap: Callable[[str, bytes], None] | None = None
        """Called with every line that passes, and an arrow: → sent or ← received."""
        self.is_ready = False
        """Whether it has said that it is ready."""
        self.samples = 0
        """How many legal moves it wants to see of a decision that does not list them."""
        self.ended: Ended | None = None
        """How the process ended, once it has."""
        self.visit: DoorClient | None = None
        """The bot at its door, where it is heard during its turns, if it has one."""
        self.outage = ""
        """How a request has failed that it made in its last turn, in words."""
        self._without_core = self._forgiven = 0.0  # seconds of this turn, with a door
        self._used_before = 0.0  # CPU seconds of all its processes as the turn began, with a door
        self._has_played = False

    def begin_match(self) -> None:
        """Forget the last match, except for the CPU used since then.

        The standard error from before the bot was ready is kept for the first match.
        """
        if self._has_played:
            self._pipes.stderr = Capture()
        self._has_played = True
        self.turn_clock.begin_match()
        self.freezer.begin_match()

    def end_match(self) -> None:
        """Empty the standard error and leave the process frozen until it plays again."""
        if self.ended is None:
            self._pipes.drain()
            self.freeze()

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer; raise BotError if the bot cannot read it."""
        if self.tap is not None:
            self.tap("→", line)
        if self.ended is not None:
            raise self._ended_error()
        try:
            self._pipes.send(line)
        except BrokenPipeError as error:
            self._gone(str(error))

    def _ended_error(self) -> BotError:
        lifted = self.freezer.lifted
        return BotError(lifted, "killed") if lifted else BotError(f"it {self.ended}")

    def ask(self, line: bytes, clock: Clock) -> bytes:
        """Start the clock, send what is asked, and return the bot's next line.

        Raises what `read_line` does, and BotError of the kind `unfrozen` before the bot is asked.
        """
        if self.tap is not None:
            self.tap("→", line)
        turn, pipes = self.turn_clock, self._pipes
        if self.visit is not None:
            self.visit.begin_turn()
            self._without_core = self._forgiven = 0.0
            self._used_before = self._used()
        began = monotonic()
        is_rested = turn.begin(began, clock)
        if self.freezer.frozen:
            self._wake()
        if self.ended is not None:
            raise self._ended_error()
        if is_rested:
            self._settle()
        try:
            answer = pipes.ask(line)
        except BrokenPipeError as error:
            self._gone(str(error))
        finally:  # a line that is none took some time, too
            turn.asked(monotonic())
        if answer is None:
            return self._next_line(turn.allowed)
        if self.tap is not None:
            self.tap("←", answer)
        return answer

    def _wake(self) -> None:
        """Thaw the bot for its turn; raise BotError if it has done so by itself."""
        self.thaw()
        if self.freezer.lifted and self.ended is None:
            self._settle()
            raise BotError(self.freezer.take_lifted(), "unfrozen")

    def _settle(self) -> None:
        """Charge CPU used since the last turn as off-turn time."""
        try:
            reading = clock_gettime(self._cpu_clock)
        except OSError:  # whatever holds its pipes now is not the bot
            self._gone("it has ended")
        self.turn_clock.settle(reading)

    def read_line(self) -> bytes:
        """Return another line in the same turn.

        Raises BotError when its time is up or when there will be no more lines, and
        ProtocolError for one that is too long.
        """
        self.turn_clock.answered = monotonic()
        return self._next_line(self._time_left(monotonic()))

    def _next_line(self, timeout: float) -> bytes:
        pipes, turn, longest = self._pipes, self.turn_clock, self._look_seconds
        line = None
        try:
            while line is None:
                wait = timeout if timeout < longest else longest  # noqa: FURB136 - 50 ns less
                line = pipes.wait(wait)
                moment = self._woke()
                if turn.is_stalled(moment, wait, is_heard=line is not None):
                    self._lookout.forget()
                if line is None:
                    timeout = self._time_left(moment)
        except BrokenPipeError as error:
            self._gone(str(error))
        if self.tap is not None:
            self.tap("←", line)
        return line

    def _time_left(self, moment: float) -> float:
        """Return how long to wait for the bot from now, in seconds; raise BotError if it is late.

        It was waited for until `moment`, and no longer.
        """
        turn = self.turn_clock
        reading = self._cpu(if_gone=turn.cpu_start)
        if closed := self._lookout.look(self, moment, turn.began, turn.used(reading)):
            self._gone(f"it closed its standard {closed}")
        if left := turn.left(moment, reading):
            return left
        did = instead(
            self._pipes.unread(),
            has_unread=not self._pipes.has_read_all(),
            is_idle=turn.is_idle(reading),
            is_ready=self.is_ready,
            waited=self._lookout.forgiven(turn.began),
        )
        raise BotError(turn.why_late(moment, reading) + did, "late")

    def _waited(self, began: float) -> float:
        """Return the seconds of a turn in which others kept the bot waiting; each second once."""
        waited = self._lookout.waited(began)
        if self.visit is None:
            return waited
        # It may have waited for a core while it was held up; and what it thought is its own. In the
        # end it may have been held up for less, as it has not waited for what it asked.
        self._without_core += waited
        held = self.visit.held - (self._used() - self._used_before)
        before, self._forgiven = self._forgiven, max(self._without_core, held)
        return self._forgiven - before

    def _used(self) -> float:
        """Return the CPU seconds of all its processes; endless if that cannot be read."""
        try:
            if self._has_children:
                return cpu_of(self.family)
            return clock_gettime(self._cpu_clock)
        except OSError:
            return inf

    @property
    def door(self) -> tuple[int, int] | None:
        """Our ends of its door: where its requests are read, and its answers are written."""
        return self._child.door

    @property
    def listener(self) -> int | None:
        """The socket that listens for its requests over HTTP, if it has one."""
        return self._child.listener

    def unread(self) -> bytes:
        """Return the incomplete line that the bot has sent; the tap gets it unchanged."""
        held = self._pipes.unread()
        if held and self.tap is not None:
            self.tap("←", held)
        return held

    def overheard(self, seconds: float) -> bytes:
        """Let the bot run for a while without an ask; return any line that it sends.

        CPU used meanwhile is off-turn time. The bot is frozen afterwards, as between matches.
        Raises what `read_line` does, but for no lack of time.
        """
        line = None
        self.thaw()
        until = monotonic() + seconds
        try:
            while line is None and (left := until - monotonic()) > 0:
                line = self._pipes.wait(left)
        except BrokenPipeError as error:
            self._gone(str(error))
        if self.ended is None:
            self._settle()
            self.freeze()
        return self._pipes.unread() if line is None else line

    def close_turn(self) -> Turn:
        """Stop the clock; return what the turn took."""
        if self.visit is not None:
            self.visit.answer_came()  # it waits for nothing any more
        try:
            reading: float | None = clock_gettime(self._cpu_clock)
        except OSError:  # it has ended, as the next turn finds out
            reading = None
        turn = self.turn_clock.end(reading)
        if self.meter.burner or self._is_inside:
            self.freeze()
        if self.visit is not None:
            self.outage = self.visit.end_turn().outage
        return turn

    def measured(self) -> Measured:
        """Return what was measured in this match.

        Raises MachineError if its cgroup was taken away.
        """
        return Measured(
            stderr=self.stderr_text(),
            burner=self.meter.burner,
            charged=self.meter.charged,
            unfrozen=self.freezer.ran,
            memory_peak=self._child.peak(),
        )

    def why_overdrawn(self, turn: Turn) -> str:
        """Return in words why an answer in this turn came too late."""
        return self.turn_clock.why_overdrawn(turn)

    @property
    def stderr(self) -> Capture:
        """What is kept of its standard error."""
        return self._pipes.stderr

    def stderr_text(self) -> str:
        """Return what is kept of its standard error, its files named as their author knows them."""
        return unstaged(self.stderr.text())

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
        """Let the bot get ready for its first turn, if a clock shows what CPU it uses for that."""
        if not self._is_inside:
            self.thaw()

    def watch(self) -> None:
        """Freeze the bot if it uses more CPU than is free while another is asked.

        A frozen bot that runs is frozen again; the second time it is ended.
        """
        if self.ended is not None:
            return
        if self.freezer.frozen:
            self._look_at_freeze()
        elif self.meter.is_overdrawn(self._cpu(if_gone=self.meter.mark)):
            self.meter.burner = True
            self.freeze()

    def _look_at_freeze(self) -> None:
        self.meter.owed += self.freezer.look()
        if self.freezer.is_hopeless:
            self.stop()

    def close_input(self) -> None:
        """Let the bot read the end of its input, so that it can exit by itself."""
        if self.ended is None:
            self.thaw()
            self._pipes.close_input()

    def stop(self, grace: float = 0.0) -> Ended:
        """End the process, after `grace` seconds in which it may do so itself."""
        if self.ended is None:
            if grace:
                self._wait_for_end(grace)
            self._pipes.drain()
            self.ended = self._launcher.stop(self._child)
        return self.ended

    def _gone(self, why: str) -> NoReturn:
        """Raise BotError with how the process ended, or with `why` if it lives on."""
        has_ended = self._wait_for_end(_EXIT_GRACE)
        ended = self.stop()
        if not has_ended:
            raise BotError(why)
        kind, why = verdict(ended, self.stderr_text(), self._limits)
        raise BotError(f"it {ended}; {why}" if why else f"it {ended}", kind)

    def _wait_for_end(self, seconds: float) -> bool:
        waiting = self.polling.poll()
        waiting.register(self._child.pidfd, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))

    def _cpu(self, *, if_gone: float) -> float:
        """Return the CPU seconds that the process has used; a reaped process has no clock."""
        try:
            return clock_gettime(self._cpu_clock)
        except OSError:
            return if_gone
