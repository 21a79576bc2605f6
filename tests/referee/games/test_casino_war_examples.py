"""The worked examples of Casino War's rules page, under their own names, and some besides."""

from fractions import Fraction
from pathlib import Path

import pytest

from tests.benchmarks.figures.casino_war import counted, told_decks
from tests.referee.games.casino_war_positions import (
    SURRENDER,
    WAR,
    bet,
    new_game,
    play,
    position,
)
from tests.referee.games.tables import rows

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


H24 = [
    *({"bet": wrong} for wrong in (11, 8, 102, 10.0, True)),
    *({"bet": 10, "tie_bet": wrong} for wrong in (101, -1)),
]


@pytest.mark.parametrize("move", H24, ids=str)
def test_h24_wrong_bets_are_illegal_and_the_least_is_bet(move):
    game = new_game()
    assert game.refusal(0, move) is not None
    assert game.default(0) == {"bet": 10, "tie_bet": 0}


@pytest.mark.parametrize("decks", [1, 6])
def test_h33_the_odds(decks):
    exact = PAGE.read_text(encoding="utf-8").partition("**H33**")[2]
    rows = [line.split("|") for line in exact.splitlines() if line.startswith("|")]
    column = [cell.strip() for cell in rows[0]].index(told_decks(decks))
    stated = [Fraction(row[column].strip().replace("−", "-")) for row in rows[2:]]
    assert stated == [*counted(decks)[0]]
