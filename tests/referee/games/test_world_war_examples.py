"""The worked examples of World War's rules page, under their own names, and some besides."""

import pytest

from referee.chance import Chance
from referee.game import plain
from referee.games.world_war.board import CARDS, TERRITORIES
from referee.games.world_war.goals import Continents, Destroy, Territories
from tests.referee.games.tables import rows
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

ASIDE = "iceland argentina"
"""Two territories of no account, which bring no armies."""
EUROPE_OCEANIA = Continents(["europe", "oceania"], 1)


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


EXAMPLES = """
E3  | oceania       | | | deploy 3
E3  | south_america | | | deploy 3
E3  | africa        | | | deploy 5
E3  | europe        | | | deploy 7
E3  | north_america | | | deploy 8
E3  | asia          | | | deploy 11
E5  | iceland argentina | hands=brazil+japan+indonesia | trade brazil japan indonesia | deploy 4
E5  | iceland argentina | hands=peru+egypt+china | trade peru egypt china | deploy 6
E5  | iceland argentina | hands=india+ural+quebec | trade india ural quebec | deploy 8
E5  | iceland argentina | hands=brazil+egypt+india | trade brazil egypt india | deploy 10
E5  | iceland argentina | hands=joker_1+peru+egypt | trade joker_1 peru egypt | deploy 12
E8  | iceland argentina japan | hands=peru+egypt+china objective=world exchanges=2 | \
trade peru egypt china | deploy 9
E9  | peru india:4 alaska | hands=brazil+peru+india | trade brazil peru india | \
armies peru 3, armies india 6, armies brazil 1, deploy 11
E10 | iceland argentina | hands=peru+egypt+china+brazil | keep | asks C deploy, cards_held 4 0 0
E10 five with one set | iceland argentina | hands=peru+egypt+china+india+ural | | \
deploy 6, used_pile peru egypt china
E11 | alaska:9 / kamchatka:9 | at=attack dice=5.5.2v5 | alaska>kamchatka 3; defend 1 | \
armies alaska 8, armies kamchatka 9
E11 | alaska:9 / kamchatka:9 | at=attack dice=6.5.1v5.5 | alaska>kamchatka 3; defend 2 | \
armies alaska 8, armies kamchatka 8
H2  | alaska:9 / kamchatka:9 | at=attack dice=6.3.3v6.3 | alaska>kamchatka 3; defend 2 | \
armies alaska 7, armies kamchatka 9
H2  | alaska:9 / kamchatka:9 | at=attack dice=6.5.4v5.4.3 | alaska>kamchatka 3; defend 3 | \
armies alaska 9, armies kamchatka 6
H2  | alaska:9 / kamchatka:9 | at=attack dice=4.4.1v4.3.1 | alaska>kamchatka 3; defend 3 | \
armies alaska 7, armies kamchatka 8
H2  | alaska:9 / kamchatka:9 | at=attack dice=1v1.1.1 | alaska>kamchatka 1; defend 3 | \
armies alaska 8, armies kamchatka 9
H2  | alaska:9 / kamchatka:9 | at=attack dice=6v6.5.5 | alaska>kamchatka 1; defend 3 | \
armies alaska 8, armies kamchatka 9
E14 | alaska:3 / kamchatka | at=attack hands=,joker_1+peru dice=6.1v3 | alaska>kamchatka 2 | \
fallen 1 0 5, used_pile peru joker_1, cards
H1 one | alaska:2 | | | asks A attack
H1 two | alaska:2 peru | | | asks A attack
H1 three  | alaska:2 peru iceland | | | deploy 1
H1 eight  | alaska:2 peru iceland egypt ural india ontario brazil | | | deploy 2
H1 eleven | alaska:2 peru iceland egypt ural india ontario brazil congo japan quebec | | | deploy 3
H1 twelve | alaska:2 peru iceland egypt ural india ontario brazil congo japan quebec china | | | \
deploy 4
H3  | alaska:6 / kamchatka peru | at=attack dice=6.2.1v3 | alaska>kamchatka 3 | \
armies alaska 3, armies kamchatka 3, asks A occupy, follow 2
H3 two follow | alaska:6 / kamchatka peru | at=attack dice=6.2.1v3 | alaska>kamchatka 3; send 2 | \
armies alaska 1, armies kamchatka 5
H4  | alaska:4 / kamchatka peru | at=attack dice=6.2.1v3 | alaska>kamchatka 3 | \
armies alaska 1, armies kamchatka 3, asks A attack
H5  | alaska:6 / kamchatka:3 peru | at=attack dice=5.5.2v5.4+6.4.3v2.2 | \
alaska>kamchatka 3 1000 2; defend 2 | armies alaska 2, armies kamchatka 3, asks A occupy
H6  | alaska:5 / kamchatka:4 peru | at=attack dice=3.2.1v3.2.1 | \
alaska>kamchatka 3 1000 4; defend 3 | armies alaska 2, armies kamchatka 4, asks A attack
H7  | alaska:3 / kamchatka peru | at=attack dice=4.2v4+6v5 | alaska>kamchatka 2 1000 1 | \
armies alaska 1, armies kamchatka 1, owner kamchatka A
H8  | iceland argentina | hands=joker_1+peru+india | trade joker_1 peru india | deploy 10
H8  | iceland argentina | hands=joker_1+joker_2+peru | trade joker_1 joker_2 peru | deploy 12
H8  | iceland argentina | hands=joker_1+peru+india objective=world exchanges=3 | \
trade joker_1 peru india | deploy 10
H9 none | alaska:9 alberta:2 / kamchatka northwest_territory peru | at=attack | stop | \
cards_held 0 0 0
H9 one  | alaska:9 alberta:2 / kamchatka northwest_territory peru | at=attack dice=6v1+6v1 | \
alaska>kamchatka 1; send 0; stop | cards_held 1 0 0
H9 two  | alaska:9 alberta:2 / kamchatka northwest_territory peru | at=attack dice=6v1+6v1 | \
alaska>kamchatka 1; send 0; alaska>northwest_territory 1; send 0; stop | cards_held 1 0 0
H13 | asia:2 oceania:2 alaska:2 peru / quebec | goal=18.2 | | deploy 15
H13 | asia:2 oceania:2 alaska:2 peru / quebec | goal=18.2 | place peru:1 china:14 | \
places 1 2 2 objective
H18 | peru:9 / japan:5 / alaska:5 | seats=4 round=100 turn=3 at=attack | rest | \
places 2 3 3 1 max_rounds
H19 | alaska:9 / kamchatka / | others=0 fallen=2.0.6 at=attack dice=6v1 | alaska>kamchatka 1 | \
places 1 2 3 last_alive
H20 | alaska:4 / kamchatka:3 peru | at=attack defence=max attack_mode=single dice=6.6.6v1.1.1 | \
alaska>kamchatka 3 | owner kamchatka A, armies alaska 1, armies kamchatka 3
H22 | alaska:9 alberta / kamchatka:9 | at=attack max_attacks=2 | \
alaska>kamchatka 1; defend 3; alaska>kamchatka 1; defend 3 | asks A fortify
H24 one set | iceland argentina | hands=peru+egypt+china trading=must | | \
deploy 6, used_pile peru egypt china
H24 no set  | iceland argentina | hands=peru+egypt+india trading=must | | \
asks C deploy, cards_held 3 0 0
"""

BESIDES = """
the classic minimum | alaska:2 peru | min_reinforcement=3 | | deploy 3
and a continent     | oceania | min_reinforcement=3 | | deploy 5
what one territory gets is placed | alaska:2 | hands=peru+egypt+china | trade peru egypt china | \
armies alaska 8, asks A attack
no set, no exchange | alaska:2 peru | hands=peru+egypt | | asks A attack
a trade alone can win | asia:2 oceania:2 alaska:2 peru / quebec | goal=18.2 \
hands=peru+india+brazil | trade peru india brazil | places 1 2 2 objective
two armies on each of eighteen | asia:2 oceania:2 alaska:2 peru:2 / quebec | goal=18.2 | | \
places 1 2 2 objective
an order ends with its rolls | alaska:9 / kamchatka:9 | at=attack | \
alaska>kamchatka 1 4 1; defend 1 | rolls 4
an order ends at its limit | alaska:5 / kamchatka:9 peru | at=attack dice=1.1v6.6+6v1 | \
alaska>kamchatka 2 9 3; defend 2 | armies alaska 3, armies kamchatka 9, rolls 1
what was just conquered attacks | alaska:9 / kamchatka japan | at=attack dice=6.6.6v1+6v1 | \
alaska>kamchatka 3; send 2; kamchatka>japan 1 | owner japan A
the last attack may conquer | alaska:9 peru / kamchatka japan | at=attack dice=6v1 max_attacks=1 | \
alaska>kamchatka 1; send 3 | asks A fortify, cards_held 1 0 0
a single attack is one roll | alaska:30 / kamchatka:30 | at=attack attack_mode=single | \
alaska>kamchatka 3; defend 3 | rolls 1
without a choice the turn passes | alaska peru / kamchatka:2 japan | | | asks B attack
the guard counts territories, then armies | peru:9 / japan:9 alaska / | \
round=2 max_rounds=2 turn=2 at=attack | rest | places 3 2 1 max_rounds
the guard places the fallen last | peru:9 / japan:9 / / quebec | \
seats=5 round=2 max_rounds=2 turn=4 at=attack fallen=2.0.1 | rest | places 2 2 5 4 1 max_rounds
a third continent | europe oceania / quebec | goal=europe+oceania | | asks A deploy
must be another   | europe africa asia / quebec | goal=europe+oceania | | asks A deploy
and wins          | europe oceania africa / quebec | goal=europe+oceania | | places 1 2 2 objective
"""
SETTINGS = {
    "dice": lambda text: [roll.replace(".", ",").replace("v", " v ") for roll in text.split("+")],
    "hands": lambda text: [hand.replace("+", " ") for hand in text.split(",")],
    "fallen": lambda text: [tuple(map(int, text.split(".")))],
}


def settings_of(text):
    """Read `at=attack dice=6.1v3+6v1 hands=,peru+egypt fallen=2.0.6 goal=18.2`."""
    given = dict(word.split("=") for word in text.split())
    settings = {name: int(value) if value.isdigit() else value for name, value in given.items()}
    settings |= {name: SETTINGS[name](given[name]) for name in given.keys() & SETTINGS}
    if goal := settings.pop("goal", ""):
        own = Continents(goal.split("+"), 1) if "+" in goal else Territories(18, 2)
        settings["missions"] = [own, *[OUT_OF_REACH if "+" in goal else own] * 2]
    return settings


def move_of(game, text):
    word, *rest = text.split()
    if ">" in word:
        source, target = word.split(">")
        order = single if game.options.attack_mode == "single" else attack
        return order(source, target, *map(int, rest))
    if word in ("defend", "send"):
        return {"dice" if word == "defend" else "armies": int(rest[0])}
    if word == "place":
        return place(" ".join(rest))
    return {"trade": {"cards": rest}, "keep": KEEP, "stop": STOP, "stay": STAY}[word]


def seen(game, what, rest):
    """Return a fact of the game as it is written in the tables."""
    view = plain(game.view(0))
    match what:
        case "deploy":
            return [to_deploy(game)]
        case "armies":
            return [rest[0], *armies(game, rest[0])]
        case "owner":
            return [rest[0], "ABC"[owner(game, rest[0])]]
        case "asks":
            return ["ABC"[game.deciders()[0]], asked(game)]
        case "places":
            return [*game.places(), game.reason]
        case "follow":
            return [game.decision(0).limits["max_armies"]]
        case "rolls":
            return [len(view["events"][-1]["rolls"])]
        case "fallen":
            return [number for fall in view[what] for number in fall.values()]
    return view[what]


@pytest.mark.parametrize(("held", "settings", "moves", "facts"), rows(EXAMPLES) + rows(BESIDES))
def test_turn(held, settings, moves, facts):
    game = position(*(part.strip() for part in held.split("/")), **settings_of(settings))
    for text in filter(None, moves.split("; ")):
        if text == "rest":
            default_until(game, seat=-1)
        else:
            play(game, move_of(game, text))
    for what, *expected in map(str.split, facts.split(", ")):
        assert [*map(str, seen(game, what, expected))] == expected, what


@pytest.mark.parametrize(
    ("made", "brings"), [*enumerate([4, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40])]
)
def test_e7_exchanges_of_the_table(made, brings):
    game = position(ASIDE, hands=["peru egypt china"], objective="world", exchanges=made)
    play(game, {"cards": ["peru", "egypt", "china"]})
    assert to_deploy(game) == brings
    assert plain(game.view(0))["exchanges"] == made + 1


@pytest.mark.parametrize(("own", "enemy"), [("alaska", "kamchatka"), ("kamchatka", "alaska")])
def test_e4_alaska_and_kamchatka_are_neighbours(own, enemy):
    play(position(f"{own}:2"), attack(own, enemy, dice=1))


@pytest.mark.parametrize("form", ["secret", "world"])
def test_e6_two_alike_and_one_different(form):
    game = position(ASIDE, hands=["peru egypt india brazil"], objective=form)
    assert "infantry, infantry, cavalry" in refusal(game, {"cards": ["peru", "egypt", "india"]})


def test_e10_of_five_a_set_must_go():
    game = position(ASIDE, hands=["peru egypt china brazil india"])
    assert "you must exchange" in refusal(game, KEEP)
    assert plain(game.view(0))["forced"]


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


def test_e15_a_last_territory_is_safe_for_four_rounds():
    game = last_territory(4)
    assert "safe" in refusal(game, attack("alaska", "kamchatka", 2))
    assert last_territory(5).refusal(0, attack("alaska", "kamchatka", 2)) is None


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


def test_h21_a_hidden_set_up_is_seen_when_all_is_placed():
    game = new_game(3)
    assert game.deciders() == range(3)
    moves = {seat: game.default(seat) for seat in (0, 2)}
    assert set(plain(game.view(1))["armies"]) == {1}
    game.apply(moves | {1: game.default(1)})
    assert sum(plain(game.view(1))["armies"]) == 105
    assert [event["seat"] for event in plain(game.view(1))["events"][:3]] == [0, 1, 2]


def test_h24_of_two_sets_one_must_go():
    game = position(ASIDE, hands=["peru egypt india brazil"], trading="must")
    assert asked(game) == "trade"
    assert plain(game.view(0))["forced"]
    assert KEEP not in game.decision(0).legal
    assert refusal(game, KEEP) == "with a set in hand you must exchange a set"
    assert game.default(0) in game.decision(0).legal


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
