"""The reply `pickup` in War: what is refused and why, what is accepted, schema and samples."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest
from jsonschema import Draft202012Validator

from referee.games.pyanitsa.game import Pyanitsa
from referee.games.war.game import War
from referee.games.war_family.cards import MOST_JOKERS, deck
from tests.referee.games.war_positions import new_game, position, pyanitsa

VALIDATOR = Draft202012Validator(War.schemas()["pickup"])
WON = ["9C", "8C", "KC"]
"""What A has won in `asked`."""


def asked():
    game = position("K 2 3 / 9 4 5 / 8 6 7")
    assert game.won == WON
    return game


def ordered(*cards):
    return {"order": [*cards]}


REFUSALS = [
    (ordered(), "'9C' is missing; \"order\" holds all 3 cards won"),
    (ordered("KC", "9C"), "'8C' is missing; \"order\" holds all 3 cards won"),
    (ordered("KC", "9C", "8C", "KC"), "'KC' is named twice"),
    (ordered("KC", "9C", "KC"), "'KC' is named twice"),
    (ordered("KC", "9C", "8D"), "'8D' is not among the cards you have won"),
    (ordered("KC", "9C", "2C"), "'2C' is not among the cards you have won"),
    (ordered("KC", "9C", "10C"), "'10C' is not a card; a card is written like"),
    (ordered("KC", "9C", "8c"), "'8c' is not a card"),
    (ordered("X11"), "'X11' is not a card"),
    (ordered(10**4000), "not as a number"),
]


@pytest.mark.parametrize(("move", "reason"), REFUSALS, ids=range(len(REFUSALS)))
def test_a_reply_is_refused_with_a_reason(move, reason):
    assert reason in asked().refusal(0, move)


@pytest.mark.parametrize("order", [*permutations(WON)])
def test_every_permutation_is_accepted_and_fits_the_schema(order):
    move = ordered(*order)
    assert asked().refusal(0, move) is None
    VALIDATOR.validate(move)


def test_every_permutation_is_sampled_about_as_often():
    game, rng = asked(), Random(1)
    found = Counter(tuple(game.sample(0, rng)["order"]) for _ in range(6000))
    assert found.keys() == set(permutations(WON))
    assert all(850 < count < 1150 for count in found.values())


@pytest.mark.parametrize("kind", [War, Pyanitsa])
def test_the_schema_knows_the_cards_of_the_game(kind):
    validator = Draft202012Validator(kind.schemas()["pickup"])
    for card in deck(jokers=MOST_JOKERS):
        fits = kind is War or card[0] != "X"
        assert validator.is_valid({"order": [card, "7H" if card != "7H" else "8H"]}) == fits


def test_pyanitsa_refuses_likewise():
    game = pyanitsa("K 6 7 / 9 7 8")
    assert game.refusal(0, ordered("9C", "KC")) is None
    assert game.refusal(0, ordered("9C", "8D")) == "'8D' is not among the cards you have won"
    assert "'X1' is not a card" in game.refusal(0, ordered("9C", "X1"))


def test_the_schema_takes_all_cards_that_ten_seats_can_lay():
    game = new_game(seats=10, jokers="buried")
    cards = [card for card in game.cards if card not in game.aside]
    assert len(cards) == War.schemas()["pickup"]["properties"]["order"]["maxItems"]
    VALIDATOR.validate({"order": cards})
