"""Replies in Khan: what is refused and why, what is accepted, defaults, and the page's examples."""

from pathlib import Path
from random import Random

import msgspec
import pytest
from jsonschema import Draft202012Validator

from referee.game import plain
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

PAGE = (Path(__file__).parents[3] / "referee" / "games" / "khan" / "rules.md").read_text(
    encoding="utf-8"
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
    ("turn-empty", turn, {}, '"action" must be "draw" or "attack"'),
    ("turn-unknown", turn, {"action": "wait"}, '"action" must be'),
    ("turn-list", turn, {"action": ["draw"]}, '"action" must be'),
    ("turn-true", turn, {"action": True}, '"action" must be'),
    ("turn-no-target", turn, {"action": "attack"}, '"target" is missing'),
    ("turn-oneself", turn, attack(0), '"target" 0 is your own seat'),
    ("turn-nobody", turn, attack(3), "the number of a seat, 0 to 2"),
    ("turn-negative", turn, attack(-1), "the number of a seat"),
    ("turn-float", turn, attack(1.0), "must be a whole number, not a number"),
    ("turn-boolean", turn, attack(True), "must be a whole number, not a boolean"),
    ("turn-string", turn, attack("1"), "must be a whole number, not a string"),
    ("turn-huge", turn, attack(10**5000), "the number of a seat"),
    ("discard-empty", discard, {}, '"from" must be "hand" or "front", and is missing'),
    ("discard-no-place", discard, {"discard": "E5"}, '"from" must be "hand" or "front"'),
    ("discard-nothing", discard, {"from": "hand"}, '"discard" is missing'),
    ("discard-place", discard, given(place="deck"), '"from" must be "hand" or "front"'),
    ("discard-place-type", discard, given(place=1), '"from" must be'),
    ("discard-type", discard, given(5), "not as a number"),
    ("discard-null", discard, given(None), "not as null"),
    ("discard-no-card", discard, given("5E"), "'5E' is not a card; a card is written like"),
    ("discard-eight", discard, given("E8"), "'E8' is not a card of this deck"),
    ("discard-face-up", discard, given("E2"), "'E2' lies face up, not in your hand"),
    ("discard-nowhere", discard, given("E7"), "'E7' is not in your hand"),
    ("discard-replaced", discard, given(replacement="E6"), '"replacement" must be null'),
    (
        "discard-hidden",
        discard,
        given("E5", "front", replacement="O7"),
        "'E5' is in your hand, not face up",
    ),
    (
        "discard-not-up",
        discard,
        given("E7", "front", replacement="O7"),
        "'E7' does not lie face up",
    ),
    ("discard-unreplaced", discard, given("E2", "front"), '"replacement" is missing'),
    (
        "discard-null-replacement",
        discard,
        given("E2", "front", replacement=None),
        "a card is written like 'E5' or 'C12', not as null",
    ),
    ("discard-replacement-type", discard, given("E2", "front", replacement=[]), "not as a list"),
    (
        "discard-replacement-up",
        discard,
        given("E2", "front", replacement="B4"),
        "'B4' is not in your hand",
    ),
    ("reveal-empty", vanguard, {}, '"cards" is missing'),
    ("reveal-string", vanguard, {"cards": "E2"}, '"cards" must be a list of cards, not a string'),
    ("reveal-null", vanguard, {"cards": None}, "not null"),
    ("reveal-object", vanguard, {"cards": {}}, "not an object"),
    ("reveal-number", vanguard, {"cards": [2, 3, 4]}, "not as a number"),
    ("reveal-boolean", vanguard, {"cards": [True]}, "not as a boolean"),
    ("reveal-nested", vanguard, {"cards": [["E2"]]}, "not as a list"),
    ("reveal-name", vanguard, show("e2 E3 E4"), "'e2' is not a card"),
    ("reveal-two", vanguard, show("E2 E3"), "a vanguard is exactly three, or nothing; you named 2"),
    ("reveal-four", vanguard, show("E2 E3 E4 E4"), "you named 4"),
    ("reveal-not-held", vanguard, show("O4 O5 O6"), "'O5' is not in your hand"),
    ("reveal-copies", vanguard, show("E2 E2 E2"), "you named 'E2' 3 times and hold one"),
    ("reveal-suits", vanguard, show("E3 E4 B6"), "'E4' and 'B6' are of two suits"),
    ("reveal-twice", vanguard, show("E3 E4 E4"), "'E4' twice makes no ladder"),
    ("reveal-ace", vanguard, show("E1 E2 E3"), "'E1' is the retreat; of the aces only B1"),
    ("reveal-leader", vanguard, show("E3 E4 C12"), "'C12' is a leader, who shows himself"),
    ("reveal-champions", vanguard, show("B1 B1 O4"), "only one champion"),
    ("reveal-apart", vanguard, show("B1 O4 O7"), "O4 O7 are too far apart"),
    ("reveal-suits-apart", vanguard, show("B1 B6 O7"), "'B6' and 'O7' are of two suits"),
    ("reveal-served", rear, show("E5 E6"), "'E5' has been shown; a card serves one round"),
    ("reveal-leaders", rear, show("C10 C11"), "'C10' is a leader"),
    ("reveal-rear", rear, show("E6 E7 C10"), "a rear is exactly two"),
    ("reveal-declared", after_gunpowder, show("B1 B6"), "you have declared 'O1' in this combat"),
    ("reveal-spent", after_gunpowder, show("O1 B6"), "'O1' has been declared"),
    ("reveal-number-leads", leader, show("E3"), "'E3' has been shown"),
    ("reveal-no-leader", leader, show("E5"), "'E5' is not in your hand"),
    ("reveal-two-leaders", leader, show("C11 C11"), "a leader is exactly one"),
    ("gunpowder-empty", gunpowder, {}, '"use" must be true or false, and is'),
    ("gunpowder-one", gunpowder, {"use": 1}, '"use" must be true or false'),
    ("gunpowder-null", gunpowder, {"use": None}, '"use" must be true or false'),
    ("gunpowder-nothing", gunpowder, USE, '"discard" is missing'),
    ("gunpowder-one-card", gunpowder, blow_up("B3"), "exactly 2 entries, not 1"),
    ("gunpowder-three", gunpowder, blow_up("B3 B4 B5"), "exactly 2 entries, not 3"),
    ("gunpowder-twice", gunpowder, blow_up("B3 B3"), "'B3' is named twice"),
    ("gunpowder-hand", gunpowder, blow_up("B3 E6"), "'E6' does not stand in the enemy's vanguard"),
    ("gunpowder-own", gunpowder, blow_up("E3 E4"), "vanguard, B3 B4 B5"),
    ("gunpowder-type", gunpowder, {"use": True, "discard": "B3 B4"}, "not a string"),
    ("poison-empty", poison, {}, '"use" is missing'),
    ("poison-string", poison, {"use": "true"}, '"use" must be true or false'),
    ("heir-empty", heir, {}, '"card" is missing'),
    ("heir-number", heir, {"card": "E2"}, "'E2' is no leader; C10 C11 C12 are"),
    ("heir-dead", heir, {"card": "C11"}, "'C11' is not in your hand"),
    ("heir-list", heir, {"card": ["C10"]}, "not as a list"),
    ("heir-false", heir, {"card": False}, "not as a boolean"),
    ("retreat-empty", retreat, {}, '"use" is missing'),
    ("retreat-zero", retreat, {"use": 0}, '"use" must be true or false'),
    ("place-empty", place, {}, '"cards" is missing'),
    ("place-one", place, show("B2"), "exactly 2 entries, not 1"),
    ("place-none", place, show("-"), "exactly 2 entries, not 0"),
    ("place-copies", place, show("B2 B2"), "you named 'B2' 2 times and hold one"),
    ("place-others", place, show("B2 E3"), "'E3' is not in your hand"),
    ("place-type", place, {"cards": 2}, "not a number"),
]


@pytest.mark.parametrize(
    ("asked", "move", "reason"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS]
)
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


def test_a_seat_that_is_not_asked_may_not_move():
    assert turn().refusal(1, DRAW) == "nothing is asked of you now"


def test_a_long_name_is_cut_in_the_reason():
    assert len(vanguard().refusal(0, {"cards": ["E3" * 1000]})) < 100


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


@pytest.mark.parametrize("asked", [row[0] for row in DEFAULTS])
def test_every_legal_move_comes_up(asked):
    game, rng = asked(), Random(1)
    (seat,) = game.deciders()
    every = {msgspec.json.encode(move) for move in game.decision(seat).legal}
    assert {msgspec.json.encode(game.sample(seat, rng)) for _ in range(2000)} == every


# --- the examples of the page ----------------------------------------------------------------


def test_the_view_of_the_page_has_every_field():
    shown = msgspec.json.decode(PAGE.split("```json\n")[1].partition("```")[0])
    game = gunpowder()
    real = plain(game.view(0))
    assert list(shown) == list(real)
    assert list(shown["combat"]) == list(real["combat"])
    assert list(shown["combat"]["rounds"][0]) == list(real["combat"]["rounds"][0])
    game = position("E2", "E3")
    play(game, DRAW)
    assert list(shown["recent"][0]) == list(plain(game.view(0))["recent"][0])
