"""New bots: a folder with a program that plays, in one of several languages, to be improved."""

import json
import shutil
import tomllib
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from arena.roster import HUMAN, SHIPPED, check_name, shipped
from protocol.errors import ArenaError
from referee.game import Game
from referee.options import suggestion

TEMPLATES = SHIPPED / "templates"
"""A folder for each language, with a file for every game, and what all languages share."""

_ALSO = {"js": "javascript", "node": "javascript", "c++": "cpp", "py": "python"}
_ALSO |= {"rs": "rust", "golang": "go", "sh": "shell", "bash": "shell"}


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's table of `languages.toml`, where each key is explained."""

    title: str
    bot: str
    ending: str
    kit: str
    command: list[str]
    needs: list[str]
    builds: bool
    files: list[str] | None = None

    @property
    def lacking(self) -> list[str]:
        """Which of the programs that build or run it are not on the PATH."""
        return [program for program in self.needs if shutil.which(program) is None]


def languages() -> dict[str, Language]:
    """Return the languages there are, by name."""
    text = (TEMPLATES / "languages.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Language])


def find_language(word: str) -> tuple[str, Language]:
    """Return a language's name and what is known of it; raise ArenaError if there is none."""
    known = languages()
    name = _ALSO.get(word.lower(), word.lower())
    if name not in known:
        raise ArenaError(f"there is no language {word!r}. {suggestion(word, known)}")
    return name, known[name]


def write_bot(folder: Path, language: str, game: type[Game]) -> list[str]:
    """Write a new bot into `folder`, which is made; return the names of its files.

    Raises ArenaError if there is anything in the folder, and for a name that no bot may have or
    that means another.
    """
    name = folder.resolve().name
    check_name(name)
    _check_free(name, game.name)
    _make_empty(folder)
    kind = languages()[language]
    source = TEMPLATES / language
    copies = {
        kind.bot: source / f"{game.name}.{kind.ending}",
        Path(kind.kit).name: source / kind.kit,
    }
    if kind.builds:
        copies["Makefile"] = source / "Makefile"
    for target, path in copies.items():
        shutil.copyfile(path, folder / target)
    if kind.command[0] == f"./{kind.bot}":
        (folder / kind.bot).chmod(0o755)
    (folder / "bot.toml").write_text(_settings(kind), encoding="utf-8")
    readme = _readme(name, kind, game)
    (folder / "README.md").write_text(readme, encoding="utf-8")
    return [*copies, "bot.toml", "README.md"]


def _check_free(name: str, game: str) -> None:
    """Raise ArenaError for a name that means somebody else on the command line."""
    if name == HUMAN:
        raise ArenaError(f"{name!r} is you, at the table; name the folder otherwise.")
    if name.removeprefix(f"{game}_") in shipped(game):
        raise ArenaError(f"{name!r} is a bot that comes along for {game}; name yours otherwise.")


def _make_empty(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        first = next(folder.iterdir(), None)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be a bot's folder: {error.strerror}.") from None
    if first is not None:
        raise ArenaError(f"{folder} is not empty (it holds {first.name}); name a new folder.")


def _settings(kind: Language) -> str:
    entries: dict[str, Any] = {"command": kind.command}
    if kind.files is not None:
        entries["files"] = kind.files
    return "".join(f"{key} = {_toml(value)}\n" for key, value in entries.items())


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _readme(name: str, kind: Language, game: type[Game]) -> str:
    others = game.seat_counts[0] - 1
    makefile = "| `Makefile` | builds it |\n" if kind.builds else ""
    return Template((TEMPLATES / "README.md").read_text(encoding="utf-8")).substitute(
        name=name,
        name_in_toml=_toml(name),
        folder_in_toml=_toml(f"../{name}"),
        language=kind.title,
        game=game.name,
        title=game.title,
        bot=kind.bot,
        kit=Path(kind.kit).name,
        makefile=makefile,
        build="make                              # after every change\n" if kind.builds else "",
        ideas="".join(f"- {idea}\n" for idea in _ideas(game)),
        table=" ".join([".", *["random"] * others]),
        person=" ".join(["human", ".", *["random"] * (others - 1)]),
        field=" ".join([".", *shipped(game.name)]),
    )


def _ideas(game: type[Game]) -> list[str]:
    """Return sentences on what to try in a game, with what they need of view and options."""
    text = (TEMPLATES / "ideas.toml").read_text(encoding="utf-8")
    found = []
    for each in tomllib.loads(text)[game.name]:
        fields = ", ".join(f"`{field}`" for field in each["fields"])
        found.append(f"{each['idea']} ({fields})")
    return found or ["There is nothing to decide in this game: it is all luck."]
