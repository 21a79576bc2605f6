"""Casino War: the worked examples of its page by name, shoes, bets that are refused, money."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.casino_war.game import CasinoWarOptions
from referee.games.war_family.cards import RANKS, strength
from referee.rules.game import plain
from tests.benchmarks.figures.casino_war import counted, told_decks
from tests.referee.games.casino_war_positions import SURRENDER, WAR, bet, new_game, position
from tests.referee.games.tables import play_at_once as play
from tests.referee.games.tables import refused, rows

PAGE = Path(__file__).parents[3] / "referee" / "games" / "casino_war" / "rules.md"
EXAMPLES = """
T18 won  | K 9 | 1000 1000 | b10 b20 | money 1010 1020
T18 lost | 9 K | 1000 1000 | b10 b20 | money 990 980
T19 | 9 9 | 1000 1000 | b10 b10; s s | money 995 995
T20 higher | 9 9 K Q | 1000 1000 | b10 b10; w s | money 1010 995
T20 tie    | 9 9 K K | 1000 1000 | b10 b10; w s | money 1010 995
T20 lower  | 9 9 Q K | 1000 1000 | b10 b10; w s | money 980 995
T21 | 9 9 | 1000 1000 | b10+10 b10; s s | money 1095 995
T21 without a tie | K 9 | 1000 1000 | b10+10 b10 | money 1000 1010
H21 | 9 9 | 18 18 | b10 b10 | money 13 13, answers surrender surrender
H22 | 9 9 Q K | 12 18 | b10+2 b10 | asked tie 0
H22 lost | 9 9 Q K | 12 18 | b10+2 b10; w - | money 12 13
H23 | 9 K | 18 1000 1000 | b10 b10 b10 | money 8 990 990, asked bet 1 2
"""

BESIDES = """
all seats share the cards | K 9 | 1000 1000 1000 | b10 b50 b100 | money 1010 1050 1100
a war is one for all who go | 9 9 Q K | 1000 1000 1000 | b10 b50 b100; w s w | money 980 975 800
just the money for a war is enough | 9 9 Q K | 20 19 | b10 b10 | asked tie 0
and may be lost | 9 9 Q K | 20 19 | b10 b10; w - | money 0 14
it ends after its rounds | K 9 | 1000 1000 rounds=1 | b10 b20 | places 2 1 rounds, asked None
it ends when nobody can bet | 9 K | 11 12 | b10 b10 | places 2 1 broke
equal money shares a place | 9 K | 1000 1000 1010 rounds=1 | b10 b10 b10 | places 2 2 1 rounds
the rich play on without the poor | 9 K | 11 1000 | b10 b10 | asked bet 1
the least bet is enough to play on | 9 K | 20 1000 | b10 b10 | asked bet 0 1
"""


def move_of(word):
    """Read `b10+5` as a bet with a bet on a tie, `w` as war, `s` as surrender."""
    if word[0] == "b":
        return bet(*map(int, word[1:].split("+")))
    return {"w": WAR, "s": SURRENDER, "-": None}[word]


@pytest.mark.parametrize(("cards", "money", "moves", "facts"), rows(EXAMPLES) + rows(BESIDES))
def test_round(cards, money, moves, facts):
    *held, last = money.split()
    name, _, value = last.partition("=")
    if value:
        game = position(cards, *map(int, held), **{name: int(value)})
    else:
        game = position(cards, *map(int, money.split()))
    for step in moves.split("; "):
        play(game, *map(move_of, step.split()))
    for what, *expected in map(str.split, facts.split(", ")):
        found = {
            "money": game.money,
            "asked": [game.asked, *game.deciders()],
            "places": [*game.places(), game.reason],
            "answers": game.played[-1].answers if game.played else None,
        }[what]
        assert [*map(str, found)] == expected


def test_h23_a_seat_that_cannot_bet_sits_out():
    game = position("9 K", 18, 1000, 1000)
    play(game, bet(10), bet(10), bet(10))
    play(game, None, bet(10), bet(10))
    assert (game.money[0], game.played[-1].stakes[0]) == (8, None)


@pytest.mark.parametrize("bet", [11, 8, 102, 10.0, True])
def test_h24_wrong_bets_are_illegal_and_the_least_is_bet(bet):
    game = new_game()
    assert game.refusal(0, {"bet": bet}) is not None
    for tie_bet in (101, -1):
        assert game.refusal(0, {"bet": 10, "tie_bet": tie_bet}) is not None
    assert game.default(0) == game.read(0, {"bet": 10}) == {"bet": 10, "tie_bet": 0}


def test_a_war_takes_five_cards_three_of_them_unseen_and_none_if_nobody_goes():
    for answer, taken, shown in ((SURRENDER, 0, 0), (WAR, 5, 2)):
        game = new_game(reshuffle="shoe", decks=1)
        while game.asked != "tie":
            play(game, bet(10), bet(10))
        left, seen = len(game.shoe.cards), sum(game.shoe.seen.values())
        play(game, answer, SURRENDER)
        assert len(game.shoe.cards) == left - taken
        assert sum(game.shoe.seen.values()) == seen + shown
        assert len(game.shoe.burned) == taken - shown
        assert (game.played[-1].war is None) == (not taken)


@pytest.mark.parametrize("decks", [1, 6])
def test_h33_the_odds(decks):
    exact = PAGE.read_text(encoding="utf-8").partition("**H33**")[2]
    rows = [line.split("|") for line in exact.splitlines() if line.startswith("|")]
    column = [cell.strip() for cell in rows[0]].index(told_decks(decks))
    stated = [Fraction(row[column].strip().replace("−", "-")) for row in rows[2:]]
    assert stated == [*counted(decks)[0]]


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
        shoe, decks = game.shoe, game.options.decks
        ranks = Counter(card[0] for card in (*shoe.cards, *shoe.burned)) + Counter(shoe.seen)
        assert ranks == Counter(dict.fromkeys(RANKS[:-1], 4 * decks))
        if game.options.reshuffle == "each_round" and game.asked == "bet":
            assert len(shoe.cards) == 52 * decks
        if game.played and game.played[-1].number == number:
            last = plain(game.view(0))["last"]
            money = [held + owed(last, seat) for seat, held in enumerate(money)]
            assert game.money == money
    assert game.reason in {"rounds", "broke"}
    assert all(type(held) is int for held in game.money)


def at_tie():
    game = position("9 9 K Q")
    play(game, bet(10), bet(20))
    return game


def poor():
    return position("K 9", 37, 1000)


def poorest():
    return position("K 9", 10, 1000)


def no_ties():
    return new_game(tie_bet=False)


REFUSALS = [
    (new_game, bet(11), '"bet" is 11; it must be even'),
    (new_game, bet(8), '"bet" is 8; the least is 10'),
    (new_game, bet(102), '"bet" is 102; the greatest is 100'),
    (new_game, bet(10**5000), '"bet" is far out of range, but you have only 1000'),
    (poor, bet(38), '"bet" is 38, but you have only 37'),
    (new_game, bet(10, 101), '"tie_bet" is 101; the greatest is 100'),
    (poor, bet(20, 18), '"tie_bet" come to 38, but you have only 37'),
    (no_ties, bet(10, 1), "with the option `tie_bet` off it may only be 0"),
]


test_a_wrong_reply_is_refused_in_words = refused(REFUSALS)


@pytest.mark.parametrize(
    ("asked", "limits"),
    [
        (new_game, ((10, 100), 100, 1000)),
        (poor, ((10, 36), 27, 37)),
        (poorest, ((10, 10), 0, 10)),
        (no_ties, ((10, 100), 0, 1000)),
    ],
)
def test_the_limits_say_what_can_be_bet(asked, limits):
    (least, most), on_tie, money = limits
    assert asked().decision(0).limits == {
        "bet": {"min": least, "max": most},
        "tie_bet": {"min": 0, "max": on_tie},
        "money": money,
    }


def test_the_defaults_stake_as_little_as_possible():
    assert new_game(min_bet=20).default(0) == bet(20)
    assert at_tie().default(0) == SURRENDER


def test_a_sample_may_be_any_legal_bet():
    game = position("K 9", 14)
    found = {str(game.sample(0, Random(seed))) for seed in range(400)}
    every = [*(bet(10, t) for t in range(5)), *(bet(12, t) for t in range(3)), bet(14)]
    assert found == set(map(str, every))
