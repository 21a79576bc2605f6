"""The process of a game's program, asked one thing at a time.

It lives as long as matches need it, and plays many of them, each by its number. Whatever goes wrong
with it ends it, and is a ProgramError in whichever match it was asked about.
"""

import atexit
import select
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from time import clock_gettime, monotonic
from typing import Any, TypeVar

import msgspec

from protocol.errors import ArenaError, ProtocolError
from protocol.game_messages import (
    GAME_LINE_BYTES,
    VERSION,
    AboutGame,
    EndMatch,
    GameHello,
    RefusedMessage,
)
from protocol.lines import UNREADABLE, encode, encode_lines, why_unreadable
from referee.limits import Limits, wall_cap
from referee.process.pipes import Pipes
from referee.process.procfs import cpu_clock
from referee.program.file import Confinement
from referee.sandbox import Child, Ended, Launcher, Program, SandboxError, StartError
from referee.sandbox.stage import unstaged
from referee.turn.verdict import beside, last_word, verdict

_T = TypeVar("_T", bound=msgspec.Struct)

_LOOK_SECONDS = 0.02  # between looks at its clock
_END_SECONDS = 0.2  # in which a process that closed its output may end by itself
_LAST_LINES = 20  # of its standard error, which an error keeps
_IDLE_SECONDS = 0.1  # of CPU time: who used less does not think, it waits
_FIRST_CHOICES = ("landlock", "bwrap")


class ProgramError(ArenaError):
    """The program of a game did not answer as the game protocol has it; the text says how."""

    def __init__(self, text: str, stderr: str = "") -> None:
        super().__init__(text)
        self.said = stderr.strip("\n").splitlines()[-_LAST_LINES:]


def _launcher(confinement: Confinement) -> Launcher:
    """Return what starts programs in a sandbox; raise SandboxError if that cannot be had here."""
    *others, last = _FIRST_CHOICES if confinement.sandbox == "auto" else (confinement.sandbox,)
    for sandbox in others:
        with suppress(SandboxError):
            return Launcher(sandbox, uid=confinement.uid)
    return Launcher(last, uid=confinement.uid)


_MOST_RUNNING = 4
"""So many programs run while nobody plays them: each has a fork server, and users of its own."""
_running: list["Engine"] = []
"""Those that were started, the last one last."""


class Engine:
    """A program, and its process while it runs; `ask` starts it if need be."""

    def __init__(
        self,
        program: Program,
        limits: Callable[[str], Limits],
        confinement: Confinement,
        name: str,
    ) -> None:
        """Run a program in a sandbox, within the limits that it has in each kind of that.

        `name` is what the game is called in errors.
        """
        self._program = program
        self._limits_in = limits
        self._limits = limits("none")
        self._confinement = confinement
        self._launcher: Launcher | None = None
        self._name = name
        self._child: Child | None = None
        self._pipes: Pipes | None = None
        self._last = 0
        self._playing = 0
        self._ended: list[int] = []
        self._is_asking = False
        self._asked = "hello"
        self.about: AboutGame | None = None
        """What game it has said that it is, once it was started."""
        self.generation = 0
        """How many processes there were: a match that was begun in an earlier one is lost."""

    @property
    def is_playing(self) -> bool:
        """Whether somebody holds a match of it."""
        return self._playing > 0

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return self._child is not None

    def number(self) -> int:
        """Return a number for another match."""
        self._last += 1
        return self._last

    def hold(self, match: object, number: int) -> None:
        """Remember a match that has begun; once nobody holds it, the program is to forget it."""
        self._playing += 1
        weakref.finalize(match, self._let_go, number, self.generation).atexit = False

    def _let_go(self, number: int, generation: int) -> None:
        self._playing -= 1
        if generation == self.generation:
            self._ended.append(number)  # and it is told with the next question

    def start(self) -> None:
        """Start the process, unless it runs.

        Raises ProgramError if it cannot be started, SandboxError if there is no such sandbox here.
        """
        if self._child is not None:
            return
        if self._launcher is None:
            self._launcher = _launcher(self._confinement)
            atexit.register(self.rest)
            _running.append(self)
            for other in _running[:-_MOST_RUNNING]:
                if not other.is_playing:
                    other.rest()
            self._limits = self._limits_in(self._launcher.sandbox.name.partition(" ")[0])
        self.generation += 1
        self._ended = []
        try:
            self._child = self._launcher.start(self._program, self._limits)
        except StartError as error:
            raise self._error(f"cannot be started: {error}") from None
        self._pipes = Pipes(self._child, GAME_LINE_BYTES)
        self._cpu_clock = cpu_clock(self._child.pid)
        about = self._exchange(GameHello(VERSION), AboutGame, self._limits.startup)
        if self.about is not None and about != self.about:
            raise self.wrong("hello", "it is another game than the last time that it was asked")
        self.about = about
        self._name = about.name

    def ask(self, message: msgspec.Struct, kind: type[_T]) -> _T:
        """Return the program's answer, which has to be of a kind.

        Raises ProgramError if there is no answer, or none that the protocol has.
        """
        if self._is_asking:  # an interruption came in the middle of the last question
            self.stop()
        self.start()
        return self._exchange(message, kind, self._limits.move_time)

    def _exchange(self, message: msgspec.Struct, kind: type[_T], seconds: float) -> _T:
        assert self._pipes is not None
        line = encode(message)
        if self._ended:
            line = encode_lines([*map(EndMatch, self._ended)]) + line
            self._ended = []
        try:
            self._check_silent()
            self._is_asking, self._asked = True, _tag(message)
            self._pipes.send(line)
            # The game shares our core: it cannot have answered before we wait for it
            answer = self._pipes.wait(_LOOK_SECONDS)
            if answer is None:
                answer = self._waited(seconds, message)
        except BrokenPipeError as error:
            raise self._gone(str(error)) from None
        except ProtocolError as error:
            raise self.wrong(self._asked, str(error)) from None
        self._is_asking = False
        try:
            found: _T | RefusedMessage = _decoder(kind).decode(answer)
        except UNREADABLE as error:
            why = why_unreadable(answer, error)
            raise self.wrong(_tag(message), f"{why}{beside(answer, '')}") from None
        if isinstance(found, RefusedMessage):
            text = " ".join(found.text[:300].split())
            raise self._error(f"refuses {_tag(message)!r}: {text}")
        return found

    def _check_silent(self) -> None:
        """Raise ProtocolError if it has said more than it was asked: that is no answer to come."""
        assert self._pipes is not None
        more = self._pipes.look()
        if more is None:
            more = self._pipes.unread()
            if not more:
                return
        raise ProtocolError(f"it wrote more than one line{beside(more, '')}")

    def wrong(self, asked: str, what: str) -> ProgramError:
        """Return the error of an answer that the protocol does not allow; the process is ended."""
        return self._error(f"answered {asked!r} wrongly: {what}", self.stop())

    def _waited(self, allowed: float, message: msgspec.Struct) -> bytes:
        """Return the answer to a message that was sent a little ago; raise if it is late."""
        assert self._pipes is not None
        by_cpu = self._limits.judge == "cpu"
        began, used_before = monotonic(), self._used()
        cap = wall_cap(allowed) if by_cpu else allowed
        while True:
            line = self._pipes.wait(_LOOK_SECONDS)
            if line is not None:
                return line
            used = self._used() - used_before
            waited = monotonic() - began
            if waited > cap or (by_cpu and used > allowed):
                spent = f"{used:.1f} s of CPU time, {waited:.1f} s in all" if by_cpu else "time"
                text = self.stop()
                more = beside(b"", last_word(text))
                if used < _IDLE_SECONDS and not more:
                    more = "; does it flush its standard output after each line?"
                raise self._error(
                    f"has not answered {_tag(message)!r} in the {allowed:g} s that it may take "
                    f"({spent}){more}",
                    text,
                )

    def _used(self) -> float:
        try:
            return clock_gettime(self._cpu_clock)
        except OSError:
            return 0.0

    def _gone(self, why: str) -> ProgramError:
        """Return the error of a program that has ended, or closed its pipes."""
        assert self._child is not None
        has_ended = _has_ended(self._child)
        ended, text = self._stopped()
        if has_ended:
            _, more = verdict(ended, text, self._limits)
            why = f"it {ended}; {more}" if more else f"it {ended}"
        return self._error(f"is gone: {why}{beside(b'', last_word(text))}", text)

    def stop(self) -> str:
        """End the process, if it runs; return what it wrote to its standard error."""
        return self._stopped()[1] if self._child is not None else ""

    def _stopped(self) -> tuple[Ended, str]:
        """End the process; return how it ended, and what it wrote to its standard error."""
        assert self._child is not None
        assert self._pipes is not None
        assert self._launcher is not None
        child, pipes = self._child, self._pipes
        self._child = self._pipes = None
        self._is_asking = False
        with suppress(OSError):
            pipes.drain()
        return self._launcher.stop(child), unstaged(pipes.stderr.text())

    def rest(self) -> None:
        """End the process, and what starts it; the next question starts both again."""
        with suppress(OSError):
            self.stop()
        if self._launcher is not None:
            launcher, self._launcher = self._launcher, None
            _running.remove(self)
            atexit.unregister(self.rest)
            with suppress(OSError):
                launcher.close()

    def _error(self, what: str, stderr: str = "") -> ProgramError:
        end = "" if what.endswith("?") else "."
        text = f"the program of the game {self._name!r} {what.rstrip('.')}{end}"
        return ProgramError(text, stderr)


@cache
def _decoder(kind: type[msgspec.Struct]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind | RefusedMessage)


def _tag(message: msgspec.Struct) -> str:
    """Return what a message is called on the wire."""
    return f"{type(message).__struct_config__.tag}"


def _has_ended(child: Child) -> bool:
    """Return whether a process has ended, after a moment in which it may do so by itself."""
    waiting = select.poll()
    waiting.register(child.pidfd, select.POLLIN)
    return bool(waiting.poll(_END_SECONDS * 1000))
