"""The worked examples of Steal War's rules page, under their own names."""

from fractions import Fraction
from itertools import combinations

import pytest

from referee.game import plain
from referee.games.steal_war.trick import DECK
from tests.referee.games.steal_war_positions import (
    PLAY,
    WAIT,
    new_game,
    packs,
    piles,
    play,
    position,
    ranks,
    steal,
    top_of_rank,
    up,
)


@pytest.mark.parametrize(("seats", "each", "aside"), [(2, 27, 0), (3, 18, 0), (4, 13, 2)])
def test_the_deal_gives_27_or_18_or_13_cards(seats, each, aside):
    assert_dealt(seats, each, aside)


@pytest.mark.parametrize(
    ("seats", "each", "aside"),
    [(5, 10, 4), (6, 9, 0), (7, 7, 5), (8, 6, 6), (9, 6, 0), (10, 5, 4)],
)
def test_h37_up_to_ten_seats_are_dealt_the_same_number(seats, each, aside):
    assert_dealt(seats, each, aside)


def assert_dealt(seats, each, aside):
    """Assert that each seat of a new game has so many cards, and that so many are left out."""
    game = new_game(seats)
    laid = [len(game.trick.laid[seat]) for seat in range(seats)]
    drawn = [card is not None for card in game.held.drawn]
    held = [len(pack) for pack in game.held.packs]
    assert [sum(counts) for counts in zip(held, laid, drawn, strict=True)] == [each] * seats
    assert len(game.held.aside) == aside


def test_t22_a_stolen_pile_goes_on_the_thiefs_own():
    game = position("9 5 6 | 2 3", "K 4 7 | J 8 9")
    play(game, steal(1), None)
    assert piles(game) == ["2 3 J 8 9 9", ""]
    assert [ranks(game.trick.laid[seat]) for seat in (0, 1)] == ["5", "K"]


def test_t23_the_winner_puts_the_card_it_likes_on_top():
    game = position("4 5 6", "K 7 8")
    play(game, None, top_of_rank(game, "4"))
    assert piles(game) == ["", "K 4"]


def test_t24_to_play_leaves_the_pile():
    game = position("9 5 6 | 2 3", "K 4 7 | J 8 9")
    play(game, PLAY, None)
    assert piles(game) == ["2 3", "J 8 9"]
    assert up(game) == "9 K"


def test_t25_two_that_rob_each_other_swap_their_piles():
    game = position("K 2 3 | 5 9", "9 6 7 | 4 K")
    play(game, steal(1), steal(0))
    assert piles(game) == ["4 K K", "5 9 9"]


def test_t26_a_card_played_protects_ones_own_pile():
    game = position("9 2 3 4 5 6 | 2 9", "9 7 8 T J Q | 3 5")
    play(game, None, steal(0))
    assert piles(game) == ["2 9", "3 5"]
    assert game.trick.war == 1
    assert [theft.result for theft in game.trick.thefts] == ["protected"]
    assert [ranks(game.trick.laid[seat])[:1] for seat in (0, 1)] == ["9", "9"]


def test_t26_without_the_option_nothing_protects():
    game = position("9 2 3 4 5 6 | 2 9", "9 7 8 T J Q | 3 5", protection=False)
    play(game, None, steal(0))
    assert piles(game) == ["", "3 5 2 9 9"]
    assert game.trick.war == 0


def test_t27_the_fourth_card_may_steal_and_the_next_fights():
    game = position("7 2 3 4 9 A 5", "7 2 3 4 8 6 5 | K 9")
    assert plain(game.view(0))["card"] == "9C"
    play(game, steal(1), None)
    assert piles(game)[0] == "K 9 9"
    assert up(game) == "A 8"
    assert game.trick.winner == 0


def test_t27_a_nine_that_lies_face_down_steals_nothing():
    game = position("7 2 9 4 A 5", "7 2 3 4 8 6 5 | K 9")
    assert (game.asked, game.deciders()) == ("top", [0])
    assert piles(game) == ["", "K 9"]


def test_t28_too_few_cards_for_a_war_lose_at_once():
    game = position("7 2 3 4", "7 8 9 T J Q")
    assert (game.reason, game.places()) == ("all_cards", [2, 1])
    assert game.held.size(1) == 10


def test_h26_the_pile_is_turned_over_for_the_fourth_card():
    game = position("7 2 3 4 | 8", "7 2 3 4 9 5 6")
    assert ranks(game.trick.laid[0]) == "7 2 3 4 8"
    assert up(game) == "8 9"


def test_h27_a_pile_turned_over_cannot_be_stolen():
    game = position("8 | 4 9", "9 5 6")
    assert game.asked == "top"
    assert sorted(packs(game)[0].split()) == ["4", "9"]
    assert piles(game)[0] == ""
    assert up(game) == "8 9"


def test_h28_a_thief_with_an_empty_pack_draws_from_the_pile_it_stole():
    game = position("9", "K 5 6 | 4 9")
    play(game, steal(1), None)
    card = ranks([game.trick.up[0]])
    assert sorted([card, *packs(game)[0].split()]) == ["4", "9", "9"]
    assert piles(game) == ["", ""]
    assert ranks([game.trick.up[1]]) == "K"


def test_h29_a_chain_of_thieves_takes_the_piles_as_they_were():
    game = position("K 2 3 | A", "9 4 5 | Q K", "6 7 8 | J 9")
    play(game, steal(1), steal(2), None)
    assert piles(game) == ["A Q K K", "J 9 9", ""]


def test_h30_lots_decide_between_two_thieves():
    found = set()
    for seed in range(20):
        game = position("9 2 3", "9 4 5", "6 7 8 | J 9", seed=str(seed))
        play(game, steal(2), steal(2), None)
        thief = next(theft.seat for theft in game.trick.thefts if theft.result == "stolen")
        assert ranks(game.held.piles[thief]) == "J 9 9"
        assert ranks([game.trick.up[1 - thief]]) == "9"
        assert piles(game)[2] == ""
        found.add(thief)
    assert found == {0, 1}


def test_h31_a_joker_steals_a_pile_that_ends_in_one():
    game = position("X 2 3", "5 6 7 | 4 X")
    assert game.decision(0).legal == [PLAY, steal(1)]
    game.apply({0: game.default(0)})
    assert game.trick.up[0] == "X1"
    assert piles(game)[1] == "4 X"


def test_h32_the_higher_card_wins():
    game = position("9 2 3", "K 4 5")
    assert game.trick.winner == 1


ORIGINAL = {"protection": False, "steal_back": "at_once"}
NINES = ("9 6 7 8 T J | 2 9", "9 K T J Q 8 | 3 5")
"""A and B have drawn nines, and A's pile shows one."""


def test_t29_a_pile_that_was_stolen_is_stolen_back_at_once():
    game = position(*NINES, **ORIGINAL)
    assert game.decision(0).legal == [PLAY, WAIT]
    assert game.decision(1).legal == [PLAY, steal(0), WAIT]
    play(game, WAIT, steal(0))
    assert piles(game) == ["", "3 5 2 9 9"]
    assert game.decision(0).legal == [PLAY, steal(1), WAIT]
    play(game, steal(1), None)
    assert piles(game) == ["3 5 2 9 9 9", ""]
    assert up(game) == "6 K"


def test_t30_what_is_stolen_from_one_who_has_played_stays_stolen():
    game = position(*NINES, **ORIGINAL)
    play(game, PLAY, WAIT)
    assert up(game) == "9"
    assert game.decision(1).legal == [PLAY, steal(0)]
    play(game, None, steal(0))
    assert piles(game) == ["", "3 5 2 9 9"]
    assert up(game) == "9 K"


def test_h39_when_all_wait_lots_decide_who_waits_no_longer():
    found = set()
    for seed in range(20):
        game = position(*NINES, seed=str(seed), **ORIGINAL)
        play(game, WAIT, WAIT)
        if game.trick.up:
            assert up(game) == "9"
            assert game.decision(1).legal == [PLAY, steal(0)]
            found.add("A had to play its nine")
        else:
            assert (game.deciders(), game.decision(1).legal) == ([1], [PLAY, steal(0)])
            play(game, None, steal(0))
            assert game.decision(0).legal == [PLAY, steal(1), WAIT]
            found.add("B had to choose, and A could steal back")
    assert len(found) == 2


def test_h40_a_card_that_was_played_protects_from_those_who_waited():
    game = position(*NINES, steal_back="at_once")
    play(game, PLAY, WAIT)
    play(game, None, steal(0))
    assert piles(game) == ["2 9", "3 5"]
    assert [theft.result for theft in game.trick.thefts] == ["protected"]


def test_h25_the_chance_that_the_first_cards_tie():
    pairs = [*combinations(DECK, 2)]
    assert Fraction(sum(a[0] == b[0] for a, b in pairs), len(pairs)) == Fraction(79, 1431)
