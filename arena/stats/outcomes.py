"""What matches and deals say, in one form whatever the order they were played in; pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias


class Result(NamedTuple):
    """What statistics know of one match: the bots by seat, and their places, 1 for best."""

    bots: tuple[str, ...]
    places: tuple[int, ...]


Deals: TypeAlias = Mapping[tuple[Result, ...], int]
"""What was played: how many deals had exactly these matches, which are sorted.

The deal is the unit of all statistics: its matches share their luck.
"""

Outcome: TypeAlias = tuple[tuple[str, ...], ...]
"""The bots of a match by place, best first; those who share a place in order of name."""


def outcome_of(result: Result) -> Outcome:
    """Return what a match says about skill, whatever the seats and the numbers of the places."""
    sharing = defaultdict(list)
    for bot, place in zip(result.bots, result.places, strict=True):
        sharing[place].append(bot)
    return tuple(tuple(sorted(sharing[place])) for place in sorted(sharing))


def seated(outcome: Outcome) -> list[str]:
    """Return the bots of a match, best first."""
    return [bot for sharing in outcome for bot in sharing]


def outcomes_of(deals: Deals) -> Counter[tuple[Outcome, ...]]:
    """Count the deals whose matches had the same outcomes; sorted, as are a deal's outcomes."""
    read: dict[Result, Outcome] = {}
    kinds: Counter[tuple[Outcome, ...]] = Counter()
    for results, count in deals.items():
        for result in results:
            if result not in read:
                read[result] = outcome_of(result)
        kinds[tuple(sorted(read[result] for result in results))] += count
    return Counter(dict(sorted(kinds.items())))


def results_of(deals: Deals) -> Counter[Result]:
    """Count the matches of deals by their result, in order."""
    counts: Counter[Result] = Counter()
    for results, count in deals.items():
        for result in results:
            counts[result] += count
    return Counter(dict(sorted(counts.items())))
