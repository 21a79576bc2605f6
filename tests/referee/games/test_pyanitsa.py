"""P'yanitsa: the worked examples of its page by name, both aims, what always holds."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.pyanitsa.game import Pyanitsa
from tests.referee.games.tables import options_of, play, rows
from tests.referee.games.war_positions import dealt, new_game, outcome, pyanitsa

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


def test_h17_the_seat_that_ran_out_is_safe_and_the_others_go_on():
    game = pyanitsa("8 9 7 / 8 J 7 / 7")
    assert game.still_in() == [0, 1]
    play(game, {"order": game.won})
    assert game.battles[-1].laid.keys() == {0, 1}


def test_h25_the_chance_that_the_first_cards_tie():
    pairs = [*combinations(new_game(Pyanitsa).table()["cards"], 2)]
    assert Fraction(sum(a[0] == b[0] for a, b in pairs), len(pairs)) == Fraction(3, 35)


COMPARED = """
sixes are lowest without an ace | 6 7 / 7 8 / K 9       |                        | C wins 3: goes on
all sixes are highest with one  | 6 7 9 / A 8 T / 6 9 J |                        | C wins 6: goes on
a six beats two aces            | A 7 / 6 8 / A 9       |                        | B wins 3: goes on
aces tie without a six          | A 7 8 / A 8 9 / K 9 T |                        | C wins 6: goes on
of 52 cards twos are lowest     | 2 7 / 3 7             | deck=52                | B wins 2: goes on
of 52 cards a six is a six      | 6 8 / 2 9 / A T       | deck=52                | B wins 3: goes on
only the newest cards count     | A 6 9 / A 7 9         |                        | B wins 4: goes on
a standing ace counts           | A / A / 7 6 8         | out_of_cards=last_card | C wins 4: 1 1 3
"""

FACE_DOWN = """
a war lays one card down        | 8 9 J 7 / 8 J 9 7     | tie=face_down          | A wins 6: goes on
one card is too few             | 8 9 J / 8 J / K 6     | tie=face_down          | C wins 3: goes on
out with one card               | 8 9 J / 8 K           | tie=face_down          | A wins 3: 2 1
the last card fights            | 8 9 J 7 / 8 K         | tie=face_down out_of_cards=last_card | \
B wins 5: goes on
"""

AVOID_ALL = """
out by turns              | K A 8 / 9 7 / 8        |                          | 3 1 1
out by turns, order       | K A 8 / 9 7 / 8        | placing=order            | 3 2 1
fewer laid is earlier     | 9 J / 9 / 9 8          |                          | 3 1 1
fewer laid, order         | 9 J / 9 / 9 8          | placing=order            | 3 1 2
together, order           | K / 9 / 8              | placing=order            | 3 1 1
two level                 | 8 / 8 / 7              | out_of_cards=last_card   | 2 2 1
one safe, two level       | K A / 9 A 9 8 K / 8    | out_of_cards=last_card   | 2 2 1
guard                     | K Q T / 9 8 7 / J T 8  | max_battles=1            | 3 1 1
guard, order              | K Q T / 9 8 / J T 8    | max_battles=1 placing=order | 3 1 2
guard, one safe           | K Q T / 9 8 7 / J      | max_battles=1            | 3 1 1
guard, one safe, level    | K / 9 8 7 T / J        | max_battles=1            | 2 2 1
"""

AVOID_EMPTY = """
the first to run out      | K A 8 / 9 7 / 8        |                          | 1 1 3
the winner may hold less  | K / 9 7 8 T J / 8      | placing=order            | 2 1 3
level survivors, order    | K / 9 7 8 T / 8        | placing=order            | 1 1 3
two, fewer laid loses     | 9 J / 9 / 9 8          |                          | 1 3 1
two, fewer laid, order    | 9 J / 9 / 9 8          | placing=order            | 1 3 2
two at once               | K / 9 / 8              |                          | 1 2 2
all level                 | 8 / 8 / 7              |                          | 1 1 1
all level, order          | 8 / 8 / 7              | placing=order            | 1 1 1
two level                 | 8 / 8 / 7              | out_of_cards=last_card   | 1 1 3
two level, order          | 8 / 8 / 7              | out_of_cards=last_card placing=order | 1 1 3
two level of four         | 8 9 / 8 9 / 8 / 7      | out_of_cards=last_card   | 1 1 3 3
fewer laid of four        | 8 9 / 8 9 / 8 7 / 7    | out_of_cards=last_card   | 1 1 1 4
fewer laid of four, order | 8 9 / 8 9 / 8 7 / 7    | out_of_cards=last_card placing=order | 1 1 3 4
guard                     | K Q T / 9 8 7 / J T 8  | max_battles=1            | 1 2 2
guard, order              | K Q T / 9 8 7 6 / J T 8 | max_battles=1 placing=order | 1 2 3
guard, all level          | K / 9 8 7              | max_battles=1            | 1 1
"""


@pytest.mark.parametrize(
    ("packs", "options", "result"), rows(BATTLES) + rows(COMPARED) + rows(FACE_DOWN)
)
def test_battle(packs, options, result):
    assert outcome(pyanitsa(packs, **options_of(options))) == result


@pytest.mark.parametrize(
    ("deck", "each"),
    [(36, [18, 12, 9, 7, 6, 5, 4, 4, 3, 3, 3]), (52, [26, 17])],
)
def test_h36_up_to_twelve_seats_are_dealt_the_same_number(deck, each):
    for seats, number in enumerate(each, 2):
        game = new_game(Pyanitsa, seats, deck=deck, max_battles=1)
        assert dealt(game) == [number] * seats
        assert len(game.aside) == deck - number * seats
        assert len(game.table()["cards"]) == deck


@pytest.mark.parametrize(
    ("aim", "packs", "options", "places"),
    [
        pytest.param(aim, *row.values, id=f"{aim}, {row.id}")
        for aim, table in (("avoid_all", AVOID_ALL), ("avoid_empty", AVOID_EMPTY))
        for row in rows(table)
    ],
)
def test_places(aim, packs, options, places):
    game = pyanitsa(packs, aim=aim, **{"pickup": "won_first"} | options_of(options))
    assert game.places() == [int(place) for place in places.split()]


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "pickup": st.sampled_from(["won_first", "shuffled"]),
        "order_seen": st.just("winner"),
        "out_of_cards": st.just("last_card"),
        "deck": st.just(52),
        "tie": st.just("face_down"),
        "aim": st.just("avoid_empty"),
        "placing": st.just("order"),
        "max_battles": st.integers(1, 300),
    },
)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 12), OPTIONS)
def test_random_play_keeps_every_card_and_ends(seed, seats, options):
    game, rng = new_game(Pyanitsa, seats, str(seed), **options), Random(seed)
    while deciders := game.deciders():
        held = [card for pack in game.packs for card in pack]
        assert Counter(held + game.won + game.aside) == Counter(game.cards)
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
    assert_well_placed(game)


def assert_well_placed(game):
    """The drunkard is last; with `loser_only` all others are first."""
    places, out = game.places(), game.ran_out
    if game.options.placing == "loser_only":
        assert len(set(places)) <= 2
    if game.options.aim == "avoid_all":
        assert all(places[seat] <= places[other] for seat in out for other in game.still_in())
    else:
        assert all(places[seat] <= places[other] for seat in game.still_in() for other in out)
        assert len({battle for battle, _ in out.values()}) <= 1
    if game.reason == "all_cards":
        (drunkard,) = game.still_in()
        assert places[drunkard] == max(places) == game.seats
