"""Where the game is that a word means: a bundled one, one of an installed package, or a file's.

- `khan`: the name of a bundled game;
- `connect_four`: the name of a game of an installed distribution, an entry point of the group
  `bot_arena.games`. One entry point may also be a family, whose games are called `prefix:name`;
- `./connect4.py`, `./connect4`, `./connect4.py:ConnectFour`: a file or a folder, with the class
  where there are several. Whatever holds a slash or ends with `.py` is taken for one.

To find a game executes nothing of it; to load one (`referee.catalog.loading`) does.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from protocol.errors import ArenaError
from referee.games import GAMES
from referee.program.file import GAME_FILE, is_program_game
from referee.rules.options import suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OPENSPIEL = "openspiel"
"""The family of games that comes with Bot Arena, whose library is an extra."""
GROUP = "bot_arena.games"
"""The group of entry points that a distribution's games are listed in."""
NAME = r"[a-z][a-z0-9_]*(:[A-Za-z0-9_.()=,;+-]+( [A-Za-z0-9_.()=,;+-]+)*)?"
"""What a game may be called, as a pattern."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a game comes from: enough to load it in another process of this machine."""

    word: str
    """What means it where it was named, such as in a league's file."""
    kind: Literal["bundled", "installed", "file", "program"]
    """A `program` is a folder with a `game.toml`, a `file` one with code of Python, or a file."""
    path: str = ""
    """The file or folder of a game from one, absolute, with links resolved."""
    class_name: str = ""
    """The class that was asked for by name."""
    distribution: str = ""
    """The installed distribution that it belongs to, and its version."""
    version: str = ""

    @property
    def said(self) -> str:
        """The source in words, such as "of the file /home/ada/nim.py"."""
        if self.kind == "bundled":
            return "bundled with Bot Arena"
        if self.kind == "installed":
            return f"of the package {self.distribution} {self.version}"
        kind = "folder" if self.path and Path(self.path).is_dir() else "file"
        return f"of the {kind} {self.path or self.word}"


def find_source(word: str, here: Path = Path()) -> Source:
    """Return where the game comes from that a word means; raise ArenaError if there is none."""
    if word in GAMES:
        return Source(word, "bundled")
    if is_path(word):
        return _file_source(word, here)
    entry = entry_point(word)
    if entry is None:
        raise _unknown(word, here)
    return _installed_source(word, entry)


def is_path(word: str) -> bool:
    """Return whether a word names a file or folder, and not a game by its name."""
    path = word.partition(".py:")[0]
    return "/" in word or path != word or word.endswith(".py") or word in (".", "..")


def installed() -> list[Source]:
    """Return the sources of all installed games and families, by name; nothing is executed."""
    listed = sorted(_entry_points(), key=lambda entry: entry.name)
    return [_installed_source(entry.name, entry) for entry in listed if entry.dist is not None]


# --- files


def _file_source(word: str, here: Path) -> Source:
    path, colon, name = word.rpartition(":")
    if not colon or "/" in name:
        path, name = word, ""
    where = here / path
    if not where.exists():
        raise ArenaError(f"there is no game {word!r}: no file {str(where)!r}.")
    if where.is_file() and where.suffix != ".py":
        raise ArenaError(f"{where} is no game: a game is a file that ends with .py, or a folder.")
    if name and not name.isidentifier():
        raise ArenaError(f"{word!r}: {name!r} is no name of a class; write {path}:ConnectFour.")
    game = _game_in(where.resolve())
    if is_program_game(game):
        if name:
            raise ArenaError(f"{word!r}: {where} is a program, which has no classes: write {path}.")
        return Source(word, "program", path=str(game))
    return Source(word, "file", path=str(game), class_name=name)


def _game_in(path: Path) -> Path:
    """Return the folder of the game in a folder that holds a distribution of just one."""
    known = ("game.py", "__init__.py", GAME_FILE)
    if path.is_file() or any((path / name).is_file() for name in known):
        return path
    found = [each.parent for each in path.glob("*/game.py")]
    return found[0] if len(found) == 1 else path


# --- installed packages


def _entry_points() -> "Iterable[EntryPoint]":
    from importlib.metadata import entry_points  # here, as workers seldom need it

    return entry_points(group=GROUP)


def _installed_source(word: str, entry: "EntryPoint") -> Source:
    dist = entry.dist
    assert dist is not None
    family, colon, name = word.partition(":")
    word = family + colon + " ".join(name.split())  # as names of games may be
    return Source(word, "installed", distribution=dist.name, version=dist.version)


def entry_point(word: str) -> "EntryPoint | None":
    """Return the entry point that a word means: of its name, or of the family before the colon.

    Raises ArenaError for a name that two distributions claim.
    """
    listed = [*_entry_points()]
    for name in (word, word.partition(":")[0]):
        found = {entry.dist.name: entry for entry in listed if entry.name == name and entry.dist}
        if len(found) > 1:
            raise ArenaError(
                f"two packages have a game {name!r}: {' and '.join(sorted(found))}. Uninstall one "
                f"of them."
            )
        if found:
            return next(iter(found.values()))
    return None


def _unknown(word: str, here: Path) -> ArenaError:
    """Return the error of a word that means no game."""
    lies = here / word
    if lies.is_dir() or lies.with_suffix(".py").is_file():
        file = f"./{word}" if lies.is_dir() else f"./{word}.py"
        return ArenaError(f"there is no game {word!r}; write {file} for what lies here.")
    known = [*GAMES, *(source.word for source in installed())]
    return ArenaError(f"there is no game {word!r}. {suggestion(word, known)}")
