"""The JSON Schemas of Guerra's four decisions."""

from collections.abc import Mapping
from typing import Any

from referee.games.guerra.battle import ZONES

Schema = dict[str, Any]

_DRAFT = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
_ANY = "([1-7]|1[0-2])"


def _card(description: str, numbers: str = _ANY) -> Schema:
    return {"description": description, "type": "string", "pattern": f"^{numbers}[OCEB]$"}


def _cards(description: str, least: int, most: int, numbers: str = _ANY) -> Schema:
    bounds = {"minItems": least, "maxItems": most, "uniqueItems": True}
    item = _card("Number and suit.", numbers)
    return {"description": description, "type": "array", "items": item, **bounds}


def _zone(description: str) -> Schema:
    return {"description": description, "enum": list(ZONES)}


def _form(description: str, properties: Mapping[str, Any], *required: str) -> Schema:
    return {"description": description, "properties": properties, "required": [*required]}


def _decision(description: str, *forms: Schema) -> Schema:
    return {**_DRAFT, "description": description, "oneOf": [*forms]}


def _deployment(description: str, counts: Mapping[str, int]) -> Schema:
    asked = {zone: _cards(f"Hand cards for the {zone}.", n, n) for zone, n in counts.items()}
    absent = {zone: False for zone in ZONES if zone not in counts}
    return _form(description, {**asked, **absent}, *counts)


def _action(name: str) -> Schema:
    return {"description": "The order given.", "const": name}


_TRANSFER = {
    "type": "object",
    **_form(
        "A step to an adjacent zone, or a swap with a card of that zone.",
        {
            "card": _card("The card of one's own that steps."),
            "to": _zone("The adjacent zone it steps to."),
            "swap_with": {
                **_card("The card of that zone that takes its place; null or absent for none."),
                "type": ["string", "null"],
            },
        },
        "card",
        "to",
    ),
}
_TRANSFERS = {
    "description": "Carried out first; at most as many as the option `transfers` allows.",
    "type": "array",
    "items": _TRANSFER,
    "maxItems": 2,
}
_STEP = {
    "type": "object",
    **_form(
        "One card's step.",
        {"card": _card("A card of one's own."), "to": _zone("The adjacent zone it steps to.")},
        "card",
        "to",
    ),
}
_STEPS = {
    "description": "The steps, of different cards, taken all at once.",
    "type": "array",
    "items": _STEP,
    "minItems": 1,
    "maxItems": 40,
    "uniqueItems": True,
}

_FIGHTERS = "([2-7]|12)"
_KNIGHT = _cards("The Knight.", 1, 1, "11")
_NO_TARGET = {"description": "No target.", "type": "null"}

DEPLOY = _decision(
    "Cards of the hand, all different, for exactly the zones asked for.",
    _deployment("A's first deployment.", {"rearguard": 3}),
    _deployment("B's first deployment.", {"rearguard": 3, "centre": 2}),
    _deployment("A's second deployment.", {"centre": 2, "vanguard": 1}),
    _deployment("B's second deployment.", {"vanguard": 1}),
)
ORDERS = _decision(
    "What to do this turn. Fields the stated action does not use are ignored.",
    _form(
        "Transfer, then attack.",
        {"action": _action("attack"), "transfers": _TRANSFERS},
        "action",
    ),
    _form(
        "Transfer, then put one card of the hand on the table.",
        {
            "action": _action("incorporate"),
            "transfers": _TRANSFERS,
            "card": _card("The card of the hand."),
            "zone": _zone("The zone it goes to."),
        },
        "action",
        "card",
        "zone",
    ),
    _form(
        "Move any number of cards one step each.",
        {"action": _action("mass_transfer"), "moves": _STEPS},
        "action",
        "moves",
    ),
)
ATTACK = _decision(
    "One attack by cards of the foremost zone on the enemy's foremost zone, or the end of them.",
    _form(
        "Stop.",
        {
            "attackers": {"description": "Nobody.", "type": "array", "maxItems": 0},
            "target": _NO_TARGET,
        },
        "attackers",
        "target",
    ),
    _form(
        "An attack by Soldiers and Captains on one card.",
        {
            "attackers": _cards(
                "The group; of its strongest cards that can be hurt, the one named first lives.",
                1,
                28,
                _FIGHTERS,
            ),
            "target": _card("The enemy card attacked."),
        },
        "attackers",
        "target",
    ),
    _form("A sweep.", {"attackers": _KNIGHT, "target": _NO_TARGET}, "attackers", "target"),
    _form(
        "A duel.",
        {"attackers": _KNIGHT, "target": _card("The enemy Knight.", "11")},
        "attackers",
        "target",
    ),
    _form(
        "An aimed shot, with the option `archers`.",
        {
            "attackers": _cards("The Archer, of Vanguard or Centre.", 1, 1, "10"),
            "target": _card("A card of the enemy's Vanguard or Centre."),
        },
        "attackers",
        "target",
    ),
)
DISCARD = {
    **_DRAFT,
    **_form(
        "The surplus over seven cards in hand, which goes to the cemetery.",
        {"cards": _cards("The one card given up.", 1, 1)},
        "cards",
    ),
}

DECISIONS: Mapping[str, Schema] = {
    "deploy": DEPLOY,
    "orders": ORDERS,
    "attack": ATTACK,
    "discard": DISCARD,
}
