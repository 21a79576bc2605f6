"""The steps of a check: what each shows, and the one before all others, which builds the bot."""

from dataclasses import dataclass, field
from typing import Literal

from arena.play.building import BuildError, Built

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


def unbuilt_step(error: BuildError) -> Step:
    """Return the step of a bot that could not be built, without what the build printed."""
    return Step(BUILT, "FAILED", error.what.removeprefix("cannot be built: "))
