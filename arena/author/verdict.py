"""The steps of a check, and the verdict: as text, step by step, and as a table for programs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arena.play.building import Built
from arena.tables.table import Column, Table
from arena.text import fold, folded, safe
from arena.text import width as columns_of
from protocol.errors import Refusal

State = Literal["ok", "FAILED", "advice", "not tried"]
"""Advice is for what costs no match: the bot is fit nonetheless."""

BUILT = "can be built"
"""The step before all others, of a bot that is to be built."""
RUNS, READY, WHOLE, LEGAL, QUIET, TIMELY, ALL, AGAIN, ENDS, ALIKE, USED = STEPS = (
    "can be run",
    "says ready",
    "plays whole matches",
    "answers with legal moves",
    "says nothing but its answers",
    "answers in time",
    "meets the game's decisions",
    "plays on in the same process",
    "ends when its input does",
    "answers alike when all is repeated",
    "answers alike in a new process",
)
"""Those of every bot, in their order."""


@dataclass
class Step:
    """What came of one step: in a few words, and with the lines that show it if it failed."""

    title: str
    state: State = "not tried"
    detail: str = ""
    evidence: list[str] = field(default_factory=list)
    cut_short: bool = False
    """Whether time was up before all of it was tried."""
    late: bool = False
    """Whether it failed for want of time, which another try may have."""
    by_machine: bool = False
    """Whether it failed for what cannot be had here, or not now: it says nothing of the bot."""


def built_step(built: Built, where: str) -> Step:
    """Return the step of a bot that could be built in a sandbox, or had been before."""
    if built.outcome is None:
        return Step(BUILT, "ok", "all that it needs was made before")
    remark = f"; {built.remark}".rstrip(".") if built.remark else ""
    return Step(BUILT, "ok", f"in {built.outcome.seconds:.1f} s, in the sandbox {where}{remark}")


def unbuilt_step(error: Refusal) -> Step:
    """Return the step of a bot that could not be built, without what the build printed."""
    return Step(BUILT, "FAILED", error.what.removeprefix("cannot be built: "))


_INDENT = 15
_QUOTED = (" ", "→", "←", "first ", "now ")
"""How lines begin that hold what was sent or printed."""
_BEGINNING, _END = 190, 120  # characters of a long line that are shown


def lines(number: int, step: Step, width: int) -> Iterator[str]:
    """Yield a step as it is shown in so many columns: state, title, detail, and what shows it."""
    words = f"{step.title}: {step.detail}" if step.detail else step.title
    room = width - _INDENT
    first, *rest = _folded(words, room)
    yield f"{number:2}  {step.state:<{_INDENT - 4}}{first}"
    evidence = (part for each in step.evidence for part in _folded(_shortened(each), room))
    for line in [*rest, *evidence]:
        yield " " * _INDENT + line


def _folded(line: str, room: int) -> Iterator[str]:
    """Yield a line as it is where there is room for it, or else several that begin alike."""
    line = safe(line)
    if columns_of(line) <= room:
        yield line
        return
    text = line.lstrip(" →←")
    lead = line.removesuffix(text)
    for part in folded(text, room - len(lead)):
        yield lead + part
        lead = " " * len(lead)


def _shortened(line: str) -> str:
    """Return the beginning and the end of a long line: an ask ends with what is legal.

    What we say ourselves is never cut.
    """
    if len(line) <= _BEGINNING + _END or not line.startswith(_QUOTED):
        return line
    return f"{line[:_BEGINNING]}…{line[-_END:]}"


def is_fit(steps: Sequence[Step]) -> bool:
    """Return whether no step failed."""
    return all(step.state != "FAILED" for step in steps)


def shown(steps: Iterable[Step]) -> Iterator[tuple[int, Step]]:
    """Yield the steps that are worth a line, each with its number, as soon as they are done.

    Those after one that failed are not, as none of them was tried.
    """
    has_failed = False
    for number, step in enumerate(steps, 1):
        if not (has_failed and step.state == "not tried"):
            yield number, step
        has_failed |= step.state == "FAILED"


def text(bot: str, game: str, steps: Sequence[Step], width: int) -> Iterator[str]:
    """Yield the lines of a whole verdict: the steps up to one that failed, and what comes of it."""
    for number, step in shown(steps):
        yield from lines(number, step, width)
    yield ""
    yield from ending(bot, game, steps, width)


def ending(bot: str, game: str, steps: Sequence[Step], width: int) -> Iterator[str]:
    """Yield the lines that say what comes of the steps."""
    yield from fold(safe(verdict(bot, game, steps)), width)


def verdict(bot: str, game: str, steps: Sequence[Step]) -> str:
    """Return in a few sentences whether a bot is fit, and which step to look at."""
    for number, step in enumerate(steps, 1):
        if step.state == "FAILED":
            rest = " The steps after it were not tried." if number < len(steps) else ""
            if step.by_machine:
                return (
                    f"Whether {bot} is fit to play {game} is not known: step {number} failed for "
                    f"what cannot be had here, or not now, and not for the bot. Mend that, or try "
                    f"the bot later, or on another machine.{rest}"
                )
            return f"{bot} is not fit to play {game}. Step {number} failed: {step.title}.{rest}"
    advice = [str(number) for number, step in enumerate(steps, 1) if step.state == "advice"]
    see = f" See the advice at step {' and '.join(advice)}." if advice else ""
    partial = any(step.cut_short for step in steps)
    so_far = ", as far as there was time to try it" if partial else ""
    return f"{bot} is fit to play {game}{so_far}.{see}"


def step_rows(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return steps as rows of a table, and of JSON."""
    return [
        {
            "step": number,
            "title": step.title,
            "state": step.state.lower(),
            "detail": step.detail,
            "evidence": step.evidence,
        }
        for number, step in enumerate(steps, 1)
    ]


def verdict_table(steps: Sequence[Step], **facts: Any) -> Table:
    """Return the steps as a table, with facts on the bot, and whether it is fit, above them."""
    rows = step_rows(steps)
    columns = (
        Column("Step", "step", "right"),
        Column("", "title"),
        Column("State", "state"),
        Column("", lambda row: safe(row["detail"]), width=34),
    )
    fit = None if any(step.by_machine for step in steps) else is_fit(steps)
    return Table("steps", columns, rows, {**facts, "fit": fit})
