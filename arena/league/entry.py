"""The bots as `league.toml` enters them, one table each, and how they are found."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from arena.league.bot import Bot, check_name, check_unlike, lost_bot, make_bot
from arena.league.files import LEAGUE_FILE
from arena.league.finding import bot_folder, bundled, bundled_bot, find_bot
from arena.text import composed
from protocol.errors import ArenaError
from referee.catalog.folder import bots_of
from referee.limits import Grant
from referee.rules.game import Game
from referee.rules.options import suggestion
from referee.sandbox import PYTHON

_REASON_LIMIT = 300  # characters


class BotSettings(Grant, frozen=True, kw_only=True):
    """One `[[bot]]` of `league.toml`: a bundled one, a folder with a bot.toml, or a command.

    A command is run in `folder`, by default the league's, and `files` are by default those that it
    names. The `key` of a bot that was renamed is what it was called when it entered. `entry` says
    the how many-th time the same files were handed in, with others between: such a bot begins anew.
    One that is `disqualified`, for the reason that is given, plays no more and counts no more. The
    other keys are limits of its own.
    """

    name: str
    key: str | None = None
    shipped: str | None = None
    folder: str | None = None
    command: list[str] | None = None
    files: list[str] | None = None
    entry: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    disqualified: str | None = None

    @property
    def grant(self) -> Grant:
        """What the bot is allowed in place of the limits of its league."""
        return Grant(**{key: getattr(self, key) for key in Grant.__struct_fields__})


def composed_entry(entry: BotSettings) -> BotSettings:
    """Return an entry whose name is `composed`; its results are kept under what was written."""
    name = composed(entry.name)
    if name == entry.name:
        return entry
    return msgspec.structs.replace(entry, name=name, key=entry.key or entry.name)


def check_name_of(entry: BotSettings, before: Sequence[BotSettings]) -> None:
    """Raise ArenaError if an entry's name is none, or is that of one before it."""
    check_name(entry.name)
    if entry.name in [other.name for other in before]:
        raise ArenaError(
            f"two bots are called {entry.name!r}; give one another name: name = ... in "
            f"{LEAGUE_FILE}, or NAME=BOT on the command line."
        )


def check_key_of(entry: BotSettings, others: Sequence[BotSettings]) -> None:
    """Raise ArenaError if an entry has a key, and the results under it cannot be its own."""
    if entry.key is None:
        return
    said = f"bot {entry.name!r} has key = {json.dumps(entry.key, ensure_ascii=False)}"
    meant = "a key is the name of a bot before it was renamed"
    try:
        check_name(entry.key)
    except ArenaError as error:
        raise ArenaError(f"{said}; {meant}, and {error}") from None
    for other in others:
        if other.key == entry.key:
            names = " and ".join(sorted((repr(entry.name), repr(other.name))))
            raise ArenaError(
                f"the results of {entry.key!r} belong to one bot that was renamed, but {names} "
                f"both have that key; take it out of one."
            )
        if other.key is None and other.name == entry.key:
            raise ArenaError(
                f"{said}, but there is a bot named {other.name!r}; {meant}. Take the key out, or "
                f"give the other bot another name."
            )


def check_reason(reason: str) -> None:
    """Raise ArenaError for a reason of a disqualification that could not stand below a table."""
    if not reason.strip() or len(reason) > _REASON_LIMIT or not reason.isprintable():
        raise ArenaError(
            f"say why a bot is disqualified in 1 to {_REASON_LIMIT} printable characters on one "
            f"line: every table shows it."
        )


Purpose: TypeAlias = Literal["read", "play", "send"]
"""What a league is for: to read what was played, to be played here, or on other machines."""


def bot_of(entry: BotSettings, game: str, folder: Path, purpose: Purpose) -> Bot:
    """Return the bot of an entry in a league of a game in a folder.

    Raises ArenaError if the entry does not say where its bot is. A bot that is missing, or cannot
    be run, is an error only if it is to play; otherwise it is lost, or as its files are, which are
    not read yet. What is found on the PATH, or anywhere else outside of its folder, need not be
    here if it plays elsewhere.
    """
    if entry.shipped is None and entry.command is None and entry.folder is None:
        raise ArenaError(
            f"bot {entry.name!r}: give it a command, a folder with a bot.toml, or the name of a "
            f"bundled bot (shipped)."
        )
    try:
        bot = _found(entry, game, folder)
        bot = replace(bot, first_name=entry.key, entry=entry.entry, grant=entry.grant)
        if purpose == "read":
            return bot
        is_own = "/" in bot.command[0] and not Path(bot.command[0]).is_absolute()
        bot = bot.hashed()
        return bot.checked() if purpose == "play" or is_own else bot
    except ArenaError as error:
        if purpose != "read":
            raise
        return lost_bot(entry.name, entry.key, error)


def _found(entry: BotSettings, game: str, folder: Path) -> Bot:
    if entry.shipped is not None:
        bot = bundled_bot(game, entry.shipped, entry.name)
        if bot is None:
            near = suggestion(entry.shipped.removeprefix(f"{game}_"), bundled(game))
            raise ArenaError(f"no bot {entry.shipped!r} is bundled for {game}. {near}")
        return bot
    here = _straight(folder / (entry.folder or ""))
    if entry.command is None:
        return bot_folder(here, entry.name)
    return make_bot(entry.name, here, entry.command, entry.files, listed_in=LEAGUE_FILE)


def _straight(path: Path) -> Path:
    """Return a path without the way out of a folder and back, if that leads to the same place."""
    straight = os.path.normpath(path)
    return Path(straight) if os.path.realpath(straight) == os.path.realpath(path) else path


def entries_of(words: Sequence[str], game: type[Game], league: Path) -> list[dict[str, object]]:
    """Return the tables of all words; raise ArenaError with whatever is wrong with any."""
    entries: list[dict[str, object]] = []
    errors = []
    for word in words:
        try:
            entry = entry_of(word, game, league)
            check_unlike(str(entry["name"]), [str(other["name"]) for other in entries])
            entries.append(entry)
        except ArenaError as error:
            errors.append(error)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        said = "\n".join(f"  {error}" for error in errors)
        raise ArenaError(f"{len(errors)} of {len(words)} bots cannot be entered:\n{said}")
    return entries


def entry_of(word: str, game: type[Game], league: Path) -> dict[str, object]:
    """Return the `[[bot]]` table of a word of the command line, paths relative to the league."""
    called, what = called_and_meant(word)
    return entry_for(find_bot(what, game.name, called, brought=bots_of(game)), league)


def called_and_meant(word: str) -> tuple[str | None, str]:
    """Return the name that a word of the command line gives its bot, if it does, and the rest."""
    called, equals, what = word.partition("=")
    if equals and not called:
        raise ArenaError(f"{word!r} has no name before the =; write NAME=BOT.")
    return (called, what) if equals and "/" not in called else (None, word)


def entry_for(bot: Bot, league: Path) -> dict[str, object]:
    """Return the `[[bot]]` table of a bot that was found, paths relative to the league."""
    if bot.borrowed and bot.command[0] == PYTHON:
        return {"name": bot.name, "shipped": bot.command[1].removesuffix(".py")}
    entry: dict[str, object] = {
        "name": bot.name,
        "folder": os.path.relpath(bot.folder, league.resolve()),
    }
    if bot.entry > 1:
        entry["entry"] = bot.entry
    if bot.by_command or bot.listed_in == LEAGUE_FILE:  # written out, for a reader to see
        entry |= {"command": list(bot.command), "files": list(bot.files)}
    return entry
