"""The bots and the people of a league as an organizer sees them."""

from pathlib import Path

import msgspec

from arena.league.bot import LostBot
from arena.serve.views import reading
from arena.store.rows import BotVersion
from arena.store.suspensions import suspended


class RosterRow(msgspec.Struct, frozen=True, kw_only=True):
    """A bot of the league, and whether it plays."""

    bot: str
    state: str
    """`plays`, `suspended`, `cannot be run` or `disqualified`."""
    why: str = ""
    """Why it does not play, all of it; empty if it does."""


class PersonRow(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who has a token."""

    name: str
    role: str
    since: str
    bots: list[str]
    invitation: int | None
    """By which the person came."""


def roster_view(folder: Path) -> list[RosterRow]:
    """Return the bots of a league; raise ArenaError if it cannot be read."""
    with reading(folder) as (league, store):
        reasons = store.bots.suspensions() if store is not None else {}
        rows = [
            RosterRow(bot=gone.name, state="disqualified", why=gone.reason)
            for gone in league.disqualified
        ]
        for bot in league.bots:
            why = reasons.get(BotVersion(bot.name, bot.version), "")
            if isinstance(bot, LostBot):
                rows.append(RosterRow(bot=bot.name, state="cannot be run", why=str(bot.problem)))
            elif why:
                said = suspended(bot, why, league.limits_of(bot))
                rows.append(RosterRow(bot=bot.name, state="suspended", why=said))
            else:
                rows.append(RosterRow(bot=bot.name, state="plays"))
    return sorted(rows, key=lambda row: (row.state == "plays", row.bot))
