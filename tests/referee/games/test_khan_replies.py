"""Replies in Khan: what is refused and why, what is accepted, and defaults."""

import pytest
from jsonschema import Draft202012Validator

from referee.games.khan.game import Khan
from tests.referee.games.khan_positions import (
    DRAW,
    KEEP,
    USE,
    attack,
    blow_up,
    fight,
    play,
    position,
    show,
)

VALIDATORS = {name: Draft202012Validator(schema) for name, schema in Khan.schemas().items()}


def turn():
    return position("E2", "E3", "E4")


def discard():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    play(game, DRAW)
    return game


def vanguard():
    return fight(cards=("E1 E2 E3 E4 E4 B1 B1 B6 O4 O7 C12", "B2"))


def rear():
    return fight("E3 E4 E5", cards=("E3 E4 E5 E6 E7 C10 C11", "B2"))


def leader():
    return fight("E3 E4", cards=("E3 E4 C11", "B2"))


def gunpowder():
    return fight("E3 E4 E5", "B3 B4 B5", cards=("O1 E3 E4 E5", "B3 B4 B5 E6"))


def after_gunpowder():
    game = fight("E3 E4 E5", "B3 B4 B5", cards=("O1 E3 E4 E5 B1 B6 B7", "B3 B4 B5"))
    play(game, blow_up("B3 B4"))
    return game


def poison():
    return fight("C11", cards=("C10 C11", "C1 E2"))


def heir():
    game = poison()
    play(game, USE)
    return game


def retreat():
    return fight("-", "-", cards=("E3 E4 E1 C10", "B2"))


def place():
    return fight(cards=("E3 B7", "B2 B5 O5 O5"))


def given(discard="E5", place="hand", **others):
    return {"discard": discard, "from": place, **others}


REFUSALS = [
    (turn, attack(0), '"target" 0 is your own seat'),
    (turn, attack(3), "the number of a seat, 0 to 2"),
    (turn, attack(-1), "the number of a seat"),
    (turn, attack(10**5000), "the number of a seat"),
    (discard, {"discard": "E5"}, '"from" must be "hand" or "front"'),
    (discard, given(place="deck"), '"from" must be "hand" or "front"'),
    (discard, given(place=1), '"from" must be'),
    (discard, given("E8"), "'E8' is not a card of this deck"),
    (discard, given("E2"), "'E2' lies face up, not in your hand"),
    (discard, given("E7"), "'E7' is not in your hand"),
    (discard, given(replacement="E6"), '"replacement" must be null'),
    (discard, given("E5", "front", replacement="O7"), "'E5' is in your hand, not face up"),
    (discard, given("E7", "front", replacement="O7"), "'E7' does not lie face up"),
    (discard, given("E2", "front", replacement="B4"), "'B4' is not in your hand"),
    (vanguard, show("e2 E3 E4"), "'e2' is not a card"),
    (vanguard, show("E2 E3"), "a vanguard is exactly three, or nothing; you named 2"),
    (vanguard, show("E2 E3 E4 E4"), "you named 4"),
    (vanguard, show("O4 O5 O6"), "'O5' is not in your hand"),
    (vanguard, show("E2 E2 E2"), "you named 'E2' 3 times and hold one"),
    (vanguard, show("E3 E4 B6"), "'E4' and 'B6' are of two suits"),
    (vanguard, show("E3 E4 E4"), "'E4' twice makes no ladder"),
    (vanguard, show("E1 E2 E3"), "'E1' is the retreat; of the aces only B1"),
    (vanguard, show("E3 E4 C12"), "'C12' is a leader, who shows himself"),
    (vanguard, show("B1 B1 O4"), "only one champion"),
    (vanguard, show("B1 O4 O7"), "O4 O7 are too far apart"),
    (vanguard, show("B1 B6 O7"), "'B6' and 'O7' are of two suits"),
    (rear, show("E5 E6"), "'E5' has been shown; a card serves one round"),
    (rear, show("C10 C11"), "'C10' is a leader"),
    (rear, show("E6 E7 C10"), "a rear is exactly two"),
    (after_gunpowder, show("B1 B6"), "you have declared 'O1' in this combat"),
    (after_gunpowder, show("O1 B6"), "'O1' has been declared"),
    (leader, show("E3"), "'E3' has been shown"),
    (leader, show("E5"), "'E5' is not in your hand"),
    (leader, show("C11 C11"), "a leader is exactly one"),
    (gunpowder, blow_up("B3"), "exactly 2 entries, not 1"),
    (gunpowder, blow_up("B3 B4 B5"), "exactly 2 entries, not 3"),
    (gunpowder, blow_up("B3 B3"), "'B3' is named twice"),
    (gunpowder, blow_up("B3 E6"), "'E6' does not stand in the enemy's vanguard"),
    (gunpowder, blow_up("E3 E4"), "vanguard, B3 B4 B5"),
    (heir, {"card": "E2"}, "'E2' is no leader; C10 C11 C12 are"),
    (heir, {"card": "C11"}, "'C11' is not in your hand"),
    (place, show("B2"), "exactly 2 entries, not 1"),
    (place, show("-"), "exactly 2 entries, not 0"),
    (place, show("B2 B2"), "you named 'B2' 2 times and hold one"),
    (place, show("B2 E3"), "'E3' is not in your hand"),
]


@pytest.mark.parametrize(("asked", "move", "reason"), REFUSALS)
def test_a_reply_is_refused_with_a_reason(asked, move, reason):
    game = asked()
    (seat,) = game.deciders()
    assert reason in game.refusal(seat, move)


ACCEPTED = [
    ("a draw with a target", turn, {"action": "draw", "target": "x"}, DRAW),
    ("an attack with more", turn, {**attack(2), "cards": 1}, attack(2)),
    ("a discard without replacement", discard, given(), given(replacement=None)),
    (
        "a face-up discard",
        discard,
        given("E2", "front", replacement="O7"),
        given("E2", "front", replacement="O7"),
    ),
    ("a ladder in any order", vanguard, show("E4 E2 E3"), show("E2 E3 E4")),
    ("a champion in any order", vanguard, show("E4 B1 E3"), show("E3 E4 B1")),
    ("nothing", vanguard, show("-"), show("-")),
    ("gunpowder in any order", gunpowder, blow_up("B5 B3"), blow_up("B3 B5")),
    ("gunpowder kept, cards named", gunpowder, {"use": False, "discard": 1}, KEEP),
    ("poison", poison, {"use": True, "discard": []}, USE),
    ("no heir", heir, {"card": None}, {"card": None}),
    ("an heir", heir, {"card": "C10"}, {"card": "C10"}),
    ("two equal cards", place, show("O5 O5"), show("O5 O5")),
    ("a front in any order", place, show("O5 B2"), show("B2 O5")),
]


@pytest.mark.parametrize(
    ("asked", "move", "canonical"), [pytest.param(*row[1:], id=row[0]) for row in ACCEPTED]
)
def test_a_reply_is_accepted_and_recorded_in_one_form(asked, move, canonical):
    game = asked()
    (seat,) = game.deciders()
    assert game.refusal(seat, move) is None
    assert VALIDATORS[game.asked].is_valid(move)
    assert game.read(seat, move) == canonical
    assert canonical in game.decision(seat).legal


DEFAULTS = [
    (turn, DRAW),
    (discard, given("O7", replacement=None)),
    (vanguard, show("-")),
    (gunpowder, KEEP),
    (poison, KEEP),
    (heir, {"card": None}),
    (retreat, KEEP),
    (place, show("B2 B5")),
]


@pytest.mark.parametrize(("asked", "move"), DEFAULTS)
def test_defaults_are_those_of_the_rules_page(asked, move):
    game = asked()
    (seat,) = game.deciders()
    assert game.default(seat) == move
