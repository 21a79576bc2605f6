"""What a step finds, and where it shows; a game that hangs, prints, draws or asks the world."""

import gc
import io
import linecache
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from random import _inst as _of_the_program
from types import CodeType, FrameType
from typing import Any, Literal

import msgspec

from protocol.errors import ArenaError
from referee.rules.chance import Chance, Key

State = Literal["ok", "failed", "skipped"]


class Flaw(Exception):  # noqa: N818 - it is no error of the program, but what was looked for
    """What is wrong with a game, in a sentence; `remedy` if the step's own does not fit."""

    def __init__(self, found: str, remedy: str = "") -> None:
        super().__init__(found)
        self.found = found
        self.remedy = remedy


class Position(msgspec.Struct, frozen=True):
    """Where in a play a flaw shows: enough to come there again."""

    seats: int
    options: dict[str, Any]
    """Those that are not left at their defaults."""
    seed: str
    decisions: int
    """How many were made before it."""
    seat: int | None
    """The seat that decides, and its move, if it has come to one."""
    move: Any
    table: str
    """The table as text, all cards open."""


class Failure(msgspec.Struct, frozen=True):
    """A flaw, told in full."""

    found: str
    remedy: str
    position: Position | None
    """None for what lies in the class and needs no play."""
    frames: list[str]
    """Where an exception came from, the innermost call last; empty if there was none.

    Of a game that is a program, the last lines of its standard error.
    """


class StepResult(msgspec.Struct, frozen=True):
    """What came of one step."""

    step: str
    title: str
    """What holds if the step is ok."""
    state: State
    detail: str
    """What was measured, why it was skipped, or what was found."""
    seconds: float
    failure: Failure | None = None


def failure_of(game: str, results: Sequence[StepResult]) -> str:
    """Return how a game does not keep its contract, in words; empty if no step has failed."""
    failed = [result for result in results if result.state == "failed"]
    if not failed:
        return ""
    lines = [f"{game} does not keep the contract of a game.", *told(failed[0])]
    if others := [f"  {result.step}: {result.detail}" for result in failed[1:]]:
        lines += ["Failed as well:", *others]
    return "\n".join(lines)


def told(result: StepResult) -> list[str]:
    """Return a failed step in full, as lines for people."""
    failure = result.failure
    assert failure is not None
    lines = [f"Step {result.step} ({result.title}) failed: {failure.found}"]
    lines += [f"  {frame}" for frame in failure.frames]
    if failure.position is not None:
        lines += _where(failure.position)
    return [*lines, f"Remedy: {failure.remedy}"]


def _where(position: Position) -> list[str]:
    options = ", ".join(f"{name}={value}" for name, value in position.options.items())
    lines = [
        f"Where: seed {position.seed!r}, {position.seats} seats, {options or 'default options'},"
        f" after {position.decisions} decisions"
    ]
    if position.seat is not None:
        lines.append(f"Move of seat {position.seat}: {short(position.move, 300)}")
    return [*lines, "", *position.table.splitlines(), ""]


def short(value: Any, most: int = 120) -> str:
    """Return a value as text that is not too long for a sentence."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"


def frames(error: BaseException, folder: Path) -> list[str]:
    """Return the last calls of an exception, as `last_calls` does."""
    calls = traceback.extract_tb(error.__traceback__)
    return last_calls([(call.filename, call.lineno or 0, call.name) for call in calls], folder)


def last_calls(calls: Sequence[tuple[str, int, str]], folder: Path) -> list[str]:
    """Return the last calls within the game's own folder, or of all if none is.

    Each is given by file, line and name, the innermost last.
    """
    own = [call for call in calls if Path(call[0]).parent == folder]
    return [
        f"{Path(file).name}:{at} in {name}: {linecache.getline(file, at).strip()}"
        for file, at, name in (own or calls)[-4:]
    ]


_LOOKS = 5  # within the patience


class Hang(BaseException):
    """A call of a game has not returned for long."""


@contextmanager
def patience(seconds: float, progress: Callable[[], int]) -> Iterator[None]:
    """Raise Hang within the block once `progress` has returned the same for so long.

    Raises ArenaError outside of the main thread, where no signal can interrupt a loop.
    """
    last, looks = -1, 0

    def look(*_: Any) -> None:
        nonlocal last, looks
        now = progress()
        last, looks = now, (looks + 1 if now == last else 0)
        if looks >= _LOOKS:
            raise Hang

    try:
        usual = signal.signal(signal.SIGALRM, look)
    except ValueError:
        raise ArenaError(
            "a game is checked in the main thread: only there can an endless loop be interrupted."
        ) from None
    left = signal.setitimer(signal.ITIMER_REAL, seconds / _LOOKS, seconds / _LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *left)
        signal.signal(signal.SIGALRM, usual)


class Printed(io.TextIOBase):
    """Stands in for standard output, and keeps the beginning of what is printed, and from where."""

    def __init__(self) -> None:
        self.text = ""
        self.place = ""

    def write(self, text: str) -> int:
        """Keep what is printed."""
        if not self.place:
            self.place = _place(sys._getframe(1))
        if len(self.text) < 200:
            self.text += text
        return len(text)


def _place(frame: FrameType | None) -> str:
    assert frame is not None
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} in {frame.f_code.co_name}"


class Dice(Random):
    """The generator of whoever plays: the only one that a game may draw from, in `sample`."""


class RecordedChance(Chance):
    """Chance that remembers what it was asked for."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.events: list[tuple[Key, ...]] = []
        """The names of all events, in their order."""
        self.step = -1
        """The step of the play, for whoever counts them."""
        self.drawn: dict[tuple[Key, ...], tuple[int, str, str]] = {}
        """By event, the step in which it was drawn first, what it is, and of what."""

    def _words(self, count: int, event: tuple[Key, ...]) -> list[int]:
        self.events.append(event)
        return super()._words(count, event)

    def _keep(self, event: tuple[Key, ...], how: str, question: Any) -> None:
        self.drawn.setdefault(event, (self.step, how, repr(question)))

    def below(self, limit: int, *event: Key) -> int:
        """Keep the draw, and return it."""
        self._keep(event, "die", limit)
        return super().below(limit, *event)

    def dice(self, count: int, sides: int, *event: Key) -> list[int]:
        """Keep the draw, and return it."""
        self._keep(event, "die", sides)
        return super().dice(count, sides, *event)

    def shuffled(self, items: Sequence[Any], *event: Key) -> list[Any]:
        """Keep the draw, and return it."""
        self._keep(event, "shuffle", [*items])
        return super().shuffled(items, *event)

    def arranged(self, pile: Iterable[Any], universe: Sequence[Any], *event: Key) -> list[Any]:
        """Keep the draw, and return it."""
        self._keep(event, "shuffle", [*universe])
        return super().arranged(pile, universe, *event)


_FORBIDDEN_MODULES = frozenset(("time", "secrets", "uuid"))
_FORBIDDEN_CALLS = frozenset(
    [
        *(("posix", name) for name in ("urandom", "getpid", "getrandom")),
        *(("datetime", name) for name in ("now", "utcnow", "today")),
    ]
)


class WorldWatch:
    """Notes the first call, from within the block, that makes a game depend on the world."""

    def __init__(self) -> None:
        self.found = ""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at every call in the block."""
        usual, collects = sys.getprofile(), gc.isenabled()
        gc.disable()  # or what others do when garbage is collected would be taken for the game's
        sys.setprofile(self._look)
        try:
            yield
        finally:
            sys.setprofile(usual)
            if collects:
                gc.enable()

    def _look(self, frame: FrameType, event: str, arg: Any) -> None:
        if self.found:
            return
        if event == "c_call":
            what = _of_c(arg)
        elif event == "call":
            what = _of_python(frame.f_code, frame)
        else:
            return
        if what:
            caller = frame if event == "c_call" else frame.f_back
            self.found = f"{what} is called at {_place(_outside_of_python(caller))}"


def _of_c(function: Any) -> str:
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or getattr(owner, "__name__", "")
    name = function.__name__
    if isinstance(owner, Random) and not isinstance(owner, Dice):
        return f"random.Random.{name}"
    if module in _FORBIDDEN_MODULES:
        return f"{module}.{name}"
    if (module, name) in _FORBIDDEN_CALLS:
        return f"{module}.{name}"
    if isinstance(owner, type) and ("datetime", name) in _FORBIDDEN_CALLS:
        return f"{owner.__name__}.{name}"
    return ""


def _of_python(code: CodeType, frame: FrameType) -> str:
    if code.co_filename == _RANDOM_FILE and frame.f_locals.get("self") is _of_the_program:
        return f"random.{code.co_name}"
    return ""


_RANDOM_FILE = Random.shuffle.__code__.co_filename


def _outside_of_python(frame: FrameType | None) -> FrameType | None:
    """Return the nearest caller that is not of the standard library."""
    library = Path(_RANDOM_FILE).parent
    while frame is not None and frame.f_back is not None:
        file = Path(frame.f_code.co_filename)
        if library not in file.parents or "site-packages" in file.parts:
            return frame
        frame = frame.f_back
    return frame
