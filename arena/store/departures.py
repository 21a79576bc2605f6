"""Versions of bots that were replaced while slow matches of theirs were on their way.

They finish these, and begin no others: an author could else call off what his bot is losing, by a
new version of it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from arena.league.bot import Bot, LostBot
from arena.league.plan import LeaguePlan
from arena.schedule.deal import BotIndex, Deal
from arena.store.flights import entered, plans
from arena.store.rows import Damage
from protocol.errors import ArenaError


class Departures(NamedTuple):
    """What replaced versions are to finish."""

    bots: tuple[Bot, ...] = ()
    """These versions, which are numbered from the league's own bots on."""
    matches: tuple[tuple[Deal, int], ...] = ()
    """The deals, with the numbers of their bots, and the rotations."""
    lost: tuple[str, ...] = ()
    """The ids of matches that nobody can finish: of versions whose files are not there any more,
    and of bots that were taken out of the league."""


def departures(league: LeaguePlan) -> Departures:
    """Return what is to be finished of the matches that are in flight in a league.

    Raises RunError if that cannot be read.
    """
    numbers = {
        (bot.key, bot.version): BotIndex(number)
        for number, bot in enumerate(league.bots)
        if not isinstance(bot, LostBot)
    }
    keys = {bot.key for bot in league.bots}
    begun = plans(league.folder)
    if all(bot in numbers for plan in begun.values() for bot in plan.lineup):  # as nearly always
        return Departures()
    kept = entered(league.folder)
    bots: list[Bot] = []
    matches, lost = [], []
    for match, plan in begun.items():
        gone = [bot for bot in plan.lineup if bot not in numbers]
        found = [_found(kept.get(bot), *bot) if bot[0] in keys else None for bot in gone]
        if None in found:
            lost.append(match)
            continue
        for entrant, bot in zip(gone, found, strict=True):
            assert bot is not None
            numbers[entrant] = BotIndex(len(league.bots) + len(bots))
            bots.append(bot)
        if gone or any(numbers[bot] >= len(league.bots) for bot in plan.lineup):
            lineup = tuple(numbers[bot] for bot in plan.lineup)
            matches.append((Deal(lineup, plan.number, plan.is_mirrored), plan.rotation))
    return Departures(tuple(bots), tuple(matches), tuple(lost))


def _found(said: bytes | None, key: str, version: str) -> Bot | None:
    """Return a bot as it was kept; None if its files are others by now, or are gone."""
    if said is None:
        return None
    try:
        bot = msgspec.json.decode(said, type=Bot, dec_hook=_path)
    except msgspec.DecodeError as error:
        raise Damage(f"what is kept of {key} cannot be read: {error}") from None
    try:
        return bot if bot.version == version else None
    except ArenaError:
        return None


def kept(bots: Iterable[Bot]) -> dict[tuple[str, str], bytes]:
    """Return what is to be kept of bots until they finish what they begin, by key and version."""
    return {
        (bot.key, bot.version): msgspec.json.encode(replace(bot, known_digest=""), enc_hook=str)
        for bot in bots
    }


def folders(league: Path) -> Iterator[Path]:
    """Yield the folders of bots that may have matches to finish, as they are in a league's."""
    for said in entered(league).values():
        folder = msgspec.json.decode(said, type=Bot, dec_hook=_path).folder
        if folder.is_relative_to(league):
            yield folder.relative_to(league)


def _path(kind: type, value: Any) -> Any:
    return kind(value)
