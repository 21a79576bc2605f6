"""The settings of a league: keys at the top of its file, options of `arena init`, words of a call.

A setting is a field of `Settings`, and nothing else: its type and default, what `arena init` says
of it, and the comment that it gets in `league.toml`.
"""

import math
from collections.abc import Collection, Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from arena.schedule.deal import DEALS_LIMIT, Rotations
from arena.schedule.formats import USUAL_DEALS, FormatName
from arena.text import composed
from protocol.errors import ArenaError
from referee.rules.options import fields, suggestion

Mirror = bool | Literal["even remote"]
_Count = Annotated[int, Meta(ge=1)]
_USUAL = " or ".join(
    f"{deals} ({', '.join(name for name, usual in USUAL_DEALS.items() if usual == deals)})"
    for deals in sorted({*USUAL_DEALS.values()}, reverse=True)
)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The top level of `league.toml`, its tables aside, in the order in which it is written."""

    game: str
    seats: Annotated[
        Annotated[int, Meta(ge=2)] | None,
        Meta(description="Bots in a match.  [default: the game's least]"),
    ] = None
    tournament: Annotated[
        FormatName,
        Meta(
            description="Who plays whom.",
            extra={"comment": "who plays whom: see the docs"},
        ),
    ] = "round-robin"
    matches_per_bot: Annotated[
        _Count | None,
        Meta(
            description="Instead of --deals: so many for every bot, to within one deal.",
            extra={"comment": "to within one deal"},
        ),
    ] = None
    deals: Annotated[
        Annotated[int, Meta(ge=1, le=DEALS_LIMIT)] | None,
        Meta(description=f"Deals for each line-up.  [default: {_USUAL}]"),
    ] = None
    share: Annotated[
        Annotated[float, Meta(gt=0, le=1)],
        Meta(
            description="Part of the deals that is played.",
            extra={"comment": "the part of the deals that is played"},
        ),
    ] = 1.0
    matches: Annotated[
        _Count | None,
        Meta(
            description="Play no more than so many matches.",
            extra={"comment": "no more are played"},
        ),
    ] = None
    seed: Annotated[
        int | str,
        Meta(
            description="All chance comes from it.  [default: a new one, written into the file]",
            extra={"comment": "all chance comes from it; keep it secret"},
        ),
    ]
    rotations: Annotated[
        Rotations,
        Meta(
            description="The orders of the seats in which a deal is played.",
            extra={"comment": "cyclic, all or one"},
        ),
    ] = "cyclic"
    mirror: Annotated[
        Mirror,
        Meta(
            description="Deal the same cards in all rotations: for authors that you trust.",
            extra={"comment": "true: a deal has the same cards in all rotations"},
        ),
    ] = False
    """Whether the rotations of a deal have the same cards; of bundled bots they always have."""
    anchor: Annotated[
        dict[str, float],
        Meta(
            description="A bot of known strength, from which all tables measure Elo.",
            extra={"comment": "its strength, for an Elo column"},
        ),
    ] = {}


def comment_of(name: str) -> str:
    """Return the comment that a setting gets in a league's file; it may be empty."""
    info = msgspec.inspect.type_info(fields(Settings)[name].type)
    extra = info.extra if isinstance(info, msgspec.inspect.Metadata) else None
    return str((extra or {}).get("comment", ""))


def anchor_of(key: Mapping[str, float]) -> tuple[str, float] | None:
    """Return the bot and its points that the key `anchor` of a league names; None without one."""
    return next(((composed(bot), points) for bot, points in key.items()), None)


def check_anchor(key: Mapping[str, float], bots: Collection[str]) -> None:
    """Raise ArenaError unless the key names one of the bots, and its points, or nothing."""
    if len(key) > 1:
        raise ArenaError(f"anchor names one bot, such as {{ stockfish = 3600 }}, not {len(key)}.")
    for bot, points in key.items():
        if not math.isfinite(points):
            raise ArenaError(f"anchor gives {bot!r} {points:g} points: it takes a number.")
        if composed(bot) not in bots:
            known = suggestion(bot, bots) if bots else "It has none yet."
            raise ArenaError(f"anchor: there is no bot {bot!r} in the league. {known}")
