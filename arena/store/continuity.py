"""Which of the stored versions each bot of a league is, though its files may not be read anew."""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from arena.league.bot import Bot, LostBot, lost_bot
from arena.store.rows import KnownBot
from arena.store.store import Store
from protocol.errors import ArenaError


def continued(bots: Sequence[Bot], store: Store, *, trusting: bool) -> tuple[Bot, ...]:
    """Return bots as the versions under which their results are stored.

    Those that are `trusting` do not read files again that look as they did when they were read
    last; if files cannot be read, the bot is lost, and the version that played last.

    Releases before this one counted all files in the folder of a lone program. Where that rule,
    applied to today's files or to those that were there when it played last, gives a stored
    version, the bot goes on as that one. It is kept, so that what else comes to lie in the folder
    does not matter from now on.
    """
    known = _Known(store)
    found = [known.read(bot) if trusting else bot for bot in bots]
    return tuple(known.version_of(bot) for bot in found)


def remember(bots: Iterable[Bot], store: Store) -> None:
    """Let later readers know bots by the signatures of their files."""
    rows = set(store.known_bots())
    new = []
    for bot in bots:
        if KnownBot(bot.key, bot.digest, bot.version, bot.signature()) not in rows:
            look = bot.first_look
            if look.digest == bot.digest:
                new.append(KnownBot(bot.key, look.digest, bot.version, look.signature))
    if new:
        with suppress(ArenaError):  # it would only save time
            store.keep_known(new)


def unread(bots: Iterable[Bot]) -> tuple[Bot, ...]:
    """Return bots whose files were read, or that are lost, where nothing is stored of them."""
    return tuple(map(_read, bots))


def _read(bot: Bot) -> Bot:
    try:
        return bot if isinstance(bot, LostBot) else bot.hashed()
    except ArenaError as error:
        return lost_bot(bot.name, bot.first_name, error)


class _Known:
    """What a store knows of the versions of bots."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows = store.known_bots()
        self._entered = store.entered()

    def read(self, bot: Bot) -> Bot:
        """Return a bot whose digest is known, by its signature or else by reading its files."""
        if isinstance(bot, LostBot):
            return bot
        signature = bot.signature()
        for row in self._rows:
            if signature and (row.key, row.signature) == (bot.key, signature):
                return replace(bot, known_digest=row.digest)
        return _read(bot)

    def version_of(self, bot: Bot) -> Bot:
        """Return a bot as the version that it goes on as."""
        if isinstance(bot, LostBot):
            return replace(bot, version=self._last_versions.get(bot.key, ""))
        rows = [row for row in self._rows if row.key == bot.key]
        for row in rows:
            if row.digest == bot.digest != row.version:
                return replace(bot, known_digest=bot.digest, plays_as=row.version)
        if (bot.key, bot.digest) in self._entered:
            return bot
        continues = {row.version for row in rows if row.version != row.digest}
        if not bot.by_command and not continues:
            return bot
        before = self._before(bot)
        if not before or not (bot.by_command or before in continues):
            return bot
        with suppress(ArenaError):  # without the right to write, reading goes on
            self._store.keep_known([KnownBot(bot.key, bot.digest, before, "")])
        return replace(bot, known_digest=bot.digest, plays_as=before)

    def _before(self, bot: Bot) -> str:
        """Return the stored version that the rule of earlier releases gives; empty if none."""
        for until in (math.inf, self._store.last_played()):
            digest = bot.folder_digest(until)
            if (bot.key, digest) in self._entered:
                return digest
        return ""

    @cached_property
    def _last_versions(self) -> dict[str, str]:
        return self._store.last_versions()
