"""What a step finds: a flaw of the game, where it shows, and what to do about it."""

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec

State = Literal["ok", "failed", "skipped"]


class Flaw(Exception):  # noqa: N818 - it is no error of the program, but what was looked for
    """What is wrong with a game, in a sentence; `remedy` if the step's own does not fit."""

    def __init__(self, found: str, remedy: str = "") -> None:
        super().__init__(found)
        self.found = found
        self.remedy = remedy


class Skipped(Exception):  # noqa: N818 - likewise
    """Why a step cannot be tried with this game, in a sentence."""


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


class GameError(AssertionError):
    """A game does not keep its contract; `results` are those of all steps that were tried."""

    def __init__(self, game: str, results: list[StepResult]) -> None:
        self.results = results
        failed = [result for result in results if result.state == "failed"]
        lines = [line for result in failed[:1] for line in told(result)]
        if others := [f"  {result.step}: {result.detail}" for result in failed[1:]]:
            lines += ["Failed as well:", *others]
        super().__init__("\n".join([f"{game} does not keep the contract of a game.", *lines]))


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


def frames(error: BaseException, folder: Path | None) -> list[str]:
    """Return the last calls of an exception within the game's own folder, or of all if none is."""
    calls = traceback.extract_tb(error.__traceback__)
    own = [call for call in calls if folder is not None and Path(call.filename).parent == folder]
    chosen: Iterable[traceback.FrameSummary] = (own or calls)[-4:]
    return [
        f"{Path(call.filename).name}:{call.lineno} in {call.name}: {call.line}" for call in chosen
    ]
