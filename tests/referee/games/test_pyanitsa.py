"""P'yanitsa: sixes and aces, both aims and both ways of placing, and what always holds."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.pyanitsa.game import Pyanitsa
from tests.referee.games.tables import rows
from tests.referee.games.war_positions import (
    SEATS,
    before,
    new_game,
    options_of,
    outcome,
    pyanitsa,
    ranks,
)

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
all level                 | 8 / 8 / 7              |                          | 1 1 1
all level, order          | 8 / 8 / 7              | placing=order            | 1 1 1
two level                 | 8 / 8 / 7              | out_of_cards=last_card   | 2 2 1
two level, order          | 8 / 8 / 7              | out_of_cards=last_card placing=order | 2 2 1
one safe, two level       | K A / 9 A 9 8 K / 8    | out_of_cards=last_card   | 2 2 1
guard                     | K Q T / 9 8 7 / J T 8  | max_battles=1            | 3 1 1
guard, order              | K Q T / 9 8 / J T 8    | max_battles=1 placing=order | 3 1 2
guard, one safe           | K Q T / 9 8 7 / J      | max_battles=1            | 3 1 1
guard, one safe, order    | K Q T / 9 8 7 / J      | max_battles=1 placing=order | 3 2 1
guard, one safe, level    | K / 9 8 7 T / J        | max_battles=1            | 2 2 1
guard, all level          | K / 9 8 7              | max_battles=1            | 1 1
"""

AVOID_EMPTY = """
the first to run out      | K A 8 / 9 7 / 8        |                          | 1 1 3
survivors by cards, order | K A 8 / 9 7 / 8        | placing=order            | 1 2 3
the winner may hold less  | K / 9 7 8 T J / 8      | placing=order            | 2 1 3
level survivors, order    | K / 9 7 8 T / 8        | placing=order            | 1 1 3
two, fewer laid loses     | 9 J / 9 / 9 8          |                          | 1 3 1
two, fewer laid, order    | 9 J / 9 / 9 8          | placing=order            | 1 3 2
two at once               | K / 9 / 8              |                          | 1 2 2
two at once, order        | K / 9 / 8              | placing=order            | 1 2 2
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
    ("packs", "options", "result"),
    rows(COMPARED) + rows(FACE_DOWN),
)
def test_battle(packs, options, result):
    assert outcome(pyanitsa(packs, **options_of(options))) == result


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


@pytest.mark.parametrize(
    ("deck", "seats", "each"), [(36, 2, 18), (36, 3, 12), (36, 4, 9), (52, 2, 26), (52, 3, 17)]
)
def test_the_deal(deck, seats, each):
    game = new_game(Pyanitsa, seats, deck=deck)
    assert [len(pack.split()) for pack in before(game)] == [each] * seats
    assert len(game.table()["cards"]) == deck


def test_no_pickup_is_asked_once_a_seat_has_run_out_that_should_not():
    game = pyanitsa("8 9 7 / 8 J 7 / 7", aim="avoid_empty")
    assert not game.deciders()
    assert game.reason == "ran_out"
    assert [len(pack) for pack in game.packs] == [1, 6, 0]


def test_a_game_of_avoid_all_goes_on_till_one_seat_has_all_the_cards():
    game = pyanitsa("8 9 7 / 8 J 7 / 7")
    assert game.deciders() == (1,)
    assert ranks(game.won) == "7 8 9 8 J"
    game = pyanitsa("K / 9")
    assert game.reason == "all_cards"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({}, "Whoever ends up with all the cards loses. A six beats an ace."),
        (
            {"aim": "avoid_empty", "deck": 52},
            "Whoever is first to run out loses. A two beats an ace.",
        ),
    ],
)
def test_the_text_tells_the_aim(options, line):
    assert line in pyanitsa("K 6 / 9 7", **options).text(0).splitlines()


def test_the_end_of_twelve_seats_is_told_in_80_columns():
    game = new_game(Pyanitsa, 12, placing="order", max_battles=1)
    lines = game.text(11).splitlines()
    ranked = zip(SEATS, game.places(), strict=True)
    places = ", ".join(f"{letter} {place}" for letter, place in ranked)
    assert " ".join(" ".join(lines[:2]).split()) == f"Over: {game.reason}; places: {places}"
    assert max(map(len, lines)) <= 80


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
