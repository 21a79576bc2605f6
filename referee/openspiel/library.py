"""OpenSpiel itself: the library, loaded when it is first needed, and games made by it."""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module, metadata
from typing import Any

from protocol.errors import ArenaError, installing

LEAST = (2, 0)
"""The first release whose games are taken: older ones lack what the adapter asks for."""


def release() -> str:
    """Return the installed release of OpenSpiel; raise ArenaError if there is none, or an old."""
    try:
        found = metadata.version("open_spiel")
    except metadata.PackageNotFoundError:
        older = ", with a Python of at most 3.13" if sys.version_info >= (3, 14) else ""
        raise ArenaError(f"OpenSpiel is not installed: {installing('openspiel')}{older}.") from None
    if tuple(int(part) for part in found.split(".")[:2] if part.isdecimal()) < LEAST:
        least = ".".join(map(str, LEAST))
        raise ArenaError(
            f"OpenSpiel {found} is too old; {least} is needed: {installing('openspiel')}."
        )
    return found


@cache
def spiel() -> Any:
    """Return the module `pyspiel`."""
    release()
    return import_module("pyspiel")


def kinds() -> dict[str, Any]:
    """Return by name what OpenSpiel says of each of its games: the games' types."""
    _register_python_games()
    return {kind.short_name: kind for kind in spiel().registered_games()}


def kind_of(name: str) -> Any:
    """Return the type of one game; raise KeyError for a name that no game has."""
    if name not in spiel().registered_names():
        _register_python_games()
    for kind in spiel().registered_games():
        if kind.short_name == name:
            return kind
    raise KeyError(name)


@cache
def _register_python_games() -> None:
    """Load the games that are written in Python: with numpy, that takes half a second."""
    spiel()
    import_module("open_spiel.python.games")


def load(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return a game of OpenSpiel; raise ValueError with the library's words if there is none."""
    try:
        with _unprinted():
            return spiel().load_game(name, dict(parameters))
    except spiel().SpielError as error:
        raise ValueError(said(error)) from None


def said(error: Exception) -> str:
    """Return the library's words of an error, in a line and without a file of its sources."""
    words = " ".join(str(error).split())
    if words.startswith("/"):
        words = words.partition(" ")[2]
    return words


@contextmanager
def _unprinted() -> Iterator[None]:
    """Keep what the library prints of an error, from its own code, off standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as aside:
        os.dup2(aside.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
