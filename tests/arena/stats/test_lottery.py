"""Maximal lotteries: exact ones, and what every one must hold."""

import random

import pytest

from arena.stats.encounters import points_by_deal
from arena.stats.lottery import _matrix, _shares, lottery, maximal
from arena.stats.margins import margins
from tests.arena.stats.deals import deals_of, duels


def circle(*leads: float) -> list[list[float]]:
    """Rock, paper and scissors, of which each beats the one before by its lead."""
    a, b, c = leads
    return [[0, -a, c], [a, 0, -b], [-c, b, 0]]


def test_who_beats_all_others_is_sent_and_of_a_circle_each_as_often_as_the_others_differ() -> None:
    assert maximal([[0, 0.1, 0.2], [-0.1, 0, 0.3], [-0.2, -0.3, 0]]) == [1, 0, 0]
    assert maximal(circle(1, 1, 1)) == pytest.approx([1 / 3] * 3)
    assert maximal(circle(0.1, 0.2, 0.3)) == pytest.approx([2 / 6, 3 / 6, 1 / 6])


@pytest.mark.parametrize("size", [1, 2, 5, 16, 40])
def test_a_lottery_loses_to_nobody(size: int) -> None:
    chance = random.Random(size)
    for scale in (0, 1, 3, 1e9):  # coarse margins are often equal
        found = [[0.0] * size for _ in range(size)]
        for one in range(size):
            for two in range(one):
                lead = chance.uniform(-0.5, 0.5)
                found[one][two] = round(lead * scale) / scale if scale else 0.0
                found[two][one] = -found[one][two]
        weights = maximal(found)
        assert sum(weights) == pytest.approx(1)
        assert min(weights) >= 0
        for column in range(size):
            gain = sum(weights[row] * found[row][column] for row in range(size))
            assert gain >= -1e-9


def test_bars_narrow_with_the_deals() -> None:
    widths = []
    for times in (5, 50, 500):
        kinds = points_by_deal(deals_of(duels(
            ("P", "R", 7 * times, 3 * times),
            ("R", "S", 7 * times, 3 * times),
            ("P", "S", 3 * times, 7 * times)
        )))  # fmt: skip
        tickets = lottery(["P", "R", "S"], margins(kinds), {})
        assert [each.weight for each in tickets] == pytest.approx([1 / 3] * 3)
        widths.append(max(each.high - each.low for each in tickets))
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


def test_a_fortieth_of_what_other_deals_give_lies_on_either_side_of_a_bar() -> None:
    names = ["P", "R", "S"]
    played = duels(("P", "R", 14, 6), ("R", "S", 13, 7), ("P", "S", 6, 14))
    found = margins(points_by_deal(deals_of(played)))
    drawn = [maximal(_matrix(names, _shares(found, {}, number))) for number in range(200)]
    for ticket in lottery(names, found, {}):
        own = sorted(weights[names.index(ticket.bot)] for weights in drawn)
        assert (ticket.low, ticket.high) == (own[5], own[-6])


def test_pairs_that_did_not_meet_are_as_expected() -> None:
    kinds = points_by_deal(deals_of(duels(("A", "B", 50, 0), ("B", "C", 50, 0))))
    found = margins(kinds)
    sent = {each.bot: each.weight for each in lottery(["A", "B", "C"], found, {("A", "C"): 0.1})}
    assert sent["C"] > 0.1
    sent = {each.bot: each.weight for each in lottery(["A", "B", "C"], found, {("A", "C"): 0.9})}
    assert sent == {"A": 1, "B": 0, "C": 0}
    equals = lottery(["A", "B"], margins(points_by_deal(deals_of(duels(("A", "B", 10, 10))))), {})
    found = [(each.bot, each.weight, each.low, each.high) for each in equals]
    assert found == [("A", 0.5, 0, 1), ("B", 0.5, 0, 1)]
