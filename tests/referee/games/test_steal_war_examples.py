"""The worked examples of Steal War's rules page, under their own names, and some besides."""

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
from tests.referee.games.tables import rows


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


EXAMPLES = """
T22 | 9 5 6 : 2 3 / K 4 7 : J 8 9 | | s1 - | piles 2 3 J 8 9 9 / -, up 5 K
T23 | 4 5 6 / K 7 8               | | - t4 | piles - / K 4
T24 | 9 5 6 : 2 3 / K 4 7 : J 8 9 | | p -  | piles 2 3 / J 8 9, up 9 K
T25 | K 2 3 : 5 9 / 9 6 7 : 4 K   | | s1 s0 | piles 4 K K / 5 9 9
T26 | 9 2 3 4 5 6 : 2 9 / 9 7 8 T J Q : 3 5 | | - s0 | piles 2 9 / 3 5, war 1, thefts protected
T26 without protection | 9 2 3 4 5 6 : 2 9 / 9 7 8 T J Q : 3 5 | protection=0 | - s0 | \
piles - / 3 5 2 9 9, war 0
T27 | 7 2 3 4 9 A 5 / 7 2 3 4 8 6 5 : K 9 | | s1 - | piles K 9 9 / -, up A 8, winner A
T27 face down | 7 2 9 4 A 5 / 7 2 3 4 8 6 5 : K 9 | | | asked top A, piles - / K 9
T28 | 7 2 3 4 / 7 8 9 T J Q | | | places 2 1 all_cards, held 0 10
H26 | 7 2 3 4 : 8 / 7 2 3 4 9 5 6 | | | up 8 9
H29 | K 2 3 : A / 9 4 5 : Q K / 6 7 8 : J 9 | | s1 s2 - | piles A Q K K / J 9 9 / -
H32 | 9 2 3 / K 4 5 | | | winner B
H40 | 9 6 7 8 T J : 2 9 / 9 K T J Q 8 : 3 5 | steal_back=at_once | p w; - s0 | \
piles 2 9 / 3 5, thefts protected
"""

BESIDES = """
who could steal is asked | 9 5 6 : 2 3 / K 4 7 : J 9 / 3 6 8 | | | asked steal A C
nobody steals their own pile | 9 5 6 : 2 9 / K 4 7 | | | asked top B
a thief steals again | 9 8 6 5 / K 4 7 : J 9 / 2 3 5 : T 8 | | s1 - -; s2 - - | \
piles J 9 9 T 8 8 / - / -, up 6 K 2
only thieves draw again | 9 5 6 / 9 8 7 / 2 3 4 : T 9 | | s2 p - | up 5 9 2
one who has played waits | 9 8 6 5 / 8 4 7 : J 9 / 2 3 5 : T 8 | | s1 p - | up 8 2
and can still be robbed | 9 8 6 5 / 8 4 7 : J 9 / 2 3 5 : T 8 | | s1 p -; s2 - - | \
piles J 9 9 T 8 8 / - / -
protection begins | 9 8 6 / 8 4 7 : 3 8 / K 3 5 : T 9 | | s2 - - | protected B
it lasts till all have played | 9 8 6 / 8 4 7 : 3 8 / K 3 5 : T 9 | | s2 - -; s1 - - | \
piles T 9 9 / 3 8 / -, up 8 8 K
it ends with a war | 8 2 3 4 8 5 6 / 8 2 3 4 K 5 6 : 3 8 | | p - | war 1, protected
and the pile is stolen | 8 2 3 4 8 5 6 / 8 2 3 4 K 5 6 : 3 8 | | p -; s1 - | piles 3 8 8 / -
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
the last trick may be stolen in | 9 5 6 / K 4 7 : J 9 | max_tricks=1 | | asked steal A
and is the last | 9 5 6 / K 4 7 : J 9 | max_tricks=1 | s1 - | reason max_tricks
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
    named = (word.split("=") for word in options.split())
    given = {name: int(value) if value.isdigit() else value for name, value in named}
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
