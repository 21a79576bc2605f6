"""The file `game.toml` of a game that is a program: its command, its files and its limits."""

import os
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from referee.limits import Limits, PositiveSeconds
from referee.rules.options import read_settings
from referee.sandbox import PYTHON, Program
from referee.sandbox.sources import read_at_most

GAME_FILE = "game.toml"
"""What marks a folder as a game that is a program."""
NOT_CODE = {"rules.md", "ideas.toml", "cases.toml", "playthroughs", "bots", "__pycache__"}
"""What lies in a game's folder and changes no match."""
_MOST_FILES = 2000
_LARGEST = 1 << 20  # bytes of the file


class Confinement(NamedTuple):
    """The sandbox that the programs of games run in."""

    sandbox: str = "auto"
    """As for bots; `auto` is landlock or, where that cannot be had, bwrap."""
    uid: int | None = None
    """The first of the users that they are run as, if the referee is root."""


ANYWHERE = Confinement()
"""The first sandbox that there is."""


class GameFile(msgspec.Struct, frozen=True, kw_only=True):
    """What `game.toml` holds."""

    command: Annotated[list[str], Meta(min_length=1)]
    """What starts the program, in its folder: "{python}" stands for the arena's own Python."""
    files: list[str] = []
    """The files that it needs when it runs; by default all that lie in its folder."""
    answer_seconds: PositiveSeconds = 10.0
    """How long it may take for an answer: CPU time, and on the wall somewhat more."""
    startup: PositiveSeconds = 10.0
    """How long it may take until it has said what game it is."""
    memory_mb: Annotated[int, Meta(ge=16, le=1 << 20)] = 512
    """The most data memory of the program, in MiB."""
    open_files: Annotated[int, Meta(ge=8, le=4096)] = 64
    """The most files it may have open."""
    processes: Annotated[int, Meta(ge=1, le=4096)] = 32
    """The most processes and threads in bwrap; the others allow threads alone."""

    def limits(self, sandbox: str) -> Limits:
        """Return the limits of its process in a kind of sandbox."""
        return msgspec.convert(
            {
                "sandbox": sandbox,
                "move_time": self.answer_seconds,
                "startup": self.startup,
                "memory_mb": self.memory_mb,
                "open_files": self.open_files,
                "processes": self.processes,
                "proc": sandbox != "uid",  # a game knows all that is played
            },
            Limits,
        )


def is_program_game(folder: Path) -> bool:
    """Return whether a folder is a game that is a program."""
    return (folder / GAME_FILE).is_file()


def read_game_file(folder: Path) -> GameFile:
    """Return what the file of a game in `folder` says; raise ArenaError if it cannot be read."""
    file = folder / GAME_FILE
    try:
        raw = tomllib.loads(read_at_most(file, _LARGEST).decode())
        found: GameFile = read_settings(GameFile, raw, f"key {{}} of {GAME_FILE}")
    except RecursionError:
        raise ArenaError(
            f"{file}: its values are nested too deep: write a list of texts."
        ) from None
    except OSError as error:
        raise ArenaError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, ArenaError) as error:
        raise ArenaError(f"{file}: {error}") from None
    return found


def program_files(folder: Path) -> list[str]:
    """Return the files that a game's program is made of, relative to its folder and sorted.

    Raises ArenaError for a file that is named and not there, and for too many.
    """
    found: set[str] = set()
    for path in _named(folder, read_game_file(folder).files):
        found.add(path.relative_to(folder).as_posix())
        if len(found) > _MOST_FILES:
            raise ArenaError(
                f"{folder / GAME_FILE}: more than {_MOST_FILES} files lie in the folder: name "
                f"those that the program needs: files = [...]."
            )
    return sorted(found)


def _named(folder: Path, names: list[str]) -> Iterator[Path]:
    if not names:
        yield from files_in(folder)
    for name in names:
        path = folder / name
        if Path(name).is_absolute() or ".." in Path(name).parts or not path.exists():
            raise ArenaError(
                f"{folder / GAME_FILE}: `files` names {name!r}, which is not there; build the "
                f"program first, or take the name out."
            )
        if path.is_dir():
            yield from files_in(path)
        else:
            yield path


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files of a game's folder that may change a match."""
    for path in sorted(folder.iterdir()):
        if path.name in NOT_CODE or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from files_in(path)
        elif path.is_file():
            yield path


def program_of(folder: Path, file: GameFile) -> Program:
    """Return what is executed; raise ArenaError if the command's program is not there."""
    first, *others = file.command
    if first != PYTHON:
        first = _executable(folder, first)
    return Program((first, *others), str(folder), tuple(program_files(folder)))


def _executable(folder: Path, word: str) -> str:
    where = folder / GAME_FILE
    if "/" not in word:
        found = shutil.which(word)
        if found is None:
            inside = (folder / word).is_file()
            what = f"; write ./{word} for the file in its folder." if inside else "."
            raise ArenaError(f"{where}: there is no program {word!r} on the PATH{what}")
        return found
    path = folder / word
    if not path.is_file():
        made = (folder / "Makefile").is_file()
        how = (
            f": build it (`make -C {shlex.quote(str(folder))}`)."
            if made
            else "; build it, or mend `command`."
        )
        raise ArenaError(f"{where}: there is no program {path}{how}")
    if not os.access(path, os.X_OK):
        word = shlex.quote(str(path))
        raise ArenaError(f"{where}: {path} is not executable; try `chmod +x {word}`.")
    return str(path)
