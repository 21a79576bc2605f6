"""How quiet the machines were that played a league, in words below its times."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from arena.store.timing import Timing
from arena.tables.facet import Facet, FacetSource
from arena.text import Words, safe


def quiet(source: FacetSource) -> Facet:
    """Return how quiet each machine was as runs began, and for which matches that is not known."""
    timings, damaged = source.store.timings()
    first: dict[str, str] = {}
    by_machine: defaultdict[str, list[Timing]] = defaultdict(list)
    for began, timing in timings:
        first[timing.machine] = min(began, first.get(timing.machine, began))
        by_machine[timing.machine].append(timing)
    untimed: Counter[str] = Counter()
    for number, machine, count in source.store.untimed(first):
        if number in source.results:
            untimed[machine] += count
    return Facet(
        facts={
            "timings": [
                {"began": began, **msgspec.to_builtins(timing)} for began, timing in timings
            ],
            **({"damaged_timings": damaged} if damaged else {}),
            "untimed": dict(sorted(untimed.items())),
        },
        notes=[*_notes(by_machine, untimed, damaged, source.words)],
    )


def _notes(
    by_machine: Mapping[str, Sequence[Timing]],
    untimed: Mapping[str, int],
    damaged: int,
    words: Words,
) -> Iterator[str]:
    for machine, found in sorted(by_machine.items()):
        runs = "a run" if len(found) == 1 else words.counted(len(found), "run")
        spread = _range([each.noise.spread for each in found])
        waited = _range([each.noise.waited for each in found])
        yield (
            f"Before {runs} on {safe(machine)}, the time of a fixed job varied by {spread}, and "
            f"others had the core for {waited} of it.{_spoilt(found)}"
        )
    if untimed:
        parts = [
            f"{words.counted(count, 'match', 'matches')} on {safe(machine)}"
            for machine, count in sorted(untimed.items())
        ]
        yield f"How quiet the machine was is not known for {', '.join(parts)}."
    if damaged:
        yield (
            f"Damaged and left out: {words.counted(damaged, 'row')} on how quiet machines were; "
            f"`arena verify` names what is wrong."
        )


def _range(shares: Sequence[float]) -> str:
    """Return shares in words, from the quietest run to the noisiest."""
    least, most = (f"{100 * each:.1f}" for each in (min(shares), max(shares)))
    return f"{least} %" if least == most else f"{least} to {most} %"


def _spoilt(found: Sequence[Timing]) -> str:
    names = sorted({name for each in found for name in each.spoilt})
    return f" What spoils times there: {safe(', '.join(names))}." if names else ""
