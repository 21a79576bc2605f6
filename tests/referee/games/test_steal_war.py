"""Steal War: the course of a trick, the pack rule, the end, what is shown, what always holds."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import plain
from referee.games.steal_war.trick import DECK
from tests.referee.games.steal_war_positions import (
    PLAY,
    WAIT,
    new_game,
    packs,
    play,
    position,
    ranks,
    steal,
    top_of_rank,
    up,
    wander,
)

# --- drawing, stealing, playing


def test_of_three_thieves_one_is_quickest():
    game = position("9 2 3", "9 4 5", "9 6 7", "T 8 J | Q 9")
    play(game, steal(3), steal(3), steal(3), None)
    results = [theft.result for theft in game.trick.thefts]
    assert sorted(results) == ["slower", "slower", "stolen"]


def test_a_slower_thief_does_not_disturb_the_lots_of_another_pile():
    cards = ("9 2 3", "9 4 5", "K 6 7 | J 9", "T 8 J | Q K")
    one, two = position(*cards), position(*cards)
    play(one, steal(2), steal(2), steal(3), None)
    play(two, steal(2), steal(2), PLAY, None)
    assert one.trick.thefts[:2] == two.trick.thefts[:2]


def test_each_draw_of_thieves_is_a_turn_of_its_own():
    game = position("9 8 6 5", "K 4 7 | J 9", "2 3 5 | T 8")
    turns = [game.trick.turn]
    for target in (1, 2):
        play(game, steal(target), None, None)
        turns.append(game.trick.turn)
    assert turns == [0, 1, 2]


def test_lots_on_two_piles_do_not_hang_together():
    cards = ("9 2 3 | Q K", "9 4 5", "K 6 7 | J 9", "K 8 T")
    thieves = set()
    for seed in range(40):
        game = position(*cards, seed=str(seed))
        play(game, steal(2), steal(2), steal(0), steal(0))
        won = (theft.seat for theft in game.trick.thefts if theft.result == "stolen")
        thieves.add(tuple(won))
    assert thieves == {(0, 2), (0, 3), (1, 2), (1, 3)}


# --- waiting

ORIGINAL = {"protection": False, "steal_back": "at_once"}


def test_without_the_option_nobody_may_wait():
    game = position("9 5 6 | 2 3", "K 4 7 | J 9")
    assert game.decision(0).legal == [PLAY, steal(1)]
    assert game.refusal(0, WAIT) == 'you may not wait now: "action" must be "play" or "steal"'


def test_who_waits_sees_what_the_others_played():
    game = position("9 5 6 | 2 3", "9 4 7 | J 9", "6 8 Q", **ORIGINAL)
    play(game, WAIT, PLAY, None)
    assert plain(game.view(0))["up"] == [None, "9D", "6D"]
    assert game.decision(0).legal == [PLAY, steal(1)]


def test_one_whose_card_matches_no_pile_does_not_wait():
    game = position("9 5 6 | 2 3", "K 4 7 | J 9", **ORIGINAL)
    assert game.deciders() == [0]
    play(game, WAIT, None)
    assert up(game) == "K"
    assert game.decision(0).legal == [PLAY, steal(1)]


def test_who_waits_may_wait_again_while_another_has_a_card():
    game = position("9 5 6 | 2 9", "9 4 7 | J 3", "9 8 T", **ORIGINAL)
    play(game, WAIT, WAIT, PLAY)
    assert game.decision(0).legal == [PLAY, WAIT]
    assert game.decision(1).legal == [PLAY, steal(0), WAIT]
    play(game, WAIT, PLAY, None)
    assert [ranks(cards[:1]) for cards in game.trick.laid.values()] == ["9", "9", "9"]


def test_after_the_one_that_waits_no_longer_the_others_may_wait_again():
    cards = ("9 5 6 | 2 9", "9 4 7 | J 3", "9 8 T | 6 5")
    games = (position(*cards, seed=str(seed), **ORIGINAL) for seed in range(20))
    hurried = set()
    for game in games:
        play(game, WAIT, WAIT, WAIT)
        alone = game.deciders() if len(game.deciders()) == 1 else []  # A has nothing to choose
        for seat in alone:
            assert WAIT not in game.decision(seat).legal
            game.apply({seat: PLAY})
        (played,) = game.trick.up
        hurried.add(played)
        assert game.deciders() == [seat for seat in range(3) if seat != played]
        assert all(WAIT in game.decision(seat).legal for seat in game.deciders())
    assert hurried == {0, 1, 2}


def test_a_fourth_card_may_wait_too():
    game = position("7 2 3 4 9 A 5 | 6 9", "7 2 3 4 9 6 5 8 | K J", **ORIGINAL)
    assert game.trick.war == 1
    play(game, WAIT, steal(0))
    assert game.decision(0).legal == [PLAY, steal(1), WAIT]


# --- wars


def test_who_ran_out_in_an_earlier_trick_is_lower():
    game = position("2", "K 3 7", "9 4 6 8")
    play(game, None, top_of_rank(game, "K"), None)
    assert game.ran_out == {0: (1, 1)}
    while not game.reason:
        game.apply({seat: game.default(seat) for seat in game.deciders()})
    assert game.places()[0] == 3


# --- the pack rule, and the top card


def test_the_top_is_not_asked_of_a_winner_whose_pack_is_empty():
    game = position("K", "4 7 8")
    assert (game.tricks[0].winner, game.tricks[0].top) == (0, None)
    assert sorted(ranks([*game.held.packs[0], *game.trick.laid[0]]).split()) == ["4", "K"]


def test_a_pile_turned_over_is_shuffled():
    cards = "2 3 4 5 6 7 8 9 T J"
    found = {packs(position(f"A | {cards}", "K 2 3", seed=str(seed)))[0] for seed in range(5)}
    assert len(found) == 5
    assert all(sorted(each.split()) == sorted(cards.split()) for each in found)


def test_each_time_a_pile_is_turned_over_it_is_shuffled_anew():
    pile = "5 5 6 6 7 7 8 8 9 9"
    first, second = position(f"3 | {pile}", "K Q J"), position(f"3 4 | {pile}", "K Q J")
    second.apply({1: second.default(1)})
    assert (first.trick.number, second.trick.number) == (1, 2)
    one, two = first.held.packs[0], second.held.packs[0]
    assert sorted(one) == sorted(two)
    assert one != two


def test_a_card_more_moves_no_other_when_a_pile_is_turned_over():
    more, fewer = (
        packs(position(f"A | {cards}", "K 2 3"))[0].split()
        for cards in ("5 4 6 7 8 9 T J", "4 5 6 7 9 T J")
    )
    assert [card for card in more if card != "8"] == fewer


# --- the guard


# --- options


# --- what is shown


def test_cards_face_down_are_not_shown_before_the_trick_is_over():
    game = position("7 2 3 4 9 A 5", "7 2 3 4 8 6 5 | K 9")
    assert plain(game.view(0))["laid"] == [["7C", None, None, None], ["7D", None, None, None]]
    play(game, PLAY, None)
    assert plain(game.view(0))["laid"][0] == ["7C", "2C", "3C", "4C", "9C"]
    assert plain(game.view(0))["won"] == game.won


# --- text


def test_the_text_tells_the_end():
    text = position("7 2 3", "7 8 9", "6 5").text(1)
    assert text.startswith("Over: drawn; places: A 1, B 1, C 3\n")
    assert "1: A 7C (2C 3C), B 7D (8C 9C), C 6C (5C): drawn by A and B" in text
    assert "C        -; out of cards since trick 1" in text


# --- what always holds


def all_cards(game):
    """Return every card there is, wherever it lies now."""
    held, trick = game.held, game.trick
    lying = game.asked is not None or game.reason == "drawn"
    return [
        *(card for part in (*held.packs, *held.piles) for card in part),
        *(card for card in held.drawn if card),
        *(card for cards in trick.laid.values() for card in cards if lying),
        *held.aside,
    ]


PLAYS = st.tuples(
    st.integers(0, 10**6),
    st.integers(2, 10),
    st.fixed_dictionaries(
        {"protection": st.booleans(), "steal_back": st.sampled_from(["never", "at_once"])}
    ),
)


@settings(max_examples=40)
@given(PLAYS)
def test_random_play_keeps_every_card_and_the_pack_rule_and_ends(how):
    seed, seats, options = how
    game, rng = new_game(seats, str(seed), max_tricks=300, **options), Random(seed)
    while deciders := game.deciders():
        assert sorted(all_cards(game)) == sorted(DECK)
        for pack, pile in zip(game.held.packs, game.held.piles, strict=True):
            assert pack or not pile
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
    assert sorted(all_cards(game)) == sorted(DECK)
    assert game.reason in {"all_cards", "drawn", "max_tricks"}
    if game.reason == "all_cards":
        winner = game.places().index(1)
        assert game.held.size(winner) + len(game.held.aside) == len(DECK)


@settings(max_examples=60)
@given(PLAYS, st.integers(0, 150))
def test_a_steal_is_asked_only_of_those_with_a_pile_to_steal_or_to_steal_back(how, steps):
    seed, seats, options = how
    game = wander(seed, steps, seats, **options)
    if game.asked == "steal":
        asked = game.deciders()
        could = [seat for seat in range(seats) if game.held.targets(seat)]
        if options["steal_back"] == "never":
            assert asked == could != []
        else:
            tops = [pile[-1][0] for pile in game.held.piles if pile]
            assert asked
            assert all(game.held.drawn[seat][0] in tops for seat in asked)
            assert {*could} <= {*asked} or len(asked) == 1
    elif game.asked == "top":
        (winner,) = game.deciders()
        assert (game.trick.winner, bool(game.held.packs[winner])) == (winner, True)
