"""Steal War: the worked examples of its page by name, lots, refusals, what always holds."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.games.steal_war.game import StealWar
from referee.games.steal_war.trick import DECK
from referee.rules.game import plain
from tests.referee.games.steal_war_positions import (
    PLAY,
    WAIT,
    new_game,
    packs,
    piles,
    position,
    ranks,
    steal,
    top_of_rank,
    up,
)
from tests.referee.games.tables import options_of, refused, rows
from tests.referee.games.tables import play_at_once as play


@pytest.mark.parametrize(
    ("seats", "each", "aside"),
    [
        *((2, 27, 0), (3, 18, 0), (4, 13, 2), (5, 10, 4), (6, 9, 0), (7, 7, 5), (8, 6, 6)),
        *((9, 6, 0), (10, 5, 4)),
    ],
)
def test_h37_up_to_ten_seats_are_dealt_the_same_number(seats, each, aside):
    game = new_game(seats)
    laid = [len(game.trick.laid[seat]) for seat in range(seats)]
    drawn = [card is not None for card in game.held.drawn]
    held = [len(pack) for pack in game.held.packs]
    assert [sum(counts) for counts in zip(held, laid, drawn, strict=True)] == [each] * seats
    assert len(game.held.aside) == aside


EXAMPLES = """
T22 | 9 5 6 : 2 3 / K 4 7 : J 8 9 | | s1 - | piles 2 3 J 8 9 9 / -, up 5 K
T23 | 4 5 6 / K 7 8               | | - t4 | piles - / K 4
T24 | 9 5 6 : 2 3 / K 4 7 : J 8 9 | | p -  | piles 2 3 / J 8 9, up 9 K
T25 | K 2 3 : 5 9 / 9 6 7 : 4 K   | | s1 s0 | piles 4 K K / 5 9 9
T26 | 9 2 3 4 5 6 : 2 9 / 9 7 8 T J Q : 3 5 | | - s0 | piles 2 9 / 3 5, war 1, thefts protected
T26 without protection | 9 2 3 4 5 6 : 2 9 / 9 7 8 T J Q : 3 5 | protection=0 | - s0 | \
piles - / 3 5 2 9 9, war 0
T27 | 7 2 3 4 9 A 5 / 7 2 3 4 8 6 5 : K 9 | | s1 - | piles K 9 9 / -, up A 8, winner A
T28 | 7 2 3 4 / 7 8 9 T J Q | | | places 2 1 all_cards, held 0 10
H26 | 7 2 3 4 : 8 / 7 2 3 4 9 5 6 | | | up 8 9
H29 | K 2 3 : A / 9 4 5 : Q K / 6 7 8 : J 9 | | s1 s2 - | piles A Q K K / J 9 9 / -
H32 | 9 2 3 / K 4 5 | | | winner B
H40 | 9 6 7 8 T J : 2 9 / 9 K T J Q 8 : 3 5 | steal_back=at_once | p w; - s0 | \
piles 2 9 / 3 5, thefts protected
"""

BESIDES = """
nobody steals their own pile | 9 5 6 : 2 9 / K 4 7 | | | asked top B
a thief steals again | 9 8 6 5 / K 4 7 : J 9 / 2 3 5 : T 8 | | s1 - -; s2 - - | \
piles J 9 9 T 8 8 / - / -, up 6 K 2
only thieves draw again | 9 5 6 / 9 8 7 / 2 3 4 : T 9 | | s2 p - | up 5 9 2
one who has played waits | 9 8 6 5 / 8 4 7 : J 9 / 2 3 5 : T 8 | | s1 p - | up 8 2
and can still be robbed | 9 8 6 5 / 8 4 7 : J 9 / 2 3 5 : T 8 | | s1 p -; s2 - - | \
piles J 9 9 T 8 8 / - / -
it lasts till all have played | 9 8 6 / 8 4 7 : 3 8 / K 3 5 : T 9 | | s2 - -; s1 - - | \
piles T 9 9 / 3 8 / -, up 8 8 K
protection ends with a war, and the pile is stolen | 8 2 3 4 8 5 6 / 8 2 3 4 K 5 6 : 3 8 | | \
p -; s1 - | piles 3 8 8 / -
it is over when the trick is | K 2 3 / 8 4 5 : 3 8 | | | asked top A, protected
a thief protects nothing | 9 5 6 : 2 9 / K 4 7 : 3 9 / 9 6 8 : T J | | s1 - s0 | \
piles 3 9 9 / - / T J 2 9 9
what became a pack is not stolen back | 9 5 6 : 2 9 / 9 / K 8 T : 6 5 | \
protection=0 steal_back=at_once | w s0 - | piles - / - / 6 5, asked top C
three cards lie face down | 7 2 3 4 K 5 / 7 8 9 T Q 6 | | | won 7 8 9 T Q 7 2 3 4 K
all seats take part in a war | 7 2 3 4 8 5 / 7 2 3 4 9 5 / 4 6 8 9 K 6 | | | winner C, pot 15
a second war may follow | 7 2 3 4 8 5 6 9 K 2 / 7 2 3 4 8 T J J Q 3 | | | war 2, pot 18
the turns of a war are counted anew | 9 7 2 3 4 T A 5 / 7 2 3 4 8 6 5 : J 9 / \
6 2 3 4 5 8 J : Q T | | s1 - - | war 1, turn 0
two jokers go to war | X 2 3 4 8 5 / X 2 3 4 9 5 | | | war 1
the short seat is out | 9 2 3 4 K 5 / 9 6 7 / 5 6 7 8 Q T | | | in A C, winner A, pot 13, out B1.3
if none can go on the most cards win | 7 2 3 / 7 8 / 6 5 | | | places 1 2 2 all_cards, held 7 0 0
if none can go on level seats draw | 7 2 3 / 7 8 9 / 6 5 | | | places 1 1 3 drawn
out earlier in one trick is lower | 9 2 3 4 8 2 / 9 5 6 / 9 6 7 8 8 5 T | | | places 2 3 1 all_cards
the first of the rest lies uppermost | K 5 6 / 4 7 8 / 9 2 3 | | t9 - - | piles K 4 9 / - / -
the cards won go clockwise from B | 2 5 6 / K 7 8 / 9 3 4 | | | won 9 2 K
the cards won go clockwise from C | 2 5 6 / 9 7 8 / K 3 4 | | | won 2 9 K
no top is asked at the end | K 5 6 / 4 | | | places 1 2 all_cards, piles 4 K / -
the guard counts the cards held | 4 2 / K 3 5 / 9 6 | max_tricks=1 | | \
places 2 1 2 max_tricks, asked None, held 1 5 1
the guard ranks those who are out behind | 4 / K 3 / 9 6 / 8 | max_tricks=1 | | \
places 3 1 2 3 max_tricks
the last trick may be stolen in, and is the last | 9 5 6 / K 4 7 : J 9 | max_tricks=1 | \
s1 - | reason max_tricks
"""


def move_of(game, word):
    """Read `p` to play, `w` to wait, `s1` to steal from seat 1, `t9` to put a nine on top."""
    if word[0] in "st":
        return steal(int(word[1:])) if word[0] == "s" else top_of_rank(game, word[1:])
    return {"p": PLAY, "w": WAIT, "-": None}[word]


def seen(game, what):
    """Return a fact of the game as it is written in the tables."""
    letters = "ABCD"
    trick, seats = game.trick, range(game.seats)
    found = {
        "piles": lambda: " / ".join(pile or "-" for pile in piles(game)),
        "up": lambda: up(game),
        "war": lambda: trick.war,
        "turn": lambda: trick.turn,
        "winner": lambda: letters[trick.winner],
        "thefts": lambda: " ".join(theft.result for theft in trick.thefts),
        "protected": lambda: " ".join(letters[s] for s in plain(game.view(0))["protected"]),
        "asked": lambda: " ".join([str(game.asked), *(letters[s] for s in game.deciders())]),
        "in": lambda: " ".join(letters[s] for s in trick.seats),
        "out": lambda: " ".join(f"{letters[s]}{t}.{n}" for s, (t, n) in game.ran_out.items()),
        "won": lambda: ranks(game.won),
        "pot": lambda: len(game.won),
        "held": lambda: " ".join(str(game.held.size(seat)) for seat in seats),
        "places": lambda: " ".join(map(str, [*game.places(), game.reason])),
        "reason": lambda: game.reason,
    }
    return str(found[what]())


@pytest.mark.parametrize(("seats", "options", "moves", "facts"), rows(EXAMPLES) + rows(BESIDES))
def test_trick(seats, options, moves, facts):
    given = options_of(options)
    if "protection" in given:
        given["protection"] = bool(given["protection"])
    game = position(*seats.replace(":", "|").split("/"), **given)
    for step in filter(None, moves.split("; ")):
        play(game, *(move_of(game, word) for word in step.split()))
    for what, _, expected in (fact.partition(" ") for fact in facts.split(", ")):
        assert seen(game, what) == expected, what


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


def test_h25_the_chance_that_the_first_cards_tie():
    pairs = [*combinations(DECK, 2)]
    assert Fraction(sum(a[0] == b[0] for a, b in pairs), len(pairs)) == Fraction(79, 1431)


def test_lots_on_two_piles_do_not_hang_together():
    cards = ("9 2 3 | Q K", "9 4 5", "K 6 7 | J 9", "K 8 T")
    thieves = set()
    for seed in range(40):
        game = position(*cards, seed=str(seed))
        play(game, steal(2), steal(2), steal(0), steal(0))
        won = (theft.seat for theft in game.trick.thefts if theft.result == "stolen")
        thieves.add(tuple(won))
    assert thieves == {(0, 2), (0, 3), (1, 2), (1, 3)}


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


def test_a_fourth_card_may_wait_too():
    game = position("7 2 3 4 9 A 5 | 6 9", "7 2 3 4 9 6 5 8 | K J", **ORIGINAL)
    assert game.trick.war == 1
    play(game, WAIT, steal(0))
    assert game.decision(0).legal == [PLAY, steal(1), WAIT]


def test_who_ran_out_in_an_earlier_trick_is_lower():
    game = position("2", "K 3 7", "9 4 6 8")
    play(game, None, top_of_rank(game, "K"), None)
    assert game.ran_out == {0: (1, 1)}
    while not game.reason:
        game.apply({seat: game.default(seat) for seat in game.deciders()})
    assert game.places()[0] == 3


def test_the_top_is_not_asked_of_a_winner_whose_pack_is_empty():
    game = position("K", "4 7 8")
    assert (game.tricks[0].winner, game.tricks[0].top) == (0, None)
    assert sorted(ranks([*game.held.packs[0], *game.trick.laid[0]]).split()) == ["4", "K"]


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


def assert_asked_with_reason(game):
    """Only those with a pile to steal or to steal back are asked, and a winner with a pack."""
    asked = [*game.deciders()]
    if game.asked == "top":
        assert asked == [game.trick.winner]
        assert game.held.packs[game.trick.winner]
    elif game.asked == "steal":
        could = [seat for seat in range(game.seats) if game.held.targets(seat)]
        if game.options.steal_back == "never":
            assert asked == could
        else:
            tops = [pile[-1][0] for pile in game.held.piles if pile]
            assert all(game.held.drawn[seat][0] in tops for seat in asked)
            assert {*could} <= {*asked} or len(asked) == 1


PLAYS = st.tuples(
    st.integers(0, 10**6),
    st.integers(2, 10),
    st.fixed_dictionaries(
        {"protection": st.booleans(), "steal_back": st.sampled_from(["never", "at_once"])}
    ),
)


@settings(max_examples=25)
@given(PLAYS)
def test_random_play_keeps_every_card_and_the_pack_rule_and_ends(how):
    seed, seats, options = how
    game, rng = new_game(seats, str(seed), max_tricks=300, **options), Random(seed)
    while deciders := game.deciders():
        assert sorted(all_cards(game)) == sorted(DECK)
        for pack, pile in zip(game.held.packs, game.held.piles, strict=True):
            assert pack or not pile
        assert_asked_with_reason(game)
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
    assert sorted(all_cards(game)) == sorted(DECK)
    assert game.reason in {"all_cards", "drawn", "max_tricks"}
    if game.reason == "all_cards":
        winner = game.places().index(1)
        assert game.held.size(winner) + len(game.held.aside) == len(DECK)


def at_steal():
    """A holds a nine; B's pile shows one, C has none, D's shows another rank."""
    return position("9 5 6 | 2 4", "K 4 7 | J 8 9", "2 4 5", "3 6 T | 9 T")


def at_top():
    """A has won the king, the four and the queen; 9C lies in its pack."""
    return position("K 9 3", "4 5 6", "Q 7 8")


REFUSALS = [
    (at_steal, steal(0), "0 is your own seat"),
    (at_steal, steal(2), "seat 2 (C) has no pile to steal"),
    (at_steal, steal(3), "'TD', not of the rank of your card, '9C'"),
    (at_steal, steal(4), "a seat from 0 to 3"),
    (at_top, {"top": "1C"}, "'1C' is not a card"),
    (at_top, {"top": "9C"}, "'9C' is not among the cards you have won: 4C QC K"),
]


test_a_wrong_reply_is_refused_in_words = refused(REFUSALS)


@pytest.mark.parametrize(("target", "is_seat"), [(0, True), (9, True), (10, False)])
def test_the_schema_takes_every_seat_for_a_target(target, is_seat):
    assert Draft202012Validator(StealWar.schemas()["steal"]).is_valid(steal(target)) == is_seat


def test_the_defaults_are_to_play_and_the_card_that_won_on_top():
    game = at_steal()
    assert game.default(0) == PLAY
    game.apply({0: game.default(0)})
    assert game.trick.up[0] == "9C"
    after_a_war = position("7 2 3 4 K 5", "7 2 3 4 Q 5")
    assert at_top().default(0) == after_a_war.default(0) == {"top": "KC"}
