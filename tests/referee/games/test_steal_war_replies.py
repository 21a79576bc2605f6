"""Replies in Steal War: what is refused and why, what is accepted, defaults and samples."""

import pytest
from jsonschema import Draft202012Validator

from referee.games.steal_war.game import StealWar
from tests.referee.games.steal_war_positions import PLAY, position, steal


def at_steal():
    """A holds a nine; B's pile shows one, C has none, D's shows another rank."""
    return position("9 5 6 | 2 4", "K 4 7 | J 8 9", "2 4 5", "3 6 T | 9 T")


def at_top():
    """A has won the king, the four and the queen; 9C lies in its pack."""
    return position("K 9 3", "4 5 6", "Q 7 8")


REFUSALS = [
    (at_steal, steal(0), "0 is your own seat"),
    (at_steal, steal(2), "seat 2 (C) has no pile to steal"),
    (at_steal, steal(3), "'TD', not of the rank of your card, '9C'"),
    (at_steal, steal(-1), "a seat from 0 to 3"),
    (at_steal, steal(4), "a seat from 0 to 3"),
    (at_steal, steal(10**5000), "a seat from 0 to 3"),
    (at_top, {"top": "1C"}, "'1C' is not a card"),
    (at_top, {"top": "kc"}, "'kc' is not a card"),
    (at_top, {"top": "9C"}, "'9C' is not among the cards you have won: 4C QC K"),
]


@pytest.mark.parametrize(("asked", "move", "reason"), REFUSALS)
def test_a_wrong_reply_is_refused_in_words(asked, move, reason):
    assert reason in asked().refusal(0, move)


def test_the_legal_moves_are_the_play_and_every_pile_of_the_rank():
    game = position("9 5 6", "K 4 7 | J 9", "2 4 5", "3 6 7 | T 9")
    assert game.decision(0).legal == [PLAY, steal(1), steal(3)]


@pytest.mark.parametrize(("target", "is_seat"), [(0, True), (9, True), (10, False)])
def test_the_schema_takes_every_seat_for_a_target(target, is_seat):
    assert Draft202012Validator(StealWar.schemas()["steal"]).is_valid(steal(target)) == is_seat


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
