"""New games: a working one to be changed, as Python code or as a program in several languages."""

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from string import Template

from arena.author.new import TEMPLATES, Language, language_name, languages, write_files
from arena.league.finding import KIT
from protocol.errors import ArenaError
from referee.games import GAMES
from referee.program.file import GAME_FILE
from referee.rules.options import suggestion

_TEMPLATE = Path(__file__).with_name("game_template")
"""The files of a new game, each with `.txt` behind its name, for `string.Template`.

Those of a program are in the folder of its language, with what all games share outside of it.
"""
_SHARED = ("rules.md", "bots/sensible.py")
_LONGEST_NAME = 40  # letters that the game protocol allows


def write_game(folder: Path) -> list[str]:
    """Write a new game as a distribution into `folder`, which is made; return its files' names.

    Raises ArenaError if there is anything in the folder, or its name cannot be a game's.
    """
    name = folder.resolve().name
    words = _words(name, folder)
    of_programs = {_TEMPLATE / language for language in program_languages()}
    files = [path for path in _TEMPLATE.rglob("*.txt") if of_programs.isdisjoint(path.parents)]
    texts = {_place(file, name): text for file, text in _filled(files, _TEMPLATE, words).items()}
    texts[f"{name}/__init__.py"] = f'"""{words["Title"]}, a game for Bot Arena."""\n'
    texts[f"{name}/bots/kit.py"] = KIT.read_text(encoding="utf-8")
    return _write(folder, texts)


def program_languages() -> list[str]:
    """Return the languages that `write_program` knows, by name."""
    return [name for name in languages() if (_TEMPLATE / name / f"{GAME_FILE}.txt").is_file()]


def find_program_language(word: str) -> tuple[str, Language]:
    """Return the name of a language for games, and what is known of it.

    Raises ArenaError if there is none.
    """
    known, name = program_languages(), language_name(word)
    if name not in known:
        raise ArenaError(f"no game can be begun in {word!r}. {suggestion(word, known)}")
    return name, languages()[name]


def lacking(language: Language) -> list[str]:
    """Return which of the programs that build a game, or run it, are not found here."""
    if language.build is None:
        return language.lacking
    return [program for program in language.needs if shutil.which(program) is None]


def write_program(folder: Path, language: str) -> list[str]:
    """Write a new game as a program into `folder`, which is made; return its files' names.

    Raises ArenaError if there is anything in the folder, or its name cannot be a game's.
    """
    words = _words(folder.resolve().name, folder)
    if len(words["name"]) > _LONGEST_NAME:
        raise ArenaError(
            f"the name of a game that is a program has at most {_LONGEST_NAME} letters; "
            f"{words['name']!r} has {len(words['name'])}."
        )
    home, kind = _TEMPLATE / language, languages()[language]
    texts = _filled([*home.rglob("*.txt")], home, words)
    texts |= _filled([_TEMPLATE / f"{file}.txt" for file in _SHARED], _TEMPLATE, words)
    if kind.build is not None:  # then JSON is read and written by what bots of the language use
        texts[kind.kit] = (TEMPLATES / language / kind.kit).read_text(encoding="utf-8")
    texts["bots/kit.py"] = KIT.read_text(encoding="utf-8")
    return _write(folder, texts)


def _filled(files: Iterable[Path], home: Path, words: dict[str, str]) -> dict[str, str]:
    """Return the texts of templates for a game, by where they stand in `home`."""
    return {
        file.relative_to(home).as_posix().removesuffix(".txt"): Template(
            file.read_text(encoding="utf-8")
        ).safe_substitute(words)
        for file in sorted(files)
    }


def write_single_game(file: Path) -> Path:
    """Write a new game into one file, and return it; raise ArenaError if it is there already."""
    file = file if file.suffix == ".py" else file.with_name(f"{file.name}.py")
    words = _words(file.stem, file)
    if file.exists():
        raise ArenaError(f"{file} exists; name a new file.")
    text = (_TEMPLATE / "game.py.txt").read_text(encoding="utf-8")
    write_files(file.parent, {file.name: Template(text).safe_substitute(words).encode()})
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


def _write(folder: Path, texts: dict[str, str]) -> list[str]:
    if folder.exists() and (not folder.is_dir() or next(folder.iterdir(), None) is not None):
        raise ArenaError(f"{folder} exists and is not empty; name a new folder.")
    return write_files(folder, {file: text.encode() for file, text in texts.items()})
