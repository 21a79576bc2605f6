"""The JSON Schemas of Duel's four decisions."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_DRAFT = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
_LONGEST = 9


def _ladder(description: str, suits: str, least: int) -> Schema:
    bounds = {"minItems": least, "maxItems": _LONGEST, "uniqueItems": True}
    item = {
        "description": "Suit letter and number.",
        "type": "string",
        "pattern": f"^[{suits}][1-9]$",
    }
    return {"description": description, "type": "array", "items": item, **bounds}


def _form(description: str, properties: Mapping[str, Any]) -> Schema:
    return {"description": description, "properties": properties, "required": [*properties]}


def _action(name: str) -> Schema:
    return {"description": "The action.", "const": name}


_CHOOSE_TRAIT = {
    **_DRAFT,
    **_form(
        "The trait to fence with, one of the two rolled.",
        {"trait": {"description": "Its number.", "type": "integer", "minimum": 1, "maximum": 8}},
    ),
}
_POTENTIATOR = {
    "description": "The potentiator of the hand that goes into play.",
    "type": "string",
    "pattern": "^[BEOC]1[0-2]$",
}
_ACTION = {
    **_DRAFT,
    "description": "One action of the turn. Fields the stated action does not use are ignored.",
    "oneOf": [
        _form(
            "Attack with a ladder of clubs or of swords.",
            {"action": _action("attack"), "cards": _ladder("The ladder.", "BE", 1)},
        ),
        _form("Put a potentiator into play.", {"action": _action("observe"), "card": _POTENTIATOR}),
        _form("Win back stamina by a die, for 1 fencing.", {"action": _action("breathe")}),
        _form("Win back dexterity by a die, for 1 fencing.", {"action": _action("footwork")}),
        _form("Draw until the hand equals fencing.", {"action": _action("feint")}),
        _form("End the turn; not as its first action.", {"action": _action("end_turn")}),
    ],
}
_DEFEND = {
    **_DRAFT,
    **_form(
        "A parry, a moulinet, or nothing against the attack.",
        {"cards": _ladder("A ladder of coins or of cups, or empty.", "OC", 0)},
    ),
}
_EMERGENCY_PARRY = {
    **_DRAFT,
    **_form(
        "Whether to pay 2 stamina for standing fast.",
        {"use": {"description": "Whether the retreat is cancelled.", "type": "boolean"}},
    ),
}

DECISIONS: Mapping[str, Schema] = {
    "choose_trait": _CHOOSE_TRAIT,
    "action": _ACTION,
    "defend": _DEFEND,
    "emergency_parry": _EMERGENCY_PARRY,
}
