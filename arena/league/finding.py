"""Which bot a word means: a bundled one, a folder with a `bot.toml`, or an executable."""

import difflib
import itertools
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from arena.environment.names import LOCK, WHEELS
from arena.league.bot import Bot, make_bot
from arena.league.files import is_archive, named_files, near_miss, readable
from arena.text import not_toml, quoted, safe, toml
from protocol.errors import ArenaError
from referee.catalog.folder import bots_of
from referee.limits import Grant
from referee.rules.game import Game
from referee.rules.options import fields, read_settings, suggestion
from referee.sandbox import PYTHON, is_program
from referee.sandbox.executable import WINDOWS, has_windows_line_ends
from referee.sandbox.sources import FILES_LIMIT, read_at_most

BUNDLED = Path(__file__).parents[2] / "bots"
"""The folder of the bundled bots, `<game>/<game>_<name>.py` each."""
KIT = BUNDLED / "templates" / "python" / "kit.py"
"""The kit, which is a part of the versions of the bundled bots, too."""
HUMAN = "human"
"""The word for a person, who sits only in single matches."""
BOT_FILE = "bot.toml"
"""The file that says how a folder's bot is run."""
_BOT_FILE_LIMIT = 64 << 10
_EXAMPLES = {
    "command": '["./bot"]',
    "files": '["bot.py"]',
    "build": '["make"]',
    "sources": '["src", "Makefile"]',
}
"""The keys of a `bot.toml` that are lists of words, each with an example."""
VENV = "venv"
"""What `python` in a `bot.toml` says for a bot that has packages."""
_LONG_KEY = re.compile(r"""(?:[\w"'-]{1,20}[ \t]?\.[ \t]?){100}""")
_LOOKED_AT = 1000  # names of a folder among which an example is found


_ANY = "any"
"""The folder of the bundled bots that play every game."""


def bundled(game: str) -> dict[str, Path]:
    """Return the bundled programs that play a game, by name; none for no game.

    Its own come before those that play every game.
    """
    return dict(sorted((_programs(_ANY) | _programs(game)).items())) if game else {}


def _programs(folder: str) -> dict[str, Path]:
    return {
        path.stem.removeprefix(f"{folder}_"): path
        for path in (BUNDLED / folder).glob(f"{folder}_*.py")
    }


def bots_for(game: type[Game]) -> dict[str, Path]:
    """Return the programs that play a game, by name: those that it brings along, and bundled."""
    own = bots_of(game)
    brought = {path.stem: path for path in own.glob("[a-z]*.py")} if own else {}
    brought.pop(KIT.stem, None)
    return dict(sorted((bundled(game.name) | brought).items()))


def bundled_bot(game: str, name: str, called: str | None = None) -> Bot | None:
    """Return a bundled bot, `called` something else if need be; None if unknown."""
    known = {**{f"{_ANY}_{word}": path for word, path in _programs(_ANY).items()}, **bundled(game)}
    path = known.get(name.removeprefix(f"{game}_")) if game else None
    if path is None:
        return None
    bot = make_bot(
        name if called is None else called, path.parent, (PYTHON, path.name), (path.name,)
    )
    return replace(
        bot, files=tuple(sorted((path.name, KIT.name))), borrowed=((KIT.name, str(KIT)),)
    )


def asks_for_packages(folder: Path) -> bool:
    """Return whether the bot of a folder is to be run in an environment of packages.

    Raises ArenaError if it has no `bot.toml` that can be read.
    """
    return _settings(folder, None).get("python") == VENV


def _settings(folder: Path, called: str | None) -> dict[str, Any]:
    """Return what the `bot.toml` of a folder says; raise ArenaError with a mistake in it."""
    file = folder / BOT_FILE
    said = f"bot {called!r}: " if called else ""
    shown = safe(str(file))
    try:
        if not folder.is_dir():
            raise ArenaError(f"{said}there is no folder {safe(str(folder))}.")
        text = read_at_most(file, _BOT_FILE_LIMIT).decode("utf-8-sig")
    except FileNotFoundError:
        raise ArenaError(_unsaid(folder)) from None
    except OSError as error:
        raise ArenaError(f"{said}{shown} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise ArenaError(f"{shown} is not UTF-8; save it as UTF-8.") from None
    if _LONG_KEY.search(text):  # TOML's reader takes a time that grows with its square
        raise ArenaError(f"{shown}: a key in it has very many parts; the keys are single words.")
    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{shown}{not_toml(text, error)}") from None
    known = ("name", "python", "needs", *_EXAMPLES)
    if unknown := {*settings} - {*known}:
        word = min(unknown)
        if word in fields(Grant):
            needed = _needed({word: settings[word]}, shown).words
            raise ArenaError(f"{shown}: {word!r} belongs into needs: needs = {{ {needed} }}.")
        raise ArenaError(f"{shown}: there is no key {word!r}. {suggestion(word, known)}")
    for key, example in _EXAMPLES.items():
        if not _is_words(settings.get(key, [])) or (key == "command" and key not in settings):
            is_what = "must be a list of text" if key in settings else "is missing"
            raise ArenaError(f"{shown}: {key} {is_what}: {key} = {example}.")
        if key in ("files", "sources") and len(settings.get(key, [])) > FILES_LIMIT:
            raise ArenaError(f"{shown}: {key} has more than {FILES_LIMIT} words; name folders.")
    return settings


def bot_folder(folder: Path, called: str | None = None) -> Bot:
    """Return the bot of a folder with a `bot.toml`: its `command`, perhaps `name`, `files`.

    Without `files`, all files of the folder are its own. With `build`, `files` are what that
    command leaves, and `sources` what it is given: by default all else in the folder. With
    `python`, it is run in an environment of packages.
    """
    shown = safe(str(folder / BOT_FILE))
    settings = _settings(folder, called)
    name = settings.get("name", folder.resolve().name) if called is None else called
    if not isinstance(name, str):
        raise ArenaError(f"{shown}: name must be text.")
    needs = _needed(settings.get("needs", {}), shown)
    if "sources" in settings and not settings.get("build"):
        raise ArenaError(f'{shown}: sources are for a build: add build = ["make"], or take it out.')
    if "python" not in settings:
        return replace(_made(folder, name, settings), needs=needs)
    if settings["python"] != VENV:
        raise ArenaError(f'{shown}: python must be "{VENV}": python = "{VENV}".')
    if settings["command"][:1] != [PYTHON]:
        raise ArenaError(
            f'{shown}: python = "{VENV}" is for a command that begins with "{PYTHON}": command = '
            f"{toml([PYTHON, 'bot.py'])}."
        )
    bot = _made(folder, name, settings, [WHEELS])
    return replace(_with_lock(bot), needs=needs, has_packages=True)


def _with_lock(bot: Bot) -> Bot:
    """Return a bot that has packages with its lock among its files."""
    with readable(bot.name):
        if not (bot.folder / LOCK).exists():
            raise ArenaError(
                f"bot {bot.name!r}: it has no {LOCK}, which names its packages: `arena env build "
                f"--fetch {quoted(bot.folder)}` makes it."
            )
        files = named_files(bot.name, bot.folder, [*bot.files, LOCK])
    return replace(bot, files=files)


def _made(folder: Path, name: str, settings: Mapping[str, Any], but: Sequence[str] = ()) -> Bot:
    """Return the bot of a folder, by the values of its `bot.toml`; `but` are no files of it."""
    command, files = settings["command"], settings.get("files", ["."])
    build, sources = settings.get("build"), settings.get("sources")
    if not build:
        return make_bot(name, folder, command, files, listed_in=BOT_FILE, but=but)
    with readable(name):
        given = named_files(
            name,
            folder.resolve(),
            sources or ["."],
            but=but if sources else [*files, *but],
            where=f"`sources` in {BOT_FILE}",
        )
    return make_bot(name, folder, command, given, listed_in=BOT_FILE, build=build, products=files)


def _needed(raw: object, shown: str) -> Grant:
    """Return what a bot.toml says that its bot needs; raise ArenaError for what none may need."""
    if not isinstance(raw, dict):
        raise ArenaError(f"{shown}: needs must be a table: needs = {{ memory_mb = 1024 }}.")
    try:
        needs: Grant = read_settings(Grant, raw, "need {}")
    except ArenaError as error:
        raise ArenaError(f"{shown}: {error}") from None
    if needs.unaskable:
        raise ArenaError(
            f"{shown}: no bot may ask for {needs.unaskable}, which only an organizer gives; take "
            f"it out of needs."
        )
    return needs


def _unsaid(folder: Path) -> str:
    """Return what to say of a folder in which no bot.toml is."""
    with readable(folder.name), os.scandir(folder) as entries:
        names = [entry.name for entry in itertools.islice(entries, _LOOKED_AT)]
    paths = [folder / name for name in sorted(names) if name[0] != "."]
    shown = safe(str(folder))
    if not paths:
        return (
            f"{shown} is empty: put the bot's program there, and a bot.toml that says how it is "
            f"run, such as command = {toml([PYTHON, 'bot.py'])}."
        )
    if archive := next(filter(is_archive, paths), None):
        return f"{shown} has no bot.toml, but an archive: unpack {safe(archive.name)}."
    if near := near_miss(names, BOT_FILE):
        return f"{shown} has no {BOT_FILE}, but {safe(near)}: call that {BOT_FILE}."
    if inner := next((path for path in paths if (path / BOT_FILE).is_file()), None):
        is_in = f"{safe(inner.name)} in it has one"
        return f"{shown} has no {BOT_FILE}, but {is_in}: name {safe(str(inner))}."
    programs = (path for path in paths if path.is_file() and os.access(path, os.X_OK))
    program = next((path for path in programs if is_program(str(path))), None)
    script = next((path for path in paths if path.suffix == ".py" and path.stem != "kit"), None)
    command = ["./bot"] if script is None else [PYTHON, script.name]
    other = ""
    if program is not None:
        command = [f"./{program.name}"]
        other = f"; or name the program, {safe(str(program))}"
    return (
        f"{shown} has no bot.toml: put one right into it that says how the bot is run, such as "
        f"command = {safe(toml(command))}{other}."
    )


def _is_words(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def find_bot(
    word: str, game: str, called: str | None = None, *, brought: Path | None = None
) -> Bot:
    """Return the bot that a word of the command line means.

    It is the name of one that the game brings along, in the folder `brought`, of a bundled one, a
    folder with a `bot.toml`, or an executable, which is that file and the kit that it uses. Raises
    ArenaError if it means none, or two.
    """
    if "/" not in word and word.isidentifier() and brought and (brought / f"{word}.py").is_file():
        _check_not_here(word, game)
        return make_bot(word if called is None else called, brought, (PYTHON, f"{word}.py"))
    if "/" not in word and (bot := bundled_bot(game, word, called)):
        _check_not_here(word, game)
        return bot
    path = Path(word)
    name = path.stem if called is None else called
    with readable(name):
        if path.is_dir():
            return _with_unix_lines(bot_folder(path, called))
        if not path.exists():
            raise _unfound(word, game)
    return _with_unix_lines(make_bot(name, path.parent, (f"./{path.name}",)).checked())


def _with_unix_lines(bot: Bot) -> Bot:
    """Return a bot; raise ArenaError if its program is a script that Windows' line ends spoil.

    A league that has it goes on without it.
    """
    path = bot.folder / bot.command[0]
    if "/" in bot.command[0] and has_windows_line_ends(str(path)):
        raise ArenaError(f"bot {bot.name!r}: {safe(str(path))}: {WINDOWS}")
    return bot


def _unfound(word: str, game: str) -> ArenaError:
    """Return the error of a word that means no bot."""
    if word == HUMAN:
        return ArenaError("a human cannot play in a league, only in `arena play`.")
    known = "bundled bots need --game"
    if game:
        names = ", ".join(bundled(game)) or "none"
        known = f"the bundled bots of {game} are {names}"
    words = {**_here(word), **{name: name for name in bundled(game)}}
    near = difflib.get_close_matches(word, words, n=1)
    meant = f" Did you mean {words[near[0]]!r}?" if near else ""
    return ArenaError(f"there is no bot {word!r}: no file here has that name, and {known}.{meant}")


def _here(word: str) -> dict[str, str]:
    """Return the words for what could be a bot where a word looks for one, by what is like them."""
    place = f"{Path(word).parent}/" if "/" in word.removeprefix("./") else "./"
    like: dict[str, str] = {}
    if Path(place).is_dir():
        with readable(word), os.scandir(place) as entries:
            for entry in itertools.islice(entries, _LOOKED_AT):
                path = Path(entry.path)
                if (path / BOT_FILE).is_file() or (path.is_file() and os.access(path, os.X_OK)):
                    for form in (f"{place}{entry.name}", entry.name, path.stem):
                        like.setdefault(form, f"{place}{entry.name}")
    return like


def _check_not_here(word: str, game: str) -> None:
    """Raise ArenaError if a word that means a bundled bot may also mean one here."""
    here = Path(word)
    if here.is_file() or (here / "bot.toml").is_file():
        what = "file" if here.is_file() else "folder"
        short = word.removeprefix(f"{game}_")
        other = f"{game}_{word}" if word == short else short
        raise ArenaError(
            f"{word!r} is a bundled bot and a {what} here: write ./{word} for yours, or "
            f"{other} for the bundled one."
        )
