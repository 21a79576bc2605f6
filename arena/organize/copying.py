"""Copies of bots inside a league's folder, so that nobody changes what was checked."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from arena.folders import put_in_place, unfinished, unwritten
from arena.league.bot import Bot
from arena.league.entry import entry_for
from arena.league.files import readable
from arena.league.finding import BOT_FILE
from arena.text import safe
from protocol.errors import ArenaError
from referee.sandbox.sources import Sources

BOTS = "bots"
"""The folder of a league in which copies are."""


def copied(bot: Bot, league: Path) -> Bot:
    """Return a bot whose own files are in a league's folder, which no later copy replaces.

    Its folder is called by its name and its version. A bundled bot stays where it is. Raises
    ArenaError if the files have changed since they were hashed, or cannot be written.
    """
    if "folder" not in entry_for(bot, league):
        return bot
    target = league.resolve() / BOTS / f"{folder_name(bot.name)}-{bot.digest[:8]}"
    moved = replace(bot, folder=target)
    if not target.exists():
        try:
            target.parent.mkdir(exist_ok=True)
            with unfinished(target) as hidden:
                _copy(bot, hidden / "bot")
                put_in_place(hidden / "bot", target)
        except OSError as error:
            raise unwritten(target, error) from None
    if moved.digest != bot.digest:
        raise ArenaError(
            f"bot {bot.name!r}: its files are not those in {safe(str(target))}, where they were "
            f"copied: they have changed. Remove that folder, and try again."
        )
    return moved


def _copy(bot: Bot, target: Path) -> None:
    """Copy a bot's own files, and its bot.toml, which need not be one of them."""
    listing = [BOT_FILE] if bot.listed_in == BOT_FILE else []
    with readable(bot.name), Sources(bot.folder) as sources:
        for file in dict.fromkeys([*bot.files, *listing]):
            place = target / file
            place.parent.mkdir(parents=True, exist_ok=True)
            with sources.open(file) as source, place.open("xb") as output:
                shutil.copyfileobj(source, output)
                os.fchmod(
                    output.fileno(), 0o755 if os.fstat(source.fileno()).st_mode & 0o111 else 0o644
                )


def folder_name(name: str) -> str:
    """Return what the folder of a bot is called: its name, unless that has what folders have not.

    No two names give the same.
    """
    safely = name.replace("%", "%25").replace("/", "%2F")
    return f"%2E{safely[1:]}" if safely[0] == "." else safely
