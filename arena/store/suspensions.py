"""Why bots of a league do not play, as it is stored, and what can be done about it."""

import re
from collections.abc import Iterator

from arena.league.bot import Bot
from arena.league.hints import advice
from arena.league.plan import LeaguePlan
from arena.store.rows import BotVersion
from arena.store.store import Store
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


def suspensions(league: LeaguePlan, store: Store) -> dict[str, str]:
    """Return the same by name of all bots of a league that are suspended, as they are now."""
    bots = {BotVersion(bot.name, bot.version): bot for bot in league.bots}
    return {
        bot.name: suspended(bots[bot], why, league.limits_of(bots[bot]))
        for bot, why in store.bots.suspensions().items()
        if bot in bots
    }


def suspension(bot: str, why: str) -> str:
    """Return what a reader of a bot's results should know, given why it was suspended."""
    return f"{bot} was suspended: {why}"


def not_playing(league: LeaguePlan, store: Store | None) -> Iterator[tuple[str, str]]:
    """Yield the bots of a league that play no more, or not now, each with why, in sentences.

    They are those that are disqualified, cannot be run, or are suspended. Without a store, nothing
    was played yet.
    """
    yield from ((bot.name, bot.remark) for bot in league.disqualified)
    yield from ((bot.name, bot.remark) for bot in league.lost)
    for name, why in (suspensions(league, store) if store else {}).items():
        yield name, suspension(name, why)
