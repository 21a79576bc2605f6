"""Which of the stored versions each bot of a league is, though its files may not be read anew."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from arena.league.bot import Bot, LostBot, lost_bot
from arena.store.rows import BotVersion, EnteredBot, KnownBot
from arena.store.store import Store
from protocol.errors import ArenaError


def continued(bots: Sequence[Bot], store: Store, *, trusting: bool) -> tuple[Bot, ...]:
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


def unread(bots: Iterable[Bot]) -> tuple[Bot, ...]:
    """Return bots whose files were read, or that are lost, where nothing is stored of them."""
    return tuple(map(_read, bots))


def _read(bot: Bot) -> Bot:
    try:
        return bot if isinstance(bot, LostBot) else bot.hashed()
    except ArenaError as error:
        return lost_bot(bot.name, bot.first_name, error)
