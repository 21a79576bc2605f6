"""World War: the worked examples of its page by name, what is seen and refused, what holds."""

import json
from collections import Counter
from itertools import pairwise
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from referee.games.world_war.board import (
    BONUS,
    BORDERS,
    CARDS,
    CONTINENT,
    MEMBERS,
    TERRITORIES,
    WEAPON,
    Attack,
    Forces,
    fight,
)
from referee.games.world_war.course import Continents, Destroy, Territories, objectives
from referee.rules.chance import Chance
from referee.rules.game import plain
from tests.referee.games.tables import defaults, play, refused, rows
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
E4  | alaska:2 | dice=6v1 | alaska>kamchatka 1 | owner kamchatka A
E4 the other way | kamchatka:2 | dice=6v1 | kamchatka>alaska 1 | owner alaska A
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
E13 | alaska:5 alberta ontario | at=fortify | alaska=alberta 4 | armies alaska 1, armies alberta 5
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
H13 | asia:2 oceania:2 alaska:2 peru / quebec | goal=18.2 | place peru:1 china:14 | \
places 1 2 2 objective
H16 one of two | alaska:9 / kamchatka alberta | at=attack round=4 dice=6v1 | alaska>alberta 1 | \
owner alberta A
H16 the last   | alaska:9 / kamchatka alberta | at=attack round=4 dice=6v1 | \
alaska>kamchatka 1; send 0 | refused alaska>alberta 1, owner alberta B
H18 | peru:9 / japan:5 / alaska:5 | seats=4 round=100 turn=3 at=attack | rest | \
places 2 3 3 1 max_rounds
H19 | alaska:9 / kamchatka / | others=0 fallen=2.0.6 at=attack dice=6v1 | alaska>kamchatka 1 | \
places 1 2 3 last_alive
H19 whenever victory is checked | alaska:9 / kamchatka / | \
others=0 fallen=2.0.6 at=attack dice=6v1 victory_check=next_turn | alaska>kamchatka 1 | \
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
    if "=" in word:
        return move(*word.split("="), *map(int, rest))
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
        case "refused":
            return rest if "safe" in refusal(game, move_of(game, " ".join(rest))) else []
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


@pytest.mark.parametrize("form", ["secret", "world"])
def test_e6_two_alike_and_one_different(form):
    game = position(ASIDE, hands=["peru egypt india brazil"], objective=form)
    assert "infantry, infantry, cavalry" in refusal(game, {"cards": ["peru", "egypt", "india"]})


def test_e12_who_may_throw_how_many_dice():
    game = position("alaska:2 brazil:6", "kamchatka:5", at="attack")
    most = {entry["from"]: entry["max_dice"] for entry in game.decision(0).limits["attacks"]}
    assert most == {"alaska": 1, "brazil": 3}
    assert '"dice" must be 1 here' in refusal(game, attack("alaska", "kamchatka", dice=2))
    play(game, attack("alaska", "kamchatka", dice=1))
    assert game.deciders() == (1,)
    assert game.decision(1).legal == [{"dice": 1}, {"dice": 2}, {"dice": 3}]


def test_e15_a_last_territory_is_safe_for_four_rounds():
    game = position("alaska:3", "kamchatka:1", at="attack", round=4)
    assert "safe" in refusal(game, attack("alaska", "kamchatka", 2))
    (entry,) = game.decision(0).limits["attacks"]
    assert entry["to"] == ["alberta", "northwest_territory"]
    game = position("alaska:3", "kamchatka:1", at="attack", round=5)
    assert game.refusal(0, attack("alaska", "kamchatka", 2)) is None


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
    view = plain(game.view(0))
    assert (len(drawn), len(left), view["used_pile"]) == (1, 1, [])
    assert view["events"][-1] == {"event": "card", "seat": 0, "reshuffled": True}


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


def test_end_of_turn_wins_after_the_last_move():
    game = before_east_africa(victory_check="end_of_turn")
    play(game, attack("egypt", "east_africa"))
    default_until(game, 0, "fortify")
    assert game.deciders() == (0,)
    play(game, STAY)
    assert (game.places()[0], game.reason, game.war.round) == (1, "objective", 5)


def test_an_objective_lost_before_the_next_turn_does_not_win():
    game = before_east_africa(victory_check="next_turn")
    play(game, attack("egypt", "east_africa"))
    default_until(game, 0, "fortify")
    play(game, STAY)
    for name in ("congo", "indonesia"):
        game.war.forces.take(TERRITORIES.index(name), 1)
    default_until(game, 0, "deploy")
    assert game.deciders() == (0,)


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


def test_the_board():
    pairs = [(a, b) for a in range(42) for b in BORDERS[a] if a < b]
    assert all(here in BORDERS[there] for here in range(42) for there in BORDERS[here])
    inside = Counter(CONTINENT[a] for a, b in pairs if CONTINENT[a] == CONTINENT[b])
    assert [inside[continent] for continent in range(6)] == [16, 5, 12, 9, 22, 5]
    assert len(pairs) - inside.total() == 14
    assert [len(members) for members in MEMBERS] == [9, 4, 7, 6, 12, 4]
    assert BONUS == (5, 2, 5, 3, 7, 2)
    assert Counter(WEAPON) == {"infantry": 14, "cavalry": 14, "cannon": 14, "joker": 2}
    table = new_game().table()
    assert [facts["number"] for facts in table["territories"].values()] == [*range(42)]
    borders = ["alberta", "kamchatka", "northwest_territory"]
    alaska = {"number": 0, "continent": "north_america", "borders": borders}
    assert table["territories"]["alaska"] == alaska
    members = ["indonesia", "new_guinea", "western_australia", "eastern_australia"]
    assert table["continents"]["oceania"] == {"bonus": 2, "territories": members}
    assert (table["cards"]["alaska"], table["cards"]["joker_2"]) == ("infantry", "joker")


def test_every_seat_begins_with_so_many_armies():
    for seats, total in ((3, 35), (4, 30), (5, 25), (6, 20)):
        game = new_game(seats)
        while asked(game) == "setup":
            game.apply({seat: game.default(seat) for seat in game.deciders()})
        assert [game.war.forces.total(seat) for seat in range(seats)] == [total] * seats


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_objectives_are_different_and_any_may_be_dealt(seats):
    known = {json.dumps(goal) for goal in to_builtins(objectives(seats))}
    assert len(known) == 8 + seats
    dealt = set()
    for seed in range(100):
        views = [plain(new_game(seats, str(seed)).view(seat)) for seat in range(seats)]
        missions = {json.dumps(view["mission"]) for view in views}
        assert len(missions) == seats
        dealt |= missions
    assert dealt == known


def test_in_the_world_all_have_the_same_objective():
    view = plain(new_game(objective="world").view(1))
    assert view["mission"] == view["goal"] == {"kind": "world"}


def test_attacks_are_counted_anew_each_turn():
    game = position("alaska:9 alberta", "kamchatka:9 japan", at="attack", max_attacks=1)
    play(game, attack("alaska", "kamchatka", 1))
    play(game, {"dice": 1})
    default_until(game, 0, "attack")
    assert asked(game) == "attack"


def test_the_turn_passes_over_the_fallen_and_a_round_ends_with_the_last_living_seat():
    game = position("alaska:2", "", "japan", seats=4, fallen=[(1, 2, 5)], at="attack")
    play(game, STOP)
    assert (game.war.in_turn, game.war.round) in ((2, 5), (3, 5))
    game = position("", "alaska:2", "japan:2", fallen=[(0, 1, 4)], others=1, turn=2, at="attack")
    play(game, STOP)
    assert (game.war.in_turn, game.war.round) == (1, 6)


def test_only_the_seat_in_turn_wins():
    game = position("alaska:2", "asia:9 north_africa", "", at="attack", missions=[OUT_OF_REACH] * 3)
    game.war.missions[1] = Territories(1, 1)
    assert game.deciders() == (0,)
    default_until(game, seat=-1)
    assert (game.places()[1], game.war.round) == (1, 5)


def test_what_an_order_asked_for_is_never_shown():
    def shown(**order):
        game = position("alaska:9 peru", "kamchatka:2 japan", at="attack", dice=["6 v 1"] * 2)
        play(game, attack("alaska", "kamchatka", 1, **order))
        views = [plain(game.view(seat)) for seat in range(3)]
        assert views[1]["battle"]["attacker_dice"] == 1
        texts = [game.text(1), game.text(2)]
        play(game, {"dice": 1})
        return views, texts, [plain(game.view(seat)) for seat in range(3)], game.text()

    assert shown(rolls=2, stop_at=1) == shown(rolls=1000, stop_at=5)


def test_the_events_of_a_conquest():
    dice = ["6,5,5 v 6", "6,5,1 v 2"]
    game = position("alaska:5 alberta", "kamchatka:1", hands=["", "peru"], at="attack", dice=dice)
    play(game, attack("alaska", "kamchatka", 3, rolls=3))
    play(game, STOP)
    turn, fight, *rest = plain(game.view(2))["events"]
    assert (turn["event"], fight["event"]) == ("turn", "attack")
    assert fight["rolls"] == [[[6, 5, 5], [6]], [[6, 5, 1], [2]]]
    assert (fight["attacker_lost"], fight["defender_lost"]) == (1, 1)
    assert rest == [
        {"event": "conquest", "seat": 0, "from": "alaska", "to": "kamchatka", "armies": 3},
        {"event": "eliminated", "seat": 1, "by": 0, "cards": ["peru"]},
        {"event": "card", "seat": 0, "reshuffled": False},
    ]


def test_views_hand_out_every_event_once_and_in_order_and_the_log_forgets_it():
    game, rng = new_game(4, objective="world", max_rounds=40), Random(1)
    heard = [[] for _ in range(4)]
    longest = 0
    while seats := game.deciders():
        for seat in seats:
            heard[seat] += plain(game.view(seat))["events"]
        game.apply({seat: game.sample(seat, rng) for seat in seats})
        longest = max(longest, len(game.war.log._events))
    for seat in range(4):
        heard[seat] += plain(game.view(seat))["events"]
    living = {*range(4)} - {fall.seat for fall in game.war.fallen}
    assert len(living) > 1
    assert all(heard[seat] == heard[min(living)] for seat in living)
    turns = [event["round"] for event in heard[min(living)] if event["event"] == "turn"]
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(turns))
    assert longest < 400


OPTIONS = st.fixed_dictionaries(
    {"max_rounds": st.integers(1, 25)},
    optional={
        "objective": st.just("world"),
        "setup": st.just("in_turn"),
        "setup_step": st.integers(1, 8),
        "attack_mode": st.just("single"),
        "defence": st.just("max"),
        "victory_check": st.sampled_from(["end_of_turn", "next_turn"]),
        "min_reinforcement": st.just(3),
        "safe_rounds": st.integers(0, 6),
        "survivors": st.just("territories"),
        "max_attacks": st.integers(1, 20),
    },
)


def assert_whole(war):
    """No card is lost, no territory empty, and all counts are right."""
    held = [*war.draw_pile, *war.used_pile, *(card for hand in war.hands for card in hand)]
    assert sorted(held) == list(range(44))
    assert all(len(hand) <= 5 for hand in war.hands)
    forces = war.forces
    assert min(forces.armies) >= 1
    assert forces.count == [forces.owner.count(seat) for seat in range(war.seats)]
    for continent, members in enumerate(MEMBERS):
        owners = {forces.owner[member] for member in members}
        assert forces.holder[continent] == (owners.pop() if len(owners) == 1 else None)
    fallen = {fall.seat for fall in war.fallen}
    assert {seat for seat in range(war.seats) if not forces.count[seat]} == fallen
    assert not any(war.hands[seat] for seat in fallen)


def assert_asked_with_reason(game):
    war = game.war
    for seat in game.deciders():
        decision = game.decision(seat)
        assert war.forces.count[seat]
        assert decision.limits is not None or len(decision.legal) > 1
        if decision.name in ("setup", "deploy"):
            assert decision.limits["armies"] > 0
            assert len(decision.limits["territories"]) > 1
        assert decision.name != "attack" or decision.limits["attacks"]
        assert decision.name != "fortify" or decision.limits["moves"]
        assert decision.name != "occupy" or decision.limits["max_armies"] > 0


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(3, 6), OPTIONS)
def test_random_play_keeps_cards_and_counts_and_ends(seed, seats, options):
    game, rng = new_game(seats, str(seed), **options), Random(seed)
    while asked_now := game.deciders():
        assert_whole(game.war)
        assert_asked_with_reason(game)
        before = game.war.round
        game.apply({seat: game.sample(seat, rng) for seat in asked_now})
        assert game.war.round - before in (0, 1)
    assert_whole(game.war)
    assert game.war.round <= game.options.max_rounds
    assert game.reason in {"objective", "last_alive", "max_rounds"}
    assert all(fall.round > game.options.safe_rounds for fall in game.war.fallen)
    assert (game.places().count(1) == 1) or game.reason == "max_rounds"


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(2, 60), st.integers(1, 60))
def test_a_fight_takes_off_what_the_dice_say(seed, dice, ours, theirs):
    forces = Forces([0, 1, *[2] * 40], 3)
    forces.armies[:2] = [ours, theirs]
    order = Attack(0, 1, 1 + dice % 3, 1000, 1)
    rolls, lost, killed = fight(forces, order, 3, Chance(str(seed)), (1, 0, 1))
    assert forces.armies[:2] == [ours - lost, theirs - killed]
    assert forces.armies[0] == 1 or forces.armies[1] == 0
    assert sum(min(len(one), len(other)) for one, other in rolls) == lost + killed
    assert forces.armies[0] >= 1
    assert forces.armies[1] > 0 or len(rolls[-1][0]) <= forces.armies[0] - 1


def deploying():
    """Seat 0 has 3 armies for three territories and one continent less."""
    return position("alaska:4 peru alberta venezuela brazil argentina", "kamchatka")


def to_trade():
    return position("alaska", hands=["peru egypt india brazil"])


def forced():
    return position("alaska", hands=["peru egypt india brazil china"])


def to_attack(**options):
    return position(
        "alaska:4 alberta ontario:2", "kamchatka:5 quebec", at="attack", round=4, **options
    )


def one_roll():
    return to_attack(attack_mode="single")


def sole_territory():
    return position("alaska:4", "kamchatka:5", at="attack", round=4)


def to_defend():
    game = to_attack()
    play(game, attack("alaska", "kamchatka", 2))
    return game


def to_occupy():
    game = position("alaska:6", "kamchatka peru", at="attack", dice=["6 v 1"])
    play(game, attack("alaska", "kamchatka", 1))
    return game


def to_fortify():
    return position("alaska:4 alberta ontario", at="fortify")


ATTACK = attack("alaska", "kamchatka", 2)
MOVE = move("alaska", "alberta", 2)
REFUSALS = [
    (deploying, place("peru:3"), '"armies" adds up to 3, not to the 4 you have to place'),
    (deploying, place("peru:5", alaska=-1), '"alaska" of "armies" must be at least 0, not -1'),
    (deploying, place("kamchatka:4"), "'kamchatka' is held by seat 1; armies are placed on your"),
    (deploying, place(atlantis=4), "'atlantis' is not a territory of the board"),
    (to_trade, {"cards": ["peru"]}, "must name three cards or none, not 1"),
    (to_trade, {"cards": ["peru", "egypt", "congo"]}, "'congo' is not in your hand, which holds"),
    (to_trade, {"cards": ["peru", "peru", "india"]}, "'peru' is named twice"),
    (to_trade, {"cards": ["peru", "egypt", "india"]}, "a set is three alike, one of each"),
    (forced, KEEP, "with five cards in hand you must exchange a set"),
    (to_attack, ATTACK | {"from": "quebec"}, "'quebec' is held by seat 1; \"from\" is one of your"),
    (to_attack, ATTACK | {"from": "alberta"}, "'alberta' has only one army, and that one stays"),
    (to_attack, ATTACK | {"to": "alberta"}, "'alberta' is your own"),
    (to_attack, ATTACK | {"to": "quebec"}, "'quebec' does not border 'alaska', whose neighbours"),
    (to_attack, ATTACK | {"dice": 4}, "\"dice\" must be from 1 to 3 here ('alaska' has 4 armies"),
    (to_attack, attack("ontario", "quebec", 2), '"dice" must be 1 here'),
    (to_attack, ATTACK | {"rolls": 0}, '"rolls" must be from 1 to 1000'),
    (to_attack, ATTACK | {"stop_at": 0}, '"stop_at" must be from 1 to 3'),
    (one_roll, ATTACK, '"rolls" is only for the `attack_mode` order'),
    (sole_territory, ATTACK, "'kamchatka' is the only territory of seat 1, which is safe"),
    (to_defend, {"dice": 4}, "\"dice\" must be from 1 to 3 here ('kamchatka' has 5 armies)"),
    (to_occupy, {"armies": 5}, "\"armies\" must be from 0 to 4 here ('alaska' has 5 armies"),
    (to_fortify, MOVE | {"from": "peru"}, "'peru' is held by seat 2"),
    (to_fortify, MOVE | {"from": "alberta"}, "'alberta' has only one army"),
    (to_fortify, MOVE | {"to": "kamchatka"}, "armies move between your own"),
    (to_fortify, MOVE | {"to": "ontario"}, "'ontario' does not border 'alaska'"),
    (to_fortify, MOVE | {"armies": 4}, '"armies" must be from 1 to 3'),
]


test_a_reply_is_refused_with_a_reason = refused(REFUSALS)


def test_the_armies_of_a_set_up_are_counted():
    game = new_game()
    first, *_ = game.decision(1).limits["territories"]
    total = game.decision(1).limits["armies"]
    assert game.refusal(1, {"armies": {first: total}}) is None
    assert f"not to the {total}" in game.refusal(1, {"armies": {first: total - 1}})


def test_the_form_kept_of_a_reply_is_in_order_and_without_zeros():
    kept = deploying().read(0, {"armies": {"peru": 1, "brazil": 0, "alaska": 3}})
    assert json.dumps(kept) == '{"armies": {"alaska": 3, "peru": 1}}'
    cards = to_trade().read(0, {"cards": ["india", "brazil", "peru"]})
    assert cards == {"cards": ["peru", "brazil", "india"]}


DEFAULTS = [
    (deploying, place("alaska:1 venezuela:1 peru:1 alberta:1")),
    (to_trade, KEEP),
    (forced, {"cards": ["peru", "brazil", "india"]}),
    (to_attack, STOP),
    (to_defend, {"dice": 3}),
    (to_occupy, {"armies": 0}),
    (to_fortify, STAY),
]


test_defaults_are_those_of_the_rules_page = defaults(DEFAULTS)


def test_the_first_set_counts_jokers_last():
    game = position("alaska", hands=["joker_1 joker_2 alaska quebec india"])
    assert game.default(0) == {"cards": ["alaska", "quebec", "joker_1"]}


def test_the_default_set_up_goes_round_and_round_and_by_turns_begins_anew():
    game = new_game()
    own = game.decision(0).limits["territories"]
    spread = game.default(0)["armies"]
    each, more = divmod(35 - len(own), len(own))
    assert [spread[name] for name in own] == [each + 1] * more + [each] * (len(own) - more)
    game = new_game(setup="in_turn")
    for _ in range(2):
        assert game.default(0) == {"armies": dict.fromkeys(own[:3], 1)}
        for seat in range(3):
            game.apply({seat: game.default(seat)})


def listed(game):
    """Return every legal reply of the seat that is asked, found by trying."""
    (seat,) = game.deciders()
    owners, numbers = plain(game.view(seat))["owner"], range(-1, 6)
    own = [name for name, owner in zip(TERRITORIES, owners, strict=True) if owner == seat]
    replies = [STOP, STAY, KEEP, *({"dice": n} for n in numbers), *({"armies": n} for n in numbers)]
    for source in own:
        for goal in TERRITORIES:
            replies += (move(source, goal, n) for n in numbers)
            replies += (attack(source, goal, d, 1, s) for d in numbers for s in numbers)
            replies += (single(source, goal, d) for d in numbers)
    return {as_text(reply) for reply in replies if game.refusal(seat, reply) is None}


def as_text(reply):
    return msgspec.json.encode(reply, order="sorted")


def sampled(game, count=20_000):
    (seat,) = game.deciders()
    rng = Random(1)
    return [game.sample(seat, rng) for _ in range(count)]


@pytest.mark.parametrize("situation", [one_roll, to_defend, to_occupy, to_fortify])
def test_every_legal_reply_comes_up(situation):
    game = situation()
    assert {as_text(reply) for reply in sampled(game, 4000)} == listed(game)


def test_every_order_comes_up_but_for_the_thousand_numbers_of_rolls():
    game = to_attack()
    orders = sampled(game)
    assert {as_text(o | {"rolls": 1} if "rolls" in o else o) for o in orders} == listed(game)
    rolls = {order["rolls"] for order in orders if "rolls" in order}
    assert len(rolls) > 900
    assert rolls >= set(range(1, 21))


def test_every_placement_comes_up():
    game = position("alaska peru alberta iceland india congo", hands=[""])
    every = {
        as_text({"armies": {a: 2} if a == b else dict.fromkeys(sorted((a, b)), 1)})
        for a in game.decision(0).limits["territories"]
        for b in game.decision(0).limits["territories"]
    }
    assert {as_text(reply) for reply in sampled(game, 3000)} == every
