"""Programs without a bot.toml as commands take them: each is made a bot, in a folder of its own."""

from collections.abc import Iterable
from pathlib import Path

import click

from arena.cli.files import spare_folder
from arena.cli.saying import say
from arena.folders import whole_or_nothing
from arena.handin.filenames import bot_name, stem
from arena.handin.programs import complete, is_lone, is_plain, no_program
from arena.league.edit import replace_bot
from arena.league.entry import called_and_meant, entry_for
from arena.league.file import FILE
from arena.league.plan import LeaguePlan
from arena.organize.copying import copied, copy_files
from arena.text import safe
from protocol.errors import ArenaError


def made_of_plain(words: Iterable[str], *, named: bool = False) -> dict[str, str]:
    """Return other words for those that mean a plain program: the folder of the bot made of it.

    The folders are there until the command ends; what was put there is said. With `named`, a word
    may be NAME=BOT. Raises ArenaError for what cannot be a bot.
    """
    made: dict[str, str] = {}
    for word in dict.fromkeys(words):
        called, equals, what = word.partition("=")
        is_named = named and bool(called and equals) and called_and_meant(word)[0] is not None
        path = Path(what if is_named else word)
        if is_plain(path):
            folder = _made(path)
            made[word] = f"{called}={folder}" if is_named else str(folder)
    return made


def _made(path: Path) -> Path:
    """Return a new folder with the bot of a plain program, called by its name."""
    if not is_lone(path):
        raise ArenaError(no_program(path))
    spare = click.get_current_context().with_resource(spare_folder())
    name = bot_name(stem(path.name))
    folder = spare / name
    copy_files(name, path.parent, {path.name: path.name}, folder)
    say(safe(f"{path} is {complete(folder)}."))
    return folder


def keep_made(league: LeaguePlan, made: Iterable[str], *, is_new: bool) -> None:
    """Copy the bots made of plain programs into the folder of a league that was just written.

    If that fails, a new league is gone.
    """
    folders = {Path(word[word.index("/") :]).resolve() for word in made}
    file = league.folder / FILE
    with whole_or_nothing([file] if is_new else [], file):
        for bot in league.bots:
            if bot.folder.resolve() in folders:
                here = copied(bot, league.folder)
                replace_bot(league.folder, bot.name, entry_for(here, league.folder))
