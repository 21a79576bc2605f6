"""Guerra: the deal, the course of a turn, what is shown, and what always holds."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import plain
from referee.games.guerra.battle import DECK, value
from tests.referee.games.guerra_positions import (
    STOP,
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


def test_the_same_seed_deals_the_same_cards():
    assert new_game("x").armies[0].hand == new_game("x").armies[0].hand
    assert new_game("x").armies[0].hand != new_game("y").armies[0].hand


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


def test_an_empty_pack_gives_no_card():
    game = position("R 2B", "R 2B", hands=("7C", "7C"))
    pass_turn(game)
    assert game.armies[1].hand == ["7C"]


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


def test_the_view_shows_the_table_and_ones_own_hand():
    game = position(
        "V 7O / C 5E / R 2B", "V 3C 2C / R 2B", hands=("4E 11B", "5C"), packs=("", "7B")
    )
    game.armies[0].cemetery, game.armies[1].cemetery = ["3C"], ["10O"]
    order_attacks(game, "7O>3C")
    assert plain(game.view(0)) == {
        "game": "guerra",
        "seat": 0,
        "decision": "orders",
        "turn": 2,
        "to_move": 1,
        "zones": [
            {"vanguard": {"7O": 3}, "centre": {"5E": 0}, "rearguard": {"2B": 0}},
            {"vanguard": {"2C": 0}, "centre": {}, "rearguard": {"2B": 0}},
        ],
        "cemetery": [["3C"], ["10O", "3C"]],
        "pack": [0, 0],
        "hand_size": [2, 2],
        "hand": ["4E", "11B"],
        "attacked": [],
        "line": None,
    }


@pytest.mark.parametrize(("attack_line", "line"), [("current", None), ("fixed", "vanguard")])
def test_the_view_shows_who_has_attacked_and_the_fixed_line(attack_line, line):
    game = position("V 7O 6O / R 2B", "V 2C 3C / R 2B", attack_line=attack_line)
    order_attacks(game, "7O>2C")
    view = plain(game.view(1))
    assert (view["attacked"], view["line"]) == (["7O"], line)


def test_both_seats_see_the_same_but_for_the_hand():
    game = position("R 2B", "R 2B", hands=("4E", "5C"))
    ours, theirs = plain(game.view(0)), plain(game.view(1))
    assert theirs["hand"] == ["5C"]
    assert ours | {"seat": 1, "hand": ["5C"]} == theirs


TEXT = """\
Turn 1 of 200, A decides (attack)
  B
    Rearguard  2B
    Centre     -
    Vanguard   2O (1 of 2 wounds); in front
  Between the armies  Has attacked  Wounds
  B                   none          2O 1 of 2
  A                   7O            7O 3 of 7
  A
    Vanguard   7O' (3 of 7 wounds) 6C; in front
    Centre     5E
    Rearguard  2B

Strength  Troops  Cards to come
B              4              3
A             20              4

B: reserve
  Hand      5C; 1 card
  Pack      (2 unseen)
  Cemetery  11B 12B 3C; 35 cards, the latest last

A: reserve
  Hand      4E 11B *10C; 3 cards
  Pack      (1 unseen)
  Cemetery  6B 10B 12B; 32 cards, the latest last

In this turn and the one before
  A goes to attack
  A attacks 7O > 3C
  The attack kills 3C of B

* new; ' used"""


def drawn():
    hands, packs = ("4E 11B 10C", "5C"), ("7B", "7B 6B")
    game = position("V 7O 6C / C 5E / R 2B", "V 2O*1 3C / R 2B", hands=hands, packs=packs)
    order_attacks(game, "7O>3C")
    return game


def test_the_text_faces_the_armies():
    assert drawn().text() == TEXT


def test_the_text_hides_the_other_hand():
    assert "  Hand      (1 unseen); 1 card\n" in drawn().text(0)
    assert "  Hand      4E 11B *10C; 3 cards\n" in drawn().text(0)
    assert "  Hand      (3 unseen); 3 cards\n" in drawn().text(1)
    assert "  Hand      5C; 1 card\n" in drawn().text(1)
    assert "\nA (you): reserve\n" in drawn().text(0)


def test_the_text_tells_the_turn_before_and_no_older_one():
    game = position("V 7O / R 2B", "V 5C / R 2E", packs=("7B", "7B 6B"))
    order_attacks(game, "7O>5C")
    stop(game)
    assert "The attack kills 5C of B" in game.text(1)
    pass_turn(game)
    assert "The attack kills 5C of B" not in game.text(0)
    assert "B stops attacking" in game.text(0)


def test_the_text_names_the_end():
    game = position("R 7O", "R 2B")
    pass_turn(game)
    assert game.text().startswith("Over: conclusion; places: A 1, B 2\n")


def test_a_long_row_is_folded():
    game = position("R " + " ".join(DECK), "R 2B")
    lines = game.text().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(" " * 15) and line.strip()[0].isdigit() for line in lines) == 2


SWAP = {"card": "5E", "to": "centre", "swap_with": "4C"}
STEP = {"card": "5E", "to": "centre"}
DESCRIBED = [
    ("deploy", {"rearguard": ["2B", "3B", "4B"]}, "A deploys 2B 3B 4B to rearguard"),
    (
        "deploy",
        {"centre": ["2B", "3B"], "vanguard": ["4B"]},
        "A deploys 4B to vanguard, 2B 3B to centre",
    ),
    ("orders", {"action": "attack"}, "A goes to attack"),
    ("orders", {"action": "attack", "attackers": 1, "cards": 1}, "A goes to attack"),
    (
        "orders",
        {"action": "attack", "transfers": [SWAP]},
        "A transfers 5E to centre for 4C, goes to attack",
    ),
    ("orders", INCORPORATION, "A incorporates 7C to centre"),
    (
        "orders",
        INCORPORATION | {"transfers": [STEP]},
        "A transfers 5E to centre, incorporates 7C to centre",
    ),
    ("orders", {"action": "mass_transfer", "moves": [STEP]}, "A moves 5E to centre"),
    ("attack", STOP, "A stops attacking"),
    ("attack", written_attack("7O+4C>5E"), "A attacks 7O + 4C > 5E"),
    ("attack", written_attack("11O>11O"), "A duels 11O > 11O"),
    ("attack", written_attack("11O>"), "A sweeps with 11O"),
    ("attack", written_attack("10O>7E"), "A shoots 10O > 7E"),
    ("discard", {"cards": ["7O"]}, "A discards 7O"),
]


@pytest.mark.parametrize(("asked", "move", "words"), DESCRIBED)
def test_a_move_is_described(asked, move, words):
    game = new_game()
    game.asked = asked
    assert game.describe(0, move) == words


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
