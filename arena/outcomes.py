"""What matches and deals say, in one form whatever the order they were played in; pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

Outcome = tuple[tuple[str, ...], ...]
"""The bots of a match by place, best first; those who share a place in order of name."""


@dataclass(frozen=True, slots=True)
class Result:
    """One match: the deal it belongs to, and every bot's place, 1 for best."""

    deal: str
    """The deal's name; no two deals that are rated together may share it."""
    places: tuple[tuple[str, int], ...]


def outcome_of(places: Iterable[tuple[str, int]]) -> Outcome:
    """Return what the places say, in one form whatever their order and numbers."""
    sharing = defaultdict(list)
    for bot, place in places:
        sharing[place].append(bot)
    return tuple(tuple(sorted(sharing[place])) for place in sorted(sharing))


def seated(outcome: Outcome) -> list[str]:
    """Return the bots of a match, best first."""
    return [bot for sharing in outcome for bot in sharing]


def deal_kinds(results: Iterable[Result]) -> dict[tuple[Outcome, ...], int]:
    """Count the deals whose matches had the same outcomes; sorted, as are a deal's outcomes."""
    read = cache(outcome_of)
    deals: defaultdict[str, list[Outcome]] = defaultdict(list)
    for result in results:
        deals[result.deal].append(read(result.places))
    return dict(sorted(Counter(tuple(sorted(outcomes)) for outcomes in deals.values()).items()))
