"""Why bots are suspended, as it is stored, and what can be done about it."""

import re

from arena.league.bot import Bot
from arena.league.hints import advice
from referee.limits import Limits

_TOO_SLOW = re.compile(r"forfeited \d+ matches in a row for want of time")


def is_too_slow(why: str) -> bool:
    """Whether a bot was suspended for being too slow, by the reason that is stored.

    The rule itself is in `arena/play/forfeits.py`.
    """
    return bool(_TOO_SLOW.fullmatch(why))


def suspended(bot: Bot, why: str, limits: Limits) -> str:
    """Return why a bot of a league was suspended, and what to do if that is known."""
    slow = " Make it faster, take it out, or make a league with a larger move_time."
    return f"it {why}.{slow if is_too_slow(why) else advice(bot, why, limits)}"
