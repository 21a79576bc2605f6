"""Deals as the statistics take them, from matches that tests write down."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from hypothesis import strategies as st

from arena.stats.outcomes import Deals, Result

Played = list[tuple[str, Result]]
"""Matches, each with the name of its deal."""

matches = st.builds(
    lambda bots, places, deal: (f"deal {deal}", Result(tuple(bots[: len(places)]), tuple(places))),
    st.permutations("ABCDE"),
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.integers(1, 4),
)
"""Matches of at most five bots, some of them of one deal."""


def deals_of(matches: Iterable[tuple[str, Result]]) -> Deals:
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for deal, result in matches:
        found[deal].append(result)
    return Counter(tuple(sorted(results)) for results in found.values())


def placed(deal: str, **places: int) -> tuple[str, Result]:
    return deal, Result(tuple(places), tuple(places.values()))


def result(text: str, deal: str = "deal") -> tuple[str, Result]:
    """Return `A > B = C` as a match of a deal."""
    groups = enumerate(text.split(" > "), 1)
    places = [(bot, place) for place, group in groups for bot in group.split(" = ")]
    return deal, Result(*zip(*places, strict=True))


def results(*texts: str, copies: int = 1) -> list[tuple[str, Result]]:
    """Return every text as a deal of its own, `copies` times."""
    return [result(text, f"{text} {n}") for text in texts for n in range(copies)]


def duels(*won: tuple[str, str, int, int]) -> list[tuple[str, Result]]:
    """Return duels, each a deal of its own: two bots, and how many each won."""
    return [
        (f"{one} {two} {number}", Result((one, two), (1, 2) if number < wins else (2, 1)))
        for one, two, wins, losses in won
        for number in range(wins + losses)
    ]
