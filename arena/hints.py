"""What a bot's folder tells its author: files hidden from the bot, and a build that is old."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.roster import SOURCES, Bot

_ABSENT = re.compile(
    r"No module named|No such file|[Cc]annot find|ClassNotFound|NoClassDefFound|NoSuchFile"
    r"|Permission ?denied|ENOENT|EACCES"
)
"""What the lines of a standard error say that name a file which could not be read."""
_WORD = re.compile(r"[^\s'\"`:,;()<>\[\]\0]+")
_ENDINGS = ("", ".py", ".js", ".mjs", ".cjs", ".json", ".class", ".jar", ".so")
"""What a module's name lacks of its file's."""
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/dev", "/proc", sys.prefix, sys.base_prefix)
"""Where the programs are that bots may run, which name themselves when they fail."""
_UNBUILT = {"Makefile", "README.md", "bot.toml"}


def hidden(bot: Bot, stderr: str) -> list[str]:
    """Return a sentence on each file that is there, but hidden from a bot behind walls.

    They are looked for among the words of those lines that say that something was not there.
    """
    lines = filter(_ABSENT.search, stderr.splitlines())
    words = (word for line in lines for word in _WORD.findall(line))
    return list(dict.fromkeys(told for word in words if (told := _hidden(bot, word))))


def _hidden(bot: Bot, word: str) -> str:
    """Return why a bot may not read the file or module that a word names; empty if it may."""
    path = os.path.normpath(bot.folder / word)
    if not Path(path).is_relative_to(bot.folder):
        # whether it is there is not said: the bot may have named it to find out
        is_open = any(map(Path(path).is_relative_to, _SYSTEM)) or bot.folder.is_relative_to(path)
        return "" if is_open else f"{path} is outside of its folder, where the sandbox hides all."
    for name in _files(os.path.relpath(path, bot.folder)):
        listed = any(Path(file).is_relative_to(name) for file in bot.files)
        if not listed and _is_there(bot.folder / name):
            return (
                f"{name} lies in the folder, but not among `files` of bot.toml: the bot may not "
                f"read it."
            )
    return ""


def _is_there(path: str | Path) -> bool:
    """Return whether there is such a file or folder; any text may be asked for."""
    return os.path.exists(path)  # noqa: PTH110 - Path raises OSError for names that are too long


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
    files = {*map(bot.folder.joinpath, bot.files), *bot.folder.iterdir()}
    sources = [path for path in files if path.suffix in SOURCES and path.is_file()]
    built = [
        (bot.folder / file).stat().st_mtime_ns
        for file in bot.files
        if Path(file).suffix not in SOURCES and Path(file).name not in _UNBUILT
    ]
    newest = max(sources, key=lambda path: path.stat().st_mtime_ns, default=None)
    if newest is None or not built or newest.stat().st_mtime_ns <= max(built):
        return ""
    name = newest.relative_to(bot.folder)
    return f"{name} is newer than what was built: make -C {shlex.quote(str(bot.folder))}"
