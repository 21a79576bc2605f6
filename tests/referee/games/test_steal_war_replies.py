"""Replies in Steal War: what is refused and why, what is accepted, defaults and samples."""

from random import Random

import pytest
from jsonschema import Draft202012Validator

from referee.games.steal_war.game import StealWar
from tests.referee.games.steal_war_positions import (
    PLAY,
    new_game,
    play,
    position,
    steal,
    top_of_rank,
)


def at_steal():
    """A holds a nine; B's pile shows one, C has none, D's shows another rank."""
    return position("9 5 6 | 2 4", "K 4 7 | J 8 9", "2 4 5", "3 6 T | 9 T")


def at_top():
    """A has won the king, the four and the queen; 9C lies in its pack."""
    return position("K 9 3", "4 5 6", "Q 7 8")


def refused(name, asked, move, reason):
    return pytest.param(asked, move, reason, id=name)


REFUSALS = [
    refused("empty", at_steal, {}, '"action" must be "play", "steal" or "wait", and'),
    refused("unknown", at_steal, {"action": "rob"}, '"action" must be "play", "steal" or "wait"'),
    refused("list", at_steal, {"action": ["play"]}, '"action" must be'),
    refused("true", at_steal, {"action": True}, '"action" must be'),
    refused("other-decision", at_steal, {"top": "KC"}, '"action" must be'),
    refused("play-target", at_steal, {**PLAY, "target": 1}, "'target' is no field"),
    refused("play-extra", at_steal, {**PLAY, "why": 1}, "'why' is no field"),
    refused("no-target", at_steal, {"action": "steal"}, '"target" is missing'),
    refused("extra", at_steal, {**steal(1), "why": 1}, "'why' is no field"),
    refused("target-float", at_steal, steal(1.0), "not a number with a point"),
    refused("target-true", at_steal, steal(True), "not a boolean"),
    refused("target-text", at_steal, steal("1"), "not a string"),
    refused("target-null", at_steal, steal(None), "not null"),
    refused("target-list", at_steal, steal([1]), "not a list"),
    refused("target-self", at_steal, steal(0), "0 is your own seat"),
    refused("target-none", at_steal, steal(2), "seat 2 (C) has no pile to steal"),
    refused("target-rank", at_steal, steal(3), "'TD', not of the rank of your card, '9C'"),
    refused("target-below", at_steal, steal(-1), "a seat from 0 to 3"),
    refused("target-above", at_steal, steal(4), "a seat from 0 to 3"),
    refused("target-huge", at_steal, steal(10**5000), "a seat from 0 to 3"),
    refused("top-empty", at_top, {}, '"top" is missing'),
    refused("top-extra", at_top, {"top": "KC", "why": 1}, "'why' is no field"),
    refused("top-number", at_top, {"top": 4}, "not as a number"),
    refused("top-null", at_top, {"top": None}, "not as null"),
    refused("top-list", at_top, {"top": ["KC"]}, "not as a list"),
    refused("top-no-card", at_top, {"top": "1C"}, "'1C' is not a card"),
    refused("top-lower", at_top, {"top": "kc"}, "'kc' is not a card"),
    refused("top-pack", at_top, {"top": "9C"}, "'9C' is not among the cards you have won: 4C QC K"),
]


@pytest.mark.parametrize(("asked", "move", "reason"), REFUSALS)
def test_a_wrong_reply_is_refused_in_words(asked, move, reason):
    assert reason in asked().refusal(0, move)


def test_a_seat_that_is_not_asked_is_told_so():
    assert at_steal().refusal(1, PLAY) == "nothing is asked of you now"


@pytest.mark.parametrize("move", [PLAY, steal(1)])
def test_both_answers_are_accepted(move):
    assert at_steal().refusal(0, move) is None


def test_the_legal_moves_are_the_play_and_every_pile_of_the_rank():
    game = position("9 5 6", "K 4 7 | J 9", "2 4 5", "3 6 7 | T 9")
    assert game.decision(0).legal == [PLAY, steal(1), steal(3)]


@pytest.mark.parametrize(("target", "is_seat"), [(0, True), (9, True), (10, False)])
def test_the_schema_takes_every_seat_for_a_target(target, is_seat):
    assert Draft202012Validator(StealWar.schemas()["steal"]).is_valid(steal(target)) == is_seat


def test_every_card_won_may_go_on_top():
    game = at_top()
    assert game.decision(0).legal == [{"top": card} for card in ("4C", "QC", "KC")]
    assert all(game.refusal(0, move) is None for move in game.decision(0).legal)


def test_the_default_is_to_play():
    game = at_steal()
    assert game.default(0) == PLAY
    game.apply({0: game.default(0)})
    assert game.trick.up[0] == "9C"


def test_the_default_on_top_is_the_card_that_won():
    assert at_top().default(0) == {"top": "KC"}


def test_the_default_on_top_after_a_war_is_the_last_card_compared():
    game = position("7 2 3 4 K 5", "7 2 3 4 Q 5")
    assert game.default(0) == {"top": "KC"}


@pytest.mark.parametrize("asked", [at_steal, at_top])
def test_a_sample_may_be_any_legal_move(asked):
    game = asked()
    found = {str(game.sample(0, Random(seed))) for seed in range(50)}
    assert found == set(map(str, game.decision(0).legal))


def test_moves_are_told_in_words():
    game = at_steal()
    assert game.describe(0, PLAY) == "A plays 9C"
    assert game.describe(0, steal(1)) == "A steals B's pile of 3 with 9C"
    assert at_top().describe(0, {"top": "QC"}) == "A puts QC on top"


def test_a_top_card_outside_the_pot_is_not_looked_for_in_the_pile():
    game = position("K 9 3", "4 5 6")
    play(game, top_of_rank(game, "4"))
    assert game.refusal(0, {"top": "KC"}) is not None


def test_nobody_is_asked_when_the_game_is_over():
    game = new_game(max_tricks=1)
    assert game.refusal(0, PLAY) == "nothing is asked of you now"
