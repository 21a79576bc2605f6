"""The margins of pairs: their variances, and what other deals might have given."""

import math

import pytest

from arena.stats.encounters import points_by_deal
from arena.stats.margins import RESAMPLES, BotPair, Kinds, Margin, _normal, margins, variances
from arena.stats.outcomes import Result
from referee.rules.chance import Chance
from tests.arena.stats.deals import deals_of


def kinds_of(won: int, lost: int) -> Kinds:
    wins = [(f"{number}", Result(("a", "b"), (1, 2))) for number in range(won)]
    losses = [(f"-{number}", Result(("a", "b"), (2, 1))) for number in range(lost)]
    return points_by_deal(deals_of([*wins, *losses]))


def duels(won: int, lost: int) -> dict[BotPair, Margin]:
    return margins(kinds_of(won, lost))


def lent(share: float, squares: float, freedom: int) -> float:
    """Return the variance of one deal of a pair that is like no other."""
    of_match = share * (1 - share)
    part = (squares + 0.5) / (freedom * of_match + 1)
    return of_match * (squares + 2.5 * part) / (freedom * of_match + 2.5)


def test_a_pair_has_its_own_variance_and_ten_deals_of_what_is_lent() -> None:
    [found] = duels(7, 3).values()
    assert (found.deals, found.share, found.freedom) == (10, 0.7, 19)
    assert found.padded == pytest.approx(9 / 14)
    assert found.squares == pytest.approx(2.1)
    assert found.variance == pytest.approx((2.1 + 10 * lent(9 / 14, 2.1, 9)) / 19 / 10)


def test_variances_are_also_those_about_what_is_expected() -> None:
    pair = "a", "b"
    squares = 2.1 + 10 * 0.1**2
    expected = (squares + 10 * lent(0.6, squares, 10)) / 20 / 10
    assert variances(duels(7, 3), {pair: 0.6}) == {pair: pytest.approx(expected)}


def test_every_deal_counts_by_chance_and_by_how_far_it_is_off() -> None:
    [found] = duels(1, 1).values()
    expected = [0.0] * RESAMPLES
    for number, ([each], _) in enumerate(kinds_of(1, 1).items()):
        weights = _normal(Chance("other deals"), "deals", number)
        off = (each.points / each.most - 0.5) / math.sqrt(0.5)
        expected = [old + off * weight for old, weight in zip(expected, weights, strict=True)]
    assert found.drawn == pytest.approx(expected)
    assert found.resampled(0) == found.share + found.drawn[0] * math.sqrt(found.variance)
