"""A bot that runs on its author's machine, as a slow match has it: asked through the server."""

import os
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import monotonic
from typing import NamedTuple, Self

import msgspec

from arena.play.calls import called
from arena.play.messages import StalledError
from protocol.errors import ProtocolError
from protocol.lines import BOT_LINE_BYTES, encode
from protocol.remote import (
    FRAME_LIMIT,
    SILENCE_SECONDS,
    Call,
    CallEnded,
    CallLine,
    CallTaken,
    ToMatch,
    read_to_match,
)
from referee.limits import Limits
from referee.process.pipes import Pipes
from referee.process.polling import Polling
from referee.sandbox import Ended
from referee.turn.answer import BotError
from referee.turn.clock import Clock, Turn
from referee.turn.starting import greet
from referee.turn.wire import Measured, Wire

_STARTUP_SECONDS = SILENCE_SECONDS + 5.0
_TAKEN_SECONDS = 10.0  # in which the server says whether the bot is there
_ENDED = Ended(status=0, cpu=0.0, memory=0)


class _Ends(NamedTuple):
    """The ends of a connection, in place of a process's pipes."""

    stdin: int
    stdout: int
    stderr: int


class RemoteBot(Wire):
    """One copy of a remote bot, for one match.

    The wall is judged, with the way to its author's machine in it. Nobody here can stop it between
    its turns, or see what CPU time it uses. Where the server itself is gone, a turn raises
    StalledError: that is no doing of the bot's.
    """

    def __init__(self, home: Path, call: Call, threads: int, polling: Polling) -> None:
        """Call for a copy by the socket in a folder; raise StalledError if there is none."""
        self.samples = 0
        self.is_ready = False
        self.threads = threads
        self.ended: Ended | None = None
        self._polling = polling
        self._began = self._answered = self._allowed = 0.0
        self._trips: list[float] = []
        self._stderr = ""
        try:
            self._socket = called(home)
        except OSError as error:
            raise StalledError(
                f"nobody takes calls: {error.strerror}", with_everybody=True
            ) from None
        self._socket.setblocking(False)
        errors, nobody = os.pipe()
        os.close(nobody)  # nothing comes: what it writes there is its author's
        self._ends = _Ends(os.dup(self._socket.fileno()), self._socket.fileno(), errors)
        self._pipes = Pipes(self._ends, FRAME_LIMIT, polling=polling)
        try:
            self._begin(call)
        except BaseException:
            self.stop()
            raise

    @classmethod
    def ready(cls, home: Path, call: Call, limits: Limits, name: str, polling: Polling) -> Self:
        """Return a copy that has said ready; raise StalledError, or BotError as `greet` does."""
        found = cls(home, call, limits.threads, polling)
        # a machine that is silent is noticed by then, for which nobody is blamed
        patient = max(limits.startup, _STARTUP_SECONDS)
        limits = msgspec.structs.replace(limits, startup=patient)
        try:
            greet(found, limits, name)
        except StalledError:
            found.stop()
            raise
        return found

    def _begin(self, call: Call) -> None:
        self._allowed = _TAKEN_SECONDS
        self._began = monotonic()
        self._tell(encode(call))
        try:
            heard = self._heard()
        except BotError:
            raise StalledError("the server does not say whether it is connected") from None
        if not isinstance(heard, CallTaken):
            raise StalledError("it is not connected")

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer; raise BotError if that is known to be in vain."""
        if self.ended is not None:
            raise BotError("it has ended")
        self._tell(encode(CallLine(line=line.decode().removesuffix("\n"))))

    def _tell(self, line: bytes) -> None:
        """Write to the server; if it is gone, that shows when something is waited for."""
        with suppress(ConnectionError):
            self._pipes.send(line)

    def ask(self, line: bytes, clock: Clock) -> bytes:
        """Start the clock, send what is asked, and return the bot's next line.

        Raises what `read_line` does.
        """
        self._began = self._answered = monotonic()
        self._allowed = clock.allowed
        self.send(line)
        return self.read_line()

    def read_line(self) -> bytes:
        """Return another line in the same turn.

        Raises BotError when its time is up or when there will be no more lines, and
        ProtocolError for one that is too long.
        """
        match self._heard():
            case CallLine(line=line, trip=trip):
                if trip is not None:
                    self._trips.append(trip)
                found = line.encode()
                if len(found) > BOT_LINE_BYTES:
                    raise ProtocolError(f"a line of more than {BOT_LINE_BYTES} bytes", "flood")
                return found
            case CallEnded(how=how, stderr=stderr):
                self._stderr = stderr
                self.stop()
                raise BotError(f"it {how}")
            case _:
                raise StalledError("the server calls it anew")

    def _heard(self) -> ToMatch:
        """Return what the server says next.

        Raises BotError when the time of the turn is up, and StalledError if the server is gone.
        """
        pipes, polling = self._pipes, self._polling
        moment = monotonic()
        while (left := self._allowed - (moment - self._began)) > 0:
            try:
                frame = pipes.wait(min(left, polling.look_seconds))
                moment = polling.woke()
                if frame is not None:
                    self._answered = max(moment, self._began)
                    found: ToMatch = read_to_match(frame)
                    return found
            except ConnectionError:
                raise StalledError("the server has closed the connection") from None
            except (ProtocolError, msgspec.DecodeError) as error:
                why = f"the server says what is none of its lines: {error}"
                raise StalledError(why) from None
        self._answered = moment
        raise BotError(
            f"no answer after {moment - self._began:.3f} s; {self._allowed:.3f} s allowed, the way "
            f"to its author's machine included",
            "late",
        )

    def close_turn(self) -> Turn:
        """Stop the clock; return what the turn took."""
        return Turn(self._began, self._answered, 0.0, self._answered - self._began)

    def why_overdrawn(self, turn: Turn) -> str:
        """Return in words why an answer in this turn came too late."""
        return (
            f"answered after {turn.wall:.3f} s; {self._allowed:.3f} s allowed, the way to its "
            f"author's machine included"
        )

    def unread(self) -> bytes:
        """Return nothing: lines come whole."""
        return b""

    def close_input(self) -> None:
        """End it: its author's machine lets it do so by itself."""
        self.stop()

    def stop(self, grace: float = 0.0) -> Ended:
        """Want nothing more of it."""
        if self.ended is None:
            self.ended = _ENDED
            self._socket.close()
            os.close(self._ends.stdin)
            os.close(self._ends.stderr)
        return self.ended

    def stderr_text(self) -> str:
        """Return the end of its standard error, if it ended by itself; the rest is its author's."""
        return self._stderr

    def measured(self) -> Measured:
        """Return its standard error, and the median of the round trips to its author's machine."""
        trip = median(self._trips) if self._trips else 0.0
        return Measured(stderr=self._stderr, trip=trip)
