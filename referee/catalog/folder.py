"""What lies beside a game's code: its rules page, ideas for its bots, its cases for tests.

A game that is a folder keeps them in it, as `rules.md`, `ideas.toml` and `cases.toml`. A game that
is one file, `nim.py`, has its page beside it, `nim.md`, or is described by its docstring.
"""

import inspect
import sys
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from protocol.errors import ArenaError
from referee.program.file import GAME_FILE
from referee.rules.game import Game

_T = TypeVar("_T")

_OF_A_FOLDER = ("__init__", "game")
"""The modules that stand for the folder they are in."""


class Idea(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to try in a bot for a game."""

    text: str
    """A sentence."""
    fields: list[str] = []
    """The fields of the view, or the options, that it needs."""


class Playthrough(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match that is kept as text to be compared."""

    seed: str = "1"
    seats: int | None = None
    """How many play; by default the fewest."""
    options: dict[str, Any] = {}


class Cases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a game is to be tested."""

    brief: dict[str, Any] = {}
    """Options that make a play short, for all cases but the first."""
    playthrough: dict[str, Playthrough] = {}
    """By the name of its file in `playthroughs/`, without `.txt`."""


class _Ideas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    idea: list[Idea] = []


def module_of(game: type[Game]) -> Path:
    """Return the file that a game's class was written in; `game.toml` of one that is a program."""
    if game.program is not None:
        return game.program / GAME_FILE
    file = sys.modules[game.__module__].__file__
    assert file is not None
    return Path(file)


def folder_of(game: type[Game]) -> Path | None:
    """Return the folder that a game is; None for one that is a single file."""
    file = module_of(game)
    return file.parent if file.stem in _OF_A_FOLDER else None


def rules_of(game: type[Game]) -> str:
    """Return the rules of a game, in Markdown; raise ArenaError if nobody wrote them down."""
    folder, file = folder_of(game), module_of(game)
    page = folder / "rules.md" if folder else file.with_suffix(".md")
    if page.is_file():
        return page.read_text(encoding="utf-8")
    if game.library:
        raise ArenaError(
            f"{game.name} has no rules page: its rules are those of {game.library}, and stand in "
            f"its documentation."
        )
    told = inspect.getdoc(sys.modules[game.__module__])
    if folder is None and told:
        return f"{told}\n"
    raise ArenaError(f"{game.name} has no rules page: its author wrote no {page}.")


def bots_of(game: type[Game]) -> Path | None:
    """Return the folder of the bots that a game brings along, `NAME.py` each; None if none."""
    folder = folder_of(game)
    return folder / "bots" if folder and (folder / "bots").is_dir() else None


def ideas_of(game: type[Game]) -> list[Idea] | None:
    """Return what to try in bots for a game; None if nobody wrote anything down.

    Raises ArenaError if the file is no list of ideas.
    """
    found = _read(game, "ideas.toml", _Ideas)
    return None if found is None else found.idea


def cases_of(game: type[Game]) -> Cases:
    """Return how a game is to be tested; raise ArenaError if its file does not say that."""
    return _read(game, "cases.toml", Cases) or Cases()


def _read(game: type[Game], name: str, kind: type[_T]) -> _T | None:
    folder = folder_of(game)
    file = folder and folder / name
    if file is None or not file.is_file():
        return None
    try:
        return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), kind)
    except (ValueError, OSError) as error:
        raise ArenaError(f"{file}: {error}") from None
