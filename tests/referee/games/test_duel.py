"""Duel: the deal, the course of a turn, what is shown, and what always holds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import plain
from referee.games.duel.cards import kinds
from referee.games.duel.fencer import BIG, BRAVE, LETHAL, TRAINED, VERSATILE, VETERAN, WARY
from tests.referee.games.duel_positions import (
    BREATHE,
    END_TURN,
    FEINT,
    FOOTWORK,
    NO_DEFENCE,
    asked,
    at_choice,
    attack,
    both,
    careful,
    carefully_played,
    defence,
    held,
    legal,
    new_game,
    observe,
    play,
    position,
)


def dealt(seed, first=0, second=0, **options):
    """Return the game after both have taken their first or second die."""
    game = new_game(seed, **options)
    for seat, die in enumerate((first, second)):
        play(game, {"trait": game.dice[seat][-1][die]})
    return game


def test_the_deck_of_48_has_96_cards():
    game = dealt("x", deck=48)
    assert len(held(game)) == 96
    assert game.table()["cards"] == kinds(48)
    assert {"B8", "C9"} <= {*kinds(48)} - {*kinds(40)}


def test_seat_0_is_dealt_the_first_cards_whatever_seat_1_chooses():
    hands = [dealt("x", 0, die).fencers[0].hand for die in (0, 1)]
    assert hands[0] == hands[1]


def test_a_double_is_rolled_until_the_dice_differ():
    game = new_game(rolls=(4, 4, 5, 5, 1, 7, 8, 2))
    assert both(game, "dice") == [[[4, 4], [5, 5], [1, 7]], [[8, 2]]]


def test_seat_1_chooses_last_and_knows_what_it_faces():
    game = play(at_choice(), {"trait": 7})
    assert asked(game) == (1, "choose_trait")
    assert plain(game.view(1))["trait"] == [7, None]
    assert game.decision(1).legal == [{"trait": 8}, {"trait": 2}]


@pytest.mark.parametrize(
    ("cost", "paid", "rest"), [("added", [1, 3, 4], [0, 2, 3]), ("instead", [1, 2, 3], [0, 2, 3])]
)
def test_prices(cost, paid, rest):
    for number in (1, 2, 3):
        game = position("B1", number=number, extra_action_cost=cost)
        price = plain(game.view(0))["price"]
        assert [price[name] for name in ("attack", "observe", "feint")] == [paid[number - 1]] * 3
        assert [price[name] for name in ("breathe", "footwork")] == [rest[number - 1]] * 2


def test_with_the_option_instead_a_rest_may_be_all_that_can_be_paid():
    game = play(position("B1", stamina=(3, 9), extra_action_cost="instead"), FEINT)
    assert game.decision(0).legal[:3] == [END_TURN, BREATHE, FOOTWORK]


def test_a_feint_is_not_asked_if_it_is_the_only_action():
    game = position("O1", "B1", on_turn=1, number=2, stamina=(3, 9), fencing=(1, 9))
    play(game, END_TURN)
    assert game.log[-1] == {"turn": 3, "seat": 0, "action": "feint", "drawn": 0}
    assert asked(game) == (1, "action")
    assert both(game, "stamina") == [2, 9]


def test_a_potentiator_leaves_a_choice_to_the_weary():
    game = position("O12", "B1", on_turn=1, number=2, stamina=(3, 9), fencing=(1, 9))
    assert play(game, END_TURN).decision(0).legal == [FEINT, observe("O12")]


def test_a_defender_with_one_dexterity_may_only_parry():
    game = play(position("B1", "O1 C1", dexterity=(9, 1)), attack("B1"))
    assert game.decision(1).legal == [NO_DEFENCE, defence("O1")]


def test_brave_and_wary_are_part_of_the_bonus():
    game = position(trait=(BRAVE, WARY), in_play=("B10", "C12 C12"))
    assert both(game, "bonus") == [
        {"B": 2, "E": 1, "O": 0, "C": 0},
        {"B": 0, "E": 0, "O": 1, "C": 3},
    ]


def rolled(trait, action, before=()):
    game = position("B1", trait=(trait, None))
    play(game, *before, action)
    return game.log[-1]["rolls"]


def test_the_first_roll_is_the_same_with_versatile_and_without():
    (plain,) = rolled(None, BREATHE)
    assert len(rolled(VERSATILE, BREATHE)) == 2
    assert rolled(VERSATILE, BREATHE)[0] == plain


def test_a_roll_belongs_to_its_place_in_the_turn():
    assert rolled(None, FOOTWORK) == rolled(None, BREATHE)
    places = {(*rolled(None, BREATHE, before),) for before in ((), (FEINT,), (FEINT, FEINT))}
    assert len(places) > 1


def test_the_new_deck_does_not_depend_on_the_order_of_the_discards():
    decks = []
    for discards in ("B7 C1 O3 E2", "E2 O3 C1 B7"):
        game = play(position(fencing=(2, 9), stock="E1", discards=discards), FEINT)
        decks.append((plain(game.view(0))["hand"], game.deck.cards))
    assert decks[0] == decks[1]


def test_the_view_tells_what_the_deck_was_made_of():
    game = play(position("B1", fencing=(3, 9), stock="E1", discards="B7 B3 B7"), FEINT)
    view = plain(game.view(1))
    assert view["reshuffled"] == ["B3", "B7", "B7"]
    assert (view["deck"], view["discards"]) == (2, [])


def test_drawing_stops_where_there_is_nothing_left():
    game = play(position(stock="E1", discards="B7"), FEINT)
    assert plain(game.view(0))["hand"] == ["B7", "E1"]
    assert game.log[-1]["drawn"] == 2


def test_the_cap_ends_the_turn_and_not_the_action():
    game = play(position("B1", "B2", on_turn=1, number=2, max_turns=2), FEINT)
    assert asked(game) == (1, "action")
    play(game, END_TURN)
    assert (game.reason, both(game, "turn")) == ("max_turns", 2)


def longest_duel(trait):
    """Play the longest duel there is: all rolls are 8, and nobody takes what he need not."""
    game = position(trait=(trait, trait), rolls=[8] * 1000, stock="")
    while seats := game.deciders():
        (seat,) = seats
        moves = game.decision(seat).legal
        stamina = game.fencers[seat].stamina
        play(
            game,
            next(
                move
                for move in (END_TURN, BREATHE, FEINT)
                if move in moves and (move != BREATHE or stamina == 1)
            ),
        )
    return game


@pytest.mark.parametrize(
    ("trait", "turns"), [(TRAINED, 108), (VETERAN, 91), (BIG, 84), (VERSATILE, 81), (LETHAL, 81)]
)
def test_no_seat_can_take_more_turns_than_its_points_allow(trait, turns):
    game = longest_duel(trait)
    assert both(game, "turn") == 2 * turns - 1
    assert (game.reason, game.places()) == ("stamina", [2, 1])


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_not_even_the_best_dice_take_a_duel_to_the_bound(rng):
    game = position("O1 O2", "C1 C2", trait=(TRAINED, TRAINED), rolls=[8] * 1000)
    while seats := game.deciders():
        game.apply({seats[0]: careful(game, seats[0], rng)})
    assert both(game, "turn") <= 215
    assert game.reason != "max_turns"


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "deck": st.just(48),
        "extra_action_cost": st.just("instead"),
        "max_turns": st.integers(1, 30),
    },
)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 80), OPTIONS)
def test_cards_and_attributes_are_kept_with_every_option(seed, decisions, options):
    game = carefully_played(seed, decisions, **options)
    assert sorted(held(game)) == sorted(kinds(game.options.deck) * 2)
    assert abs(game.pawn) <= 4
    for fencer in game.fencers:
        assert 0 <= fencer.stamina <= fencer.max_stamina
        assert 0 <= fencer.dexterity <= fencer.max_dexterity
        assert len(fencer.hand) <= 12
    assert game.turn <= game.options.max_turns
    if not game.deciders():
        assert sorted(game.places()) in ([1, 2], [1, 1])
        assert (game.places() == [1, 1]) <= (game.reason == "max_turns")


def test_showing_nothing_looks_the_same_chosen_or_forced():
    chosen = play(position("B1 B3", "O1", stock="C1"), attack("B1"), NO_DEFENCE)
    forced = play(position("B1 B3", "E1", stock="C1"), attack("B1"))
    assert plain(chosen.view(0)) == plain(forced.view(0))
    assert chosen.text(0) == forced.text(0)


def test_ladders_longer_than_the_hand_of_numbers_are_not_legal():
    game = position("B6 B7 E1", deck=48)
    assert not legal(game, attack("B6 B7 B8"))
    assert legal(game, attack("B6 B7"))


@pytest.mark.parametrize(("stamina", "end"), [(9, "B wins"), (8, "a draw")])
def test_the_text_names_the_end_at_the_cap(stamina, end):
    game = play(position(max_turns=1, stamina=(9, stamina)), FEINT, END_TURN)
    assert f"stopped, {end}" in game.text() or f"stopped, B is ahead and {end[2:]}" in game.text()
