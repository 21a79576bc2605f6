"""New games: a working one to be changed, as an installable distribution or in one file."""

import re
import sys
from pathlib import Path
from string import Template

from arena.folders import unmake, unwritten
from arena.league.finding import AUTHORS_KIT
from protocol.errors import ArenaError
from referee.games import GAMES

_TEMPLATE = Path(__file__).with_name("game_template")
"""The files of a new game, each with `.txt` behind its name, for `string.Template`."""


def write_game(folder: Path) -> list[str]:
    """Write a new game as a distribution into `folder`, which is made; return its files' names.

    Raises ArenaError if there is anything in the folder, or its name cannot be a game's.
    """
    name = folder.resolve().name
    words = _words(name, folder)
    files = {
        path.relative_to(_TEMPLATE).as_posix().removesuffix(".txt"): path
        for path in sorted(_TEMPLATE.rglob("*.txt"))
    }
    texts = {
        _place(file, name): Template(path.read_text(encoding="utf-8")).safe_substitute(words)
        for file, path in files.items()
    }
    texts[f"{name}/__init__.py"] = f'"""{words["Title"]}, a game for Bot Arena."""\n'
    texts[f"{name}/bots/kit.py"] = AUTHORS_KIT.read_text(encoding="utf-8")
    if folder.exists() and (not folder.is_dir() or next(folder.iterdir(), None) is not None):
        raise ArenaError(f"{folder} exists and is not empty; name a new folder.")
    _write({folder / file: text for file, text in texts.items()}, folder)
    return [*texts]


def write_single_game(file: Path) -> Path:
    """Write a new game into one file, and return it; raise ArenaError if it is there already."""
    file = file if file.suffix == ".py" else file.with_name(f"{file.name}.py")
    words = _words(file.stem, file)
    if file.exists():
        raise ArenaError(f"{file} exists; name a new file.")
    text = (_TEMPLATE / "game.py.txt").read_text(encoding="utf-8")
    _write({file: Template(text).safe_substitute(words)}, file.parent)
    return file


def _words(name: str, path: Path) -> dict[str, str]:
    """Return what stands for the game in its files; raise ArenaError for a name of none."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise ArenaError(
            f"a game is called by small letters, digits and _, such as connect_four, not {name!r}."
        )
    if name in sys.stdlib_module_names:
        raise ArenaError(
            f"{name!r} is the name of a module of Python; give your game another name."
        )
    if name in GAMES:
        raise ArenaError(f"{name!r} is a bundled game; give yours another name.")
    return {
        "name": name,
        "Name": name.title().replace("_", ""),
        "Title": name.replace("_", " ").capitalize(),
        "distribution": name.replace("_", "-"),
        "path": f"./{path.name}",
    }


def _place(file: str, name: str) -> str:
    """Return where a file of the template stands in a distribution."""
    of_the_game = file in ("game.py", "rules.md") or file.startswith("bots/")
    return f"{name}/{file}" if of_the_game else file


def _write(texts: dict[Path, str], folder: Path) -> None:
    """Write files; if that fails, nothing is left."""
    parents = {parent for path in texts for parent in path.parents} | {folder, *folder.parents}
    made = sorted((path for path in parents if not path.exists()), reverse=True)
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except BaseException as error:  # Ctrl-C too: raised again once nothing is left
        unmake([*texts], made)
        if isinstance(error, OSError):
            raise unwritten(folder, error) from None
        raise
