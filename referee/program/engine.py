"""The process of a game's program, asked one thing at a time.

It lives as long as matches need it, and plays many of them, each by its number. Whatever goes wrong
with it ends it, and is a ProgramError in whichever match it was asked about.
"""

import atexit
import re
from contextlib import suppress
from functools import cache
from time import clock_gettime, monotonic
from typing import Any, TypeVar

import msgspec

from protocol.errors import ArenaError, ProtocolError
from protocol.lines import UNREADABLE, encode, encode_lines, why_unreadable
from referee.clock import cpu_clock, wall_cap
from referee.limits import Limits
from referee.pipes import ClosedError, Pipes
from referee.program.file import Confinement
from referee.program.messages import LINE_LIMIT, End, Refused
from referee.sandbox import Child, Launcher, Program, SandboxError, StartError
from referee.verdict import beside, last_word, verdict

_T = TypeVar("_T", bound=msgspec.Struct)

_LOOK_SECONDS = 0.02  # between looks at its clock
_END_SECONDS = 0.2  # in which a process that closed its output may end by itself
_FIRST_CHOICES = ("landlock", "bwrap")


class ProgramError(ArenaError):
    """The program of a game did not answer as the game protocol has it; the text says how."""


_launchers: dict[Confinement, Launcher] = {}


def _launcher(confinement: Confinement) -> Launcher:
    """Return what starts programs in a sandbox; raise ArenaError if that cannot be had here."""
    if confinement not in _launchers:
        if not _launchers:
            atexit.register(_close_all)
        choices = _FIRST_CHOICES if confinement.sandbox == "auto" else (confinement.sandbox,)
        for sandbox in choices:
            try:
                _launchers[confinement] = Launcher(sandbox, uid=confinement.uid)
                break
            except SandboxError:
                if sandbox == choices[-1]:
                    raise
    return _launchers[confinement]


def _close_all() -> None:
    for launcher in _launchers.values():
        with suppress(OSError):
            launcher.close()


class Engine:
    """A program, and its process while it runs; `ask` starts it if need be."""

    def __init__(self, program: Program, limits: Limits, launcher: Launcher, name: str) -> None:
        self._program = program
        self._limits = limits
        self._launcher = launcher
        self._name = name
        self._child: Child | None = None
        self._pipes: Pipes | None = None
        self._last = 0
        self._ended: list[int] = []
        self._is_asking = False
        self.generation = 0
        """How many processes there were: a match that was begun in an earlier one is lost."""

    def rename(self, name: str) -> None:
        """Call the game by another name in errors: the one that its program has said."""
        self._name = name

    def number(self) -> int:
        """Return a number for another match."""
        self._last += 1
        return self._last

    def forget(self, number: int, generation: int) -> None:
        """Let the program forget a match, as soon as it is asked for something."""
        if generation == self.generation:
            self._ended.append(number)

    def start(self) -> None:
        """Start the process, unless it runs; raise ProgramError if it cannot be started."""
        if self._child is not None:
            return
        self.generation += 1
        self._ended = []
        try:
            self._child = self._launcher.start(self._program, self._limits)
        except StartError as error:
            raise self._error(f"cannot be started: {error}") from None
        self._pipes = Pipes(self._child, LINE_LIMIT)
        self._cpu_clock = cpu_clock(self._child.pid)

    def ask(self, message: msgspec.Struct, kind: type[_T], seconds: float | None = None) -> _T:
        """Return the program's answer, which has to be of a kind.

        `seconds` is how long it may take for that, if it is not as long as for any answer. Raises
        ProgramError if there is no answer, or none that the protocol has.
        """
        if self._is_asking:  # an interruption came in the middle of the last question
            self.stop()
        self.start()
        assert self._pipes is not None
        line = encode(message)
        if self._ended:
            line = encode_lines([*map(End, self._ended)]) + line
            self._ended = []
        asked = type(message).__struct_config__.tag
        self._is_asking = True
        try:
            self._pipes.send(line)
            answer = self._pipes.look()
            if answer is None:
                answer = self._wait(seconds or self._limits.move_time, f"{asked}")
        except ClosedError as error:
            raise self._gone(str(error)) from None
        except ProtocolError as error:
            self.stop()
            raise self._error(f"answered {asked!r} by {error}") from None
        self._is_asking = False
        return self._read(answer, kind, f"{asked}")

    def _read(self, line: bytes, kind: type[_T], asked: str) -> _T:
        try:
            found: _T | Refused = _decoder(kind).decode(line)
        except UNREADABLE as error:
            self.stop()
            why = why_unreadable(line, error)
            raise self._error(f"answered {asked!r} wrongly: {why}{beside(line, '')}") from None
        if isinstance(found, Refused):
            raise self._error(f"refuses {asked!r}: {' '.join(found.text[:300].split())}")
        return found

    def wrong(self, asked: str, what: str) -> ProgramError:
        """Return the error of an answer that the protocol does not allow; the process is ended."""
        self.stop()
        return self._error(f"answered {asked!r} wrongly: {what}")

    def _wait(self, allowed: float, asked: str) -> bytes:
        """Wait for a line, as long as the program may take for it."""
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
                ended = self.stop()
                more = beside(b"", last_word(ended))
                raise self._error(
                    f"has not answered {asked!r} in the {allowed:g} s that it may take ({spent})"
                    f"{more}"
                )

    def _used(self) -> float:
        try:
            return clock_gettime(self._cpu_clock)
        except OSError:
            return 0.0

    def _gone(self, why: str) -> ProgramError:
        """Return the error of a program that has ended, or closed its pipes."""
        deadline = monotonic() + _END_SECONDS
        assert self._child is not None
        child, pipes = self._child, self._pipes
        assert pipes is not None
        has_ended = _has_ended(child, deadline - monotonic())
        pipes.drain()
        ended = self._launcher.stop(child)
        text = self._said(pipes)
        self._child = self._pipes = None
        self._is_asking = False
        if has_ended:
            _, more = verdict(ended, text, self._limits)
            why = f"it {ended}; {more}" if more else f"it {ended}"
        return self._error(f"is gone: {why}{beside(b'', last_word(text))}")

    def stop(self) -> str:
        """End the process, if it runs; return what it wrote to its standard error."""
        self._is_asking = False
        if self._child is None:
            return ""
        assert self._pipes is not None
        with suppress(OSError):
            self._pipes.drain()
        self._launcher.stop(self._child)
        text = self._said(self._pipes)
        self._child = self._pipes = None
        return text

    def _said(self, pipes: Pipes) -> str:
        text, stage = pipes.stderr.text(), self._launcher.folder
        return re.sub(rf"{re.escape(stage)}/\d+/", "", text) if text and stage else text

    def _error(self, what: str) -> ProgramError:
        return ProgramError(f"the program of the game {self._name!r} {what.rstrip('.')}.")


@cache
def _decoder(kind: type[msgspec.Struct]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind | Refused)


def _has_ended(child: Child, seconds: float) -> bool:
    import select

    waiting = select.poll()
    waiting.register(child.pidfd, select.POLLIN)
    return bool(waiting.poll(max(0.0, seconds) * 1000))


def engine_of(program: Program, limits: Limits, confinement: Confinement, name: str) -> Engine:
    """Return what runs a program; raise ArenaError if there is no such sandbox here."""
    launcher = _launcher(confinement)
    named = "landlock" if launcher.sandbox.name.startswith("landlock") else launcher.sandbox.name
    kind: Any = named.split(" ")[0]
    return Engine(program, msgspec.structs.replace(limits, sandbox=kind), launcher, name)
