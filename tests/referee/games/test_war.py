"""War: the deal, wars among several seats, running out, what is seen, and what always holds."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import plain
from referee.games.war.game import War
from tests.referee.games.tables import rows
from tests.referee.games.war_positions import (
    before,
    held,
    new_game,
    options_of,
    order,
    outcome,
    play,
    position,
    ranks,
)

BATTLES = """
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
two kings, one ace           | K / K / A         |                        | C wins 3: 2 2 1
"""


@pytest.mark.parametrize(
    ("packs", "options", "result"),
    rows(BATTLES),
)
def test_battle(packs, options, result):
    assert outcome(position(packs, **options_of(options))) == result


def test_a_razboi_ignores_what_happens_to_the_last_card():
    game = position("9 2 3 4 / 9", war_length="razboi", out_of_cards="last_card")
    assert outcome(game) == "A wins 2: 1 2"


@pytest.mark.parametrize(
    ("card", "ace", "count"),
    [("2", 10, 2), ("9", 10, 9), ("T", 10, 10), ("J", 10, 10), ("K", 1, 10), ("X", 11, 10)]
    + [("A", ace, ace) for ace in (1, 10, 11)],
)
def test_in_a_razboi_the_tied_card_says_how_many_are_laid(card, ace, count):
    packs = f"{card} 2 3 4 5 6 7 8 9 T J Q K / {card} 3 4 5 6 7 8 9 T J Q K A"
    game = position(packs, war_length="razboi", razboi_ace=ace)
    assert [len(cards) for cards in game.battles[-1].laid.values()] == [1 + count] * 2


@pytest.mark.parametrize(
    ("seats", "jokers", "each", "in_play"),
    [
        (2, "by_seats", 26, 52),
        (3, "by_seats", 18, 54),
        (4, "by_seats", 13, 52),
        (2, "shuffled", 27, 54),
        (4, "shuffled", 13, 52),
        (3, "none", 17, 51),
        (2, "buried", 27, 54),
        (3, "buried", 18, 54),
        (4, "buried", 14, 56),
        (9, "none", 5, 45),
        (10, "buried", 6, 60),
        (2, "two_buried", 27, 54),
        (3, "two_buried", 18, 54),
        (4, "two_buried", 13, 52),
    ],
)
def test_the_deal_gives_each_seat_as_many_as_possible(seats, jokers, each, in_play):
    game = new_game(seats=seats, jokers=jokers)
    packs = [pack.split() for pack in before(game)]
    assert [len(pack) for pack in packs] == [each] * seats
    assert in_play + len(game.aside) == len(game.cards) == len(set(game.cards))


def test_two_shuffled_jokers_may_lie_in_one_pack_and_on_top():
    deals = [before(new_game(seed=str(seed), jokers="shuffled")) for seed in range(200)]
    assert any(pack.count("X") == 2 for packs in deals for pack in packs)
    assert any(pack.startswith("X") for packs in deals for pack in packs)


def test_a_buried_joker_may_lie_anywhere_but_on_top():
    packs = [before(new_game(seed=str(seed), jokers="buried"))[0] for seed in range(400)]
    assert {pack.split().index("X") for pack in packs} == set(range(1, 27))


def test_for_two_seats_two_buried_jokers_are_those_of_all_packs():
    one, two = (new_game(seed="x", jokers=jokers) for jokers in ("buried", "two_buried"))
    assert (one.packs, one.battles[0].laid) == (two.packs, two.battles[0].laid)


def test_the_cards_there_are_include_those_left_out():
    game = new_game(seats=3, jokers="none")
    assert len(game.table()["cards"]) == 52
    assert len(game.aside) == 1


def test_face_down_cards_are_won_too_in_the_order_laid():
    game = position("7 2 3 5 / 7 4 K 9 / 6 8 J 5")
    assert game.deciders() == (1,)
    assert ranks(game.won) == "6 8 J 7 2 3 7 4 K"


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


def test_a_shuffled_pot_depends_on_the_battle_alone():
    """Whatever was chosen before, the referee's order of the same pot is the same."""
    orders = []
    for first in ("K 9", "9 K"):
        game = position("K Q 2 / 9 8 3")
        play(game, order(game, first))
        game.apply({0: game.default(0)})
        orders.append(game.battles[1].order)
    assert orders[0] == orders[1]


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


def test_with_order_seen_by_the_winner_the_default_is_shown_to_it_alone():
    game = position("K Q 3 / 9 8 5", order_seen="winner")
    game.apply({0: game.default(0)})
    assert [ranks(plain(game.view(seat))["packs"][0]) for seat in (0, 1)] in (
        ["? K 9", "? ? ?"],
        ["? 9 K", "? ? ?"],
    )
    assert plain(game.view(1))["since"][0]["order"] is None


def test_a_pack_is_unseen_until_its_cards_have_been_laid():
    game = position("K 2 3 / 9 4 5")
    assert plain(game.view(0))["packs"] == [[None, None], [None, None]]
    play(game, order(game, "K 9"))
    play(game, order(game, "2 4"))
    assert [ranks(pack) for pack in plain(game.view(0))["packs"]] == ["K 9", "2 4"]
    assert plain(game.view(0))["packs"] == plain(game.view(1))["packs"]


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
    view = plain(position("7 2 / 7 K", war_length=3).view(0))
    assert (view["decision"], view["winner"], view["won"]) == (None, None, [])
    assert view["packs"] == [[], []]


def test_the_text_tells_a_draw():
    assert "B 7D (KC): drawn by A and B" in position("7 2 / 7 K", war_length=3).text()


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
