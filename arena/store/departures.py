"""Versions of bots that were replaced while slow matches of theirs were on their way.

They finish the deals that they have begun, and begin no others: an author could else call off what
his bot is losing, by a new version of it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from arena.league.bot import Bot, LostBot
from arena.league.plan import LeaguePlan
from arena.schedule.deal import BotIndex, Deal
from arena.store.under_way import entered, plans, under_way
from protocol.errors import ArenaError


class Departures(NamedTuple):
    """What replaced versions are to finish."""

    bots: tuple[Bot, ...] = ()
    """These versions, which are numbered from the league's own bots on."""
    matches: Mapping[str, tuple[Deal, int]] = {}
    """By the id of a match its deal, with the numbers of these bots, and its rotation."""
    lost: tuple[str, ...] = ()
    """The ids of matches that had begun and nobody can finish: of versions whose files are not
    there any more, of bots that were taken out, and of those that have lost their round by it."""


def answers_under_way(league: LeaguePlan, deals: Collection[str]) -> list[int]:
    """Return how many answers were given in each match under way in a slow league.

    It is one of these deals, by their ids, or to be finished by versions that were replaced:
    others may have been left under way. Raises RunError if it cannot be read.
    """
    found = under_way(league.folder)
    going = departures(league).matches.keys()
    return [
        answers
        for match, answers in found.items()
        if match in going or match.rpartition("-")[0] in deals
    ]


def departures(
    league: LeaguePlan, is_stored: Callable[[str], bool] = lambda _: False
) -> Departures:
    """Return what is to be finished of the deals that are under way in a league.

    `is_stored` says so of a match, by its id. Raises RunError if it cannot be read what is
    under way.
    """
    going_on = {
        match: found for match, found in plans(league.folder).items() if not is_stored(match)
    }
    if not going_on:
        return Departures()
    numbers = {
        (bot.key, bot.version): BotIndex(number)
        for number, bot in enumerate(league.bots)
        if not isinstance(bot, LostBot)
    }
    deals = defaultdict(list)
    for match, (plan, answers) in going_on.items():
        if any(bot not in numbers for bot in plan.lineup):
            deals[plan.lineup, plan.number].append((match, plan, answers))
    if not deals:  # as nearly always
        return Departures()
    keys = {bot.key for bot in league.bots}
    if league.goes_by_results and not league.rounds.finishes:
        keys.clear()
    kept = entered(league.folder)
    bots: list[Bot] = []
    matches: dict[str, tuple[Deal, int]] = {}
    lost: list[str] = []
    for (lineup, number), left in deals.items():
        gone = [bot for bot in lineup if bot not in numbers]
        if not all(key in keys and _is_there(kept.get((key, at)), at) for key, at in gone):
            lost += [match for match, _, answers in left if answers]
            continue
        if len(left) == league.rotation_count and not any(answers for _, _, answers in left):
            continue  # it has not begun
        for bot in gone:
            numbers[bot] = BotIndex(len(league.bots) + len(bots))
            bots.append(kept[bot])
        found = tuple(numbers[bot] for bot in lineup)
        for match, plan, _ in left:
            matches[match] = Deal(found, number, plan.is_mirrored), plan.rotation
    schedule = replace(league, bots=(*league.bots, *bots)).schedule
    sound = {match: its for match, its in matches.items() if schedule.match_id(*its) == match}
    return Departures(tuple(bots), sound, (*lost, *(matches.keys() - sound.keys())))


def _is_there(bot: Bot | None, version: str) -> bool:
    """Return whether a bot can still be run as what it was: its files may be others, or gone."""
    try:
        return bot is not None and bot.version == version
    except ArenaError:
        return False
