"""The worked examples of Casino War's rules page, under their own names."""

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

PAGE = Path(__file__).parents[3] / "referee" / "games" / "casino_war" / "rules.md"


@pytest.mark.parametrize(("cards", "change"), [("K 9", 10), ("9 K", -10)], ids=["win", "loss"])
def test_t18_the_higher_card_wins_the_bet(cards, change):
    game = position(cards)
    play(game, bet(10), bet(20))
    assert game.money == [1000 + change, 1000 + 2 * change]


def test_t19_a_surrender_costs_half_the_bet():
    game = position("9 9")
    play(game, bet(10), bet(10))
    play(game, SURRENDER, SURRENDER)
    assert game.money == [995, 995]


@pytest.mark.parametrize(
    ("cards", "change"), [("K Q", 10), ("K K", 10), ("Q K", -20)], ids=["higher", "tie", "lower"]
)
def test_t20_a_war_wins_once_or_loses_twice_the_bet(cards, change):
    game = position(f"9 9 {cards}")
    play(game, bet(10), bet(10))
    play(game, WAR, SURRENDER)
    assert game.money == [1000 + change, 995]


def test_t21_a_tie_pays_ten_times_the_tie_bet():
    game = position("9 9")
    play(game, bet(10, 10), bet(10))
    play(game, SURRENDER, SURRENDER)
    assert game.money == [1095, 995]


def test_t21_without_a_tie_the_tie_bet_is_lost():
    game = position("K 9")
    play(game, bet(10, 10), bet(10))
    assert game.money == [1000, 1010]


def test_h21_too_little_money_for_war_is_not_asked():
    game = position("9 9", 18, 18)
    play(game, bet(10), bet(10))
    assert game.money == [13, 13]
    assert game.played[-1].answers == ["surrender", "surrender"]


def test_h22_what_the_tie_bet_won_may_go_to_war():
    game = position("9 9 Q K", 12, 18)
    play(game, bet(10, 2), bet(10))
    assert (game.asked, list(game.deciders())) == ("tie", [0])
    play(game, WAR, None)
    assert game.money == [12, 13]


def test_h23_too_little_money_for_a_bet_sits_out():
    game = position("9 K", 18, 1000, 1000)
    play(game, bet(10), bet(10), bet(10))
    assert game.money[0] == 8
    assert list(game.deciders()) == [1, 2]
    play(game, None, bet(10), bet(10))
    assert game.money[0] == 8
    assert game.played[-1].stakes[0] is None


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
