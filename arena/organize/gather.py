"""The bots that an organizer brings: by words of the command line, and by folders of folders."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.author.candidate import candidate
from arena.league.bot import Bot
from arena.league.entry import called_and_meant
from arena.league.finding import BOT_FILE
from protocol.errors import ArenaError
from referee.rules.game import Game


class Brought(NamedTuple):
    """A bot that is to be entered, as it was found."""

    name: str
    place: str
    """What was named on the command line, or the folder in it."""
    bot: Bot | ArenaError
    """Or why it cannot be run."""


def brought(words: Sequence[str], game: type[Game]) -> tuple[list[Brought], list[str]]:
    """Return what the words of a command line mean, and the files that no bot was looked for in.

    A folder without a bot.toml that has folders with one stands for all its folders. What cannot
    be run is there too, with the reason.
    """
    found, others = [], []
    for word in words:
        try:
            called, what = called_and_meant(word)
        except ArenaError as error:
            found.append(Brought(word, word, error))
            continue
        folder = Path(what)
        if called is None and _is_of_bots(folder):
            found += [_in_folder(each, game) for each in _visible(folder) if each.is_dir()]
            others += [str(each) for each in _visible(folder) if not each.is_dir()]
        else:
            found.append(_named(what, what, game, called))
    return found, others


def _is_of_bots(folder: Path) -> bool:
    if not folder.is_dir() or (folder / BOT_FILE).exists():
        return False
    return any((_inner(each) / BOT_FILE).exists() for each in _visible(folder) if each.is_dir())


def _visible(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.name[0] not in "._")


def _inner(folder: Path) -> Path:
    """Return a folder, or the only folder in it: archives are often packed one level too deep."""
    if (folder / BOT_FILE).exists():
        return folder
    inside = list(_visible(folder))
    return inside[0] if len(inside) == 1 and (inside[0] / BOT_FILE).exists() else folder


def _in_folder(folder: Path, game: type[Game]) -> Brought:
    """Return the bot of a folder, called as that is unless its bot.toml names it."""
    inner = _inner(folder)
    found = _named(str(inner), str(folder), game, None)
    if inner == folder or found.name != inner.name:
        return found
    return _named(str(inner), str(folder), game, folder.name)


def _named(what: str, place: str, game: type[Game], called: str | None) -> Brought:
    try:
        name, bot = candidate(what, game, called)
        return Brought(name, place, bot)
    except ArenaError as error:
        return Brought(called or Path(what).stem or what, place, error)
