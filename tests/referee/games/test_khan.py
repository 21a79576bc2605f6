"""Khan: options, the deal, draws, combats, the end, and what always holds."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import plain
from referee.games.khan.cards import KINDS, formations
from tests.referee.games.khan_positions import (
    DRAW,
    KEEP,
    USE,
    all_cards,
    asked,
    attack,
    behind,
    counted,
    face_up,
    fight,
    hands,
    new_game,
    pile,
    play,
    position,
    show,
)

# --- the deal and the options ----------------------------------------------------------------


def test_the_larger_deck_runs_to_the_nines():
    game = new_game(deck=48)
    assert all_cards(game).total() == 93
    assert set(all_cards(game)) >= {"E8", "B9", "O9"}
    assert ["E7", "E8", "E9"] in formations(["E7", "E8", "E9"], 0, champion=True)


def test_the_bag_holds_as_many_tokens_as_the_option_says():
    assert len(new_game(tokens_per_kind=12).bag) == 9 * 12 - 2


def test_the_starter_is_seat_0_or_any_seat():
    assert {new_game(str(seed), 4).to_move for seed in range(20)} == {0}
    drawn = {new_game(str(seed), 4, first_player="random").to_move for seed in range(40)}
    assert drawn == {0, 1, 2, 3}


# --- peaceful turns --------------------------------------------------------------------------


def test_a_gap_in_front_is_filled_by_the_next_draws():
    game = position("E2 E3", "E4", front=("3 wood",), behind=("gold",), bag="steel, cloth, cloth")
    play(game, DRAW, DRAW, DRAW)
    assert plain(game.view(0))["front"][0] == counted("3 wood, steel")
    assert plain(game.view(0))["behind"] == counted("gold, cloth")


def test_a_fifth_card_may_be_thrown_away_itself():
    game = position("B4 E2 E5 E6 C10 O3", "", deck="O7")
    play(game, DRAW, {"discard": "O7", "from": "hand", "replacement": None})
    assert (hands(game)[0], pile(game)) == ("E5 E6 O3 C10", "O7")
    assert asked(game) == ("turn", [1])


def test_equal_cards_are_offered_once():
    game = position("B4 B4 E2 E2 E2 O3", "", deck="O3")
    play(game, DRAW)
    moves = [(move["discard"], move["replacement"]) for move in game.decision(0).legal]
    assert moves == [("E2", None), ("O3", None), ("B4", "E2"), ("B4", "O3")]


def test_a_new_deck_depends_on_the_cards_thrown_away_and_not_on_their_order():
    one = position("E2", "E3", deck="", discards="O4 C10 B2 B3 E7")
    two = position("E2", "E3", deck="", discards="E7 B3 B2 C10 O4")
    play(one, DRAW)
    play(two, DRAW)
    assert one.deck == two.deck
    assert (len(one.deck), one.discards) == (4, [])


def test_each_new_deck_is_shuffled_in_its_own_way():
    game = position("E2", "E3", deck="", discards="O2 O3 O4 O5 O6 O7")
    play(game, DRAW)
    first = game.deck
    game.deck, game.discards = [], ["O2", "O3", "O4", "O5", "O6", "O7"]
    play(game, DRAW)
    assert game.deck != first


def test_without_deck_and_discards_there_is_no_card():
    game = position("E2", "E3", deck="")
    play(game, DRAW)
    assert face_up(game)[0] == "E2"
    assert plain(game.view(0))["recent"][-1]["card_to"] is None


# --- combats ---------------------------------------------------------------------------------


def test_only_the_combatants_take_up_their_cards():
    game = position("E3 E4 C11", "B2 B3", "O2 O3")
    play(game, attack())
    assert face_up(game) == ["", "", "O2 O3"]
    assert plain(game.view(2))["combat"]["face_up"] == [["E3", "E4"], ["B2", "B3"]]


def test_a_seat_without_cards_and_tokens_may_be_attacked():
    game = position("E3 E4", "", "O2")
    assert attack(1) in game.decision(0).legal
    play(game, attack(1))
    assert asked(game) == ("reveal", [0])


def test_the_loot_goes_behind_and_is_seen_to_go_there():
    game = fight(
        "E3 E4", "C11", cards=("E3 E4 C11", "B2", "O2"), front=("", "2 gold"), behind=("wood",)
    )
    play(game, show("E3 E4"))
    assert behind(game, 0) == counted("2 gold, wood")
    assert plain(game.view(2))["seen_behind"][0] == counted("2 gold")
    assert plain(game.view(2))["seen_points"] == [4, 0, 0]


def test_what_lies_behind_the_screen_is_safe():
    game = fight("E3 E4", "C11", cards=("E3 E4 C11", "B2"), behind=("", "3 gold"))
    assert behind(game, 1) == {"gold": 3}


POISONERS = ("E3 C11 C10 C1", "B3 C12 C12 C1")


def test_poison_goes_to_and_fro_with_the_heirs_in_between():
    game = fight("C11", "C12", cards=POISONERS)
    assert asked(game) == ("poison", [0])
    play(game, KEEP)
    assert asked(game) == ("poison", [1])
    play(game, USE)
    assert asked(game) == ("replace_leader", [0])
    play(game, {"card": "C10"})
    assert asked(game) == ("poison", [0])
    play(game, USE)
    assert asked(game) == ("replace_leader", [1])
    play(game, {"card": "C12"})
    fought = plain(game.view(0))["recent"][-1]["rounds"][2]
    assert fought["shown"] == [["C11", "C10"], ["C12", "C12"]]
    assert fought["destroyed"] == [["C11"], ["C12"]]
    assert fought["standing"] == [["C10"], ["C12"]]


def test_the_front_may_be_a_pair_of_equal_cards():
    game = fight(cards=("E3 B7", "B2 B2 O5"))
    assert game.decision(1).legal == [show("B2 B2"), show("B2 O5")]


def test_the_only_choice_of_one_stays_hidden_until_the_other_has_chosen():
    game = fight(
        *("B6 B7", "O2 O3", "C12"),
        cards=("B2 B6 B7 C12", "E1 O2 O3"),
    )
    play(game, USE)
    assert asked(game) == ("place_front", [0])
    assert face_up(game) == ["", ""]
    play(game, show("B6 B7"))
    assert face_up(game) == ["B6 B7", "O2 O3"]


# --- the end ---------------------------------------------------------------------------------


NEARLY = "3 gold, 3 water, 3 wood, 3 steel, cloth"


def test_the_winner_shows_all_his_tokens():
    game = position("E2", "E3", front=("4 cattle",), behind=(NEARLY,), bag="horses")
    game.apply({0: DRAW})
    assert game.reason == "khan"
    assert plain(game.view(1))["seen_behind"][0] == counted(NEARLY) | {"horses": 1}
    assert plain(game.view(1))["seen_behind"][1] == {}


def test_losers_may_share_the_second_place():
    game = position(
        *("E2", "E3", "E4"),
        front=("", "2 wood", "wood"),
        behind=(NEARLY,),
        bag="horses",
        rank_losers="tied",
    )
    game.apply({0: DRAW})
    assert game.places() == [1, 2, 2]


@pytest.mark.parametrize(("rank_losers", "places"), [("points", [3, 1, 1]), ("tied", [3, 1, 1])])
def test_equal_points_share_the_first_place_at_the_cap(rank_losers, places):
    game = position(
        *("E2", "E3", "E4"),
        front=("", "gold", "2 wood"),
        bag="",
        rank_losers=rank_losers,
        max_turns_per_player=1,
    )
    play(game, DRAW, DRAW, DRAW)
    assert (game.places(), game.reason) == (places, "max_turns")


def test_with_tied_losers_all_but_the_first_share_a_place_at_the_cap():
    game = position(
        *("E2", "E3", "E4"),
        front=("", "gold", "wood"),
        bag="",
        rank_losers="tied",
        max_turns_per_player=1,
    )
    play(game, DRAW, DRAW, DRAW)
    assert game.places() == [2, 1, 2]


def test_twenty_points_in_the_last_turn_win():
    game = position(
        "E2", "E3", behind=("", NEARLY), front=("", "cattle"), bag="wood, horses",
        max_turns_per_player=1,
    )  # fmt: skip
    play(game, DRAW, DRAW)
    assert (game.places(), game.reason) == ([2, 1], "khan")


def test_a_combat_counts_as_a_turn_at_the_cap():
    game = position("E2", "E3", max_turns_per_player=1)
    play(game, attack(1), attack(0))
    assert game.reason == "max_turns"


# --- what always holds -----------------------------------------------------------------------

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "deck": st.just(48),
        "tokens_per_kind": st.integers(12, 14),
        "first_player": st.just("random"),
        "max_turns_per_player": st.integers(1, 40),
    },
)


def true_points(camp, scarce):
    held = Counter(camp.front) + Counter(camp.behind)
    return sum(min(held[kind], 3) * (2 if kind in scarce else 1) for kind in KINDS)


def assert_sound(game, deck):
    """No card or token is lost, limits are kept, and what all know is true."""
    assert all_cards(game) == deck
    owned = Counter(game.bag) + Counter(game.scarce)
    for camp in game.camps:
        owned += Counter(camp.front) + Counter(camp.behind)
        assert len(camp.face_up) <= 2
        assert len(camp.front) <= 4
        assert camp.owned.points == true_points(camp, game.scarce) >= camp.known.points
        assert Counter(camp.known.count) == Counter(camp.front) + Counter(camp.looted)
        assert Counter(camp.seen) <= Counter(camp.hand)
        assert all(camp.looted[kind] <= camp.behind[kind] for kind in KINDS)
        if game.asked == "turn":
            assert len(camp.hand) <= 4
            assert not camp.hand or len(camp.face_up) == 2
    assert owned == Counter(dict.fromkeys(KINDS, game.options.tokens_per_kind))


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 5), OPTIONS)
def test_random_play_keeps_all_there_is_and_ends(seed, seats, options):
    game, rng = new_game(str(seed), seats, **options), Random(seed)
    deck = all_cards(game)
    while deciders := game.deciders():
        assert max(camp.owned.points for camp in game.camps) < 20
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
        assert_sound(game, deck)
    assert game.turn <= seats * game.options.max_turns_per_player
    assert (max(camp.owned.points for camp in game.camps) >= 20) == (game.reason == "khan")


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_defaults_alone_draw_to_the_end(seed, seats):
    game = new_game(str(seed), seats)
    while game.deciders():
        play(game, game.default(game.to_move))
    assert game.reason == "khan"
    assert game.places()[game.to_move] == 1
