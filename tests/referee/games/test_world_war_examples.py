"""The worked examples of World War's rules page, under their own names."""

import pytest

from referee.chance import Chance
from referee.game import plain
from referee.games.world_war.board import CARDS, TERRITORIES
from referee.games.world_war.goals import Continents, Destroy, Territories
from tests.referee.games.world_war_positions import (
    KEEP,
    OUT_OF_REACH,
    STAY,
    STOP,
    armies,
    asked,
    attack,
    default_until,
    move,
    new_game,
    owner,
    place,
    play,
    position,
    refusal,
    single,
    to_deploy,
)

EUROPE_OCEANIA = Continents(["europe", "oceania"], 1)
ASIDE = "iceland argentina"
"""Two territories of no account, which bring no armies."""


def trade(*cards):
    return {"cards": [*cards]}


def dealt(seats, seed):
    """Return the cards of each seat."""
    deck = Chance(seed).shuffled(range(len(CARDS)), "deal")
    return [deck[seat::seats] for seat in range(seats)]


@pytest.mark.parametrize(
    ("seats", "counts"),
    [(3, [15, 15, 14]), (4, [11] * 4), (5, [9, 9, 9, 9, 8]), (6, [8, 8, 7, 7, 7, 7])],
)
def test_e1_cards_are_dealt_one_at_a_time(seats, counts):
    hands, owners = dealt(seats, "e1"), plain(new_game(seats, "e1").view(0))["owner"]
    assert [len(hand) for hand in hands] == counts
    for seat, hand in enumerate(hands):
        territories = [card for card in hand if card < len(TERRITORIES)]
        assert sorted(territories) == [number for number in range(42) if owners[number] == seat]


def test_e2_a_joker_gives_no_territory():
    seed = next(str(n) for n in range(99) if sum(card > 41 for card in dealt(4, str(n))[0]) == 1)
    limits = new_game(4, seed).decision(0).limits
    assert (len(limits["territories"]), limits["armies"]) == (10, 20)


@pytest.mark.parametrize(
    ("continent", "brings"),
    [
        ("oceania", 1 + 2),
        ("south_america", 1 + 2),
        ("africa", 2 + 3),
        ("europe", 2 + 5),
        ("north_america", 3 + 5),
        ("asia", 4 + 7),
    ],
)
def test_e3_a_continent_alone(continent, brings):
    assert to_deploy(position(continent)) == brings


@pytest.mark.parametrize(("own", "enemy"), [("alaska", "kamchatka"), ("kamchatka", "alaska")])
def test_e4_alaska_and_kamchatka_are_neighbours(own, enemy):
    play(position(f"{own}:2"), attack(own, enemy, dice=1))


@pytest.mark.parametrize(
    ("hand", "brings"),
    [
        ("brazil japan indonesia", 4),
        ("peru egypt china", 6),
        ("india ural quebec", 8),
        ("brazil egypt india", 10),
        ("joker_1 peru egypt", 12),
    ],
)
def test_e5_what_sets_bring_in_secret(hand, brings):
    game = position(ASIDE, hands=[hand])
    play(game, trade(*hand.split()))
    assert to_deploy(game) == brings


@pytest.mark.parametrize("form", ["secret", "world"])
def test_e6_two_alike_and_one_different(form):
    game = position(ASIDE, hands=["peru egypt india brazil"], objective=form)
    assert "infantry, infantry, cavalry" in refusal(game, trade("peru", "egypt", "india"))


@pytest.mark.parametrize(
    ("made", "brings"), [*enumerate([4, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40])]
)
def test_e7_exchanges_of_the_table(made, brings):
    game = position(ASIDE, hands=["peru egypt china"], objective="world", exchanges=made)
    play(game, trade("peru", "egypt", "china"))
    assert to_deploy(game) == brings
    assert plain(game.view(0))["exchanges"] == made + 1


def test_e8_the_counter_belongs_to_the_table():
    game = position(f"{ASIDE} japan", hands=["peru egypt china"], objective="world", exchanges=2)
    play(game, trade("peru", "egypt", "china"))
    assert to_deploy(game) == 8 + 1


def test_e9_two_more_on_each_own_territory_shown():
    game = position("peru:1 india:4 alaska", hands=["brazil peru india"])
    play(game, trade("brazil", "peru", "india"))
    assert armies(game, "peru", "india", "brazil") == [3, 6, 1]
    assert to_deploy(game) == 10 + 1


def test_e10_four_cards_may_be_kept():
    play(position(ASIDE, hands=["peru egypt china brazil"]), KEEP)


def test_e10_of_five_a_set_must_go():
    game = position(ASIDE, hands=["peru egypt china brazil india"])
    assert "you must exchange" in refusal(game, KEEP)
    assert plain(game.view(0))["forced"]


def test_e10_five_with_one_set_are_exchanged_unasked():
    game = position(ASIDE, hands=["peru egypt china india ural"])
    assert (asked(game), to_deploy(game)) == ("deploy", 6)
    assert plain(game.view(0))["used_pile"] == ["peru", "egypt", "china"]


COMPARED = """
E11 | 5,5,2 v 5     | 1 | 0
E11 | 6,5,1 v 5,5   | 1 | 1
H2  | 6,3,3 v 6,3   | 2 | 0
H2  | 6,5,4 v 5,4,3 | 0 | 3
H2  | 4,4,1 v 4,3,1 | 2 | 1
H2  | 1 v 1,1,1     | 1 | 0
H2  | 6 v 6,5,5     | 1 | 0
"""


@pytest.mark.parametrize(
    ("name", "dice", "lost", "killed"),
    [[part.strip() for part in line.split("|")] for line in COMPARED.strip().splitlines()],
)
def test_e11_h2_dice_are_compared(name, dice, lost, killed):
    ours, theirs = (len(side.split(",")) for side in dice.split(" v "))
    game = position("alaska:9", "kamchatka:9", at="attack", dice=[dice])
    play(game, attack("alaska", "kamchatka", ours))
    play(game, {"dice": theirs})
    assert armies(game, "alaska", "kamchatka") == [9 - int(lost), 9 - int(killed)]


def test_e12_who_may_throw_how_many_dice():
    game = position("alaska:2 brazil:6", "kamchatka:5", at="attack")
    most = {entry["from"]: entry["max_dice"] for entry in game.decision(0).limits["attacks"]}
    assert most == {"alaska": 1, "brazil": 3}
    assert '"dice" must be 1 here' in refusal(game, attack("alaska", "kamchatka", dice=2))
    play(game, attack("alaska", "kamchatka", dice=1))
    assert game.deciders() == (1,)
    assert game.decision(1).legal == [{"dice": 1}, {"dice": 2}, {"dice": 3}]


def test_e13_one_army_stays_behind():
    game = position("alaska:5 alberta ontario", at="fortify")
    assert "does not border" in refusal(game, move("alaska", "ontario", 4))
    assert "from 1 to 4" in refusal(game, move("alaska", "alberta", 5))
    play(game, move("alaska", "alberta", 4))
    assert armies(game, "alaska", "alberta") == [1, 5]


def last_territory(number):
    return position(
        "alaska:3",
        "kamchatka:1",
        hands=["", "joker_1 peru"],
        at="attack",
        round=number,
        dice=["6,1 v 3"],
    )


def test_e14_a_seat_is_eliminated():
    game = last_territory(5)
    play(game, attack("alaska", "kamchatka", 2))
    view = plain(game.view(0))
    assert view["fallen"] == [{"seat": 1, "by": 0, "round": 5}]
    assert sorted(view["used_pile"]) == ["joker_1", "peru"]
    assert view["cards"] == []


def test_e15_a_last_territory_is_safe_for_four_rounds():
    game = last_territory(4)
    assert "safe" in refusal(game, attack("alaska", "kamchatka", 2))
    assert last_territory(5).refusal(0, attack("alaska", "kamchatka", 2)) is None


BROKEN = "alaska:2 peru iceland egypt ural india ontario brazil congo japan quebec china"


@pytest.mark.parametrize(("held", "brings"), [(1, 0), (2, 0), (3, 1), (8, 2), (11, 3), (12, 4)])
def test_h1_a_third_of_the_territories_without_a_minimum(held, brings):
    game = position(" ".join(BROKEN.split()[:held]))
    assert (game.deciders(), to_deploy(game)) == ((0,), brings)


def test_h3_the_survivors_move_in_and_others_may_follow():
    game = position("alaska:6", "kamchatka peru", at="attack", dice=["6,2,1 v 3"])
    play(game, attack("alaska", "kamchatka"))
    assert armies(game, "alaska", "kamchatka") == [3, 3]
    assert game.decision(0).limits["max_armies"] == 2
    assert game.refusal(0, {"armies": 0}) is None
    play(game, {"armies": 2})
    assert armies(game, "alaska", "kamchatka") == [1, 5]


def test_h4_nobody_is_left_to_follow():
    game = position("alaska:4", "kamchatka peru", at="attack", dice=["6,2,1 v 3"])
    play(game, attack("alaska", "kamchatka"))
    assert armies(game, "alaska", "kamchatka") == [1, 3]
    assert asked(game) == "attack"


def test_h5_an_order_goes_on_until_it_conquers():
    game = position(
        "alaska:6", "kamchatka:3 peru", at="attack", dice=["5,5,2 v 5,4", "6,4,3 v 2,2"]
    )
    play(game, attack("alaska", "kamchatka", 3, rolls=1000, stop_at=2))
    play(game, {"dice": 2})
    assert armies(game, "alaska", "kamchatka") == [2, 3]
    assert asked(game) == "occupy"


def test_h6_a_roll_may_pass_below_the_limit():
    game = position("alaska:5", "kamchatka:4 peru", at="attack", dice=["3,2,1 v 3,2,1"])
    play(game, attack("alaska", "kamchatka", 3, rolls=1000, stop_at=4))
    play(game, {"dice": 3})
    assert armies(game, "alaska", "kamchatka") == [2, 4]
    assert (game.deciders(), asked(game)) == ((0,), "attack")


def test_h7_the_number_of_dice_falls_with_the_armies():
    game = position("alaska:3", "kamchatka:1 peru", at="attack", dice=["4,2 v 4", "6 v 5"])
    play(game, attack("alaska", "kamchatka", 2, rolls=1000, stop_at=1))
    assert armies(game, "alaska", "kamchatka") == [1, 1]
    assert owner(game, "kamchatka") == 0


@pytest.mark.parametrize(
    ("hand", "options", "brings"),
    [
        ("joker_1 peru india", {}, 10),
        ("joker_1 joker_2 peru", {}, 12),
        ("joker_1 peru india", {"objective": "world", "exchanges": 3}, 10),
    ],
)
def test_h8_jokers(hand, options, brings):
    game = position(ASIDE, hands=[hand], **options)
    play(game, trade(*hand.split()))
    assert to_deploy(game) == brings


@pytest.mark.parametrize("conquests", [0, 1, 2])
def test_h9_one_card_for_a_turn_with_conquests(conquests):
    game = position(
        "alaska:9 alberta:2", "kamchatka northwest_territory peru", at="attack", dice=["6 v 1"] * 2
    )
    for target in ("kamchatka", "northwest_territory")[:conquests]:
        play(game, attack("alaska", target, 1))
        play(game, {"armies": 0})
    play(game, STOP)
    assert plain(game.view(0))["cards_held"][0] == min(1, conquests)


def test_h10_the_used_pile_is_reshuffled_when_a_card_is_due():
    game = position(
        "alaska:9 alberta",
        "kamchatka peru",
        at="attack",
        dice=["6 v 1"],
        draw="",
        used="peru egypt",
    )
    play(game, attack("alaska", "kamchatka", 1))
    play(game, {"armies": 0})
    play(game, STOP)
    drawn, left = game.war.hands[0], game.war.draw_pile
    assert sorted(CARDS[card] for card in [*drawn, *left]) == ["egypt", "peru"]
    assert (len(drawn), len(left), plain(game.view(0))["used_pile"]) == (1, 1, [])


def test_h11_another_seat_destroys_the_target():
    game = position(
        "north_america south_america europe africa:1",
        "kamchatka",
        "yakutsk:9",
        "japan",
        seats=4,
        turn=2,
        at="attack",
        dice=["6 v 1"],
        missions=[Destroy(1), OUT_OF_REACH, OUT_OF_REACH, OUT_OF_REACH],
    )
    assert plain(game.view(0))["goal"] == {"kind": "destroy", "seat": 1}
    play(game, attack("yakutsk", "kamchatka", 1))
    assert plain(game.view(0))["goal"] == {"kind": "territories", "count": 24, "min_armies": 1}
    assert plain(game.view(0))["mission"] == {"kind": "destroy", "seat": 1}
    assert game.deciders() == (2,)
    default_until(game, 0)
    assert (game.places(), game.reason, game.war.round) == ([1, 4, 2, 2], "objective", 6)


def test_h12_the_target_is_destroyed():
    game = position(
        "alaska:9",
        "kamchatka",
        at="attack",
        dice=["6 v 1"],
        missions=[Destroy(1), OUT_OF_REACH, Destroy(2)],
    )
    assert plain(game.view(2))["goal"] == {"kind": "territories", "count": 24, "min_armies": 1}
    play(game, attack("alaska", "kamchatka", 1))
    assert (game.places(), game.reason) == ([1, 3, 2], "objective")


def test_h13_deployment_alone_can_win():
    game = position("asia:2 oceania:2 alaska:2 peru:1", "quebec", missions=[Territories(18, 2)] * 3)
    assert to_deploy(game) == 15
    play(game, place("peru:1 china:14"))
    assert (game.places(), game.reason) == ([1, 2, 2], "objective")


def before_east_africa(**options):
    return position(
        "europe oceania egypt:5 north_africa congo south_africa madagascar",
        "alaska",
        at="attack",
        dice=["6,6,6 v 1"],
        missions=[EUROPE_OCEANIA, OUT_OF_REACH, OUT_OF_REACH],
        **options,
    )


def test_h14_the_third_continent_wins_before_armies_follow():
    game = before_east_africa()
    play(game, attack("egypt", "east_africa"))
    assert (game.places()[0], game.reason, game.deciders()) == (1, "objective", ())


def test_h15_next_turn_makes_the_winner_wait():
    game = before_east_africa(victory_check="next_turn")
    play(game, attack("egypt", "east_africa"))
    assert asked(game) == "occupy"
    default_until(game, seat=-1)
    assert (game.places()[0], game.reason, game.war.round) == (1, "objective", 6)


def test_h16_the_second_last_territory_may_fall_but_not_the_last():
    game = position("alaska:9", "kamchatka alberta", at="attack", round=4, dice=["6 v 1"])
    assert game.refusal(0, attack("alaska", "alberta", 1)) is None
    play(game, attack("alaska", "kamchatka", 1))
    play(game, {"armies": 0})
    assert "safe" in refusal(game, attack("alaska", "alberta", 1))


@pytest.mark.parametrize(
    ("survivors", "places"), [("tie", [1, 4, 2, 5, 2]), ("territories", [1, 4, 3, 5, 2])]
)
def test_h17_the_fallen_come_last_the_latest_first(survivors, places):
    game = position(
        "north_america south_america europe",
        "",
        "japan",
        seats=5,
        fallen=[(3, 0, 6), (1, 0, 9)],
        round=10,
        missions=[Continents(["north_america", "south_america"], 0), *[OUT_OF_REACH] * 4],
        survivors=survivors,
    )
    assert game.places() == places


def test_h18_after_the_last_round_territories_and_armies_count():
    game = position("peru:9", "japan:5", "alaska:5", seats=4, round=100, turn=3, at="attack")
    default_until(game, seat=-1)
    assert (game.places(), game.reason) == ([2, 3, 3, 1], "max_rounds")


def test_h19_the_last_seat_alive_wins_whatever_its_objective():
    game = position(
        "alaska:9", "kamchatka", "", others=0, fallen=[(2, 0, 6)], at="attack", dice=["6 v 1"]
    )
    play(game, attack("alaska", "kamchatka", 1))
    assert (game.places(), game.reason) == ([1, 2, 3], "last_alive")


def test_h20_the_referee_defends_with_all():
    game = position(
        "alaska:4",
        "kamchatka:3 peru",
        at="attack",
        defence="max",
        attack_mode="single",
        dice=["6,6,6 v 1,1,1"],
    )
    play(game, single("alaska", "kamchatka"))
    assert owner(game, "kamchatka") == 0
    assert armies(game, "alaska", "kamchatka") == [1, 3]


def test_h21_a_hidden_set_up_is_seen_when_all_is_placed():
    game = new_game(3)
    assert game.deciders() == range(3)
    moves = {seat: game.default(seat) for seat in (0, 2)}
    assert set(plain(game.view(1))["armies"]) == {1}
    game.apply(moves | {1: game.default(1)})
    assert sum(plain(game.view(1))["armies"]) == 105
    assert [event["seat"] for event in plain(game.view(1))["events"][:3]] == [0, 1, 2]


def test_h22_so_many_attacks_close_the_combats():
    game = position("alaska:9 alberta", "kamchatka:9", at="attack", max_attacks=2)
    for _ in range(2):
        play(game, attack("alaska", "kamchatka", 1))
        play(game, {"dice": 3})
    assert asked(game) == "fortify"
    play(game, STAY)


def test_h24_one_set_is_traded_unasked_as_soon_as_it_is_there():
    game = position(ASIDE, hands=["peru egypt china"], trading="must")
    assert (asked(game), to_deploy(game)) == ("deploy", 6)
    assert plain(game.view(0))["used_pile"] == ["peru", "egypt", "china"]


def test_h24_of_two_sets_one_must_go():
    game = position(ASIDE, hands=["peru egypt india brazil"], trading="must")
    assert asked(game) == "trade"
    assert plain(game.view(0))["forced"]
    assert KEEP not in game.decision(0).legal
    assert refusal(game, KEEP) == "with a set in hand you must exchange a set"
    assert game.default(0) in game.decision(0).legal


def test_h24_without_a_set_nothing_is_asked():
    game = position(ASIDE, hands=["peru egypt india"], trading="must")
    assert plain(game.view(0))["cards_held"] == [3, 0, 0]
    assert asked(game) != "trade"


def test_h23_the_set_up_goes_round_the_table():
    game = new_game(6, setup="in_turn")
    left, order = [20 - held for held in game.war.forces.count], []
    while asked(game) == "setup":
        (seat,) = game.deciders()
        limit = game.decision(seat).limits["armies"]
        assert limit == min(3, left[seat])
        left[seat] -= limit
        order.append(seat)
        play(game, game.default(seat))
    assert left == [0] * 6
    whole = min(20 - held for held in new_game(6).war.forces.count) // 3
    assert order[: 6 * whole] == [*range(6)] * whole
    assert order[6 * whole :] == sorted(order[6 * whole :])
