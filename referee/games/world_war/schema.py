"""The JSON Schemas of World War's seven decisions."""

from collections.abc import Mapping
from typing import Any

from referee.games.world_war.battle import MOST_DICE, MOST_ROLLS
from referee.games.world_war.board import CARDS, TERRITORIES
from referee.games.world_war.cards import SET

Schema = dict[str, Any]

_DRAFT = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}


def _form(description: str, properties: Mapping[str, Any]) -> Schema:
    return {
        "description": description,
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


def _named(description: str, names: tuple[str, ...]) -> Schema:
    return {"description": description, "type": "string", "pattern": f"^({'|'.join(names)})$"}


def _whole(description: str, least: int = 1, most: int | None = None) -> Schema:
    bounds = {"minimum": least} if most is None else {"minimum": least, "maximum": most}
    return {"description": description, "type": "integer", **bounds}


def _action(name: str) -> Schema:
    return {"description": "What is done.", "const": name}


def _decision(form: Schema) -> Schema:
    return {**_DRAFT, **form}


def _either(description: str, *forms: Schema) -> Schema:
    return {**_DRAFT, "description": description, "oneOf": [*forms]}


def _placement(description: str) -> Schema:
    armies = {
        "description": "Armies by territory; a territory left out gets none.",
        "type": "object",
        "propertyNames": {"enum": [*TERRITORIES]},
        "additionalProperties": {"type": "integer", "minimum": 0},
    }
    return _decision(_form(description, {"armies": armies}))


_FROM = _named("An own territory with two armies at least.", TERRITORIES)
_STOP = _form("End the combats.", {"action": _action("stop")})
_STAY = _form("Leave all armies where they are.", {"action": _action("stay")})

SETUP = _placement("The first armies, `limits.armies` in all, on own territories.")
TRADE = _decision(
    _form(
        "A set to exchange for armies, or no cards to keep all, if one may.",
        {
            "cards": {
                "description": "Three cards of the hand in any order, or none.",
                "type": "array",
                "items": _named("A territory's card or a joker.", CARDS),
                "oneOf": [{"minItems": SET, "maxItems": SET}, {"maxItems": 0}],
                "uniqueItems": True,
            }
        },
    )
)
DEPLOY = _placement("All reinforcements of the turn, `limits.armies` in all, on own territories.")
_ATTACK = {
    "action": _action("attack"),
    "from": _FROM,
    "to": _named("A neighbouring territory of another seat.", TERRITORIES),
    "dice": _whole(
        "The most dice thrown in a roll, at most one less than the armies there.", most=MOST_DICE
    ),
}
_ORDER = {
    "rolls": _whole("The most rolls of this order.", most=MOST_ROLLS),
    "stop_at": _whole("The order is over once so few armies, or fewer, are left in `from`."),
}

ATTACK = _either(
    "An attack on a neighbour's territory, or the end of the combats.",
    _form("Attack, with `attack_mode` order.", {**_ATTACK, **_ORDER}),
    _form("Attack, with `attack_mode` single.", _ATTACK),
    _STOP,
)
DEFEND = _decision(
    _form(
        "The defence of one's own territory against an attack.",
        {
            "dice": _whole(
                "The most dice thrown in a roll, at most the armies there.", most=MOST_DICE
            )
        },
    )
)
OCCUPY = _decision(
    _form(
        "Armies that follow into the territory just conquered.",
        {"armies": _whole("How many more go; one army at least stays behind.", 0)},
    )
)
FORTIFY = _either(
    "The one move of armies that ends the turn.",
    _form(
        "Move armies to a neighbour.",
        {
            "action": _action("move"),
            "from": _FROM,
            "to": _named("A neighbouring territory of one's own.", TERRITORIES),
            "armies": _whole("How many go; one army at least stays behind."),
        },
    ),
    _STAY,
)

DECISIONS: Mapping[str, Schema] = {
    "setup": SETUP,
    "trade": TRADE,
    "deploy": DEPLOY,
    "attack": ATTACK,
    "defend": DEFEND,
    "occupy": OCCUPY,
    "fortify": FORTIFY,
}
