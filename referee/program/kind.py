"""The class of a game that is a program: its program is started, and says what game it is."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from protocol.errors import ArenaError
from protocol.game_messages import AboutGame
from referee.program.engine import Engine
from referee.program.file import ANYWHERE, GAME_FILE, Confinement, program_of, read_game_file
from referee.program.forms import form_of, options_of
from referee.program.game import ProgramGame
from referee.rules.game import Game


def class_of(folder: Path, confinement: Confinement = ANYWHERE) -> type[Game]:
    """Return the game in a folder, whose program is started for that, in a sandbox.

    Raises ArenaError if there is none that can be started, or it is no game, and says why.
    """
    file = read_game_file(folder)
    program = program_of(folder, file)
    known = _known.get((folder, confinement))
    signature = [*program.argv, *_times(folder, [GAME_FILE, *program.files])]
    if known is not None and known[0] == signature:
        return known[1]
    engine = Engine(program, file.limits, confinement, folder.name)
    try:
        engine.start()
    finally:
        engine.rest()  # many who load a game never play it
    about = engine.about
    assert about is not None
    try:
        made = _made(folder, about, engine)
    except ArenaError as error:
        raise ArenaError(f"{folder / GAME_FILE}: what its program says: {error}") from None
    _known[folder, confinement] = signature, made
    return made


_known: dict[tuple[Path, Confinement], tuple[list[str], type[Game]]] = {}
"""Games that were loaded, each with what changes if its files do."""


def _times(folder: Path, files: Iterable[str]) -> Iterator[str]:
    for name in files:
        found = (folder / name).stat()
        yield f"{name} {found.st_mtime_ns} {found.st_size} {found.st_ino}"


def _made(folder: Path, about: AboutGame, engine: Engine) -> type[Game]:
    seats = range(min(about.seats), max(about.seats) + 1)
    if sorted(about.seats) != [*seats]:
        raise ArenaError(f"the numbers of seats {about.seats} have gaps.")
    fields: dict[str, Any] = {
        "__module__": ProgramGame.__module__,
        "__doc__": f"One play of {about.name}, which is a program.",
        "name": about.name,
        "title": about.title,
        "seat_counts": seats,
        "options_type": options_of(about.name, about.options),
        "rules_version": about.rules_version,
        "decisions": {name: form_of(name, schema) for name, schema in about.decisions.items()},
        "typical_decisions": about.typical_decisions,
        "has_chance": about.has_chance,
        "score": about.score,
        "less_is_better": about.less_is_better,
        "measures": about.measures,
        "illegal_is_sanctioned": about.illegal_is_sanctioned,
        "program": folder,
        "about": about,
        "engine": engine,
    }
    return type(f"Program_{about.name}", (ProgramGame,), fields)
