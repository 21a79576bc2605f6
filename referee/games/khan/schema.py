"""The JSON Schemas of Khan's eight decisions."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_DRAFT = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}


def _card(description: str, ranks: str = "([EBO][1-9]|C1[0-2]?)") -> Schema:
    return {"description": description, "type": "string", "pattern": f"^{ranks}$"}


def _cards(description: str, least: int, most: int) -> Schema:
    item = _card("Suit and rank.")
    return {
        "description": description,
        "type": "array",
        "items": item,
        "minItems": least,
        "maxItems": most,
    }


def _const(description: str, value: Any) -> Schema:
    return {"description": description, "const": value}


def _form(description: str, properties: Mapping[str, Any], *required: str) -> Schema:
    return {"description": description, "properties": properties, "required": [*required]}


def _decision(description: str, *forms: Schema) -> Schema:
    return {**_DRAFT, "description": description, "oneOf": [*forms]}


def _one(form: Schema) -> Schema:
    return {**_DRAFT, **form}


TURN = _decision(
    "What to do this turn.",
    _form("Draw a token and a card.", {"action": _const("A peaceful turn.", "draw")}, "action"),
    _form(
        "Attack a seat.",
        {
            "action": _const("A combat.", "attack"),
            "target": {
                "description": "Any other seat.",
                "type": "integer",
                "minimum": 0,
                "maximum": 4,
            },
        },
        "action",
        "target",
    ),
)
DISCARD = _decision(
    "The card given up, after a fifth card came to the hand.",
    _form(
        "A card of the hand.",
        {
            "discard": _card("The card given up, the one just drawn included."),
            "from": _const("It is in the hand.", "hand"),
            "replacement": {"description": "None; null or absent.", "type": "null"},
        },
        "discard",
        "from",
    ),
    _form(
        "A face-up card.",
        {
            "discard": _card("The card given up."),
            "from": _const("It lies face up.", "front"),
            "replacement": _card("The card of the hand that takes its place."),
        },
        "discard",
        "from",
        "replacement",
    ),
)
REVEAL = _one(
    _form(
        "What is shown in this round, nothing or exactly one formation; the order means nothing.",
        {"cards": _cards("None, or three, two or one card in rounds 1, 2 and 3.", 0, 3)},
        "cards",
    )
)
_KEEP = {"use": _const("Keep it.", False)}
GUNPOWDER = _decision(
    "Whether to declare O1 now.",
    _form("Keep it.", _KEEP, "use"),
    _form(
        "Destroy two cards.",
        {
            "use": _const("Declare it.", True),
            "discard": {**_cards("Two of the enemy's vanguard.", 2, 2), "uniqueItems": True},
        },
        "use",
        "discard",
    ),
)


def _whether(description: str) -> Schema:
    use = {"description": "Whether it is declared.", "type": "boolean"}
    return _one(_form(description, {"use": use}, "use"))


POISON = _whether("Whether to declare C1 now and discard the enemy's leader.")
RETREAT = _whether("Whether to declare E1 now, and keep all other cards after this defeat.")
REPLACE_LEADER = _one(
    _form(
        "The heir of a poisoned leader.",
        {
            "card": {
                **_card("A leader of the hand; null for none.", "C1[0-2]"),
                "type": ["string", "null"],
            }
        },
        "card",
    )
)
PLACE_FRONT = _one(
    _form(
        "The cards turned face up after a combat.",
        {"cards": _cards("Any two of one's cards; the order means nothing.", 2, 2)},
        "cards",
    )
)

DECISIONS: Mapping[str, Schema] = {
    "turn": TURN,
    "discard": DISCARD,
    "reveal": REVEAL,
    "gunpowder": GUNPOWDER,
    "poison": POISON,
    "replace_leader": REPLACE_LEADER,
    "retreat": RETREAT,
    "place_front": PLACE_FRONT,
}
