"""The worked examples of Duel's rules page, under their own names."""

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
    PARRY,
    RETREAT,
    asked,
    attack,
    both,
    careful,
    defence,
    held,
    legal,
    new_game,
    observe,
    play,
    position,
)


def test_d1_a_new_game_has_80_cards_and_the_pawn_in_the_middle():
    game = new_game()
    cards = held(game)
    assert len(cards) == 80
    assert sum(int(card[1:]) < 10 for card in cards) == 56
    assert sum(int(card[1:]) > 9 for card in cards) == 24
    assert both(game, "pawn") == 0


def test_d2_a_double_is_rolled_again_and_traits_are_applied():
    game = new_game(rolls=(4, 4, 1, 7, 8, 2))
    assert both(game, "dice") == [[[4, 4], [1, 7]], [[8, 2]]]
    assert game.decision(0).legal == [{"trait": 1}, {"trait": 7}]
    play(game, {"trait": 1}, {"trait": 8})
    assert both(game, "hand_size") == [12, 10]
    assert both(game, "stamina") == [9, 10]
    assert both(game, "dexterity") == [9, 10]


def test_d2_big_and_quick():
    game = play(new_game(rolls=(2, 1, 3, 1)), {"trait": 2}, {"trait": 3})
    assert both(game, "stamina") == both(game, "max_stamina") == [12, 9]
    assert both(game, "dexterity") == both(game, "max_dexterity") == [9, 12]
    assert both(game, "hand_size") == [9, 9]


@pytest.mark.parametrize(
    ("hand", "ladder", "is_one"),
    [
        ("B3", "B3", True),
        ("B3 B4 B5", "B3 B4 B5", True),
        ("B1 B2", "B1 B2", True),
        ("B3 B3", "B3 B3", False),
        ("B3 E4", "B3 E4", False),
        ("B3 B5", "B3 B5", False),
        ("B7 B10", "B7 B10", False),
        ("B7 B1", "B7 B1", False),
        ("B12", "B12", False),
    ],
)
def test_d3_ladders(hand, ladder, is_one):
    assert legal(position(hand), attack(ladder)) == is_one


def test_d3_six_thrusts():
    moves = position("B1 B2 B3 B3 B12 E4").decision(0).legal
    thrusts = [move["cards"] for move in moves if "cards" in move and "B" in move["cards"][0]]
    assert len(thrusts) == 6


def test_d4_an_undefended_thrust():
    game = play(position("B3 B4 B5", "O1"), attack("B3 B4 B5"), NO_DEFENCE, RETREAT)
    assert game.pawn == -3
    assert (both(game, "stamina")[0], both(game, "dexterity")[0]) == (8, 8)


def test_d5_a_parry_of_two():
    game = position("B3 B4 B5", "O1 O2 O6")
    play(game, attack("B3 B4 B5"), defence("O1 O2"), RETREAT)
    assert game.pawn == -1
    assert both(game, "dexterity") == [8, 8]
    assert len(both(game, "discards")) == 5


def test_d6_a_cut_that_is_parried():
    game = play(position("E3 E4", "O1 O2"), attack("E3 E4"), defence("O1 O2"))
    assert game.pawn == 0
    assert both(game, "stamina") == [8, 8]
    assert both(game, "dexterity") == [7, 8]


def test_d7_a_moulinet_drives_the_attacker_back_without_a_question():
    game = play(position("B5 O5", "C2 C3 C4"), attack("B5"), defence("C2 C3 C4"))
    assert game.pawn == 2
    assert both(game, "dexterity") == [8, 7]
    assert asked(game) == (0, "action")
    assert both(game, "action") == 2


def test_d8_a_moulinet_too_weak():
    game = play(position("B4 B5 B6", "C2"), attack("B4 B5 B6"), defence("C2"), RETREAT)
    assert game.pawn == -2


def test_d9_an_emergency_parry_cancels_the_point_of_lethal_too():
    game = position("B1 B2 B3 B4", "O1", trait=(LETHAL, None))
    play(game, attack("B1 B2 B3 B4"), defence("O1"))
    assert plain(game.view(1))["attack"]["retreat"] == [0, 4]
    play(game, PARRY)
    assert game.pawn == 0
    assert (both(game, "stamina")[1], both(game, "dexterity")[1]) == (7, 8)


def test_d10_no_emergency_with_one_stamina():
    game = play(position("B1", "O1", stamina=(9, 1)), attack("B1"), NO_DEFENCE)
    assert asked(game) == (0, "action")
    assert game.pawn == -1


def test_d10_paying_the_last_two_loses():
    game = position("B1 B2 B3 B4", "O1", stamina=(9, 2))
    play(game, attack("B1 B2 B3 B4"), NO_DEFENCE, PARRY)
    assert (game.places(), game.reason, game.pawn) == ([1, 2], "stamina", 0)


def test_d11_potentiators_count_on_both_sides():
    game = position("B5", "C3", in_play=("B10 B12 E11", "C11 C11 C12 O10"))
    play(game, attack("B5"))
    assert plain(game.view(1))["attack"]["strength"] == 3
    play(game, defence("C3"))
    assert plain(game.view(0))["log"][-1]["guard"] == 4
    assert game.pawn == 1


def test_d11_potentiators_alone_are_no_defence():
    game = play(position("B5", "E2", in_play=("B10", "O10 O11")), attack("B5"))
    assert plain(game.view(1))["attack"]["strength"] == 2
    assert asked(game) == (1, "emergency_parry")


def test_d12_brave():
    game = position("B5", "O2", trait=(BRAVE, None))
    assert play(game, attack("B5"), defence("O2"), RETREAT).pawn == -1


def test_d12_wary():
    game = position("B5", "C3", trait=(None, WARY))
    assert play(game, attack("B5"), defence("C3")).pawn == 1


def test_d13_lethal_adds_to_no_retreat_of_nothing():
    game = position("B5", "O2", trait=(LETHAL, None))
    assert play(game, attack("B5"), defence("O2")).pawn == 0


def test_d13_lethal_with_a_moulinet():
    game = position("B5", "C2 C3", trait=(None, LETHAL))
    assert play(game, attack("B5"), defence("C2 C3")).pawn == 2


def test_d14_the_pawn_stops_at_the_end_where_seat_1_has_lost():
    game = position("B3 B4 B5", "O1", pawn=-2)
    play(game, attack("B3 B4 B5"), NO_DEFENCE, RETREAT)
    assert (game.pawn, game.places(), game.reason) == (-4, [1, 2], "retreat")


def test_d14_a_seat_can_lose_in_its_own_turn():
    game = play(position("B1", "C2 C3", pawn=3), attack("B1"), defence("C2 C3"))
    assert (game.pawn, game.places(), game.reason) == (4, [2, 1], "retreat")


def test_d15_breathing():
    hand = "B1 B2 B3 B4 B5 B6 B7 O1 O2"
    game = play(position(hand, stamina=(5, 9), rolls=(8,)), BREATHE)
    assert (both(game, "stamina")[0], both(game, "fencing")[0]) == (9, 8)
    assert both(game, "hand_size")[0] == 9


def test_d15_a_versatile_fencer_keeps_the_better_roll():
    game = position("B1", trait=(VERSATILE, None), dexterity=(1, 9), rolls=(2, 5))
    assert both(play(game, FOOTWORK), "dexterity")[0] == 6


def test_d15_the_last_point_of_fencing_cannot_be_spent():
    game = position("B1", fencing=(1, 9))
    assert not legal(game, BREATHE)
    assert not legal(game, FOOTWORK)


def test_d16_a_feint_draws_up_to_fencing():
    game = play(position("B1 B2", fencing=(5, 9), stock="E1 E2 E3 E4"), FEINT)
    assert plain(game.view(0))["hand"] == ["B1", "B2", "E1", "E2", "E3"]
    assert both(game, "stamina")[0] == 8


def test_d16_a_feint_with_a_larger_hand_draws_nothing():
    game = play(position("B1 B2 B3 B4 B5 B6", fencing=(5, 9)), FEINT)
    assert both(game, "hand_size")[0] == 6
    assert both(game, "stamina")[0] == 8


@pytest.mark.parametrize(("cost", "left"), [("added", [11, 8, 4]), ("instead", [11, 9, 6])])
def test_d17_three_attacks_in_a_turn(cost, left):
    game = position("B1 B3 B5", stamina=(None, 1), trait=(BIG, None), extra_action_cost=cost)
    found = []
    for card in ("B1", "B3", "B5"):
        play(game, attack(card))
        found.append(both(game, "stamina")[0])
    assert found == left
    assert game.pawn == -3


def test_d17_breathing_second():
    game = play(position("B1", stamina=(6, 9), rolls=(3,)), FEINT, BREATHE)
    assert both(game, "stamina")[0] == 6


@pytest.mark.parametrize("attribute", ["stamina", "dexterity"])
def test_d18_an_attack_paid_with_the_last_point_loses(attribute):
    game = play(position("B1 B2 B3 B4", **{attribute: (1, 9)}), attack("B1 B2 B3 B4"))
    assert (game.places(), game.reason, game.pawn) == ([2, 1], attribute, 0)


def test_d18_a_defence_paid_with_the_last_point_loses():
    game = play(position("B1", "O1", dexterity=(9, 1)), attack("B1"), defence("O1"))
    assert (game.places(), game.reason) == ([1, 2], "dexterity")


def test_d19_a_cut_that_cannot_be_paid():
    game = position("B1 E1", dexterity=(1, 9))
    assert legal(game, attack("B1"))
    assert not legal(game, attack("E1"))


def test_d20_a_cut_takes_the_last_stamina_before_the_defence():
    game = play(position("E6", "O1 C1", stamina=(9, 1)), attack("E6"))
    assert (game.places(), game.reason, game.pawn) == ([1, 2], "stamina", 0)


def test_d21_a_potentiator_in_play():
    game = play(position("B12 B10 C11"), observe("B12"), END_TURN)
    view = plain(game.view(0))
    assert view["in_play"] == [["B12"], []]
    assert (view["stamina"][0], view["discards"]) == (8, [])
    assert view["on_turn"] == 1


def test_d22_the_discards_make_a_new_deck():
    game = play(position(fencing=(2, 9), stock="E1", discards="B7 B7"), FEINT)
    assert plain(game.view(0))["hand"] == ["B7", "E1"]
    assert game.deck.cards == ["B7"]
    assert both(game, "discards") == []


def test_d23_a_feint_that_is_the_only_action_is_not_asked():
    game = position(on_turn=1, number=2, stamina=(1, 9), fencing=(1, 9))
    play(game, END_TURN)
    assert (game.places(), game.reason) == ([2, 1], "stamina")
    assert game.log[-1]["action"] == "feint"


@pytest.mark.parametrize(
    ("pawn", "stamina", "places"),
    [(-1, 9, [1, 2]), (2, 9, [2, 1]), (0, 6, [1, 2]), (0, 9, [2, 1]), (0, 8, [1, 1])],
)
def test_d24_the_cap(pawn, stamina, places):
    game = position("B1", "B2", pawn=pawn, stamina=(9, stamina), max_turns=1)
    play(game, FEINT, END_TURN)
    assert (game.places(), game.reason) == (places, "max_turns")
    assert both(game, "stamina")[0] == 8


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.booleans())
def test_d25_random_play_keeps_cards_and_attributes_and_never_meets_the_cap(rng, careless):
    game = new_game(rng.random())
    while seats := game.deciders():
        (seat,) = seats
        move = game.sample(seat, rng) if careless else careful(game, seat, rng)
        game.apply({seat: move})
        assert sorted(held(game)) == sorted(kinds(40) * 2)
        for fencer in game.fencers:
            assert 0 <= fencer.stamina <= fencer.max_stamina
            assert 0 <= fencer.dexterity <= fencer.max_dexterity
            assert fencer.fencing >= 1
    assert game.turn <= 215
    assert game.reason in {"retreat", "stamina", "dexterity"}


def test_d2_veteran_and_trained_are_those_of_the_table():
    game = position(trait=(TRAINED, VETERAN))
    assert both(game, "fencing") == [12, 10]
    assert both(game, "max_stamina") == both(game, "max_dexterity") == [9, 10]
