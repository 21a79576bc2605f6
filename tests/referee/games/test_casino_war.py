"""Casino War: rounds and shoes, options, the end, what is shown, what always holds."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import plain
from referee.games.casino_war.game import CasinoWarOptions
from referee.games.war_family.cards import RANKS, deck, strength
from tests.referee.games.casino_war_positions import (
    SURRENDER,
    WAR,
    bet,
    new_game,
    play,
    wander,
)

# --- rounds


def test_no_cards_are_dealt_when_nobody_goes_to_war():
    game = new_game(reshuffle="shoe", decks=1)
    while game.asked != "tie":
        play(game, bet(10), bet(10))
    left = len(game.shoe.cards)
    play(game, SURRENDER, SURRENDER)
    assert (len(game.shoe.cards), game.played[-1].war) == (left, None)


def test_a_war_takes_five_cards_three_of_them_unseen():
    game = new_game(reshuffle="shoe", decks=1)
    while game.asked != "tie":
        play(game, bet(10), bet(10))
    left, seen = len(game.shoe.cards), sum(game.shoe.seen.values())
    play(game, WAR, SURRENDER)
    assert len(game.shoe.cards) == left - 5
    assert sum(game.shoe.seen.values()) == seen + 2
    assert len(game.shoe.burned) == 3


# --- shoes


def test_each_round_begins_with_all_cards():
    game = new_game(decks=2)
    for _ in range(30):
        if game.asked == "bet":
            assert (len(game.shoe.cards), sum(game.shoe.seen.values())) == (104, 0)
        game.apply({seat: game.default(seat) for seat in game.deciders()})


LEAST = bet(10)


def all_rounds(game, stake=LEAST, answer=WAR):
    """Play to the end, all seats alike; return every round, each with the cards left before it."""
    rounds = []
    while deciders := game.deciders():
        if game.asked == "bet":
            rounds.append((len(game.shoe.cards), game.now))
        game.apply(dict.fromkeys(deciders, stake if game.asked == "bet" else answer))
    return rounds


@pytest.mark.parametrize("decks", [1, 3])
def test_a_shoe_is_shuffled_when_fewer_than_13_cards_a_deck_are_left(decks):
    played = all_rounds(new_game(decks=decks, reshuffle="shoe", rounds=200, bankroll=10_000))
    shuffled = 0
    for (before, over), (left, _) in pairwise(played):
        rest = before - (7 if over.war else 2)
        assert left == (52 * decks if rest < 13 * decks else rest)
        shuffled += left > rest
    assert shuffled > 1


def seen(rounds):
    return [(each.player, each.house) for _, each in rounds]


@pytest.mark.parametrize("reshuffle", ["each_round", "shoe"])
def test_bets_do_not_change_the_cards(reshuffle):
    one, two = (all_rounds(new_game(reshuffle=reshuffle), stake) for stake in (bet(10), bet(20, 1)))
    assert seen(one) == seen(two)


def test_a_draw_is_as_likely_to_be_any_card_left():
    drawn = Counter()
    for seed in range(5200):
        game = new_game(seed=str(seed), decks=1, rounds=1)
        play(game, bet(10), bet(10))
        drawn[(game.played or [game.now])[-1].player] += 1
    expected = 5200 / 52
    chi_square = sum((drawn[card] - expected) ** 2 / expected for card in deck())
    assert chi_square < 51 + 5 * (2 * 51) ** 0.5


# --- the end


# --- options


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"min_bet": 20, "max_bet": 10}, r"min_bet \(20\) is more than max_bet \(10\)"),
        ({"bankroll": 9}, r"bankroll \(9\) is less than min_bet \(10\): nobody could bet\."),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        CasinoWarOptions(**options)


# --- what is shown


def test_bets_are_hidden_until_all_are_in():
    view = plain(new_game().view(0))
    assert (view["bets"], view["player"], view["house"], view["last"]) == (None,) * 4


def test_all_seats_see_the_same():
    game = wander(3, 40, seats=4, reshuffle="shoe")
    views = [plain(game.view(seat)) for seat in range(4)]
    assert all(view | {"seat": 0} == views[0] for view in views)


def test_burned_cards_are_shown_to_nobody():
    game = new_game(reshuffle="shoe", decks=1)
    while not game.shoe.burned:
        game.apply({s: bet(10) if game.asked == "bet" else WAR for s in game.deciders()})
    shown = [(plain(game.view(seat)), game.text(seat)) for seat in (0, 1)]
    shoe = game.shoe
    shoe.cards, shoe.burned = [*shoe.burned, *shoe.cards[3:]], shoe.cards[:3]
    assert [(plain(game.view(seat)), game.text(seat)) for seat in (0, 1)] == shown
    assert f"Burned  {' '.join(shoe.burned)}" in game.text()


# --- text

# --- what always holds


def owed(last, seat):
    """Return what a round moves for one seat, told by the rules page's "A round"."""
    stake = last["bets"][seat]
    if stake is None:
        return 0
    player, house = strength(last["player"]), strength(last["house"])
    if player != house:
        return (stake["bet"] if player > house else -stake["bet"]) - stake["tie_bet"]
    if last["answers"][seat] == "surrender":
        return 10 * stake["tie_bet"] - Fraction(stake["bet"], 2)
    lost = strength(last["war"]["house"]) > strength(last["war"]["player"])
    return 10 * stake["tie_bet"] + (-2 * stake["bet"] if lost else stake["bet"])


OPTIONS = st.fixed_dictionaries(
    {"bankroll": st.integers(10, 300), "rounds": st.integers(1, 40)},
    optional={
        "tie_bet": st.booleans(),
        "decks": st.integers(1, 2),
        "reshuffle": st.sampled_from(["each_round", "shoe"]),
        "min_bet": st.sampled_from([2, 10]),
    },
)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 8), OPTIONS)
def test_money_moves_by_the_rules_and_never_below_nothing(seed, seats, options):
    game, rng = new_game(seats, str(seed), **options), Random(seed)
    money = game.money.copy()
    while deciders := game.deciders():
        number = game.now.number
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
        assert min(game.money) >= 0
        if game.played and game.played[-1].number == number:
            last = plain(game.view(0))["last"]
            money = [held + owed(last, seat) for seat, held in enumerate(money)]
            assert game.money == money
    assert game.reason in {"rounds", "broke"}
    assert all(type(held) is int for held in game.money)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 120), st.integers(1, 2))
def test_no_card_of_a_shoe_is_lost_or_doubled(seed, steps, decks):
    shoe = wander(seed, steps, reshuffle="shoe", decks=decks).shoe
    ranks = Counter(card[0] for card in (*shoe.cards, *shoe.burned)) + Counter(shoe.seen)
    assert ranks == Counter(dict.fromkeys(RANKS[:-1], 4 * decks))


@settings(max_examples=60)
@given(st.lists(st.integers(0, 8), min_size=13, max_size=13).filter(lambda n: sum(n) > 7))
def test_war_is_never_worse_than_surrender_whatever_is_left(counts):
    """A tie of the two new cards leaves war better; without a pair left both are the same."""
    total = sum(counts)
    tie = Fraction(sum(n * (n - 1) for n in counts), total * (total - 1))
    war = (1 + tie) / 2 - 2 * (1 - tie) / 2
    assert war >= Fraction(-1, 2)
    assert (war == Fraction(-1, 2)) == all(n < 2 for n in counts)
