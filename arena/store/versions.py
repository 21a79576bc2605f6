"""Hints for organizers when a bot's name, key or files differ from those that played."""

import json
from collections import defaultdict
from collections.abc import Collection

from arena.league.bot import Bot, LostBot
from arena.league.plan import LeaguePlan
from arena.store.store import Store
from arena.text import composed, first_few
from referee.rules.options import suggestion


def changed(league: LeaguePlan, store: Store) -> list[str]:
    """Return a sentence for each bot that has played, but not in its present version."""
    played = set(store.bots.played())
    known = {key for key, _ in played}
    return [
        f"{bot.name} has changed since it played: its results so far are those of another version."
        for bot in league.bots
        if bot.key in known and (bot.key, bot.version) not in played
        if not isinstance(bot, LostBot)
    ]


def left(league: LeaguePlan, store: Store) -> list[str]:
    """Return a sentence on the bots that have played and are in the league no more, if any."""
    gone = sorted({key for key, _ in store.bots.played()} - league.names.keys())
    if not gone:
        return []
    named = first_few(gone)
    verb, their = ("has", "its") if len(gone) == 1 else ("have", "their")
    return [f"{named} {verb} left the league: {their} matches do not count."]


def disqualified(league: LeaguePlan, store: Store | None) -> list[str]:
    """Return a sentence or two for each bot that is disqualified: why, and that it does not count.

    Without a `store`, its matches are not spoken of.
    """
    played = {key for key, _ in store.bots.played()} if store and league.disqualified else set()
    uncounted = " Its matches do not count."
    return [bot.remark + uncounted * (bot.key in played) for bot in league.disqualified]


def twins(league: LeaguePlan, among: Collection[str] | None = None) -> list[str]:
    """Return a sentence for each program that is entered under several names.

    With `among`, at least one of the names must be of these.
    """
    names: defaultdict[str, list[str]] = defaultdict(list)
    for bot in league.bots:
        names[bot.version].append(bot.name)
    return [
        f"{' and '.join(same)} are the same program, file by file."
        for version, same in names.items()
        if version and len(same) > 1 and (among is None or not set(same).isdisjoint(among))
    ]


def unknown_keys(league: LeaguePlan, store: Store) -> list[str]:
    """Return a hint for each key under which nothing was played, if anything was played."""
    known = {key for key, _ in store.bots.played()}
    return [
        f"bot {bot.name!r}: no match was played under key {_toml(bot.key)}; a key "
        f"is the name of a bot before it was renamed. {suggestion(bot.key, known)}"
        for bot in league.bots
        if composed(bot.key) != bot.name and known and bot.key not in known
    ]


def likely_renamed(league: LeaguePlan, store: Store) -> list[str]:
    """Return a hint for each bot that is new in its version, though its files are known.

    They have played under a name that is gone, or that now means a bot which is new as well.
    """
    played = set(store.bots.played())
    new = {bot.key: bot for bot in league.bots if (bot.key, bot.version) not in played}
    excluded = {bot.key: bot.name for bot in league.disqualified}
    settled = {bot.key for bot in league.bots} - new.keys()
    free = sorted(played, key=lambda known: (known[0] not in new, known))  # those that left, last
    before = {version: key for key, version in free if key not in settled}
    return [
        f"{bot.name} has the files of {excluded[key]}, which was disqualified."
        if key in excluded
        else _renamed(bot, key, new.get(key))
        for bot in new.values()
        if (key := before.get(bot.version)) is not None
    ]


def _renamed(bot: Bot, before: str, successor: Bot | None) -> str:
    key = f"key = {_toml(before)}"
    if successor is None:
        return (
            f"{bot.name} has the files of {before}, which has left the league. If it was "
            f"renamed, write {key} below its name: then it keeps its results."
        )
    return (
        f"{bot.name} has the files that played as {before}, and {successor.name} has others now. "
        f"If {bot.name} was called {before} before, write {key} below its name: then it keeps "
        f"its results. {successor.name} needs a key as well: the name that it had before or, if "
        f"it is new, a name that no bot had."
    )


def _toml(name: str) -> str:
    """Return a name as TOML; escaped if it is of a form that may be lost when it is copied."""
    return json.dumps(name, ensure_ascii=composed(name) != name)
