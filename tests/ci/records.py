"""What is recorded in `.ci/`: the landing, the last commit proven, and how long each unit took."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from tests.ci.history import RefusedError

LANDING, PROVEN, SECONDS = ".ci/landing", ".ci/proven", ".ci/seconds"
RECORDS = frozenset((LANDING, PROVEN, SECONDS))
"""What changes without touching anything that is tested."""
OLDER = "passed before, and untouched since:"
"""What the record of a proof says before the units that were not run at that very commit."""
_COMMIT = "[0-9a-f]{40}"


class Landing(NamedTuple):
    """The landing `number`, on top of `base`, where the one before landed.

    The number is raised by the last commit of a landing, on top of `parent`.
    """

    number: int
    base: str
    parent: str

    def line(self) -> str:
        """Return the line of the record."""
        return f"{self.number} {self.base} {self.parent}\n"


def landing_of(text: str) -> Landing:
    """Return the landing that a record says; raise RefusedError if it is none."""
    found = re.fullmatch(rf"(\d+) ({_COMMIT}) ({_COMMIT})\n", text)
    if not found:
        raise RefusedError(
            f"{LANDING} is not one line with a number and two whole commits: `make landing` writes "
            f"it."
        )
    return Landing(int(found[1]), found[2], found[3])


def proven_of(text: str) -> str:
    """Return the commit that a record says is proven; raise RefusedError if it says none."""
    found = re.fullmatch(rf"({_COMMIT}) \d{{4}}-\d\d-\d\d: .+\n", text)
    if not found:
        raise RefusedError(f"{PROVEN} is not one line, commit, date and figures: `make long` does.")
    return found[1]


def seconds_of(text: str) -> dict[str, float]:
    """Return how long each unit took; raise RefusedError for a line that does not say so."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = re.fullmatch(r" *(\d+) (\S+)", line)
        if not words:
            raise RefusedError(f"{SECONDS}:{number}: '{line}' is not seconds and a unit.")
        found[words[2]] = float(words[1])
    return found


def seconds_text(seconds: Mapping[str, float], said: str) -> str:
    """Return the record of how long units took, below a comment."""
    rows = [f"{max(1, round(took)):5} {name}" for name, took in sorted(seconds.items())]
    return "\n".join([f"# {said}", *rows, ""])
