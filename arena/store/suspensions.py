"""Why bots are suspended, as it is stored, and what can be done about it."""

from arena.league.bot import Bot
from arena.league.hints import advice
from referee.limits import Limits

FORFEITS_IN_A_ROW = 10
"""After so many in a row a bot is named, and suspended if it was too slow.

Crashing bots are not suspended: they waste no time, and all their matches are played, whenever a
run is interrupted.
"""

FORFEITING = f"forfeited {FORFEITS_IN_A_ROW} matches in a row"
"""What is said of a bot with such a row."""

TOO_SLOW = f"{FORFEITING} for want of time"
"""Why a bot is suspended for that, as it is stored."""


def suspended(bot: Bot, why: str, limits: Limits) -> str:
    """Return why a bot of a league was suspended, and what to do if that is known."""
    slow = " Make it faster, take it out, or make a league with a larger move_time."
    return f"it {why}.{slow if why == TOO_SLOW else advice(bot, why, limits)}"
