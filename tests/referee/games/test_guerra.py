"""Guerra: the deal, the course of a turn, what is shown, and what always holds."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import plain
from referee.games.guerra.battle import DECK, value
from tests.referee.games.guerra_positions import (
    new_game,
    order_attacks,
    parse,
    play,
    position,
    stop,
    tables,
    wander,
    written_attack,
)

INCORPORATION = {"action": "incorporate", "card": "7C", "zone": "centre"}


def pass_turn(game):
    """Order an attack and make none."""
    order_attacks(game)
    stop(game)


def test_the_two_decks_are_shuffled_apart():
    a, b = (army.hand + army.pack for army in new_game().armies)
    assert a != b
    assert sorted(a) == sorted(b) == sorted(DECK)


def test_the_opening_asks_a_b_a_b_for_their_rows_from_the_back():
    game, asked = new_game(), []
    while game.asked == "deploy":
        asked.append((game.to_move, game.decision(game.to_move).limits))
        play(game, game.default(game.to_move))
    assert asked == [
        (0, {"rearguard": 3}),
        (1, {"rearguard": 3, "centre": 2}),
        (0, {"centre": 2, "vanguard": 1}),
        (1, {"vanguard": 1}),
    ]


def test_a_turn_begins_by_healing_and_drawing():
    game = position("R 2B", "V 7O*3 / R 2B", packs=("3E", "4E 3E"))
    pass_turn(game)
    assert game.turn == 2
    assert tables(game)[1] == parse("V 7O / R 2B")
    assert (game.armies[1].hand, game.armies[1].pack) == (["3E"], ["4E"])


def test_the_volley_comes_before_the_orders_of_its_owner():
    game = position("C 10O / R 2B", "V 2O / R 2B", seat=1, packs=("3E", "3E"))
    pass_turn(game)
    assert (game.to_move, game.asked) == (0, "orders")
    assert tables(game)[1] == parse("V 2O*1 / R 2B")


def test_a_volley_can_break_through():
    game = position("C 10O / R 2B", "V 12O", seat=1, hands=("", "7C"), packs=("3E", "3E"))
    pass_turn(game)
    assert (game.places(), game.reason) == ([1, 2], "breakthrough")


def test_a_volley_can_ruin_both():
    game = position("C 10O", "C 10O", seat=1, packs=("3E", "3E"))
    pass_turn(game)
    assert (game.places(), game.reason) == ([1, 1], "breakthrough")


def test_volleys_of_several_suits_fall_at_once():
    game = position("V 10O 10C / R 2B", "V 1O 2O 1C 2C", seat=1, packs=("3E", "3E"))
    pass_turn(game)
    assert tables(game)[1]["vanguard"] == {"2O": 1, "2C": 1}


def test_a_card_just_transferred_may_attack():
    game = position("V 7O / C 3O / R 2B", "V 2C / R 2B")
    transfer = {"card": "3O", "to": "vanguard", "swap_with": "7O"}
    play(game, {"action": "attack", "transfers": [transfer]})
    assert game.decision(0).limits["attackers"] == ["3O"]


def test_transfers_are_carried_out_before_the_incorporation():
    game = position("V 7O / R 2B", "R 2B", hands=("7C", ""), packs=("3E", "3E"))
    play(game, INCORPORATION | {"transfers": [{"card": "2B", "to": "centre"}]})
    assert tables(game)[0] == parse("V 7O / C 2B 7C")


def test_a_mass_transfer_moves_all_at_once():
    game = position("V 7O / C 3O 4C / R 5E", "R 2B", packs=("3E", "3E"))
    steps = {"7O": "centre", "3O": "vanguard", "4C": "rearguard", "5E": "centre"}
    moves = [{"card": card, "to": to} for card, to in steps.items()]
    play(game, {"action": "mass_transfer", "moves": moves})
    assert tables(game)[0] == parse("V 3O / C 7O 5E / R 4C")


def test_the_attack_step_ends_when_all_have_attacked():
    game = position("V 7O 6O / R 2B", "V 2C 3C / R 2B", packs=("3E", "3E"))
    order_attacks(game, "7O>2C")
    assert game.decision(0).limits == {
        "attackers": ["6O"],
        "targets": ["3C"],
        "sweeps": [],
        "duels": [],
    }
    play(game, written_attack("6O>3C"))
    assert (game.to_move, game.turn) == (1, 2)


def test_the_limits_name_sweeps_and_duels():
    game = position("V 11O 11C 11E 12B", "V 2C 11E 11B / R 2B", knight_duel="any_suit")
    order_attacks(game)
    assert game.decision(0).limits == {
        "attackers": ["12B"],
        "targets": ["2C", "11E", "11B"],
        "sweeps": ["11C"],
        "duels": [[k, other] for k in ("11O", "11C", "11E") for other in ("11E", "11B")],
    }


def test_two_captains_attacking_a_captain_die_with_it():
    game = position("V 12O 12E 5C / R 2B", "V 12C / R 2B")
    order_attacks(game, "12O+5C+12E>12C")
    assert tables(game) == (parse("V 5C / R 2B"), parse("R 2B"))


def test_the_discard_lists_each_card_in_hand():
    hand = "2O 3O 4O 5O 6O 7O 2C 3C"
    game = position("R 2B", "R 2B", hands=(hand, ""), packs=("", "3E"))
    pass_turn(game)
    assert game.decision(0).legal == [{"cards": [card]} for card in hand.split()]
    play(game, {"cards": ["2O"]})
    assert game.to_move == 1


def test_the_last_breath_of_the_packs_is_a_conclusion_even_at_the_turn_limit():
    game = position("R 7O", "R 2B", turn=200)
    pass_turn(game)
    assert (game.places(), game.reason) == ([1, 2], "conclusion")


@pytest.mark.parametrize(("attack_line", "line"), [("current", None), ("fixed", "vanguard")])
def test_the_view_shows_who_has_attacked_and_the_fixed_line(attack_line, line):
    game = position("V 7O 6O / R 2B", "V 2C 3C / R 2B", attack_line=attack_line)
    order_attacks(game, "7O>2C")
    view = plain(game.view(1))
    assert (view["attacked"], view["line"]) == (["7O"], line)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "transfers": st.just(2),
        "attack_line": st.just("fixed"),
        "knight_duel": st.just("any_suit"),
        "max_turns": st.integers(2, 60),
    },
)


def assert_whole(army):
    """No card is lost, doubled, or left standing with wounds that reach its value."""
    standing = [card for zone in army.zones.values() for card in zone]
    held = Counter([*standing, *army.hand, *army.pack, *army.cemetery])
    assert held == Counter(DECK)
    for zone in army.zones.values():
        assert all(0 <= wounds < value(card, zone) for card, wounds in zone.items())


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 10**6), OPTIONS)
def test_random_play_keeps_every_card_and_ends(seed, options):
    game, rng = new_game(str(seed), **options), Random(seed)
    while seats := game.deciders():
        (seat,) = seats
        limit = 7 + (game.turn == 0) * 3
        assert len(game.armies[1 - seat].hand) <= limit
        game.apply({seat: game.sample(seat, rng)})
        for army in game.armies:
            assert_whole(army)
    assert sorted(game.places()) in ([1, 1], [1, 2])
    assert game.reason in {"breakthrough", "conclusion", "max_turns"}
    assert game.turn <= game.options.max_turns


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 200))
def test_an_asked_attack_is_always_possible(seed, decisions):
    game = wander(seed, decisions, attack_line="fixed")
    if game.asked == "attack":
        limits = game.decision(game.to_move).limits
        assert limits["attackers"] or limits["sweeps"] or limits["duels"]
        assert game.line == game.armies[game.to_move].foremost()


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_defaults_alone_end_the_game(seed):
    game = new_game(str(seed))
    while game.deciders():
        play(game, game.default(game.to_move))
    assert (game.turn, game.reason) == (200, "max_turns") or game.reason == "breakthrough"
