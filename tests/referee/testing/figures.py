"""The tables of docs/check-game.md: the steps, the faults that they find, the seconds they take.

`python -m tests.referee.testing.figures` prints the steps and the faults, which a test compares;
with `seconds` and names of games, or none for all bundled ones, it measures.
"""

import os
import sys
from collections.abc import Iterator

from referee.games import GAMES
from referee.testing import STEPS, check_steps
from tests.referee.testing.faulty import FAULTS

MEASURES = "referee/games referee/testing"


def steps() -> Iterator[str]:
    """Yield the table of steps."""
    yield "| step | what holds | if not |"
    yield "|---|---|---|"
    for step in STEPS.values():
        yield f"| `{step.name}` | {_cell(step.title)} | {_cell(step.remedy)} |"


def faults() -> Iterator[str]:
    """Yield the table of faults."""
    yield "| fault | found first by |"
    yield "|---|---|"
    for fault in FAULTS:
        yield f"| {_cell(fault.words)} | `{fault.step}` |"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def seconds(names: list[str]) -> Iterator[str]:
    """Yield the table of seconds: CPU time of this process and those that it starts."""
    yield "| game | steps | seconds |"
    yield "|---|---|---|"
    for name in names:
        began = _used()
        results = [*check_steps(GAMES[name])]
        taken = _used() - began
        tried = sum(result.state == "ok" for result in results)
        yield f"| {name} | {tried} of {len(results)} | {taken:.{taken < 1:d}f} |"


def _used() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    if sys.argv[1:2] == ["seconds"]:
        lines = seconds(sys.argv[2:] or [*GAMES])
    else:
        lines = (line for table in (steps(), [""], faults()) for line in table)
    for line in lines:
        print(line, flush=True)
