"""The anchor of a league: a bot whose strength on Elo's scale is known, and what it is."""

import math
from collections.abc import Collection, Mapping

from arena.text import composed
from protocol.errors import ArenaError
from referee.rules.options import suggestion


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
