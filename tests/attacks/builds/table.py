"""The table of hostile builds: `attack × sandbox × user`, in Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby

from tests.attacks.builds.catalogue import ATTACKS
from tests.attacks.table import CONTAINED, EFFECT, NOT_RUN, Column
from tests.attacks.users import RunnerProcess, Workshop

BEGIN = "<!-- The hostile builds: written by `python -m tests.attacks.builds --write`. -->"
END = "<!-- The end of the hostile builds. -->"
KINDS = ("none", "landlock", "bwrap")


@contextmanager
def runner_of(user: str, workshop: Workshop) -> Iterator[RunnerProcess]:
    """A process that runs hostile builds as a user."""
    with RunnerProcess(user, workshop, "tests.attacks.builds.runner") as process:
        yield process


def table(columns: Sequence[Column], marks: Mapping[tuple[str, Column], str]) -> str:
    """Return the rows of every group, and the counts."""
    lines = [
        "| hostile build | " + " | ".join(f"{sandbox}, {user}" for sandbox, user in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for group, attacks in groupby(ATTACKS, lambda attack: attack.group):
        lines.append(f"| **{group}** |" + " |" * len(columns))
        for attack in attacks:
            cells = [marks[attack.act, column] for column in columns]
            lines.append(f"| {attack.name} | " + " | ".join(cells) + " |")
    counts = []
    for column in columns:
        seen = [marks[attack.act, column] for attack in ATTACKS]
        counts.append(f"{seen.count(CONTAINED)} of {len(seen) - seen.count(NOT_RUN)}")
    lines.append("| **contained** | " + " | ".join(counts) + " |")
    return "\n".join([*lines, "", f"`{CONTAINED}` contained, {EFFECT} not, `{NOT_RUN}` not tried."])
