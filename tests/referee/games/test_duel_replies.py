"""Replies in Duel: what is refused and why, what is accepted, defaults, samples and schemas."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.game import plain
from referee.games.duel.game import Duel
from tests.referee.games.duel_positions import (
    BREATHE,
    END_TURN,
    FEINT,
    NO_DEFENCE,
    RETREAT,
    at_action,
    at_choice,
    at_defence,
    at_emergency,
    at_second_action,
    attack,
    carefully_played,
    defence,
    new_game,
    observe,
    play,
    position,
)

PAGE = Path(__file__).parents[3] / "referee" / "games" / "duel" / "rules.md"


def weak(**attributes):
    """Return a function that has seat 0, weak in something, asked for a second action."""
    return lambda: position("B3 E4 O12", number=2, **attributes)


def cornered():
    """Seat 1 defends with a single point of dexterity."""
    return play(position("B3", "O1 C1", dexterity=(9, 1)), attack("B3"))


REFUSALS = [
    (at_choice, {"trait": 8}, '"trait" must be 1 or 7, the traits you rolled'),
    (at_choice, {"trait": 10**400}, "must be 1 or 7"),
    (at_action, END_TURN, "first action of a turn is compulsory"),
    (weak(fencing=(1, 9)), BREATHE, '"breathe" needs fencing 2 or more; yo'),
    (weak(stamina=(1, 9)), BREATHE, '"breathe" costs 2 stamina now; you h'),
    (weak(stamina=(2, 9)), FEINT, '"feint" costs 3 stamina now; you have 2'),
    (weak(stamina=(2, 9)), attack("B3"), '"attack" costs 3 stamina now'),
    (weak(dexterity=(1, 9)), attack("E4"), "a cut costs 2 dexterity; you have 1"),
    (at_action, attack(""), "must have at least 1 entry, not 0"),
    (at_action, attack("B0"), "'B0' is not a card; a card is written"),
    (at_action, attack("3B"), "'3B' is not a card"),
    (at_action, attack("b3"), "'b3' is not a card"),
    (at_action, attack("B8"), "'B8' is not a card of this deck"),
    (at_action, attack("B7"), "'B7' is not in your hand"),
    (at_action, attack("B3 B2"), "'B2' is not in your hand"),
    (at_action, attack("B5 B5"), "'B5' is named twice"),
    (at_action, attack("B3 B3"), "'B3' is named twice"),
    (at_action, attack("B5 B10"), "'B10' is a potentiator, in no ladder"),
    (at_action, attack("O3"), "'O3' is of coins (O), which defend; an attack"),
    (at_action, attack("B4 E5"), "'B4' and 'E5' are of two suits"),
    (at_action, attack("B3 B5"), "'B3' and 'B5' do not follow one another"),
    (at_action, observe("B3"), "'B3' is a number card; only a potent"),
    (at_action, observe("B11"), "'B11' is not in your hand"),
    (at_action, observe("B13"), "'B13' is not a card"),
    (at_defence, defence("E3"), "'E3' is of swords (E), which attack; a def"),
    (at_defence, defence("C12"), "'C12' is a potentiator, in no ladder"),
    (at_defence, defence("O2 O2"), "'O2' is named twice"),
    (at_defence, defence("O1 C2"), "'O1' and 'C2' are of two suits"),
    (at_defence, defence("O3"), "'O3' is not in your hand"),
    (cornered, defence("C1"), "a moulinet costs 2 dexterity; you have 1"),
]


@pytest.mark.parametrize(("asked", "move", "reason"), REFUSALS)
def test_a_reply_is_refused_with_a_reason(asked, move, reason):
    game = asked()
    (seat,) = game.deciders()
    assert reason in game.refusal(seat, move)


ACCEPTED = [
    (at_choice, {"trait": 7, "card": 1}, {"trait": 7}),
    (at_action, attack("B5 B3 B4"), attack("B3 B4 B5")),
    (at_action, attack("E5 E4") | {"card": None}, attack("E4 E5")),
    (at_action, observe("O12") | {"cards": ["B3"]}, observe("O12")),
    (at_action, FEINT | {"cards": "B3", "unknown": {}}, FEINT),
    (at_second_action, END_TURN | {"use": True}, END_TURN),
    (at_defence, NO_DEFENCE | {"use": True}, NO_DEFENCE),
    (at_defence, defence("C2 C1"), defence("C1 C2")),
    (at_emergency, RETREAT | {"cards": []}, RETREAT),
]


@pytest.mark.parametrize(("asked", "move", "canonical"), ACCEPTED)
def test_a_reply_is_accepted_and_recorded_without_what_the_rules_do_not_read(
    asked, move, canonical
):
    game = asked()
    (seat,) = game.deciders()
    assert game.refusal(seat, move) is None
    assert Draft202012Validator(Duel.schemas()[game.asked]).is_valid(move)
    assert game.read(seat, move) == canonical
    assert canonical in game.decision(seat).legal


def test_with_48_cards_the_numbers_run_to_9():
    game = position("B7 B8 B9 B10", deck=48)
    assert attack("B7 B8 B9") in game.decision(0).legal
    assert game.refusal(0, attack("B9 B7 B8")) is None
    assert "in no ladder" in game.refusal(0, attack("B9 B10"))


DEFAULTS = [
    (at_choice, {"trait": 1}),
    (at_action, FEINT),
    (at_second_action, END_TURN),
    (lambda: position("B1", stamina=(1, 9), fencing=(2, 9)), BREATHE),
    (lambda: position("B1", stamina=(1, 9), fencing=(1, 9)), FEINT),
    (lambda: position("B1", stamina=(2, 9), fencing=(2, 9)), FEINT),
    (at_defence, NO_DEFENCE),
    (at_emergency, RETREAT),
]


@pytest.mark.parametrize(("asked", "move"), DEFAULTS)
def test_defaults_are_those_of_the_rules_page(asked, move):
    game = asked()
    (seat,) = game.deciders()
    assert game.default(seat) == move
    assert move in game.decision(seat).legal


def as_text(move):
    return msgspec.json.encode(move)


def candidates(game):
    """Return every move of one card or of two or three consecutive ones, legal or not."""
    rows = [game.cards[at : at + size] for size in (1, 2, 3) for at in range(len(game.cards))]
    ladders = [attack(" ".join(row)) for row in rows] + [{"cards": row} for row in rows]
    others = [{"action": name} for name in ("feint", "breathe", "footwork", "end_turn")]
    others += [observe(card) for card in game.cards]
    others += [NO_DEFENCE, *({"use": use} for use in (True, False))]
    return [*ladders, *others, *({"trait": number} for number in range(1, 9))]


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 60), st.sampled_from([40, 48]))
def test_a_move_is_listed_exactly_if_it_is_not_refused(seed, decisions, deck):
    game = carefully_played(seed, decisions, deck=deck)
    for seat in game.deciders():
        legal = game.decision(seat).legal
        short = [move for move in legal if len(move.get("cards", ())) <= 3]
        allowed = [
            {field: move[field] for field in move}
            for move in candidates(game)
            if game.refusal(seat, move) is None and game.read(seat, move) == move
        ]
        assert sorted(map(as_text, short)) == sorted(map(as_text, allowed))
        assert all(game.refusal(seat, move) is None for move in legal)


def asks_of_the_page():
    """Return the asks that the rules page shows, by decision."""
    text = PAGE.read_text(encoding="utf-8")
    asks = [block.split('\n{"id"')[0] for block in text.split("```json\n")[2:]]
    found = [msgspec.json.decode(block.partition("```")[0]) for block in asks]
    return {ask["decision"]: ask for ask in found}


def the_pages_view():
    return msgspec.json.decode(PAGE.read_text().split("```json\n")[1].partition("```")[0])


def the_pages_attack():
    """Return the game of the page's view, before the attack."""
    game = position(
        "B6 E3 E3 E6 E10 E10 O1 C4 C5",
        "E4 E5 O1 O2 O3 O4 O5 O6 O7",
        on_turn=1,
        trait=(1, 8),
        stamina=(3, 6),
        dexterity=(8, 8),
        fencing=(12, 10),
        in_play=("B12 C11 O11 O12", "E11 E12"),
    )
    game.turn = 10
    return play(game, attack("E4 E5"))


def test_the_view_of_the_page_has_every_field_and_the_attack_as_it_is_reckoned():
    shown, real = the_pages_view(), plain(the_pages_attack().view(0))
    assert list(shown) == list(real)
    told_elsewhere = {"dice", "discards", "deck", "log"}
    for field in shown.keys() - told_elsewhere:
        assert shown[field] == real[field], field


def test_the_asks_of_the_page_list_what_is_legal():
    asks = asks_of_the_page()
    assert asks.keys() == Duel.decisions.keys()
    game = the_pages_attack()
    assert asks["defend"]["legal"] == game.decision(0).legal
    play(game, defence("O1"))
    assert asks["emergency_parry"]["legal"] == game.decision(0).legal
    assert (
        asks["emergency_parry"]["view"]["attack"].items() <= plain(game.view(0))["attack"].items()
    )
    assert asks["choose_trait"]["legal"] == new_game(rolls=(3, 1, 2, 1)).decision(0).legal
    hand = " ".join(asks["action"]["view"]["hand"])
    game = position(hand, stamina=(5, 5), dexterity=(7, 6), number=2)
    assert asks["action"]["legal"] == game.decision(0).legal
    assert asks["action"]["view"]["price"] == plain(game.view(0))["price"]
