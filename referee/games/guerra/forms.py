"""The forms of Guerra's replies."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from referee.rules.field import UNIQUE
from referee.rules.form import Form

_Card = Annotated[
    str, Meta(title="a card", pattern="^([1-7]|1[0-2])[OCEB]$", examples=["7O", "12B"])
]
_OfMany = Annotated[_Card, Meta(description="Number and suit.")]
_Cards = Annotated[list[_OfMany], UNIQUE]
_Zone = Literal["vanguard", "centre", "rearguard"]

_EXACTLY_1 = Meta(min_length=1, max_length=1)
_EXACTLY_2 = Meta(min_length=2, max_length=2)
_EXACTLY_3 = Meta(min_length=3, max_length=3)


_Rearguard = Annotated[_Cards, Meta(description="Hand cards for the rearguard.")]
_Centre = Annotated[_Cards, Meta(description="Hand cards for the centre.")]
_Vanguard = Annotated[_Cards, Meta(description="Hand cards for the vanguard.")]


class AsFirst(Form):
    """A's first deployment."""

    rearguard: Annotated[_Rearguard, _EXACTLY_3]


class BsFirst(Form):
    """B's first deployment."""

    rearguard: Annotated[_Rearguard, _EXACTLY_3]
    centre: Annotated[_Centre, _EXACTLY_2]


class AsSecond(Form):
    """A's second deployment."""

    centre: Annotated[_Centre, _EXACTLY_2]
    vanguard: Annotated[_Vanguard, _EXACTLY_1]


class BsSecond(Form):
    """B's second deployment."""

    vanguard: Annotated[_Vanguard, _EXACTLY_1]


class Deploy(Form):
    """Cards of the hand, all different, for exactly the zones asked for."""

    shapes = (AsFirst, BsFirst, AsSecond, BsSecond)

    rearguard: _Rearguard | UnsetType = UNSET
    centre: _Centre | UnsetType = UNSET
    vanguard: _Vanguard | UnsetType = UNSET


class Transfer(Form):
    """A step to an adjacent zone, or a swap with a card of that zone."""

    card: Annotated[_Card, Meta(description="The card of one's own that steps.")]
    to: Annotated[_Zone, Meta(description="The adjacent zone it steps to.")]
    swap_with: Annotated[
        _Card | None,
        Meta(description="The card of that zone that takes its place; null or absent for none."),
    ] = None


class Step(Form):
    """One card's step."""

    card: Annotated[_Card, Meta(description="A card of one's own.")]
    to: Annotated[_Zone, Meta(description="The adjacent zone it steps to.")]


_THE_ORDER = Meta(description="The order given.")
_Transfers = Annotated[
    list[Transfer],
    Meta(
        description="Carried out first; at most as many as the option `transfers` allows.",
        extra_json_schema={"maxItems": 2},
    ),
]


class Orders(Form):
    """What to do this turn. Fields the stated action does not use are ignored."""


class Attack(Orders):
    """Transfer, then attack."""

    action: Annotated[Literal["attack"], _THE_ORDER]
    transfers: _Transfers = msgspec.field(default_factory=list)


class Incorporate(Orders, kw_only=True):
    """Transfer, then put one card of the hand on the table."""

    action: Annotated[Literal["incorporate"], _THE_ORDER]
    transfers: _Transfers = msgspec.field(default_factory=list)
    card: Annotated[_Card, Meta(description="The card of the hand.")]
    zone: Annotated[_Zone, Meta(description="The zone it goes to.")]


class MassTransfer(Orders):
    """Move any number of cards one step each."""

    action: Annotated[Literal["mass_transfer"], _THE_ORDER]
    moves: Annotated[
        list[Step],
        Meta(
            description="The steps, of different cards, taken all at once.",
            min_length=1,
            extra_json_schema={"maxItems": 40, "uniqueItems": True},
        ),
    ]


def _of(numbers: str) -> Meta:
    """Return what narrows the cards in a schema to these numbers."""
    return Meta(extra_json_schema={"pattern": f"^{numbers}[OCEB]$"})


_Knight = Annotated[
    list[Annotated[_OfMany, _of("11")]], UNIQUE, _EXACTLY_1, Meta(description="The Knight.")
]
_NoTarget = Annotated[None, Meta(description="No target.")]


class Stop(Form):
    """Stop."""

    attackers: Annotated[list[_Card], Meta(description="Nobody.", max_length=0)]
    target: _NoTarget


class GroupAttack(Form):
    """An attack by Soldiers and Captains on one card."""

    attackers: Annotated[
        list[Annotated[_OfMany, _of("([2-7]|12)")]],
        UNIQUE,
        Meta(
            description="The group; of its strongest cards that can be hurt, the one named first"
            " lives.",
            min_length=1,
            max_length=28,
        ),
    ]
    target: Annotated[_Card, Meta(description="The enemy card attacked.")]


class Sweep(Form):
    """A sweep."""

    attackers: _Knight
    target: _NoTarget


class KnightDuel(Form):
    """A duel."""

    attackers: _Knight
    target: Annotated[_Card, Meta(description="The enemy Knight."), _of("11")]


class Shot(Form):
    """An aimed shot, with the option `archers`."""

    attackers: Annotated[
        list[Annotated[_OfMany, _of("10")]],
        UNIQUE,
        _EXACTLY_1,
        Meta(description="The Archer, of Vanguard or Centre."),
    ]
    target: Annotated[_Card, Meta(description="A card of the enemy's Vanguard or Centre.")]


class Assault(Form):
    """One attack by cards of the foremost zone on the enemy's foremost zone, or the end of them."""

    shapes = (Stop, GroupAttack, Sweep, KnightDuel, Shot)

    attackers: _Cards
    target: _Card | None


class Discard(Form):
    """The surplus over seven cards in hand, which goes to the cemetery."""

    cards: Annotated[
        _Cards,
        Meta(
            description="The one card given up.",
            extra_json_schema={"minItems": 1, "maxItems": 1},
        ),
    ]


DECISIONS = {
    "deploy": Deploy,
    "orders": Attack | Incorporate | MassTransfer,
    "attack": Assault,
    "discard": Discard,
}
