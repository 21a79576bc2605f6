"""Leagues together with their results: each bot is the version under which these are stored.

That is so though its files may not be read anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arena.league.bot import Bot, LostBot, lost_bot
from arena.league.entry import Purpose
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from arena.store.rows import BotVersion, EnteredBot, KnownBot
from arena.store.store import Store
from protocol.errors import ArenaError


def open_store(league: LeaguePlan, *, create: bool = False) -> Store:
    """Open the results of a league, which call every bot by its present name."""
    return Store(league.database, create=create, names=league.names)


def read_league(folder: Path, purpose: Purpose = "play") -> LeaguePlan:
    """Read a league that is to be played.

    Raises ArenaError with the line and the remedy if anything is wrong with the file, or with one
    of the bots, or if they are too few.
    """
    return settled(read_asked(folder, purpose), trusting=purpose == "read")


def read_played(folder: Path) -> LeaguePlan:
    """Read a league for what was played in it; bots need not be there any more.

    One that cannot be found is the version of it that played last. Files that look as they did
    are not read again. Raises ArenaError if anything is wrong with the league's file itself.
    """
    return read_league(folder, "read")


def has_database(league: LeaguePlan) -> bool:
    """Return whether there is anything in the database: a run that begins makes an empty one."""
    try:
        return league.database.stat().st_size > 0
    except FileNotFoundError:
        return False


def settled(league: LeaguePlan, *, trusting: bool = False) -> LeaguePlan:
    """Return a league with the versions under which its results are stored.

    See `_continued`. A game that was not loaded is what is stored of it.
    """
    if not has_database(league):
        return replace(league, bots=tuple(map(_read, league.bots)))
    with open_store(league) as store:
        bots = _continued(league.bots, store, trusting=trusting)
        facts = store.settings.facts() if league.rules is None else None
        if facts is not None:
            league = replace(league, game=facts, options={**facts.options, **league.options})
        return replace(league, bots=bots)


def _continued(bots: Sequence[Bot], store: Store, *, trusting: bool) -> tuple[Bot, ...]:
    """Return bots as the versions under which their results are stored.

    Those that are `trusting` do not read files again that look as they did when they were read
    last; if files cannot be read, the bot is lost, and the version that played last.
    """
    looks = store.bots.looks() if trusting else []
    known = {(look.key, look.signature): look.digest for look in looks if look.signature}
    stored = store.bots.stored()
    found = [_as_stored(_looked_at(bot, known), stored) for bot in bots]
    last = store.bots.last_versions() if any(isinstance(bot, LostBot) for bot in found) else {}
    return tuple(
        replace(bot, version=last.get(bot.key, "")) if isinstance(bot, LostBot) else bot
        for bot in found
    )


def _as_stored(bot: Bot, stored: Mapping[BotVersion, EnteredBot]) -> Bot:
    """Return a bot that is dealt to as before, though its files were bundled then, or are now."""
    entered = None if isinstance(bot, LostBot) else stored.get(BotVersion(bot.key, bot.version))
    return bot if entered is None else replace(bot, known_bundled=entered.is_bundled)


def _looked_at(bot: Bot, known: Mapping[tuple[str, str], str]) -> Bot:
    """Return a bot whose digest is known, by its signature or else by reading its files."""
    if known and not isinstance(bot, LostBot):
        digest = known.get((bot.key, bot.signature()))
        if digest:
            return replace(bot, known_digest=digest)
    return _read(bot)


def remember(bots: Iterable[Bot], store: Store) -> None:
    """Let later readers know bots by the signatures of their files."""
    rows = set(store.bots.looks())
    new = []
    for bot in bots:
        if KnownBot(bot.key, bot.digest, bot.signature()) not in rows:
            look = bot.first_look
            if look.digest == bot.digest:
                new.append(KnownBot(bot.key, look.digest, look.signature))
    if new:
        with suppress(ArenaError):  # it would only save time
            store.bots.keep_looks(new)


def _read(bot: Bot) -> Bot:
    try:
        return bot if isinstance(bot, LostBot) else bot.hashed()
    except ArenaError as error:
        return lost_bot(bot.name, bot.first_name, error)
