"""The bot that an author names, as it is there: fit to be checked, or with a mistake in it."""

import os
from pathlib import Path

from arena.environment.names import LOCK, REQUIREMENTS
from arena.league.bot import Bot
from arena.league.finding import BOT_FILE, asks_for_packages, bundled_bot, find_bot
from arena.play.building import Builder
from protocol.errors import ArenaError
from referee.catalog.folder import bots_of
from referee.limits import Limits
from referee.rules.game import Game


def candidate(
    word: str, game: type[Game], called: str | None = None
) -> tuple[str, Bot | ArenaError]:
    """Return the name of the bot that a word means, and the bot or why it cannot be run.

    It is `called` something else if need be. Raises ArenaError for a word that names nothing here,
    or may also mean a bundled bot.
    """
    name = Path(os.path.realpath(word)).stem if called is None else called
    try:
        bot = find_bot(word, game.name, called, brought=bots_of(game))
        name = bot.name
        return name, bot.checked()
    except ArenaError as error:
        is_ours = "/" not in word and bundled_bot(game.name, word) is not None
        if is_ours or not os.path.lexists(word):
            raise
        return name, error


def fitting(bot: Bot, limits: Limits) -> Bot | ArenaError:
    """Return a bot whose files were read, or why they cannot be, or are larger than it may have.

    The limits are those of its league. What is too large is not read.
    """
    try:
        bot.check_size(bot.grant.of(limits).files_mb)
        return bot.hashed()
    except ArenaError as error:
        return error


def lock_packages(folder: Path, builder: Builder, *, own: bool = False) -> str:
    """Make the lock of a bot that asks for packages, if it lacks one that fits; say what was done.

    With `own`, it allows no wheels but those that the bot brings along, in place of which no others
    come then. Nothing is done for other bots. Raises PackagesError if the packages cannot be had.
    """
    try:
        if not (folder / BOT_FILE).is_file() or not asks_for_packages(folder):
            return ""
    except ArenaError:  # who reads the bot next says what is wrong with its file
        return ""
    said = []
    if (folder / REQUIREMENTS).exists() or not (folder / LOCK).exists():
        from arena.environment.existing import written_requirements  # here, as few bots need it

        said += [written_requirements(folder), builder.environments.locks.made(folder)]
    if own:
        said.append(builder.environments.locks.fix(folder))
    return " ".join(filter(None, said))
