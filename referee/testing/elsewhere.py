"""Plays the same deals in another process: `python -m referee.testing.elsewhere`, for `fate`."""

import json
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from referee.catalog.finding import Source, find_source
from referee.catalog.folder import module_of
from referee.catalog.loading import FROM_FILE, load
from referee.program.file import GAME_FILE
from referee.rules.game import Game
from referee.testing.cases import Case
from referee.testing.trial import GameTrial, sampling


def environment(**others: str) -> dict[str, str]:
    """Return the variables of another process, which finds us and nothing else before it is told.

    Python executes modules of some names as it starts, wherever it finds them: one that lies beside
    a game is none of its files.
    """
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **others}


def whereabouts(kind: type[Game]) -> dict[str, str]:
    """Return by what another process finds a class: the arguments of `imported`."""
    return {
        "path": os.pathsep.join(sys.path),
        "module": kind.__module__,
        "file": str(module_of(kind)),
        "name": kind.__qualname__,
        "game": kind.name,
    }


def imported(path: str, module: str, file: str, name: str, game: str) -> type[Game]:
    """Return a class by its module, or by its file where no module of that name is found.

    Modules are looked for along `path` from now on.

    A game of a family is found by its own name: its class may stand in no module.
    """
    from importlib import import_module
    from importlib.util import module_from_spec, spec_from_file_location

    sys.path[:] = path.split(os.pathsep)
    if ":" in game:
        return load(find_source(game))
    if Path(file).name == GAME_FILE:
        return load(find_source(str(Path(file).parent)))
    if module.startswith(FROM_FILE):  # it was named by its file, or by the folder of that
        is_folder = "." in module or Path(file).stem == "__init__"
        place = str(Path(file).parent if is_folder else file)
        return load(Source(place, "file", path=place, class_name=name))
    try:
        found: Any = import_module(module) if module != "__main__" else None
    except ModuleNotFoundError:
        found = None
    if found is None:
        spec = spec_from_file_location(Path(file).stem, file)
        assert spec is not None
        assert spec.loader is not None
        found = module_from_spec(spec)
        sys.modules[spec.name] = found
        spec.loader.exec_module(found)
    for part in name.split("."):
        found = getattr(found, part)
    kind: type[Game] = found
    return kind


def main() -> None:
    """Read what to play from standard input, and write the records to standard output."""
    work = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):
        kind = imported(**work["kind"])
        trial = GameTrial(kind, [], most_decisions=work["most"])
        played = []
        for job in work["jobs"]:
            game = trial.new(Case(kind, job["seats"], job["changed"]), job["seed"])
            played.append(trial.record(game, sampling(job["seed"])))
    json.dump(played, sys.stdout)


if __name__ == "__main__":
    main()
