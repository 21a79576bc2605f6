"""Statistics leave no trace of the order in which matches, or bots in them, are told."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.encounters import encounters
from arena.stats.outcomes import Result
from arena.stats.ratings import fit
from arena.stats.standings import standings
from tests.arena.stats.deals import deals_of

Played = list[tuple[str, Result]]
"""Matches, each with the name of its deal."""

matches = st.builds(
    lambda bots, places, deal: (f"deal {deal}", Result(tuple(bots[: len(places)]), tuple(places))),
    st.permutations("ABCDE"),
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.integers(1, 4),
)


@settings(max_examples=25)
@given(st.lists(matches, max_size=10), st.randoms(use_true_random=False))
def test_shuffled_results_give_the_same_bytes(played: Played, chance: random.Random) -> None:
    pairs = [(deal, list(zip(*result, strict=True))) for deal, result in played]
    shuffled = []
    for deal, seats in chance.sample(pairs, len(pairs)):
        bots, places = zip(*chance.sample(seats, len(seats)), strict=True)
        shuffled.append((deal, Result(bots, places)))
    one, other = deals_of(played), deals_of(shuffled)
    assert repr(encounters(other)) == repr(encounters(one))
    rated, again = fit(one), fit(other)
    assert repr(again) == repr(rated)
    assert repr(standings(other, again)) == repr(standings(one, rated))
