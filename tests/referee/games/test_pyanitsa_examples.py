"""The worked examples of P'yanitsa's rules page, under their own names."""

from fractions import Fraction
from itertools import combinations

import pytest

from referee.games.pyanitsa.game import Pyanitsa
from tests.referee.games.tables import rows
from tests.referee.games.war_positions import dealt, new_game, options_of, outcome, play, pyanitsa

BATTLES = """
T13 6 v A       | 6 7 / A 7               |                | A wins 2: goes on
T13 6 v 7       | 6 7 / 7 7               |                | B wins 2: goes on
T13 6, A, K     | 6 7 / A 7 / K 7         |                | A wins 3: goes on
T13 52: 6 v A   | 6 7 / A 7               | deck=52        | B wins 2: goes on
T13 52: 2 v A   | 2 7 / A 7               | deck=52        | A wins 2: goes on
T14 face_up     | 8 9 7 / 8 J 7           |                | B wins 4: goes on
T14 face_down   | 8 9 J 7 / 8 J 9 7       | tie=face_down  | A wins 6: goes on
T15 avoid_all   | K / 9                   |                | A wins 2: 2 1
T15 avoid_empty | K / 9                   | aim=avoid_empty | A wins 2: 1 2
H15 6, 6, A     | 6 7 9 / 6 8 9 / A 9 J   |                | C wins 6: goes on
H15 A, A, 6     | A 7 / A 8 / 6 9         |                | C wins 3: goes on
H16             | 8 6 / 8 A               |                | A wins 4: 2 1
H17 avoid_empty | 8 9 7 / 8 J 7 / 7       | aim=avoid_empty | B wins 5: 1 1 3
H17 avoid_all   | 8 9 7 / 8 J 7 / 7       |                | B wins 5: goes on
H18 8 / 8       | 8 / 8                   |                | draw 2: 1 1
H18 8 7 / 8     | 8 7 / 8                 |                | A wins 2: 2 1
H19             | K Q T / 9 8 7 / J T 8   | max_battles=1  | A wins 3: 3 1 1
"""


@pytest.mark.parametrize(("packs", "options", "result"), rows(BATTLES))
def test_battle(packs, options, result):
    assert outcome(pyanitsa(packs, **options_of(options))) == result


@pytest.mark.parametrize(
    ("seats", "each", "aside"),
    [(5, 7, 1), (6, 6, 0), (7, 5, 1), (8, 4, 4), (9, 4, 0), (10, 3, 6), (11, 3, 3), (12, 3, 0)],
)
def test_h36_up_to_twelve_seats_are_dealt_the_same_number(seats, each, aside):
    game = new_game(Pyanitsa, seats, max_battles=1)
    assert dealt(game) == [each] * seats
    assert len(game.aside) == aside


def test_h17_the_seat_that_ran_out_is_safe_and_the_others_go_on():
    game = pyanitsa("8 9 7 / 8 J 7 / 7")
    assert game.still_in() == [0, 1]
    play(game, {"order": game.won})
    assert game.battles[-1].laid.keys() == {0, 1}


def test_h19_the_drunkard_at_the_guard_holds_five_cards():
    game = pyanitsa("K Q T / 9 8 7 / J T 8", max_battles=1)
    assert ([len(pack) for pack in game.packs], game.reason) == ([5, 2, 2], "max_battles")


def test_h25_the_chance_that_the_first_cards_tie():
    pairs = [*combinations(new_game(Pyanitsa).table()["cards"], 2)]
    assert Fraction(sum(a[0] == b[0] for a, b in pairs), len(pairs)) == Fraction(3, 35)
