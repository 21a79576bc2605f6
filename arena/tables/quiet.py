"""How quiet the machines were that played a league, in words below its times."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arena.store.timing import Timing
from arena.tables.field import Field
from arena.text import safe


def facts_of(field: Field) -> dict[str, Any]:
    """Return how quiet machines were as runs began, for programs, where times are shown."""
    if field.timings is None:
        return {}
    return {
        "timings": [
            {"began": began, **msgspec.to_builtins(timing)} for began, timing in field.timings
        ],
        **({"damaged_timings": field.damaged_timings} if field.damaged_timings else {}),
        "untimed": dict(sorted(field.untimed.items())),
    }


def notes_of(field: Field) -> Iterator[str]:
    """Yield a sentence on each machine that played, where times are shown.

    So do those of which it is not known how quiet they were, and damage.
    """
    by_machine: defaultdict[str, list[Timing]] = defaultdict(list)
    for _, timing in field.timings or ():
        by_machine[timing.machine].append(timing)
    for machine, found in sorted(by_machine.items()):
        runs = "a run" if len(found) == 1 else field.counted(len(found), "run")
        spread = _range([each.noise.spread for each in found])
        waited = _range([each.noise.waited for each in found])
        yield (
            f"Before {runs} on {safe(machine)}, the time of a fixed job varied by {spread}, and "
            f"others had the core for {waited} of it.{_spoilt(found)}"
        )
    if field.untimed:
        parts = [
            f"{field.counted(count, 'match', 'matches')} on {safe(machine)}"
            for machine, count in sorted(field.untimed.items())
        ]
        yield f"How quiet the machine was is not known for {', '.join(parts)}."
    if field.damaged_timings:
        rows = field.counted(field.damaged_timings, "row")
        yield (
            f"Damaged and left out: {rows} on how quiet machines were; `arena verify` names what "
            f"is wrong."
        )


def _range(shares: Sequence[float]) -> str:
    """Return shares in words, from the quietest run to the noisiest."""
    least, most = (f"{100 * each:.1f}" for each in (min(shares), max(shares)))
    return f"{least} %" if least == most else f"{least} to {most} %"


def _spoilt(found: Sequence[Timing]) -> str:
    names = sorted({name for each in found for name in each.spoilt})
    return f" What spoils times there: {safe(', '.join(names))}." if names else ""
