"""Deals as the statistics take them, from matches that tests write down."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from arena.stats.outcomes import Deals, Result


def deals_of(matches: Iterable[tuple[str, Result]]) -> Deals:
    """Count the deals of matches, each given with the name of its deal."""
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for deal, result in matches:
        found[deal].append(result)
    return Counter(tuple(sorted(results)) for results in found.values())
