"""Replies in Casino War: what is refused and why, what is accepted, defaults and samples."""

from random import Random

import pytest

from tests.referee.games.casino_war_positions import SURRENDER, WAR, bet, new_game, play, position


def at_tie():
    game = position("9 9 K Q")
    play(game, bet(10), bet(20))
    return game


def poor():
    return position("K 9", 37, 1000)


def poorest():
    return position("K 9", 10, 1000)


def no_ties():
    return new_game(tie_bet=False)


REFUSALS = [
    (new_game, bet(11), '"bet" is 11; it must be even'),
    (new_game, bet(8), '"bet" is 8; the least is 10'),
    (new_game, bet(-10), '"bet" is -10; the least is 10'),
    (new_game, bet(102), '"bet" is 102; the greatest is 100'),
    (new_game, bet(10**5000), '"bet" is far out of range, but you have only 1000'),
    (poor, bet(38), '"bet" is 38, but you have only 37'),
    (new_game, bet(10, -1), '"tie_bet" must be at least 0, not -1'),
    (new_game, bet(10, 101), '"tie_bet" is 101; the greatest is 100'),
    (new_game, bet(10, 10**5000), '"tie_bet" is far out of range, but you have'),
    (poor, bet(20, 38), '"tie_bet" is 38, but you have only 37'),
    (poor, bet(20, 18), '"tie_bet" come to 38, but you have only 37'),
    (no_ties, bet(10, 1), "with the option `tie_bet` off it may only be 0"),
]


@pytest.mark.parametrize(("asked", "move", "reason"), REFUSALS)
def test_a_wrong_reply_is_refused_in_words(asked, move, reason):
    assert reason in asked().refusal(0, move)


ACCEPTED = [
    (new_game, {"bet": 10}),
    (new_game, bet(100, 100)),
    (new_game, bet(10, 1)),
    (poor, bet(36, 1)),
    (poor, bet(10, 27)),
    (poorest, bet(10)),
    (no_ties, {"bet": 10}),
    (no_ties, bet(10, 0)),
    (at_tie, WAR),
    (at_tie, SURRENDER),
]


@pytest.mark.parametrize(("asked", "move"), ACCEPTED)
def test_a_right_reply_is_accepted(asked, move):
    assert asked().refusal(0, move) is None


def test_a_tie_bet_left_out_is_none():
    assert new_game().read(0, {"bet": 12}) == bet(12)


@pytest.mark.parametrize(
    ("asked", "limits"),
    [
        (new_game, ((10, 100), 100, 1000)),
        (poor, ((10, 36), 27, 37)),
        (poorest, ((10, 10), 0, 10)),
        (no_ties, ((10, 100), 0, 1000)),
    ],
)
def test_the_limits_say_what_can_be_bet(asked, limits):
    (least, most), on_tie, money = limits
    assert asked().decision(0).limits == {
        "bet": {"min": least, "max": most},
        "tie_bet": {"min": 0, "max": on_tie},
        "money": money,
    }


def test_the_defaults_stake_as_little_as_possible():
    assert new_game(min_bet=20).default(0) == bet(20)
    assert at_tie().default(0) == SURRENDER


def test_a_sample_may_be_any_legal_bet():
    game = position("K 9", 14)
    found = {str(game.sample(0, Random(seed))) for seed in range(400)}
    every = [*(bet(10, t) for t in range(5)), *(bet(12, t) for t in range(3)), bet(14)]
    assert found == set(map(str, every))
