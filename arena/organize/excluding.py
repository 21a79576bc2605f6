"""Bots that an organizer excludes from a league, and lets in again."""

from pathlib import Path

from arena.league.edit import set_keys
from arena.league.entry import check_reason
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from arena.text import composed
from protocol.errors import ArenaError


def exclude(league: Path, name: str, reason: str | None) -> LeaguePlan:
    """Disqualify a bot for a reason, or let it play again if that is None; return the league then.

    Raises ArenaError if there is no such bot, for a reason that cannot stand below a table, and
    for one that is to play again and never did otherwise.
    """
    if reason is not None:
        check_reason(reason)
    elif composed(name) not in {bot.name for bot in read_asked(league).disqualified}:
        raise ArenaError(f"{name} is not disqualified; nothing was changed.")
    return set_keys(league, name, {"disqualified": reason})
