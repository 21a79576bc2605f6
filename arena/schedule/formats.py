"""The formats of leagues, by name: who plays whom. A new one is a module and two lines here."""

from collections.abc import Mapping
from typing import Literal

from arena.schedule.format_kinds import InRounds, Plain
from referee.lazy import Lazy

FormatName = Literal[
    "round-robin", "gauntlet", "swiss", "knockout", "double-elimination", "settled"
]

FORMATS: Mapping[str, Plain | InRounds] = Lazy(
    {
        "round-robin": "arena.schedule.plain_formats:ROUND_ROBIN",
        "gauntlet": "arena.schedule.plain_formats:GAUNTLET",
        "swiss": "arena.schedule.swiss:SWISS",
        "knockout": "arena.schedule.elimination:KNOCKOUT",
        "double-elimination": "arena.schedule.elimination:DOUBLE_ELIMINATION",
        "settled": "arena.schedule.settled:SETTLED",
    }
)
"""Most commands need one of them."""

USUAL_DEALS: Mapping[FormatName, int] = {
    "round-robin": 50,
    "gauntlet": 50,
    "swiss": 10,
    "knockout": 10,
    "double-elimination": 10,
    "settled": 50,
}
"""The deals of a line-up, where a league's file does not say."""
