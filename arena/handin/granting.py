"""What a bot that is handed in is granted of what it needs."""

from dataclasses import replace

import msgspec

from arena.league.bot import Bot
from arena.league.plan import LeaguePlan
from protocol.errors import ArenaError


def granted(plan: LeaguePlan, bot: Bot, entered_as: str) -> Bot:
    """Return a bot with what the one before it was granted, and what any bot may have.

    Whether it is remote is its own: the one before it may have been another kind.

    `entered_as` is the name under which the one before it entered, whatever it is called by now.
    """
    before = plan.grant_of(plan.names.get(entered_as, entered_as))
    more = bot.needs.beyond(before.of(plan.limits)).within(plan.hand_in.most)
    try:
        grant = before.plus(more)
        grant.of(plan.limits)
    except ArenaError:  # they do not go together: `unmet` says what it needs and has not
        grant = before
    may = plan.hand_in.most.remote or before.remote
    remote = True if bot.remote_digest and bot.needs.remote and may else None
    return replace(bot, grant=msgspec.structs.replace(grant, remote=remote))
