"""The forms of Khan's replies."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from referee.rules.field import UNIQUE
from referee.rules.form import Form

_Card = Annotated[
    str, Meta(title="a card", pattern="^([EBO][1-9]|C1[0-2]?)$", examples=["E5", "C12"])
]
_OfMany = Annotated[_Card, Meta(description="Suit and rank.")]


class Turn(Form):
    """What to do this turn."""


class Draw(Turn):
    """Draw a token and a card."""

    action: Annotated[Literal["draw"], Meta(description="A peaceful turn.")]


class Attack(Turn):
    """Attack a seat."""

    action: Annotated[Literal["attack"], Meta(description="A combat.")]
    target: Annotated[
        int, Meta(description="Any other seat.", extra_json_schema={"minimum": 0, "maximum": 4})
    ]


class Discard(Form):
    """The card given up, after a fifth card came to the hand."""


class FromHand(Discard):
    """A card of the hand."""

    discard: Annotated[_Card, Meta(description="The card given up, the one just drawn included.")]
    from_: Annotated[Literal["hand"], Meta(description="It is in the hand.")] = msgspec.field(
        name="from"
    )
    replacement: Annotated[None, Meta(description="None; null or absent.")] = None


class FromFront(Discard):
    """A face-up card."""

    discard: Annotated[_Card, Meta(description="The card given up.")]
    from_: Annotated[Literal["front"], Meta(description="It lies face up.")] = msgspec.field(
        name="from"
    )
    replacement: Annotated[_Card, Meta(description="The card of the hand that takes its place.")]


class Reveal(Form):
    """What is shown in this round, nothing or exactly one formation; the order means nothing."""

    cards: Annotated[
        list[_OfMany],
        Meta(
            description="None, or three, two or one card in rounds 1, 2 and 3.",
            extra_json_schema={"maxItems": 3},
        ),
    ]


class Gunpowder(Form):
    """Whether to declare O1 now."""


class Keep(Gunpowder):
    """Keep it."""

    use: Annotated[Literal[False], Meta(description="Keep it.")]


class Explode(Gunpowder):
    """Destroy two cards."""

    use: Annotated[Literal[True], Meta(description="Declare it.")]
    discard: Annotated[
        list[_OfMany],
        UNIQUE,
        Meta(description="Two of the enemy's vanguard.", min_length=2, max_length=2),
    ]


_IS_DECLARED = Meta(description="Whether it is declared.")


class Poison(Form):
    """Whether to declare C1 now and discard the enemy's leader."""

    use: Annotated[bool, _IS_DECLARED]


class Retreat(Form):
    """Whether to declare E1 now, and keep all other cards after this defeat."""

    use: Annotated[bool, _IS_DECLARED]


class ReplaceLeader(Form):
    """The heir of a poisoned leader."""

    card: Annotated[
        _Card | None,
        Meta(
            description="A leader of the hand; null for none.",
            extra_json_schema={"pattern": "^C1[0-2]$"},
        ),
    ]


class PlaceFront(Form):
    """The cards turned face up after a combat."""

    cards: Annotated[
        list[_OfMany],
        Meta(
            description="Any two of one's cards; the order means nothing.",
            min_length=2,
            max_length=2,
        ),
    ]


DECISIONS = {
    "turn": Draw | Attack,
    "discard": FromHand | FromFront,
    "reveal": Reveal,
    "gunpowder": Keep | Explode,
    "poison": Poison,
    "replace_leader": ReplaceLeader,
    "retreat": Retreat,
    "place_front": PlaceFront,
}
