"""The class of a game that is a program: its program is started, and says what game it is."""

from pathlib import Path
from typing import Any

from protocol.errors import ArenaError
from referee.game import Game
from referee.program.engine import Engine, engine_of
from referee.program.file import ANYWHERE, GAME_FILE, Confinement, program_of, read_game_file
from referee.program.forms import form_of, options_of
from referee.program.game import ProgramGame
from referee.program.messages import VERSION, About, Hello


def class_of(folder: Path, confinement: Confinement = ANYWHERE) -> type[Game]:
    """Return the game in a folder, whose program is started for that, in a sandbox.

    Raises ArenaError if there is none that can be started, or it is no game, and says why.
    """
    file = read_game_file(folder)
    limits = file.limits("landlock")
    program = program_of(folder, file)
    engine = engine_of(program, limits, confinement, folder.name)
    about = engine.ask(Hello(VERSION), About, limits.startup)
    engine.rename(about.name)
    try:
        return _made(folder, about, engine)
    except ArenaError as error:
        engine.stop()
        raise ArenaError(f"{folder / GAME_FILE}: what its program says: {error}") from None


def _made(folder: Path, about: About, engine: Engine) -> type[Game]:
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
