"""Replies in Guerra: what is refused and why, what is accepted, defaults and samples."""

from itertools import chain, combinations, permutations
from random import Random

import msgspec
import pytest
from jsonschema import Draft202012Validator

from referee.games.guerra.battle import DECK, ZONES
from referee.games.guerra.game import Guerra
from tests.referee.games.guerra_positions import (
    STOP,
    at_orders,
    in_battle,
    opening,
    order_attacks,
    play,
    position,
    too_many,
)


def deployed(rearguard=("2O", "3O", "4O"), centre=("5O", "6O"), **others):
    return {"rearguard": [*rearguard], "centre": [*centre], **others}


def attack(*attackers, target=None):
    return {"attackers": [*attackers], "target": target}


def transferring(*transfers):
    return {"action": "attack", "transfers": [*transfers]}


def step(card, to, **others):
    return {"card": card, "to": to, **others}


def mass(*moves):
    return {"action": "mass_transfer", "moves": [*moves]}


def incorporation(**fields):
    return {"action": "incorporate", "card": "7C", "zone": "centre"} | fields


def two_allowed():
    return at_orders(transfers=2)


def aimed():
    """Archers may shoot: 10C, which stands in front."""
    game = in_battle(archers="aimed")
    game.armies[0].cemetery.remove("10O")
    game.armies[0].zones["rearguard"]["10O"] = 0
    return game


def aimed_twice():
    """10C has shot."""
    game = aimed()
    play(game, attack("10C", target="5B"))
    return game


REFUSALS = [
    (opening, {"rearguard": ["2O", "3O", "4O"]}, '"centre" is missing'),
    (opening, {"rearguard": []}, '"rearguard" takes 3'),
    (opening, deployed(vanguard=[]), '"vanguard" is not asked for'),
    (opening, deployed(centre=["5O"]), '"centre" takes 2'),
    (opening, deployed(centre=["5O", "5O"]), "'5O' is named twice"),
    (opening, deployed(centre=["5O", "2O"]), "'2O' is named twice"),
    (opening, deployed(centre=["5O", "7B"]), "'7B' is still in your pack"),
    (opening, deployed(centre=["5O", "8O"]), "'8O' is not a card"),
    (opening, deployed(centre=["5O", "O6"]), "'O6' is not a card"),
    (at_orders, transferring({"to": "centre"}), '"card" of entry 0'),
    (at_orders, transferring({"card": "7O"}), '"to" of entry 0'),
    (at_orders, transferring(step("7O", "front")), 'must be "vanguard'),
    (at_orders, transferring(step("7O", ["centre"])), "must be"),
    (at_orders, transferring(step("7O", "rearguard")), "steps to centre"),
    (at_orders, transferring(step("7O", "vanguard")), "in your vanguard"),
    (at_orders, transferring(step("7C", "centre")), "is in your hand"),
    (at_orders, transferring(step("7E", "centre")), "your cemetery"),
    (at_orders, transferring(step("7O", "centre"), step("5E", "centre")), "allows 1"),
    (
        two_allowed,
        transferring(step("7O", "centre"), step("5E", "centre"), step("6E", "centre")),
        "allows 2",
    ),
    (
        two_allowed,
        transferring(step("5E", "centre"), step("5E", "vanguard")),
        "'5E' would move twice",
    ),
    (
        two_allowed,
        transferring(step("5E", "centre", swap_with="4C"), step("4C", "centre")),
        "'4C' would move twice",
    ),
    (
        two_allowed,
        transferring(step("5E", "centre"), step("6E", "centre", swap_with="5E")),
        "'5E' would move twice",
    ),
    (at_orders, transferring(step("5E", "centre", swap_with="5E")), "'5E' would move twice"),
    (
        at_orders,
        transferring(step("5E", "centre", swap_with="7O")),
        "a swap is with a card of centre",
    ),
    (at_orders, transferring(step("5E", "centre", swap_with="7C")), "'7C' is in your hand"),
    (at_orders, transferring(step("5E", "centre", swap_with=False)), "a boolean"),
    (at_orders, incorporation(zone="hand"), '"zone" must be'),
    (at_orders, incorporation(card="7O"), "'7O' is in your vanguard"),
    (at_orders, incorporation(card="7B"), "'7B' is still in your pack"),
    (at_orders, incorporation(transfers=[step("7O", "rearguard")]), "steps to centre"),
    (at_orders, mass(), "at least 1 entry, not 0"),
    (at_orders, mass(step("7O", "rearguard")), "steps to centre"),
    (at_orders, mass(step("5E", "centre"), step("5E", "vanguard")), "'5E' would move twice"),
    (in_battle, attack("7O", target="7c"), "'7c' is not a card"),
    (in_battle, attack(target="7C"), "no attackers are named"),
    (in_battle, attack("7O"), "attack one enemy card"),
    (in_battle, attack("7O", "7O", target="7C"), "'7O' is named twice"),
    (
        in_battle,
        attack("5O", target="7C"),
        "'5O' is in your rearguard; attacks come from your vanguard",
    ),
    (in_battle, attack("7C", target="7C"), "'7C' is in your hand"),
    (in_battle, attack("2E", target="7C"), "'2E' is in your cemetery"),
    (in_battle, attack("7B", target="7C"), "'7B' is still in your pack"),
    (in_battle, attack("4E", target="7C"), "'4E' has already attacked"),
    (in_battle, attack("1C", target="7C"), "Banner, which never attacks"),
    (in_battle, attack("10C", target="7C"), "'10C' is an Archer"),
    (in_battle, attack("7O", "11B", target="7C"), "attacks alone"),
    (in_battle, attack("11B", "11E", target="11E"), "attacks alone"),
    (in_battle, attack("7O", target="5B"), "in the enemy's centre; only"),
    (in_battle, attack("7O", target="7B"), "not on the enemy's table"),
    (in_battle, attack("11E", target="7E"), "does not attack '7E'"),
    (in_battle, attack("11E", target="11C"), "only the Knight of its suit"),
    (in_battle, attack("11B", target="11B"), "not on the enemy's table"),
    (in_battle, attack("11E"), "'11E' cannot sweep the enemy's vanguard"),
    (in_battle, attack("11B"), "holds no card of suit B"),
    (aimed, attack("7O", "10C", target="7C"), "an Archer, which shoots alone"),
    (aimed, attack("10E", target="7C"), "'10E' is in your cemetery; shots come"),
    (aimed, attack("10O", target="7C"), "'10O' is in your rearguard; shots"),
    (aimed, attack("10C"), "an Archer shoots at one enemy card"),
    (aimed, attack("10C", target="7B"), "not on the enemy's table"),
    (aimed, attack("10C", target="2B"), "in the enemy's rearguard; shots reach"),
    (aimed_twice, attack("10C", target="7C"), "'10C' has already attacked"),
    (too_many, {"cards": []}, "must name exactly 1, not 0"),
    (too_many, {"cards": ["2O", "3O"]}, "must name exactly 1, not 2"),
    (too_many, {"cards": ["2B"]}, "'2B' is in your rearguard"),
]


@pytest.mark.parametrize(("asked", "move", "reason"), REFUSALS)
def test_a_reply_is_refused_with_a_reason(asked, move, reason):
    game = asked()
    assert reason in game.refusal(game.to_move, move)


ACCEPTED = [
    ("deploy", opening, deployed()),
    ("deploy, unknown fields ignored", opening, deployed(note=1)),
    ("transfers left out", at_orders, {"action": "attack"}),
    ("swap_with null", at_orders, transferring(step("5E", "centre", swap_with=None))),
    ("swap", at_orders, transferring(step("5E", "centre", swap_with="4C"))),
    ("unused fields", at_orders, {"action": "attack", "card": 7, "zone": [], "moves": None}),
    ("incorporation", at_orders, incorporation(transfers=[step("7O", "centre")])),
    ("mass transfer", at_orders, mass(step("7O", "centre"), step("3O", "vanguard"))),
    ("unused transfers", at_orders, mass(step("7O", "centre")) | {"transfers": None}),
    ("two transfers", two_allowed, transferring(step("4C", "rearguard"), step("3O", "vanguard"))),
    ("stop", in_battle, STOP),
    ("group", in_battle, attack("7O", "3E", target="11C")),
    ("duel", in_battle, attack("11E", target="11E")),
    ("any duel", lambda: in_battle(knight_duel="any_suit"), attack("11B", target="11C")),
    ("discard", too_many, {"cards": ["2O"]}),
]


@pytest.mark.parametrize(("asked", "move"), [pytest.param(*a[1:], id=a[0]) for a in ACCEPTED])
def test_a_reply_is_accepted(asked, move):
    game = asked()
    assert game.refusal(game.to_move, move) is None
    assert Draft202012Validator(Guerra.schemas()[game.asked]).is_valid(move)


DEFAULTS = [
    (opening, {"rearguard": ["2O", "3O", "4O"], "centre": ["5O", "6O"]}),
    (at_orders, {"action": "attack", "transfers": []}),
    (in_battle, STOP),
    (too_many, {"cards": ["3C"]}),
]


@pytest.mark.parametrize(("asked", "move"), DEFAULTS)
def test_defaults_are_those_of_the_rules_page(asked, move):
    game = asked()
    assert game.default(game.to_move) == move


def as_text(move):
    return msgspec.json.encode(move, order="sorted")


def sampled(game, count=2000):
    rng = Random(1)
    return {as_text(game.sample(0, rng)) for _ in range(count)}


def groups(cards):
    return chain.from_iterable(permutations(cards, size) for size in range(len(cards) + 1))


def test_every_legal_attack_comes_up():
    game = position("V 7O 6C 11O 11E 1E / R 12B", "V 2O 3B 11E / R 2B")
    order_attacks(game)
    every = (
        attack(*group, target=target)
        for group in groups([*game.armies[0].zones["vanguard"]])
        for target in (*DECK, None)
    )
    assert sampled(game) == {as_text(move) for move in every if game.refusal(0, move) is None}


def legal_orders(game):
    """Find the legal orders of a small position among all that might be."""
    army, every = game.armies[0], DECK[:20]
    cards = [card for zone in army.zones.values() for card in zone]
    steps = [step(card, to) for card in cards for to in ZONES]
    swaps = [s | {"swap_with": other} for s in steps for other in (*cards, None)]
    transfers = [list(some) for size in range(3) for some in permutations(swaps, size)]
    incorporated = [{"card": card, "zone": zone} for card in every for zone in ZONES]
    orders = chain(
        (transferring(*some) for some in transfers),
        (incorporation(**new, transfers=some) for some in transfers for new in incorporated),
        (mass(*some) for size in range(1, 5) for some in combinations(steps, size)),
    )
    return {as_text(move) for move in orders if game.refusal(0, move) is None}


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("table", "hand", "transfers"),
    [("C 6C", "2O", 2), ("V 7O / C 6C", "2O 3O", 1), ("V 7O / C 6C 5C / R 12B", "", 2)],
)
def test_every_legal_order_comes_up(table, hand, transfers):
    game = position(table, "R 2B", hands=(hand, ""), transfers=transfers)
    assert sampled(game, 8000) == legal_orders(game)
