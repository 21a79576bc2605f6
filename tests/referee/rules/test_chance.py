"""Chance is a function of the deal's seed and an event's name, and of nothing else."""

import math
from collections import Counter
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.chance import Chance

seeds = st.text(max_size=40)
events = st.lists(st.integers(0, 10**6) | st.text(max_size=10), max_size=4)


def chi_square(found: Counter[object], kinds: int) -> float:
    """Return how far counts are from even, as chi-square's distance from its mean in deviations."""
    expected = found.total() / kinds
    square = sum((count - expected) ** 2 for count in found.values()) / expected
    square += (kinds - len(found)) * expected  # of the kinds that never came
    return (square - (kinds - 1)) / math.sqrt(2 * (kinds - 1))


EVEN = 5.0
"""So many deviations from the mean are bad luck of one in a million, or a bug."""


@given(seeds, events, st.lists(st.integers(), min_size=1))
def test_the_same_event_of_the_same_deal_always_falls_the_same_below_the_limit(
    seed: str, event: list[str | int], items: list[int]
) -> None:
    """A die shows one more than the number, and a choice is the item of that number."""
    one, two, limit = Chance(seed), Chance(seed), len(items)
    number = one.below(limit, *event)
    assert number == two.below(limit, *event) == one.below(limit, *event)
    assert 0 <= number < limit
    assert one.die(limit, *event) == number + 1
    assert one.choice(items, *event) == items[number]


@given(seeds, events, st.integers(1, 10**6), st.integers(1, 10**6))
def test_of_fewer_it_falls_as_deep(
    seed: str, event: list[str | int], limit: int, other: int
) -> None:
    """A card lies as deep in what is left of a deck, whoever has drawn more: to less than one."""
    depths = [Chance(seed).below(left, *event) / left for left in (limit, other)]
    assert abs(depths[0] - depths[1]) < 1 / min(limit, other)


@given(seeds, events, st.integers(1, 5), st.integers(1, 5), st.integers(1, 100))
def test_a_roll_of_several_dice_does_not_depend_on_those_that_follow_it(
    seed: str, event: list[str | int], few: int, more: int, sides: int
) -> None:
    chance = Chance(seed)
    dice = chance.dice(few + more, sides, *event)
    assert dice[:few] == chance.dice(few, sides, *event)
    assert dice[0] == chance.die(sides, *event)
    assert all(1 <= die <= sides for die in dice)


@given(seeds, events, st.lists(st.integers()))
def test_a_shuffle_is_a_permutation_and_leaves_the_list_alone(
    seed: str, event: list[str | int], items: list[int]
) -> None:
    before = items.copy()
    assert sorted(Chance(seed).shuffled(items, *event)) == sorted(items)
    assert items == before


def test_no_event_and_no_deal_is_another_one() -> None:
    places: list[tuple[str | int, ...]] = [
        *product(("round", "attack"), range(4), range(4)),
        *(("round", 11, 1), ("round", 1, 11), ("ab", "c"), ("a", "bc"), ("a", "b"), ("ab",)),
        *(("a",), ("a", ""), (12,), (1, 2), (), ("x",), ("2",)),
    ]
    draws = {
        (seed, place): Chance(seed).below(1 << 60, *place)
        for seed in ("deal", "deal 2", "deal 21", "dealx")
        for place in places
    }
    assert len(set(draws.values())) == len(draws)


@pytest.mark.parametrize("over", ["events", "deals"])
def test_dice_are_even_and_neighbours_independent(over: str) -> None:
    if over == "events":
        chance = Chance("pairs")
        rolls = [chance.die(6, "attack", number) for number in range(20_001)]
    else:
        rolls = [Chance(str(number)).die(6, "attack", 1) for number in range(20_001)]
    assert chi_square(Counter(rolls), 6) < EVEN
    assert chi_square(Counter(pairwise(rolls)), 36) < EVEN


@pytest.mark.parametrize(
    ("pile", "universe", "orders"),
    [
        ("abcd", "abcd", 24),
        ("abc", "abcdef", 6),
        ("ab", "aab", 2),
        ("ab", "baa", 2),
        ("abb", "aaabbb", 3),
        ("aabc", "aaabbbccc", 12),
    ],
)
def test_every_order_of_a_pile_is_as_likely_whatever_is_elsewhere(
    pile: str, universe: str, orders: int
) -> None:
    """A pile of all cards is shuffled."""
    chance = Chance("piles")
    found = Counter(tuple(chance.arranged(pile, universe, "pile", at)) for at in range(6_000))
    assert set(found) == set(permutations(pile))
    assert chi_square(found, orders) < EVEN


@given(seeds, events, st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)), st.data())
def test_a_card_more_leaves_the_others_of_a_pile_in_their_order(
    seed: str, event: list[str | int], pile: list[int], others: list[int], data: st.DataObject
) -> None:
    """Neither the order of the pile nor which copy of a card it holds matters."""
    card, laid_otherwise = data.draw(st.integers(0, 5)), data.draw(st.permutations(pile))
    chance, universe = Chance(seed), [*pile, card, *others]
    fewer = chance.arranged(pile, universe, *event)
    more = chance.arranged([card, *pile], universe, *event)
    assert fewer in [more[:at] + more[at + 1 :] for at in range(len(more)) if more[at] == card]
    assert fewer == chance.arranged(laid_otherwise, universe, *event)
    assert sorted(fewer) == sorted(pile)
    cards = [*range(len(pile))]
    assert chance.arranged(cards, cards, *event) == chance.shuffled(cards, *event)


@pytest.mark.parametrize(("pile", "extra"), [("abz", "z"), ("aaab", "a")])
def test_a_pile_must_be_a_part_of_all_cards(pile: str, extra: str) -> None:
    with pytest.raises(ValueError, match=rf"more in the pile than in the universe: \['{extra}'\]"):
        Chance("deal").arranged(pile, "aabbc", "pile")


def test_the_luck_of_every_deal_that_was_ever_played_stays_as_it_was() -> None:
    """Golden values: stored replays are re-played from their seeds, by any later version."""
    chance, letters = Chance("golden"), "abcdefghijkl"
    numbers = [chance.below(1_000_000, "event", number) for number in range(4)]
    assert numbers == [978666, 194040, 266052, 134258]
    dice = [chance.die(6, "attack", 3, roll) for roll in range(10)]
    assert dice == [5, 5, 2, 2, 4, 3, 4, 6, 3, 3]
    assert "".join(chance.shuffled(letters, "deck", 0)) == "ladjbcihefkg"
    assert "".join(chance.arranged("hgfedcbaa", letters * 2, "pile", 0)) == "fbhecaagd"
    assert Chance("¡olé!").below(1 << 64, "ñ", -1) == 7709619472721761036
