"""Bots that do better when they meet cards again are named, and honest ones are not."""

import random
from itertools import combinations

import pytest

from arena.stats.memory import Later, leads, remembering
from arena.stats.outcomes import Result


def league(bots: int, deals: int, seed: int, later: float = 0.5) -> list[dict[str, int]]:
    """Return the leads of a league whose first bot does better in so many of the last rotations.

    In a third of the deals, both rotations end alike.
    """
    chance = random.Random(seed)
    found = []
    for _ in range(deals):
        for one, other in combinations(range(bots), 2):
            wins = chance.random() < (later if one == 0 else 0.5)
            lead = 0 if chance.random() < 1 / 3 else 1 if wins else -1
            found.append({f"{one}": lead, f"{other}": -lead})
    return found


def test_how_much_better_is_told_by_whom_a_bot_came_before() -> None:
    first, last = Result(("a", "b", "c"), (1, 2, 2)), Result(("c", "a", "b"), (1, 2, 3))
    assert leads(first, last) == {"a": -2, "b": -1, "c": 3}


@pytest.mark.parametrize("bots", [2, 4])
def test_honest_bots_are_seldom_named_however_long_one_looks(bots: int) -> None:
    named = sum(bool(remembering(league(bots, 60, seed))) for seed in range(100))
    assert named <= 4  # one is to be expected at most


def test_who_knows_the_cards_of_the_last_rotations_is_named_and_nobody_else() -> None:
    for seed in range(10):
        assert [*remembering(league(4, 20, seed, later=0.95))] == ["0"]


def test_the_evidence_does_not_go_away_and_may_be_as_much_as_there_is() -> None:
    later = Later()
    for _ in range(10_000):
        later = later.after(3)
    assert later.after(-1).most == later.most > 6_000
    assert later.after(0) == later._replace(better=10_000)
