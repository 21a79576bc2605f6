"""The forms of World War's replies."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from referee.games.world_war.battle import MOST_DICE, MOST_ROLLS
from referee.games.world_war.board import CARDS, TERRITORIES
from referee.games.world_war.cards import SET
from referee.rules.field import UNIQUE
from referee.rules.form import Form

_Territory = Annotated[
    str,
    Meta(
        title="a territory of the board",
        pattern=f"^({'|'.join(TERRITORIES)})$",
        examples=["alaska"],
    ),
]
_Card = Annotated[
    str,
    Meta(title="a card", pattern=f"^({'|'.join(CARDS)})$", examples=["alaska", "joker_1"]),
]
_Armies = Annotated[
    dict[_Territory, Annotated[int, Meta(ge=0)]],
    Meta(description="Armies by territory; a territory left out gets none."),
]
_From = Annotated[_Territory, Meta(description="An own territory with two armies at least.")]
_Dice = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MOST_DICE})]
_Rolls = Annotated[
    int,
    Meta(
        description="The most rolls of this order.",
        extra_json_schema={"minimum": 1, "maximum": MOST_ROLLS},
    ),
]
_StopAt = Annotated[
    int,
    Meta(
        description="The order is over once so few armies, or fewer, are left in `from`.",
        extra_json_schema={"minimum": 1},
    ),
]
_WHAT = Meta(description="What is done.")


class Placement(Form, forbid_unknown_fields=True):
    """The first armies, `limits.armies` in all, on own territories."""

    armies: _Armies


class Trade(Form, forbid_unknown_fields=True):
    """A set to exchange for armies, or no cards to keep all, if one may."""

    cards: Annotated[
        list[Annotated[_Card, Meta(description="A territory's card or a joker.")]],
        UNIQUE,
        Meta(
            description="Three cards of the hand in any order, or none.",
            extra_json_schema={"oneOf": [{"minItems": SET, "maxItems": SET}, {"maxItems": 0}]},
        ),
    ]


class Deploy(Form, forbid_unknown_fields=True):
    """All reinforcements of the turn, `limits.armies` in all, on own territories."""

    armies: _Armies


class Combat(Form, forbid_unknown_fields=True):
    """An attack on a neighbour's territory, or the end of the combats."""


class SingleAttack(Combat):
    """Attack, with `attack_mode` single."""

    action: Annotated[Literal["attack"], _WHAT]
    from_: _From = msgspec.field(name="from")
    to: Annotated[_Territory, Meta(description="A neighbouring territory of another seat.")]
    dice: Annotated[
        _Dice,
        Meta(description="The most dice thrown in a roll, at most one less than the armies there."),
    ]


class OrderAttack(SingleAttack):
    """Attack, with `attack_mode` order."""

    rolls: _Rolls
    stop_at: _StopAt


class AnyAttack(SingleAttack):
    """Attack, by the option `attack_mode`."""

    shapes = (OrderAttack, SingleAttack)

    rolls: _Rolls | UnsetType = UNSET
    stop_at: _StopAt | UnsetType = UNSET


class Stop(Combat):
    """End the combats."""

    action: Annotated[Literal["stop"], _WHAT]


class Defend(Form, forbid_unknown_fields=True):
    """The defence of one's own territory against an attack."""

    dice: Annotated[
        _Dice,
        Meta(description="The most dice thrown in a roll, at most the armies there."),
    ]


class Occupy(Form, forbid_unknown_fields=True):
    """Armies that follow into the territory just conquered."""

    armies: Annotated[
        int,
        Meta(
            description="How many more go; one army at least stays behind.",
            extra_json_schema={"minimum": 0},
        ),
    ]


class Fortify(Form, forbid_unknown_fields=True):
    """The one move of armies that ends the turn."""


class MoveArmies(Fortify):
    """Move armies to a neighbour."""

    action: Annotated[Literal["move"], _WHAT]
    from_: _From = msgspec.field(name="from")
    to: Annotated[_Territory, Meta(description="A neighbouring territory of one's own.")]
    armies: Annotated[
        int,
        Meta(
            description="How many go; one army at least stays behind.",
            extra_json_schema={"minimum": 1},
        ),
    ]


class Stay(Fortify):
    """Leave all armies where they are."""

    action: Annotated[Literal["stay"], _WHAT]


DECISIONS = {
    "setup": Placement,
    "trade": Trade,
    "deploy": Deploy,
    "attack": AnyAttack | Stop,
    "defend": Defend,
    "occupy": Occupy,
    "fortify": MoveArmies | Stay,
}
