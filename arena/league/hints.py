"""Hints for authors from a bot's folder: files hidden from the bot, and a build that is old."""

import itertools
import json
import os
import re
import stat
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from arena.environment.names import LOCK, REQUIREMENTS
from arena.league.bot import SOURCES, Bot
from arena.league.files import KIT_WORDS, is_of_a_league, is_there
from arena.league.finding import BOT_FILE
from arena.league.plan import LeaguePlan
from arena.text import quoted, toml
from protocol.errors import ArenaError
from referee.limits import Grant, Limits
from referee.sandbox import PYTHON
from referee.sandbox.executable import OF_VENV, is_of_venv
from referee.sandbox.stage import unstaged

_ABSENT = re.compile(
    r"No module named|No such file|[Cc]annot find|ClassNotFound|NoClassDefFound|NoSuchFile"
    r"|Permission ?denied|ENOENT|EACCES|: not found"
)
"""What the lines of a standard error say that name a file which could not be read."""
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([A-Za-z_][\w.]{0,100})'")
_WORD = re.compile(r"[^\s'\"`:,;()<>\[\]\0]+")
_ENDINGS = ("", ".py", ".js", ".mjs", ".cjs", ".json", ".class", ".jar", ".so")
"""What a module's name lacks of its file's."""
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/dev", "/proc", sys.prefix, sys.base_prefix)
"""Where the programs are that bots may run, which name themselves when they fail."""
_LOOKED_AT = 10_000  # names in a folder among which there may be sources
_KEYS = ("command = ", "files = ", "add ")
_MOST_LISTED = 20  # files that are named one by one
_PLACES = {
    "league.toml": "In league.toml, below its name, have",
    "bot.toml": "In its bot.toml, have",
    "": "Put all of it into a folder with a bot.toml, name that folder, and write there",
}
_UNBUILT = {"AGENTS.md", "Makefile", "README.md", "bot.toml"}


def hidden(bot: Bot, stderr: str) -> list[str]:
    """Return a sentence on each file that is there, but hidden from a bot in a sandbox.

    They are looked for among the words of those lines that say that something was not there. What
    is to be written for those in its folder follows, line by line.
    """
    lines = filter(_ABSENT.search, unstaged(stderr, bot.folder).splitlines())
    words = dict.fromkeys(word for line in lines for word in _WORD.findall(line))
    outside = filter(None, (_outside(bot, word) for word in words))
    names = list(dict.fromkeys(name for word in words if (name := _unlisted(bot, word))))
    if of_venv := next((name for name in names if is_of_venv(f"{bot.folder}/{name}")), ""):
        return [f"{of_venv} {OF_VENV}"]
    found = [*dict.fromkeys(outside), *(_listing(bot, names) if names else ())]
    return found or _without_kit(bot, stderr) or _without_module(bot, stderr)


NEEDED = "its bot.toml needs that, and plays with it where the organizer of a league grants it."


def unmet(bot: Bot, limits: Limits, remedy: str = "") -> str:
    """Return what a bot needs and has not by the limits of its league; empty if it has all.

    The remedy follows, or why there is none in this league.
    """
    own = bot.grant.of(limits)
    lacking = bot.needs.beyond(own)
    if not lacking.given:
        return ""
    has = Grant(**{key: getattr(own, key) for key in lacking.given})
    values = ", ".join(json.dumps(value) if value else "none" for value in has.given.values())
    why = f"{bot.name} needs {lacking.words}, and has {values}"
    try:
        bot.grant.plus(lacking).of(limits)
    except ArenaError as error:
        return f"{why}; {error}"
    return f"{why}; {remedy}" if remedy else why


def wishes(league: LeaguePlan, among: Collection[str] | None = None) -> Iterator[str]:
    """Yield a sentence for each bot of a league, or of some, that needs what it has not."""
    for bot in league.bots:
        if among is None or bot.name in among:
            words = f"{quoted(league.folder)} {quoted(bot.name)}"
            remedy = f"`arena grant {words} --needed` lets it have that."
            yield from filter(None, [unmet(bot, league.limits, remedy)])


def advice(bot: Bot, stderr: str, limits: Limits) -> str:
    """Return the same in one line that can follow a sentence; empty if nothing was hidden."""
    found = hidden(bot, stderr) if limits.sandbox != "none" else []
    said = [words for words in found if not words.startswith(_KEYS)]
    written = " and ".join(words for words in found if words.startswith(_KEYS))
    return "".join(f" {words}" for words in [*said, *([written] if written else [])])


def _without_kit(bot: Bot, stderr: str) -> list[str]:
    """Return what to do about a kit that is looked for and not there; nothing if none is."""
    for kit, words in KIT_WORDS.items():
        name = re.escape(kit) if kit != "kit.py" else "No module named 'kit'"
        lines = [line for line in stderr.splitlines() if re.search(name, line)]
        if any(map(_ABSENT.search, lines)) and not (bot.folder / kit).exists():
            path = quoted(bot.folder / kit)
            return [f"{kit} is a kit of the arena: `arena bots --kit{words} > {path}` writes it."]
    return []


def _without_module(bot: Bot, stderr: str) -> list[str]:
    """Return what to do about a package of Python's that is not there; nothing if none lacks."""
    lacking = _NO_MODULE.findall(stderr)
    if not lacking:
        return []
    module = lacking[-1].partition(".")[0]
    build = f"`arena env build --fetch {quoted(bot.folder)}`."
    if bot.has_packages:
        return [
            f"{module} is not among the packages of its {LOCK}: name the package that has it in "
            f"{REQUIREMENTS}, then run {build}"
        ]
    asked = next((name for name in (REQUIREMENTS, ".venv") if is_there(bot.folder / name)), "")
    if asked and bot.listed_in == BOT_FILE:
        return [
            f'{asked} counts only for a bot whose bot.toml says python = "venv", and whose command '
            f'begins with "{PYTHON}": write that, then run {build}'
        ]
    if bot.listed_in:
        change = f'name the package in a {REQUIREMENTS} beside a bot.toml that says python = "venv"'
    else:
        command = toml([PYTHON, Path(bot.command[-1]).name])
        build = "`arena env build --fetch FOLDER` with that folder."
        change = (
            f"put it into a folder of its own, with a {REQUIREMENTS} that names the package and a "
            f'bot.toml that says command = {command} and python = "venv"'
        )
    return [
        f"{module} is neither one of its files nor in Python's standard library, and a bot has "
        f"other packages only in an environment of its own: `arena new --package PACKAGE` begins "
        f"such a bot. To change this one, {change}, then run {build}"
    ]


def _outside(bot: Bot, word: str) -> str:
    """Return why a bot may not read what a word names outside of its folder; empty if it may."""
    path = os.path.normpath(bot.folder / word)
    # whether it is there is not said: the bot may have named it to find out
    if Path(path).is_relative_to(bot.folder) or bot.folder.is_relative_to(path):
        return ""
    if any(map(Path(path).is_relative_to, (*_SYSTEM, *filter(None, [bot.environment])))):
        return ""
    return f"{path} is outside of its folder; the sandbox hides everything there."


def _unlisted(bot: Bot, word: str) -> str:
    """Return the file or folder, not the bot's, that a word names in its folder, if there is one.

    A word may name a module.
    """
    path = os.path.normpath(bot.folder / word)
    if not Path(path).is_relative_to(bot.folder):
        return ""
    for name in _files(os.path.relpath(path, bot.folder)):
        if name != "." and is_there(bot.folder / name):
            listed = any(Path(file).is_relative_to(name) for file in bot.files)
            if not listed and not is_of_a_league(Path(name).name):
                return name
    return ""


def _listing(bot: Bot, names: Sequence[str]) -> Iterator[str]:
    """Yield what to write, and where, so that a bot may read some files of its folder."""
    these = " and ".join(names)
    verb = "lies" if len(names) == 1 else "lie"
    yield (
        f"{these} {verb} in the folder, but not among the bot's files, so that it may not read "
        f"{'it' if len(names) == 1 else 'them'}. {_PLACES[bot.listed_in]}:"
    )
    if not bot.listed_in:
        yield f"command = {toml(bot.command)}"
    if len(bot.files) > _MOST_LISTED:
        yield f"add {', '.join(map(toml, names))} to files"
    else:
        yield f"files = {toml([*bot.files, *names])}"


def _files(name: str) -> Iterator[str]:
    """Yield what the file of this name, or of a module of this name, may be called."""
    yield from (name + ending for ending in _ENDINGS)
    yield from (name.strip(".").replace(".", "/") + ending for ending in _ENDINGS)


def stale(bot: Bot) -> str:
    """Return what to do if a source is newer than all that was built of it; empty if none is.

    Only a folder with a Makefile has anything to build.
    """
    if not (bot.folder / "Makefile").is_file():
        return ""
    files = map(bot.folder.joinpath, bot.files)
    beside = itertools.islice(bot.folder.iterdir(), _LOOKED_AT)
    sources = {path: _changed(path) for path in {*files, *beside} if path.suffix in SOURCES}
    built = [
        _changed(bot.folder / file)
        for file in bot.files
        if Path(file).suffix not in SOURCES and Path(file).name not in _UNBUILT
    ]
    newest = max(sources, key=lambda path: sources[path], default=None)
    if newest is None or not built or sources[newest] <= max(built):
        return ""
    name = newest.relative_to(bot.folder)
    return f"{name} is newer than what was built: `make -C {quoted(bot.folder)}`"


def _changed(path: Path) -> int:
    """Return when a file was changed; long ago if it is none."""
    try:
        found = path.stat()
    except OSError:
        return 0
    return found.st_mtime_ns if stat.S_ISREG(found.st_mode) else 0
