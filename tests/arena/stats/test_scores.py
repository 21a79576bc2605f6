"""Mean scores: worked out by hand, by deal, and without rounding."""

import math
from itertools import permutations

import pytest

from arena.stats.ratings import widened
from arena.stats.scores import Scores, Seated, shown_error

AB, BA = ("A", "B"), ("B", "A")
DEALS: list[list[Seated]] = [
    [(AB, (10, 2)), (BA, (6, 4))],
    [(AB, (1, 0)), (BA, (3, 2))],
    [(AB, (5, 5)), (BA, (5, 5))],
]
"""By deal, A has 7, 1.5 and 5 on average, and B 4, 1.5 and 5."""


def collected(deals: list[list[Seated]]) -> Scores:
    scores = Scores()
    for deal in deals:
        scores.add(deal)
    return scores


def test_a_mean_and_its_error_are_those_of_deals() -> None:
    means = collected(DEALS).means()
    assert list(means) == ["A", "B"]
    assert means["A"].deals == means["B"].deals == 3
    assert means["A"].mean == pytest.approx(4.5)
    assert means["B"].mean == pytest.approx(3.5)
    # squares about the mean: 2.5² + 3² + 0.5² = 15.5; 0.5² + 2² + 1.5² = 6.5
    assert means["A"].error == pytest.approx(math.sqrt(15.5 / 2 / 3))
    assert means["B"].error == pytest.approx(math.sqrt(6.5 / 2 / 3))


def test_matches_that_share_their_luck_are_no_further_evidence() -> None:
    """Four matches in which all is luck of the deal: as independent ones they would show less."""
    means = collected([[(AB, (9, 0)), (BA, (0, 9))], [(AB, (1, 0)), (BA, (0, 1))]]).means()
    assert means["A"].mean == 5.0
    assert means["A"].error == 4.0


def test_few_deals_widen_the_error_that_is_shown() -> None:
    mean = collected(DEALS).means()["A"]
    assert mean.error is not None
    assert shown_error(mean) == pytest.approx(widened(3) * mean.error)
    assert shown_error(collected(DEALS[:2]).means()["A"]) is None


def test_a_deal_that_came_often_counts_as_often() -> None:
    scores = Scores()
    scores.add(DEALS[0], 2)
    scores.add(DEALS[1])
    assert scores.means() == collected([DEALS[0], DEALS[1], DEALS[0]]).means()


def test_of_a_deal_that_is_scored_in_part_nothing_counts_and_all_is_counted() -> None:
    scores = collected([*DEALS, [(AB, None), (BA, (9, 9))], [(AB, None), (BA, None)]])
    assert scores.means() == collected(DEALS).means()
    assert (scores.matches, scores.unscored, scores.waiting) == (6, 3, 1)


def test_sums_leave_no_trace_of_the_order() -> None:
    matches: list[Seated] = [(AB, (0.1, 1e15)), (AB, (0.2, 0.1)), (AB, (0.3, -1e15))]
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    deals = [list(order) for order in permutations(matches)]
    assert all(collected([deal]).means() == collected([matches]).means() for deal in deals)
    tenths: list[list[Seated]] = [[(AB, (0.1 * each, 1e9 / 7))] for each in range(5)]
    found = [collected(list(order)).means() for order in permutations(tenths)]
    assert all(each == found[0] for each in found)
