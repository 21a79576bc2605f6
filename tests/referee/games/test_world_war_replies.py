"""Replies in World War: what is refused and why, what is accepted, defaults and samples."""

import json
from pathlib import Path
from random import Random

import msgspec
import pytest
from jsonschema import Draft202012Validator

from referee.game import plain
from referee.games.world_war.board import TERRITORIES
from referee.games.world_war.game import WorldWar
from tests.referee.games.world_war_positions import (
    KEEP,
    STAY,
    STOP,
    asked,
    attack,
    move,
    new_game,
    place,
    play,
    position,
    single,
)

VALIDATORS = {name: Draft202012Validator(schema) for name, schema in WorldWar.schemas().items()}


def to_deploy():
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


def without(reply, field):
    return {name: value for name, value in reply.items() if name != field}


ATTACK = attack("alaska", "kamchatka", 2)
MOVE = move("alaska", "alberta", 2)
HUGE = 10**400

REFUSALS = [
    (to_deploy, place("peru:3"), '"armies" adds up to 3, not to the 4 you have to place'),
    (to_deploy, place("peru:5"), "adds up to 5, not to the 4"),
    (to_deploy, place("peru:5", alaska=-1), '"alaska" of "armies" must be at least 0, not -1'),
    (to_deploy, place("kamchatka:4"), "'kamchatka' is held by seat 1; armies are placed on your"),
    (to_deploy, place(atlantis=4), "'atlantis' is not a territory of the board"),
    (to_deploy, place(Peru=4), "'Peru' is not a territory"),
    (to_deploy, place(joker_1=4), "'joker_1' is not a territory"),
    (to_deploy, place(peru=HUGE), "adds up to far too many"),
    (to_trade, {"cards": ["peru"]}, "must name three cards or none, not 1"),
    (to_trade, {"cards": ["peru", "egypt", "india", "brazil"]}, "not 4"),
    (to_trade, {"cards": ["peru", "egypt", "congo"]}, "'congo' is not in your hand, which holds"),
    (to_trade, {"cards": ["peru", "egypt", "joker"]}, "'joker' is not a card"),
    (to_trade, {"cards": ["peru", "peru", "india"]}, "'peru' is named twice"),
    (to_trade, {"cards": ["peru", "egypt", "india"]}, "a set is three alike, one of each"),
    (forced, KEEP, "with five cards in hand you must exchange a set"),
    (to_attack, ATTACK | {"from": "quebec"}, "'quebec' is held by seat 1; \"from\" is one of your"),
    (to_attack, ATTACK | {"from": "alberta"}, "'alberta' has only one army, and that one stays"),
    (to_attack, ATTACK | {"from": "x" * 1000}, "is not a territory of the board"),
    (to_attack, ATTACK | {"to": "alberta"}, "'alberta' is your own"),
    (to_attack, ATTACK | {"to": "quebec"}, "'quebec' does not border 'alaska', whose neighbours"),
    (to_attack, ATTACK | {"to": "mars"}, "'mars' is not a territory"),
    (to_attack, ATTACK | {"dice": 4}, "\"dice\" must be from 1 to 3 here ('alaska' has 4 armies"),
    (to_attack, ATTACK | {"dice": 0}, '"dice" must be from 1 to 3'),
    (to_attack, ATTACK | {"dice": HUGE}, '"dice" must be from 1 to 3'),
    (to_attack, attack("ontario", "quebec", 2), '"dice" must be 1 here'),
    (to_attack, ATTACK | {"rolls": 0}, '"rolls" must be from 1 to 1000'),
    (to_attack, ATTACK | {"rolls": 1001}, '"rolls" must be from 1 to 1000'),
    (to_attack, ATTACK | {"stop_at": 0}, '"stop_at" must be from 1 to 3'),
    (to_attack, ATTACK | {"stop_at": 4}, '"stop_at" must be from 1 to 3'),
    (
        lambda: to_attack(attack_mode="single"),
        ATTACK,
        '"rolls" is only for the `attack_mode` order',
    ),
    (sole_territory, ATTACK, "'kamchatka' is the only territory of seat 1, which is safe"),
    (to_defend, {"dice": 4}, "\"dice\" must be from 1 to 3 here ('kamchatka' has 5 armies)"),
    (to_defend, {"dice": 0}, '"dice" must be from 1 to 3'),
    (to_occupy, {"armies": 5}, "\"armies\" must be from 0 to 4 here ('alaska' has 5 armies"),
    (to_occupy, {"armies": -1}, '"armies" must be from 0 to 4'),
    (to_fortify, MOVE | {"from": "peru"}, "'peru' is held by seat 2"),
    (to_fortify, MOVE | {"from": "alberta"}, "'alberta' has only one army"),
    (to_fortify, MOVE | {"to": "kamchatka"}, "armies move between your own"),
    (to_fortify, MOVE | {"to": "ontario"}, "'ontario' does not border 'alaska'"),
    (to_fortify, MOVE | {"to": "alaska"}, "'alaska' does not border 'alaska'"),
    (to_fortify, MOVE | {"armies": 4}, '"armies" must be from 1 to 3'),
    (to_fortify, MOVE | {"armies": 0}, '"armies" must be from 1 to 3'),
]


@pytest.mark.parametrize(("situation", "reply", "reason"), REFUSALS)
def test_a_reply_is_refused_with_a_reason(situation, reply, reason):
    game = situation()
    (seat,) = game.deciders()
    told = game.refusal(seat, reply)
    assert reason in told
    assert len(told) < 200


ACCEPTED = [
    (to_deploy, place("peru:4")),
    (to_deploy, place("peru:1 alaska:3", brazil=0)),
    (to_trade, KEEP),
    (to_trade, {"cards": ["india", "brazil", "peru"]}),
    (forced, {"cards": ["china", "egypt", "peru"]}),
    (to_attack, STOP),
    (to_attack, attack("alaska", "kamchatka", 3, 1000, 3)),
    (to_attack, attack("ontario", "quebec", 1)),
    (lambda: to_attack(attack_mode="single"), single("alaska", "kamchatka", 1)),
    (to_defend, {"dice": 3}),
    (to_occupy, {"armies": 0}),
    (to_occupy, {"armies": 4}),
    (to_fortify, STAY),
    (to_fortify, move("alaska", "alberta", 3)),
]


@pytest.mark.parametrize(("situation", "reply"), ACCEPTED)
def test_a_reply_is_accepted(situation, reply):
    game = situation()
    (seat,) = game.deciders()
    assert game.refusal(seat, reply) is None
    VALIDATORS[asked(game)].validate(reply)


def test_the_armies_of_a_set_up_are_counted():
    game = new_game()
    first, *_ = game.decision(1).limits["territories"]
    total = game.decision(1).limits["armies"]
    assert game.refusal(1, {"armies": {first: total}}) is None
    assert f"not to the {total}" in game.refusal(1, {"armies": {first: total - 1}})


def test_the_form_kept_of_a_reply_is_in_order_and_without_zeros():
    kept = to_deploy().read(0, {"armies": {"peru": 1, "brazil": 0, "alaska": 3}})
    assert json.dumps(kept) == '{"armies": {"alaska": 3, "peru": 1}}'
    cards = to_trade().read(0, {"cards": ["india", "brazil", "peru"]})
    assert cards == {"cards": ["peru", "brazil", "india"]}


DEFAULTS = [
    (to_deploy, place("alaska:1 venezuela:1 peru:1 alberta:1")),
    (to_trade, KEEP),
    (forced, {"cards": ["peru", "brazil", "india"]}),
    (to_attack, STOP),
    (to_defend, {"dice": 3}),
    (to_occupy, {"armies": 0}),
    (to_fortify, STAY),
]


@pytest.mark.parametrize(("situation", "reply"), DEFAULTS)
def test_defaults_are_those_of_the_rules_page(situation, reply):
    game = situation()
    (seat,) = game.deciders()
    assert game.default(seat) == reply


def test_the_first_set_counts_jokers_last():
    game = position("alaska", hands=["joker_1 joker_2 alaska quebec india"])
    assert game.default(0) == {"cards": ["alaska", "quebec", "joker_1"]}


def test_the_default_set_up_goes_round_and_round():
    game = new_game()
    own = game.decision(0).limits["territories"]
    spread = game.default(0)["armies"]
    each, more = divmod(35 - len(own), len(own))
    assert [spread[name] for name in own] == [each + 1] * more + [each] * (len(own) - more)


def test_a_default_set_up_by_turns_begins_anew_each_time():
    game = new_game(setup="in_turn")
    own = game.decision(0).limits["territories"]
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


SMALL = [
    lambda: to_attack(attack_mode="single"),
    to_defend,
    to_occupy,
    to_fortify,
]


@pytest.mark.parametrize("situation", SMALL)
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


PAGE = Path(__file__).parents[3] / "referee" / "games" / "world_war" / "rules.md"


@pytest.mark.parametrize("name", ["setup", "deploy"])
def test_the_placements_of_the_page_add_up(name):
    section = PAGE.read_text(encoding="utf-8").partition(f"### `{name}`")[2]
    block = section.partition("```json\n")[2].partition("```")[0]
    first, second = block.split('{"id"')
    limits, placed = json.loads(first)["limits"], json.loads('{"id"' + second)["move"]["armies"]
    held = len(limits["territories"])
    brought = {held // 3} if name == "deploy" else {total - held for total in (35, 30, 25, 20)}
    assert limits["armies"] in brought
    assert sum(placed.values()) == limits["armies"]
    assert set(placed) <= set(limits["territories"])
