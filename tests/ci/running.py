"""Runs units one after another, those that mostly wait beside others, and none too late."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from tests.ci.plan import BESIDE, FRONT, UNKNOWN
from tests.ci.units import Unit, kind_of

AIM = 25 * 60
"""After how many seconds nothing more may run, on a machine as fast as what was recorded."""
SLOWEST = 1.6
"""By how much that grows, at most, on a slower machine."""
LAST = 50 * 60
"""After how many seconds what still runs is ended, and fails."""
NO_TESTS = 5
"""What pytest exits with where it found none: a room without slow tests is no failure."""
_COUNTS = re.compile(
    r"^[=\s]*(?:\d+ \w+, )*?(\d+) passed(?:, (\d+) skipped)?.* in [\d.]+s", re.MULTILINE
)
_UNTRIED = re.compile(r"(?:^|: )([A-Z][\w .:-]*?) (?:IS|ARE) NOT TESTED HERE", re.MULTILINE)


@dataclass
class Guard:
    """The time that a landing has: who begins a unit asks first whether there is enough."""

    seconds: Mapping[str, float]
    now: Callable[[], float] = time.monotonic
    spent: float = 0.0
    expected: float = 0.0
    begun: float = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.now()

    @property
    def slowness(self) -> float:
        """How many times as long as recorded units take here; 1 where they take less."""
        return min(max(1.0, self.spent / self.expected if self.expected else 1.0), SLOWEST)

    def take(self, name: str, seconds: float) -> None:
        """Learn how long a unit took that had the machine to itself."""
        if name in self.seconds:
            self.spent += seconds
            self.expected += self.seconds[name]

    def may_begin(self, name: str) -> bool:
        """Whether a unit that is begun now will end in time."""
        needed = self.seconds.get(name, UNKNOWN)
        return self.now() - self.begun + needed * self.slowness <= AIM * self.slowness

    def left(self) -> float:
        """Return the seconds after which what runs now is ended."""
        return max(0.0, self.begun + LAST - self.now())


class Ran(NamedTuple):
    """What became of one unit."""

    seconds: float
    passed: int
    """Tests, and likewise those that were skipped."""
    skipped: int
    untried: list[str]
    """What it says is not tested here."""


@dataclass
class Result:
    """What became of units: which ran, and of these which failed; which came too late."""

    ran: dict[str, Ran] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    code: int = 0

    def take(self, name: str, code: int, seconds: float, text: str) -> None:
        """Take what one unit did."""
        if code and not (code == NO_TESTS and kind_of(name) in ("slow", "soak", "attacks")):
            self.failed.append(name)
            self.code = self.code or code
        counts = [(int(passed), int(skipped or 0)) for passed, skipped in _COUNTS.findall(text)]
        passed, skipped = (sum(each) for each in zip((0, 0), *counts, strict=True))
        untried = sorted({each.lower() for each in _UNTRIED.findall(text)})
        self.ran[name] = Ran(seconds, passed, skipped, untried)


class Runner:
    """Runs units in a folder. With `goes_on`, also after one has failed.

    `after` is called with the result so far after each unit.
    """

    def __init__(
        self,
        root: Path,
        guard: Guard | None = None,
        must: Collection[str] = (),
        *,
        goes_on: bool = False,
        after: Callable[["Result"], None] = lambda _: None,
        out: IO[str] = sys.stdout,
    ) -> None:
        self._root = root
        self._guard = guard
        self._must = must
        self._goes_on = goes_on
        self._after = after
        self._out = out
        self._lock = threading.Lock()
        self._running: dict[int, subprocess.Popen[str]] = {}
        self._has_ended = False
        self.result = Result()

    def run(self, units: Sequence[Unit]) -> bool:
        """Run units; return whether all is well so far."""
        beside = [unit for unit in units if kind_of(unit.name) in BESIDE]
        front = [unit for unit in units if kind_of(unit.name) in FRONT]
        alone = [unit for unit in units if unit not in beside and unit not in front]
        with tempfile.TemporaryFile("w+") as kept:
            other = threading.Thread(target=self._all, args=(beside, kept))
            other.start()
            try:
                self._all(front, self._out)
                if self._stops:
                    self._end()
            except BaseException:
                self._end()
                raise
            finally:
                other.join()
                kept.seek(0)
                self._out.write(kept.read())
                self._out.flush()
        self._all(alone, self._out)
        return not self.result.failed

    @property
    def _stops(self) -> bool:
        return bool(self.result.failed) and not self._goes_on

    def _all(self, units: Sequence[Unit], out: IO[str]) -> None:
        for unit in units:
            if self._stops:
                return
            guard, must = self._guard, unit.name in self._must
            if guard is None or must or guard.may_begin(unit.name):
                self._one(unit, out)
            else:
                self.result.late.append(unit.name)

    def _one(self, unit: Unit, out: IO[str]) -> None:
        """Run one unit in a process group of its own, and pass on what it prints."""
        out.write(f"== {unit.name}\n")
        out.flush()
        begun = time.monotonic()
        process = subprocess.Popen(
            unit.words,
            cwd=self._root,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            process_group=0,
        )
        self._running[process.pid] = process
        if self._has_ended:  # what failed beside it did so before it could be ended
            _kill(process)
        text: list[str] = []
        pump = threading.Thread(target=_pass_on, args=(process.stdout, out, text), daemon=True)
        pump.start()
        ended = ""
        try:
            code = process.wait(self._guard.left() if self._guard else None)
        except subprocess.TimeoutExpired:
            _kill(process)
            code, ended = 1, f"== {unit.name} was ended: CI has run for {LAST // 60} minutes\n"
        except BaseException:
            _kill(process)
            raise
        finally:
            del self._running[process.pid]
        pump.join(5)  # a process that outlives the unit may hold its output open
        seconds = time.monotonic() - begun
        with self._lock:
            self.result.take(unit.name, code, seconds, "".join(text))
            self._after(self.result)
            if self._guard and kind_of(unit.name) not in (*BESIDE, *FRONT):
                self._guard.take(unit.name, seconds)
        if unit.name != "again":  # after which the test runner's line is the last
            out.write(ended or f"== {unit.name} took {seconds:.0f} s\n")
            out.flush()

    def _end(self) -> None:
        self._goes_on = False
        self._has_ended = True
        for process in [*self._running.values()]:
            _kill(process)


def _environment() -> dict[str, str]:
    """Return the variables that the Makefile gives to what it runs."""
    own = os.environ | {"UV_NATIVE_TLS": "1"}
    return {name: own[name] for name in own if name != "PYTHONDONTWRITEBYTECODE"}


def _pass_on(source: IO[str] | None, out: IO[str], text: list[str]) -> None:
    assert source
    with source:
        for line in source:
            text.append(line)
            out.write(line)
            out.flush()


def _kill(process: "subprocess.Popen[str]") -> None:
    """End a unit and what it started, and wait for it: a moment to tidy up, and then at once."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            continue
        return
