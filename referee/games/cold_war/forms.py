"""The forms of Cold War's replies."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from referee.games.cold_war.seats import REACH
from referee.rules.form import Form

_THE_KIND = Meta(description="The kind of play.")
_FOUR = Meta(min_length=4, max_length=4, extra_json_schema={"contains": {"const": 0}})


class Talk(Form):
    """A public message, shown to all when the four are in."""

    say: Annotated[
        str,
        Meta(
            description='The message; "" is silence. Of the characters that print and plain'
            " spaces, the first `talk_chars` are kept."
        ),
    ]


class Play(Form):
    """The play of this round. Fields the stated play does not use are ignored."""


class Arm(Play):
    """Gain four missiles and deploy."""

    play: Annotated[Literal["arm"], _THE_KIND]
    add: Annotated[
        list[Annotated[int, Meta(ge=0, le=REACH)]],
        _FOUR,
        Meta(
            description="Missiles added to the marker aimed at each seat, 0 at one's own; they add"
            " up to at most 12 and at most one's reserve + 4."
        ),
    ]


class Shift(Play):
    """Re-aim missiles; all 0 is a pass."""

    play: Annotated[Literal["shift"], _THE_KIND]
    move: Annotated[
        list[Annotated[int, Meta(ge=-REACH, le=REACH)]],
        _FOUR,
        Meta(
            description="Change of the marker aimed at each seat, 0 at one's own; the sum is 0, the"
            " positive entries add up to at most 12, and no marker goes below 0."
        ),
    ]


class Attack(Play):
    """Offer an alliance."""

    play: Annotated[Literal["attack"], _THE_KIND]
    with_: Annotated[
        int,
        Meta(
            description="The ally sought, not the victim: a seat other than one's own.", ge=0, le=3
        ),
    ] = msgspec.field(name="with")


DECISIONS = {"talk": Talk, "play": Arm | Shift | Attack}
