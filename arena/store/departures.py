"""Versions of bots that were replaced while slow matches of theirs were on their way.

They finish these, and begin no others: an author could else call off what his bot is losing, by a
new version of it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from arena.league.bot import Bot, LostBot
from arena.league.plan import LeaguePlan
from arena.schedule.deal import BotIndex, Deal
from arena.store.flights import entered, plans
from protocol.errors import ArenaError


class Departures(NamedTuple):
    """What replaced versions are to finish."""

    bots: tuple[Bot, ...] = ()
    """These versions, which are numbered from the league's own bots on."""
    matches: Mapping[str, tuple[Deal, int]] = {}
    """By the id of a match its deal, with the numbers of these bots, and its rotation."""
    lost: tuple[str, ...] = ()
    """The ids of matches that nobody can finish: of versions whose files are not there any more,
    and of bots that were taken out of the league."""


def departures(league: LeaguePlan) -> Departures:
    """Return what is to be finished of the matches that are in flight in a league.

    Raises RunError if that cannot be read.
    """
    begun = plans(league.folder)
    if not begun:
        return Departures()
    numbers = {
        (bot.key, bot.version): BotIndex(number)
        for number, bot in enumerate(league.bots)
        if not isinstance(bot, LostBot)
    }
    keys = {bot.key for bot in league.bots}
    if all(bot in numbers for plan in begun.values() for bot in plan.lineup):  # as nearly always
        return Departures()
    kept = entered(league.folder)
    bots: list[Bot] = []
    matches: dict[str, tuple[Deal, int]] = {}
    lost = []
    for match, plan in begun.items():
        gone = [bot for bot in plan.lineup if bot not in numbers]
        if not all(key in keys and _is_there(kept.get((key, at)), at) for key, at in gone):
            lost.append(match)
            continue
        for bot in gone:
            numbers[bot] = BotIndex(len(league.bots) + len(bots))
            bots.append(kept[bot])
        if gone or any(numbers[bot] >= len(league.bots) for bot in plan.lineup):
            lineup = tuple(numbers[bot] for bot in plan.lineup)
            matches[match] = Deal(lineup, plan.number, plan.is_mirrored), plan.rotation
    return Departures(tuple(bots), matches, tuple(lost))


def _is_there(bot: Bot | None, version: str) -> bool:
    """Return whether a bot can still be run as what it was: its files may be others, or gone."""
    try:
        return bot is not None and bot.version == version
    except ArenaError:
        return False
