"""The worked examples of War's rules page, under their own names."""

from fractions import Fraction
from random import Random

import pytest

from protocol.errors import ArenaError
from referee.game import plain
from referee.games.war.game import War
from referee.options import check_seats, read_options
from tests.benchmarks.figures.war import chance_of_war
from tests.referee.games.tables import rows
from tests.referee.games.war_positions import (
    before,
    dealt,
    held,
    new_game,
    options_of,
    order,
    outcome,
    play,
    position,
    ranks,
)

NINE_MORE = "2 3 4 5 6 7 8 9 T"

BATTLES = f"""
T3  | 7 2 Q 5 / 7 3 9 4               |                                  | A wins 6: goes on
T4  | 7 2 Q 3 J 5 / 7 4 Q 6 T 8       |                                  | A wins 10: goes on
T5  | 7 2 3 4 5 / 7 K                 |                                  | A wins 3: 1 2
T6  | 7 2 Q 3 9 5 / 7 Q               | out_of_cards=last_card           | B wins 7: goes on
T7  | 7 2 3 4 Q 5 / 7 6 5 8 9 2       | war_length=3                     | A wins 10: goes on
T8  | 9 2 3 5 / 9 4 5 5 / 4 6 K 5     |                                  | C wins 9: goes on
T9  | 7 2 3 4 5 6 8 K 9 / 7 2 3 4 5 6 8 Q 9 | war_length=razboi          | A wins 16: goes on
T10 | T 2 3 K 5 6 8 K A / T 2 3 4     | war_length=razboi                | A wins 8: 1 2
T11 none left | 8 2 3 / 8             | war_length=razboi                | A wins 2: 1 2
T11 queens | Q {NINE_MORE} J / Q {NINE_MORE} K | war_length=razboi       | B wins 22: 2 1
T12 | X 2 / A 3                       | jokers=shuffled                  | A wins 2: goes on
H1  | 7 2 3 / 7 K                     | war_length=3                     | A wins 5: 1 2
H2  | 7 2 / 7 K                       | war_length=3                     | draw 4: 1 1
H3  | 7 2 Q / 7 3 Q                   | out_of_cards=last_card           | draw 6: 1 1
H4  | 9 2 K 4 / 9 3 / 5 6 8 7         |                                  | A wins 8: goes on
H5 out | 9 2 3 4 / 9                  |                                  | A wins 2: 1 2
H5 last_card | 9 2 3 4 / 9            | out_of_cards=last_card           | B wins 4: goes on
H6  | 9 2 3 4 8 5 / 9 2 Q             | out_of_cards=last_card war_length=3 | B wins 8: goes on
H7  | 9 2 3 4 K 2 / 9 5 / 4 6 8       | war_length=3                     | A wins 6: 1 3 2
H9  | 4 2 / K 3 / 9 5                 | pickup=won_first max_battles=1   | B wins 3: 2 1 2
H10 | K 2 3 / 9 4 5 / 9 6 7           |                                  | A wins 3: goes on
H13 | 9 2 Q 7 / 9 3 Q 8 / 4 5 6 J T J | out_of_cards=last_card           | C wins 13: 2 2 1
H35 | K 2 3 J / K 4 5 Q / 6 7 8 / 6 7 A / 6 7 9 / 8 9 |                      | D wins 17: goes on
"""


@pytest.mark.parametrize(("packs", "options", "result"), rows(BATTLES))
def test_battle(packs, options, result):
    assert outcome(position(packs, **options_of(options))) == result


@pytest.mark.parametrize(("seats", "each"), [(2, 26), (3, 17), (4, 13)])
def test_t1_all_seats_are_dealt_the_same_number(seats, each):
    game = new_game(seats=seats, jokers="none")
    assert [len(pack.split()) for pack in before(game)] == [each] * seats


def test_t2_the_first_card_listed_comes_up_first():
    game = position("K 2 3 / 9 4 5")
    play(game, order(game, "K 9"))
    assert before(game) == ["2 3 K 9", "4 5"]


def test_t6_the_queen_stands_and_takes_five_cards_of_a_and_two_of_its_own():
    game = position("7 2 Q 3 9 5 / 7 Q", out_of_cards="last_card")
    assert ranks(game.won) == "7 2 Q 3 9 7 Q"
    assert held(game) == ["5", ""]
    assert game.deciders() == (1,)


def test_t9_seven_cards_are_laid_after_sevens():
    game = position("7 2 3 4 5 6 8 K 9 / 7 2 3 4 5 6 8 Q 9", war_length="razboi")
    assert held(game) == ["9", "9"]


def test_t10_nobody_lays_more_than_the_shortest_seat_has():
    game = position("T 2 3 K 5 6 8 K A / T 2 3 4", war_length="razboi")
    assert ranks(game.battles[-1].laid[0]) == "T 2 3 K"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_t12_buried_jokers_lie_one_in_each_pack_and_never_on_top(seats):
    for seed in range(30):
        game = new_game(seats=seats, seed=str(seed), jokers="buried")
        for number, pack in enumerate(before(game)):
            assert pack.split().count("X") == 1
            assert pack[0] != "X", number


@pytest.mark.parametrize(("seats", "each"), [(2, 27), (3, 18), (4, 13), (7, 7), (10, 5)])
def test_h38_two_jokers_are_buried_in_two_packs_however_many_there_are(seats, each):
    holders = set()
    games = (new_game(seats=seats, seed=str(seed), jokers="two_buried") for seed in range(80))
    for game in (game for game in games if not game.reason):
        packs = [pack.split() for pack in before(game)]
        assert [len(pack) for pack in packs] == [each] * seats
        assert sorted(pack.count("X") for pack in packs) == [*[0] * (seats - 2), 1, 1]
        assert not any(pack[0] == "X" for pack in packs)
        holders.update(seat for seat, pack in enumerate(packs) if "X" in pack)
    assert holders == {*range(seats)}


def test_h1_the_seat_with_fewer_cards_ran_out_first():
    assert position("7 2 3 / 7 K", war_length=3).reason == "all_cards"


def test_h4_the_short_seat_lays_its_card_and_is_out_while_the_others_go_on():
    game = position("9 2 K 4 / 9 3 / 5 6 8 7")
    assert game.ran_out == {1: (1, 2)}
    play(game, game.sample(0, Random(1)))
    assert game.battles[-1].laid.keys() == {0, 2}


def test_h6_the_last_card_goes_face_up():
    battle = position("9 2 3 4 8 5 / 9 2 Q", out_of_cards="last_card", war_length=3).battles[-1]
    assert (ranks(battle.laid[1]), ranks(battle.down)) == ("9 2 Q", "2 3 4 2")


def test_h8_won_first_puts_the_cards_of_the_others_clockwise_before_ones_own():
    game = position("4 2 / K 3 / 9 5", pickup="won_first", max_battles=1)
    assert held(game)[1] == "3 9 4 K"


def test_h8_the_list_of_cards_won_has_the_same_order():
    assert ranks(position("4 2 / K 3 / 9 5").won) == "9 4 K"


def test_h9_the_guard_counts_the_cards_held():
    game = position("4 2 / K 3 / 9 5", pickup="won_first", max_battles=1)
    assert (game.places(), game.reason) == ([2, 1, 2], "max_battles")


def test_h11_an_order_that_only_the_winner_sees():
    game = position("K 2 / 9 3 / 9 4", order_seen="winner")
    play(game, order(game, "9 K 9"))
    assert [ranks(plain(game.view(seat))["packs"][0]) for seat in range(3)] == [
        "9 K 9",
        "? ? ?",
        "? ? ?",
    ]


def test_h12_a_reply_that_is_no_permutation_is_refused_and_the_pot_shuffled():
    orders = set()
    for seed in range(10):
        game = position("K 2 5 / 9 4 6", seed=str(seed))
        king = game.won[1]
        assert game.refusal(0, {"order": [king, king]})
        game.apply({0: game.default(0)})
        orders.add(before(game)[0])
    assert orders == {"2 5 K 9", "2 5 9 K"}


@pytest.mark.parametrize("raw", [{"war_length": 2}, {"wars": 3}])
def test_h14_an_option_out_of_range_or_unknown_is_refused(raw):
    with pytest.raises(ArenaError):
        read_options(War, raw)


def test_h14_eleven_seats_are_refused():
    with pytest.raises(ArenaError, match="2, 3, 4, 5, 6, 7, 8, 9, 10 seats, not by 11"):
        check_seats(War, 11)


@pytest.mark.parametrize(
    ("seats", "each", "aside"), [(5, 10, 2), (6, 8, 4), (7, 7, 3), (8, 6, 4), (9, 6, 0), (10, 5, 2)]
)
def test_h34_up_to_ten_seats_are_dealt_the_same_number(seats, each, aside):
    game = new_game(seats=seats, max_battles=1)
    assert dealt(game) == [each] * seats
    assert len(game.aside) == aside


@pytest.mark.parametrize(
    ("seats", "jokers", "chance"),
    [
        (2, "none", Fraction(1, 17)),
        (3, "none", Fraction(37, 425)),
        (4, "none", Fraction(97, 833)),
        (2, "shuffled", Fraction(79, 1431)),
    ],
)
def test_h25_the_chance_of_a_war_in_the_first_battle(seats, jokers, chance):
    assert chance_of_war(new_game(seats=seats, jokers=jokers).cards, seats) == chance
