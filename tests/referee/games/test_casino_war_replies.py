"""Replies in Casino War: what is refused and why, what is accepted, defaults and samples."""

from random import Random

import pytest

from tests.referee.games.casino_war_positions import (
    SURRENDER,
    WAR,
    bet,
    new_game,
    play,
    position,
)


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


def refused(name, asked, move, reason):
    return pytest.param(asked, move, reason, id=name)


REFUSALS = [
    refused("empty", new_game, {}, '"bet" is missing'),
    refused("only-tie", new_game, {"tie_bet": 4}, '"bet" is missing'),
    refused("extra", new_game, {"bet": 10, "why": 1}, "'why' is no field"),
    refused("other-decision", new_game, WAR, '"bet" is missing'),
    refused("text", new_game, bet("10"), '"bet" must be a whole number, not a string'),
    refused("null", new_game, bet(None), '"bet" must be a whole number, not null'),
    refused("list", new_game, bet([10]), '"bet" must be a whole number, not a list'),
    refused("float", new_game, bet(10.0), "whole number, not a number with a point"),
    refused("true", new_game, bet(True), '"bet" must be a whole number, not a boolean'),
    refused("odd", new_game, bet(11), '"bet" is 11; it must be even'),
    refused("low", new_game, bet(8), '"bet" is 8; the least is 10'),
    refused("negative", new_game, bet(-10), '"bet" is -10; the least is 10'),
    refused("high", new_game, bet(102), '"bet" is 102; the greatest is 100'),
    refused("huge", new_game, bet(10**5000), '"bet" is far out of range, but you have only 1000'),
    refused("money", poor, bet(38), '"bet" is 38, but you have only 37'),
    refused("tie-text", new_game, bet(10, "1"), '"tie_bet" must be a whole number, not a str'),
    refused("tie-null", new_game, bet(10, None), '"tie_bet" must be a whole number, not null'),
    refused("tie-float", new_game, bet(10, 0.0), '"tie_bet" must be a whole number, not a number'),
    refused("tie-false", new_game, bet(10, False), '"tie_bet" must be a whole number, not a bool'),
    refused("tie-low", new_game, bet(10, -1), '"tie_bet" must be at least 0, not -1'),
    refused("tie-high", new_game, bet(10, 101), '"tie_bet" is 101; the greatest is 100'),
    refused("tie-huge", new_game, bet(10, 10**5000), '"tie_bet" is far out of range, but you have'),
    refused("tie-rich", poor, bet(20, 38), '"tie_bet" is 38, but you have only 37'),
    refused("tie-money", poor, bet(20, 18), '"tie_bet" come to 38, but you have only 37'),
    refused("tie-off", no_ties, bet(10, 1), "with the option `tie_bet` off it may only be 0"),
    refused("answer-empty", at_tie, {}, '"action" is missing'),
    refused("answer-other", at_tie, {"action": "fold"}, '"action" must be "war" or "surrender"'),
    refused("answer-list", at_tie, {"action": ["war"]}, '"action" must be "war" or "surrender"'),
    refused("answer-true", at_tie, {"action": True}, '"action" must be "war" or "surrender"'),
    refused("answer-extra", at_tie, {**WAR, "bet": 10}, "'bet' is no field"),
]


@pytest.mark.parametrize(("asked", "move", "reason"), REFUSALS)
def test_a_wrong_reply_is_refused_in_words(asked, move, reason):
    assert reason in asked().refusal(0, move)


def test_a_seat_that_is_not_asked_is_told_so():
    game = position("9 9", 18, 1000)
    play(game, bet(10), bet(10))
    assert game.refusal(0, WAR) == "nothing is asked of you now"


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


def test_a_bet_is_carried_out_without_the_field_for_ties():
    game = position("K 9")
    game.apply({0: {"bet": 12}, 1: bet(10)})
    assert game.money == [1012, 1010]


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


def test_a_bet_with_one_legal_answer_is_asked_all_the_same():
    assert 0 in poorest().deciders()


def test_a_tie_may_be_answered_by_war_or_surrender():
    assert at_tie().decision(0).legal == [WAR, SURRENDER]


def test_the_defaults_stake_as_little_as_possible():
    assert new_game(min_bet=20).default(0) == bet(20)
    assert at_tie().default(0) == SURRENDER


def test_a_sample_may_be_any_legal_bet():
    game = position("K 9", 14)
    found = {str(game.sample(0, Random(seed))) for seed in range(400)}
    every = [*(bet(10, t) for t in range(5)), *(bet(12, t) for t in range(3)), bet(14)]
    assert found == set(map(str, every))


def test_a_sample_may_be_either_answer():
    found = {str(at_tie().sample(0, Random(seed))) for seed in range(20)}
    assert found == {str(WAR), str(SURRENDER)}


def test_moves_are_told_in_words():
    assert new_game().describe(1, {"bet": 10}) == "B bets 10"
    assert new_game().describe(1, bet(10, 5)) == "B bets 10, and 5 on a tie"
    assert at_tie().describe(0, WAR) == "A goes to war"
    assert at_tie().describe(0, SURRENDER) == "A surrenders"
