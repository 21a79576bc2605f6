"""What a league's file may ask of a bracket, and what of it cannot be meant."""

from typing import Annotated, Literal

import msgspec

from protocol.errors import ArenaError

Seeding = Literal["drawn", "file", "rating"]
Decide = Literal["deals", "sure"]


class BracketOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of all formats that have a bracket."""

    seeding: Seeding = "drawn"
    """By lot, in the order of the league's file, or by a round-robin that is played first."""
    seeding_deals: Annotated[int, msgspec.Meta(ge=1)] = 1
    """How many deals of each line-up that round-robin has."""
    advance: Annotated[int, msgspec.Meta(ge=1)] = 1
    """How many of a table go on."""
    decide: Decide = "deals"
    """Whether a tie has so many deals, or as many as make sure who is better."""
    tiebreak_deals: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """How many deals an equal tie plays beyond, one at a time; None for as many again."""
    most_deals: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """How many deals `sure` plays at most; None for 20 times the deals of a tie."""


def check_bracket(options: BracketOptions, seats: int) -> None:
    """Raise ArenaError if no bracket of so many seats can have these options."""
    if options.advance >= seats:
        raise ArenaError(
            f"advance = {options.advance} lets all {seats} bots of a table go on: "
            f"it must be less than {seats}."
        )
    if options.seeding_deals != 1 and options.seeding != "rating":
        raise ArenaError(
            'seeding_deals is for seeding = "rating", which plays a round-robin: take it out.'
        )
    if options.decide == "sure" and seats != 2:
        raise ArenaError(
            f'decide = "sure" compares two bots; at tables of {seats} seats use decide = "deals".'
        )
    if options.decide == "sure" and options.tiebreak_deals is not None:
        raise ArenaError(
            'tiebreak_deals is for decide = "deals": take it out, or bound "sure" by most_deals.'
        )
    if options.most_deals is not None and options.decide != "sure":
        raise ArenaError(
            'most_deals bounds the deals of decide = "sure": take it out, or set tiebreak_deals.'
        )
