"""The forms of Duel's replies."""

from typing import Annotated, Literal

from msgspec import Meta

from referee.rules.field import UNIQUE
from referee.rules.form import Form

LONGEST = 9

_Card = Annotated[
    str, Meta(title="a card", pattern="^[BEOC]([1-9]|1[0-2])$", examples=["B7", "O12"])
]
_Attacker = Annotated[
    _Card, Meta(description="Suit and number.", extra_json_schema={"pattern": "^[BE][1-9]$"})
]
_Defender = Annotated[
    _Card, Meta(description="Suit and number.", extra_json_schema={"pattern": "^[OC][1-9]$"})
]
_THE_ACTION = Meta(description="The action.")


class ChooseTrait(Form):
    """The trait to fence with, one of the two rolled."""

    trait: Annotated[
        int, Meta(description="Its number.", extra_json_schema={"minimum": 1, "maximum": 8})
    ]


class Action(Form):
    """One action of the turn. Fields the stated action does not use are ignored."""


class Attack(Action):
    """Attack with a ladder of clubs or of swords."""

    action: Annotated[Literal["attack"], _THE_ACTION]
    cards: Annotated[
        list[_Attacker],
        UNIQUE,
        Meta(description="The ladder.", min_length=1, extra_json_schema={"maxItems": LONGEST}),
    ]


class Observe(Action):
    """Put a potentiator into play."""

    action: Annotated[Literal["observe"], _THE_ACTION]
    card: Annotated[
        _Card,
        Meta(
            description="The potentiator of the hand that goes into play.",
            extra_json_schema={"pattern": "^[BEOC]1[0-2]$"},
        ),
    ]


class Breathe(Action):
    """Win back stamina by a die, for 1 fencing."""

    action: Annotated[Literal["breathe"], _THE_ACTION]


class Footwork(Action):
    """Win back dexterity by a die, for 1 fencing."""

    action: Annotated[Literal["footwork"], _THE_ACTION]


class Feint(Action):
    """Draw until the hand equals fencing."""

    action: Annotated[Literal["feint"], _THE_ACTION]


class EndTurn(Action):
    """End the turn; not as its first action."""

    action: Annotated[Literal["end_turn"], _THE_ACTION]


class Defend(Form):
    """A parry, a moulinet, or nothing against the attack."""

    cards: Annotated[
        list[_Defender],
        UNIQUE,
        Meta(
            description="A ladder of coins or of cups, or empty.",
            extra_json_schema={"maxItems": LONGEST},
        ),
    ]


class EmergencyParry(Form):
    """Whether to pay 2 stamina for standing fast."""

    use: Annotated[bool, Meta(description="Whether the retreat is cancelled.")]


DECISIONS = {
    "choose_trait": ChooseTrait,
    "action": Attack | Observe | Breathe | Footwork | Feint | EndTurn,
    "defend": Defend,
    "emergency_parry": EmergencyParry,
}
