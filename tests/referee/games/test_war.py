"""War: the worked examples of its page by name, what is seen and refused, what always holds."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from protocol.errors import ArenaError
from referee.games.war.game import War
from referee.rules.game import plain
from referee.rules.options import check_seats
from tests.benchmarks.figures.war import chance_of_war
from tests.referee.games.tables import options_of, play, rows
from tests.referee.games.war_positions import (
    before,
    dealt,
    held,
    new_game,
    order,
    outcome,
    position,
    pyanitsa,
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

BESIDES = """
all short, one holds most    | 9 2 3 / 9 4 / 5   | war_length=3           | A wins 6: 1 2 3
all short, two hold most     | 9 2 / 9 4 / 5     |                        | draw 5: 1 1 3
nobody holds a card          | 9 / 9 / 5         |                        | draw 3: 1 1 1
nobody, last_card            | 9 / 9 / 5         | out_of_cards=last_card | draw 3: 1 1 3
nobody, razboi               | 9 / 9 / 5         | war_length=razboi      | draw 3: 1 1 1
out in an earlier step       | 3 4 5 / 3 4 5 / 3 |                        | draw 7: 1 1 3
out of a Razboi              | 2 3 / 2 3 / 2     | war_length=razboi      | draw 5: 1 1 3
one left of a Razboi         | 2 3 4 / 2 / 2     | war_length=razboi      | A wins 3: 1 2 2
the shortest that has a card | 3 4 5 6 7 / 3 4 8 / 2 | war_length=razboi  | B wins 7: goes on
a lower card stands too      | 9 3 T / 9 3 J / 5 | out_of_cards=last_card | B wins 7: 2 1 3
the standing cards are beaten | 9 / 9 / 5 6 J K  | out_of_cards=last_card | C wins 5: 2 2 1
they tie until they are      | 9 / 9 / 5 6 7 8 K | out_of_cards=last_card | C wins 7: 2 2 1
they tie to the end          | 9 / 9 / 5 6 7 8   | out_of_cards=last_card | draw 6: 1 1 3
no war without the highest   | K 2 / 9 3 / 9 4 / 9 5 |                    | A wins 4: goes on
out by turns                 | K A 5 / 9 3 / 8   | pickup=won_first       | A wins 2: 1 2 3
equal in one battle          | K A 5 / 9 / 8     | pickup=won_first       | A wins 3: 1 2 2
a Razboi ignores the last card | 9 2 3 4 / 9     | war_length=razboi out_of_cards=last_card | \
A wins 2: 1 2
two kings, one ace           | K / K / A         |                        | C wins 3: 2 2 1
"""


@pytest.mark.parametrize(("packs", "options", "result"), rows(BATTLES) + rows(BESIDES))
def test_battle(packs, options, result):
    assert outcome(position(packs, **options_of(options))) == result


DEALS = """
T1 none     | none       | 52 | 2:26 3:17 4:13 9:5
H34         | by_seats   | 52 | 2:26 4:13 5:10 6:8 7:7 8:6 10:5
H34 jokers  | by_seats   | 54 | 3:18 9:6
two jokers  | shuffled   | 54 | 2:27 4:13
buried      | buried     | 54 | 2:27
buried, 3   | buried     | 55 | 3:18
buried, 4   | buried     | 56 | 4:14
buried, 10  | buried     | 62 | 10:6
two buried  | two_buried | 54 | 2:27 3:18 4:13
"""


@pytest.mark.parametrize(("jokers", "cards", "each"), rows(DEALS))
def test_deal(jokers, cards, each):
    for seats, number in (map(int, pair.split(":")) for pair in each.split()):
        game = new_game(seats=seats, jokers=jokers, max_battles=1)
        assert dealt(game) == [number] * seats
        assert number * seats + len(game.aside) == int(cards)
        assert len(game.table()["cards"]) == len({*game.cards}) == int(cards)


def test_t2_the_first_card_listed_comes_up_first():
    game = position("K 2 3 / 9 4 5")
    play(game, order(game, "K 9"))
    assert before(game) == ["2 3 K 9", "4 5"]


def test_t6_the_queen_stands_and_takes_five_cards_of_a_and_two_of_its_own():
    game = position("7 2 Q 3 9 5 / 7 Q", out_of_cards="last_card")
    assert ranks(game.won) == "7 2 Q 3 9 7 Q"
    assert held(game) == ["5", ""]
    assert game.deciders() == (1,)


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
    assert ranks(position("4 2 / K 3 / 9 5").won) == "9 4 K"


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


def test_h14_eleven_seats_are_refused():
    with pytest.raises(ArenaError, match="2, 3, 4, 5, 6, 7, 8, 9, 10 seats, not by 11"):
        check_seats(War, 11)


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


@pytest.mark.parametrize(
    ("card", "ace", "count"),
    [("2", 10, 2), ("9", 10, 9), ("T", 10, 10), ("J", 10, 10), ("K", 1, 10), ("X", 11, 10)]
    + [("A", ace, ace) for ace in (1, 10, 11)],
)
def test_in_a_razboi_the_tied_card_says_how_many_are_laid(card, ace, count):
    packs = f"{card} 2 3 4 5 6 7 8 9 T J Q K / {card} 3 4 5 6 7 8 9 T J Q K A"
    game = position(packs, war_length="razboi", razboi_ace=ace)
    assert [len(cards) for cards in game.battles[-1].laid.values()] == [1 + count] * 2


def test_two_shuffled_jokers_may_lie_in_one_pack_and_on_top():
    deals = [before(new_game(seed=str(seed), jokers="shuffled")) for seed in range(200)]
    assert any(pack.count("X") == 2 for packs in deals for pack in packs)
    assert any(pack.startswith("X") for packs in deals for pack in packs)


def test_a_buried_joker_may_lie_anywhere_but_on_top():
    packs = [before(new_game(seed=str(seed), jokers="buried"))[0] for seed in range(400)]
    assert {pack.split().index("X") for pack in packs} == set(range(1, 27))


@pytest.mark.parametrize("pickup", ["won_first", "shuffled"])
def test_without_a_choice_nobody_is_asked(pickup):
    game = new_game(pickup=pickup)
    assert not game.deciders()
    assert game.reason == "all_cards"


def test_a_shuffled_pot_takes_every_order():
    packs = {
        held(position("K / 9 3", pickup="shuffled", max_battles=1, seed=str(seed)))[0]
        for seed in range(20)
    }
    assert packs == {"9 K", "K 9"}


def test_no_pickup_is_asked_after_the_last_allowed_battle():
    game = position("K Q 2 / 9 8 3", max_battles=2)
    play(game, order(game, "K 9"))
    assert not game.deciders()
    assert (game.reason, game.places(), game.battle) == ("max_battles", [1, 2], 2)
    assert held(game) == ["2 K 9 8 Q", "3"]


def test_equal_packs_tie_at_the_guard_and_those_out_come_behind():
    game = position("K / 9 8 7 / 6 5 4 3 / 2", max_battles=1)
    assert [len(pack) for pack in game.packs] == [4, 2, 3, 0]
    assert game.places() == [1, 3, 2, 4]
    assert position("K / 9 8 7 6 / 3", max_battles=1).places() == [1, 1, 3]


def test_a_win_in_the_last_allowed_battle_is_a_win():
    game = position("K / 9", max_battles=1)
    assert (game.reason, game.places()) == ("all_cards", [1, 2])


def test_the_default_is_drawn_only_when_it_is_applied():
    game = position("K Q 2 / 9 8 3")
    assert game.default(0) == game.default(0) == {"order": "random"}
    assert game.refusal(0, game.default(0))
    play(game, order(game, "K 9"))
    assert before(game)[0] == "Q 2 K 9"


def test_the_order_won_first_is_known_to_all_and_a_shuffled_one_to_nobody():
    for order_seen in ("all", "winner"):
        options = {"order_seen": order_seen, "max_battles": 1}
        known = plain(position("K / 9 3", pickup="won_first", **options).view(1))
        assert known["packs"] == [["9C", "KC"], [None]]
        assert known["since"][0]["order"] == ["9C", "KC"]
    for seat in (0, 1):
        unknown = plain(position("K / 9 3", pickup="shuffled", max_battles=1).view(seat))
        assert unknown["packs"] == [[None, None], [None]]
        assert unknown["since"][0]["order"] is None


def test_a_drawn_battle_has_no_winner():
    game = position("7 2 / 7 K", war_length=3)
    view = plain(game.view(0))
    assert (view["decision"], view["winner"], view["won"], view["packs"]) == (
        None,
        None,
        [],
        [[], []],
    )
    assert "B 7D (KC): drawn by A and B" in game.text()


def test_an_order_that_only_the_winner_sees_is_not_described():
    game = position("K 2 3 / 9 4 5", order_seen="winner")
    assert game.describe(0, order(game, "K 9")) == game.describe(0, order(game, "9 K"))


OPTIONS = st.fixed_dictionaries(
    {"max_battles": st.integers(1, 100)},
    optional={
        "pickup": st.sampled_from(["won_first", "shuffled"]),
        "order_seen": st.just("winner"),
        "out_of_cards": st.just("last_card"),
        "war_length": st.sampled_from([3, "razboi"]),
        "razboi_ace": st.sampled_from([1, 11]),
        "jokers": st.sampled_from(["none", "shuffled", "buried", "two_buried"]),
    },
)


def all_cards(game):
    """Return every card in a pack, on the table or set aside."""
    cards = [card for pack in game.packs for card in pack] + game.aside
    if game.asked is not None or game.reason == "drawn":
        cards += [card for laid in game.battles[-1].laid.values() for card in laid]
    return Counter(cards)


def assert_views_are_true(game):
    for seat in range(game.seats):
        for shown, pack in zip(plain(game.view(seat))["packs"], game.packs, strict=True):
            assert all(a in (None, b) for a, b in zip(shown, pack, strict=True))


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 10), OPTIONS)
def test_random_play_keeps_every_card_and_ends(seed, seats, options):
    game, rng = new_game(War, seats, str(seed), **options), Random(seed)
    while deciders := game.deciders():
        assert all_cards(game) == Counter(game.cards)
        if rng.random() < 0.1:
            assert_views_are_true(game)
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
    assert all_cards(game) == Counter(game.cards)
    assert game.battle <= game.options.max_battles
    assert_well_placed(game)


def assert_well_placed(game):
    """Those who hold cards are before those who ran out; who ran out later is before earlier."""
    places = game.places()
    for seat, (battle, laid) in game.ran_out.items():
        for other in range(game.seats):
            if other in game.ran_out:
                assert (places[seat] < places[other]) == ((battle, laid) > game.ran_out[other])
            else:
                assert places[other] < places[seat]
    if game.reason == "all_cards":
        assert [len(pack) for pack in game.packs if pack] == [sum(map(len, game.packs))]


VALIDATOR = Draft202012Validator(War.schemas()["pickup"])
WON = ["9C", "8C", "KC"]
"""What A has won in `asked`."""


def asked():
    game = position("K 2 3 / 9 4 5 / 8 6 7")
    assert game.won == WON
    return game


def ordered(*cards):
    return {"order": [*cards]}


REFUSALS = [
    (ordered(), "'9C' is missing; \"order\" holds all 3 cards won"),
    (ordered("KC", "9C", "KC"), "'KC' is named twice"),
    (ordered("KC", "9C", "8D"), "'8D' is not among the cards you have won"),
    (ordered("KC", "9C", "10C"), "'10C' is not a card; a card is written like"),
    (ordered(10**4000), "not as a number"),
]


@pytest.mark.parametrize(("move", "reason"), REFUSALS)
def test_a_reply_is_refused_with_a_reason(move, reason):
    assert reason in asked().refusal(0, move)


def test_every_permutation_is_accepted_and_sampled_about_as_often():
    game, rng = asked(), Random(1)
    found = Counter(tuple(game.sample(0, rng)["order"]) for _ in range(6000))
    assert found.keys() == set(permutations(WON))
    assert all(850 < count < 1150 for count in found.values())
    assert all(game.refusal(0, ordered(*order)) is None for order in found)


def test_pyanitsa_refuses_likewise():
    game = pyanitsa("K 6 7 / 9 7 8")
    assert game.refusal(0, ordered("9C", "KC")) is None
    assert game.refusal(0, ordered("9C", "8D")) == "'8D' is not among the cards you have won"
    assert "'X1' is not a card" in game.refusal(0, ordered("9C", "X1"))


def test_the_schema_takes_all_cards_that_ten_seats_can_lay():
    game = new_game(seats=10, jokers="buried")
    cards = [card for card in game.cards if card not in game.aside]
    assert len(cards) == War.schemas()["pickup"]["properties"]["order"]["maxItems"]
    VALIDATOR.validate({"order": cards})
