"""Copies of bots inside a league's folder, so that nobody changes what was checked."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from arena.environment.names import WHEELS
from arena.folders import enough_space, put_in_place, unfinished, unwritten
from arena.league.bot import Bot
from arena.league.entry import entry_for
from arena.league.files import named_files, readable
from arena.league.finding import BOT_FILE
from arena.text import safe
from protocol.errors import ArenaError
from referee.sandbox.sources import Sources, copy_file

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
    """Copy a bot's own files, its bot.toml, which need not be one of them, and its wheels."""
    target.mkdir()  # a bot that runs elsewhere may have no file
    listing = [BOT_FILE] if bot.listed_in == BOT_FILE else []
    if bot.has_packages and (bot.folder / WHEELS).is_dir():
        with readable(bot.name):
            listing += named_files(bot.name, bot.folder, [WHEELS])
    copy_files(bot.name, bot.folder, {file: file for file in [*bot.files, *listing]}, target)


def copy_files(
    name: str, folder: Path, files: Mapping[str, str], target: Path, *, runs: bool = False
) -> None:
    """Copy a bot's files to where they are to be in a folder, which may be new.

    They keep of their modes only whether they can be executed, or all can if it `runs`. Raises
    ArenaError, with the bot's name, for what cannot be read or is more than a bot may have, and
    RunError if there is no space for it.
    """
    with readable(name), enough_space(target), Sources(folder) as sources:
        for file, called in files.items():
            place = target / called
            place.parent.mkdir(parents=True, exist_ok=True)
            with sources.open(file) as source:
                found = os.fstat(source.fileno())
                sources.count(found.st_size, file)
                copy_file(source, place, found.st_size)
                place.chmod(0o755 if runs or found.st_mode & 0o111 else 0o644)


def folder_name(name: str) -> str:
    """Return what the folder of a bot is called: its name, unless that has what folders have not.

    No two names give the same.
    """
    safely = name.replace("%", "%25").replace("/", "%2F")
    return f"%2E{safely[1:]}" if safely[0] == "." else safely
