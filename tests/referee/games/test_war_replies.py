"""The reply `pickup` in War: what is refused and why, what is accepted, schema and samples."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.game import plain
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


REFUSALS = {
    "empty": ({}, '"order" is missing'),
    "another field": ({"cards": WON}, '"order" is missing'),
    "an unknown field": (
        {"order": WON, "note": 1},
        "'note' is no field of this reply, which has only \"order\"",
    ),
    "a long unknown field": (
        {"order": WON, "x" * 1000: 1},
        f"'{'x' * 30}' is no field",
    ),
    "null": ({"order": None}, '"order" must be a list of cards, not null'),
    "a string": ({"order": "random"}, '"order" must be a list of cards, not a string'),
    "an object": ({"order": {"9C": 1}}, '"order" must be a list of cards, not an object'),
    "a number": ({"order": 1.0}, '"order" must be a list of cards, not a number'),
    "true": ({"order": True}, '"order" must be a list of cards, not a boolean'),
    "no card": (ordered(), "'9C' is missing; \"order\" holds all 3 cards won"),
    "too few": (ordered("KC", "9C"), "'8C' is missing; \"order\" holds all 3 cards won"),
    "too many": (ordered("KC", "9C", "8C", "KC"), "'KC' is named twice"),
    "twice": (ordered("KC", "9C", "KC"), "'KC' is named twice"),
    "not won": (ordered("KC", "9C", "8D"), "'8D' is not among the cards you have won"),
    "in the pack": (ordered("KC", "9C", "2C"), "'2C' is not among the cards you have won"),
    "no such card": (ordered("KC", "9C", "1C"), "'1C' is not a card; a card is written like"),
    "suit first": (ordered("KC", "9C", "C8"), "'C8' is not a card"),
    "ten in digits": (ordered("KC", "9C", "10C"), "'10C' is not a card"),
    "small letters": (ordered("KC", "9C", "8c"), "'8c' is not a card"),
    "no eleventh joker": (ordered("X11"), "'X11' is not a card"),
    "a lone surrogate": (ordered("\ud800"), "is not a card"),
    "a number for a card": (ordered("KC", "9C", 8), "a card is written like '7H' or 'TC', not as"),
    "a huge number": (ordered(10**4000), "not as a number"),
    "a list of lists": (ordered(["KC"], ["9C"], ["8C"]), "not as a list"),
    "null for a card": (ordered("KC", None), "not as null"),
}


@pytest.mark.parametrize(("move", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_a_reply_is_refused_with_a_reason(move, reason):
    found = asked().refusal(0, move)
    assert found is not None
    assert reason in found


def test_another_seat_is_not_asked():
    game = asked()
    assert game.refusal(1, {"order": WON}) == "nothing is asked of you now"
    finished = position("K / 9")
    assert finished.refusal(0, {"order": ["9C", "KC"]}) == "nothing is asked of you now"


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


CARD = st.sampled_from([*WON, "2C", "8D", "1C", "X1"]) | st.none() | st.integers() | st.text()


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(CARD, max_size=6))
def test_only_permutations_are_accepted(order):
    legal = Counter(map(repr, order)) == Counter(map(repr, WON))
    assert (asked().refusal(0, {"order": order}) is None) == legal


def test_a_reply_nested_out_of_all_bounds_is_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert asked().refusal(0, {"order": deep})


PAGES = Path(__file__).parents[3] / "referee" / "games"
EACH_PAGE = pytest.mark.parametrize("kind", [War, Pyanitsa])


def blocks(kind):
    """Return the JSON examples of the game's rules page."""
    page = (PAGES / kind.name / "rules.md").read_text(encoding="utf-8")
    return [part.partition("```")[0] for part in page.split("```json\n")[1:]]


@EACH_PAGE
def test_the_view_of_the_page_has_every_field(kind):
    shown, real = json.loads(blocks(kind)[0]), plain(new_game(kind).view(0))
    assert list(shown) == list(real)
    assert list(shown["since"][0]) == list(real["since"][0])
    cards = [card for pack in shown["packs"] for card in pack] + shown["won"]
    assert len(cards) == len(new_game(kind).cards)


@EACH_PAGE
def test_the_reply_of_the_page_answers_its_question(kind):
    asked, reply = map(json.loads, blocks(kind)[1].splitlines())
    assert asked["id"] == reply["id"]
    assert sorted(reply["move"]["order"]) == sorted(asked["limits"]["won"])
    Draft202012Validator(kind.schemas()[asked["decision"]]).validate(reply["move"])
