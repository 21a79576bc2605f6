"""The table `attack × sandbox × user`, in Markdown."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from tests.attacks.catalogue import ATTACKS
from tests.attacks.gaps import GAPS

BEGIN = "<!-- The attacks: written by `python -m tests.attacks --write`. -->"
END = "<!-- The end of the attacks. -->"
CONTAINED, EFFECT, NOT_RUN, FAILED = ".", "**X**", "–", "?"

Column = tuple[str, str]
"""A sandbox and a user."""


def mark(outcome: Mapping[str, object]) -> str:
    """Return the sign for an outcome."""
    if "error" in outcome:
        return FAILED
    if "missing" in outcome:
        return NOT_RUN
    return EFFECT if outcome["effect"] else CONTAINED


def table(columns: Sequence[Column], marks: Mapping[tuple[str, Column], str]) -> str:
    """Return the rows of every group, the counts, and the reason of every gap that was seen."""
    lines = [
        "| attack | " + " | ".join(f"{sandbox}, {user}" for sandbox, user in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for group, attacks in groupby(ATTACKS, lambda attack: attack.group):
        lines.append(f"| **{group}** |" + " |" * len(columns))
        for attack in attacks:
            cells = [marks[attack.slug, column] for column in columns]
            lines.append(f"| {attack.name} | " + " | ".join(cells) + " |")
    counts = []
    for column in columns:
        seen = [marks[attack.slug, column] for attack in ATTACKS]
        counts.append(f"{seen.count(CONTAINED)} of {len(seen) - seen.count(NOT_RUN)}")
    lines.append("| **contained** | " + " | ".join(counts) + " |")
    lines += ["", f"`{CONTAINED}` contained, {EFFECT} not, `{NOT_RUN}` not possible here.", ""]
    return "\n".join([*lines, *_reasons(columns, marks)])


def _reasons(columns: Sequence[Column], marks: Mapping[tuple[str, Column], str]) -> list[str]:
    lines = []
    for attack in ATTACKS:
        reasons: dict[str, list[str]] = {}
        for column in columns:
            reason = GAPS.get((attack.slug, *column))
            if reason and marks[attack.slug, column] == EFFECT:
                reasons.setdefault(reason, []).append(", ".join(column))
        for reason, places in reasons.items():
            lines.append(f"- *{attack.name}* ({'; '.join(places)}): {reason}")
    return lines
