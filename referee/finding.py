"""Which game a word means, and its class: a bundled one, one of an installed package, or a file's.

- `khan`: the name of a bundled game;
- `connect_four`: the name of a game of an installed distribution, an entry point of the group
  `bot_arena.games`. One entry point may also be a family, whose games are called `prefix:name`;
- `./connect4.py`, `./connect4`, `./connect4.py:ConnectFour`: a file or a folder, with the class
  where there are several. Whatever holds a slash or ends with `.py` is taken for one.

To find a game executes nothing of it; to load one does, with all rights of the user.
"""

import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from hashlib import blake2b
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from protocol.errors import ArenaError
from referee.game import Game, Options
from referee.games import GAMES
from referee.options import suggestion

GROUP = "bot_arena.games"
"""The group of entry points that a distribution's games are listed in."""
NAME = r"[a-z][a-z0-9_]*(:[A-Za-z0-9_.()=,-]+)?"
"""What a game may be called, as a pattern."""
_OURS = Path(__file__).parent
FROM_FILE = "bot_arena_game_"
"""How the modules of games from files are called in this process."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a game comes from: enough to load it in another process of this machine."""

    word: str
    """What means it where it was named, such as in a league's file."""
    kind: Literal["bundled", "installed", "file"]
    path: str = ""
    """The file or folder of a game from one, absolute, with links resolved."""
    class_name: str = ""
    """The class that was asked for by name."""
    distribution: str = ""
    """The installed distribution that it belongs to, and its version."""
    version: str = ""

    @property
    def said(self) -> str:
        """The source in words, such as "of the file /home/ada/nim.py"."""
        if self.kind == "bundled":
            return "bundled with Bot Arena"
        if self.kind == "installed":
            return f"of the package {self.distribution} {self.version}"
        kind = "folder" if self.path and Path(self.path).is_dir() else "file"
        return f"of the {kind} {self.path or self.word}"


@runtime_checkable
class Family(Protocol):
    """Games that one entry point stands for: `prefix:name` means the one that it calls `name`."""

    def names(self) -> Iterable[str]:
        """Return the names of its games, without the prefix."""

    def game(self, name: str) -> type[Game]:
        """Return one of these games, whose own name is `prefix:name`."""


def find_game(word: str, here: Path = Path()) -> type[Game]:
    """Return the game that a word means, read in the folder `here`; raise ArenaError if none."""
    return load(find_source(word, here))


def find_source(word: str, here: Path = Path()) -> Source:
    """Return where the game comes from that a word means; raise ArenaError if there is none."""
    if word in GAMES:
        return Source(word, "bundled")
    if is_path(word):
        return _file_source(word, here)
    entry = _entry_point(word)
    if entry is None:
        raise _unknown(word, here)
    return _installed_source(word, entry)


def is_path(word: str) -> bool:
    """Return whether a word names a file or folder, and not a game by its name."""
    path = word.partition(".py:")[0]
    return "/" in word or path != word or word.endswith(".py") or word in (".", "..")


def load(source: Source) -> type[Game]:
    """Return the class of a game; this executes its code.

    Raises ArenaError with the file and the line for a module that cannot be imported, or that
    has no game, or several, and for a class that lacks part of the contract.
    """
    if source.kind == "bundled":
        if source.word not in GAMES:
            raise ArenaError(f"no game {source.word!r} is bundled with this Bot Arena.")
        return GAMES[source.word]
    with redirect_stdout(sys.stderr), _from_source():  # prints would stand amid our own output
        game = _of_file(source) if source.kind == "file" else _of_package(source)
    _check_class(game, source)
    return game


def installed() -> list[Source]:
    """Return the sources of all installed games and families, by name; nothing is executed."""
    listed = sorted(metadata.entry_points(group=GROUP), key=lambda entry: entry.name)
    return [_installed_source(entry.name, entry) for entry in listed if entry.dist is not None]


def names_of(source: Source) -> list[str] | None:
    """Return the whole names of the games of a family; None if the source is a game.

    This executes code of its distribution.
    """
    if source.kind != "installed" or ":" in source.word:
        return None
    entry = _entry_point(source.word)
    assert entry is not None
    found = _executed(entry.load, source)
    if not isinstance(found, Family) or isinstance(found, type):
        return None
    return [f"{source.word}:{name}" for name in _executed(found.names, source)]


@contextmanager
def _from_source() -> Iterator[None]:
    """Let what is imported come from its source: bytecode may be of another, which has no hash."""
    before = sys.dont_write_bytecode, sys.pycache_prefix
    sys.dont_write_bytecode, sys.pycache_prefix = True, f"{os.devnull}/none"
    try:
        yield
    finally:
        sys.dont_write_bytecode, sys.pycache_prefix = before


# --- files


def _file_source(word: str, here: Path) -> Source:
    path, colon, name = word.rpartition(":")
    if not colon or "/" in name:
        path, name = word, ""
    where = here / path
    if not where.exists():
        raise ArenaError(f"there is no game {word!r}: no file {str(where)!r}.")
    if where.is_file() and where.suffix != ".py":
        raise ArenaError(f"{where} is no game: a game is a file that ends with .py, or a folder.")
    if name and not name.isidentifier():
        raise ArenaError(f"{word!r}: {name!r} is no name of a class; write {path}:ConnectFour.")
    return Source(word, "file", path=str(_game_in(where.resolve())), class_name=name)


def _game_in(path: Path) -> Path:
    """Return the folder of the game in a folder that holds a distribution of just one."""
    if path.is_file() or (path / "game.py").is_file() or (path / "__init__.py").is_file():
        return path
    found = [each.parent for each in path.glob("*/game.py")]
    return found[0] if len(found) == 1 else path


def _of_file(source: Source) -> type[Game]:
    path = Path(source.path)
    module_name = FROM_FILE + blake2b(os.fsencode(source.path), digest_size=8).hexdigest()
    modules = _executed(lambda: _modules(module_name, path), source)
    games = {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Game)
        and value.__module__.partition(".")[0] == module_name
    }
    if source.class_name:
        if source.class_name not in games:
            raise ArenaError(
                f"{path} has no game {source.class_name!r}. "
                f"{suggestion(source.class_name, games) if games else _NO_GAME}"
            )
        return games[source.class_name]
    distinct = {*games.values()}
    leaves = [each for each in distinct if not any(each in other.__mro__[1:] for other in distinct)]
    if len(leaves) == 1:
        return leaves[0]
    if not leaves:
        raise ArenaError(f"{path} has no game. {_NO_GAME}")
    names = sorted(each.__name__ for each in leaves)
    raise ArenaError(
        f"{path} has several games: {', '.join(names)}. Say which: {source.word}:{names[0]}."
    )


_NO_GAME = "A game is a class that is derived from referee.game.Game."


def _modules(name: str, path: Path) -> list[ModuleType]:
    """Execute a file, or a folder's `__init__.py` and `game.py`; return the modules."""
    for known in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[known]  # it may have been changed
    if path.is_file():
        _look_beside(path.parent)
        return [_module(name, path)]
    init, game = path / "__init__.py", path / "game.py"
    if not init.is_file() and not game.is_file():
        raise ArenaError(f"{path} is no game: it has neither game.py nor __init__.py.")
    if init.is_file():
        package = _module(name, init, inside=path)
    else:
        package = ModuleType(name)
        package.__path__ = [str(path)]
        sys.modules[name] = package
    return [package, import_module(f"{name}.game")] if game.is_file() else [package]


_beside: list[str] = []
"""The folder that modules beside a game are found in: that of the game loaded last."""


def _look_beside(folder: Path) -> None:
    """Let modules be found in a folder, after all others, and no more in that of another game."""
    for old in _beside:
        if old in sys.path:  # nobody else has put it away
            sys.path.remove(old)
        for name, module in [*sys.modules.items()]:
            file = getattr(module, "__file__", None)
            if file and str(Path(file).parent) == old and not name.startswith(FROM_FILE):
                del sys.modules[name]
    _beside[:] = [str(folder)]
    sys.path.append(str(folder))


def _module(name: str, file: Path, inside: Path | None = None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=None if inside is None else [str(inside)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:  # Ctrl-C too: half a module is none
        sys.modules.pop(name, None)
        raise
    return module


# --- installed packages


def _installed_source(word: str, entry: metadata.EntryPoint) -> Source:
    dist = entry.dist
    assert dist is not None
    return Source(word, "installed", distribution=dist.name, version=dist.version)


def _entry_point(word: str) -> metadata.EntryPoint | None:
    """Return the entry point that a word means: of its name, or of the family before the colon.

    Raises ArenaError for a name that two distributions claim.
    """
    listed = metadata.entry_points(group=GROUP)
    for name in (word, word.partition(":")[0]):
        found = {entry.dist.name: entry for entry in listed if entry.name == name and entry.dist}
        if len(found) > 1:
            raise ArenaError(
                f"two packages have a game {name!r}: {' and '.join(sorted(found))}. Uninstall one "
                f"of them."
            )
        if found:
            return next(iter(found.values()))
    return None


def _of_package(source: Source) -> type[Game]:
    entry = _entry_point(source.word)
    if entry is None:
        raise ArenaError(
            f"there is no game {source.word!r}: {source.distribution} is not installed here."
        )
    if entry.dist is None or entry.dist.name != source.distribution:
        raise ArenaError(f"the game {source.word!r} is not of {source.distribution} here.")
    found = _executed(entry.load, source)
    if isinstance(found, type) and issubclass(found, Game):
        if entry.name == source.word:
            return found
        raise ArenaError(f"{entry.name!r} is one game and no family: write it without a colon.")
    if not isinstance(found, Family):
        raise ArenaError(
            f"the entry point {entry.name} = {entry.value!r} of {source.distribution} is no game: "
            f"it has to be a class derived from referee.game.Game, or a family of games."
        )
    _, colon, name = source.word.partition(":")
    known = [*_executed(found.names, source)]
    if not colon:
        raise ArenaError(
            f"{source.word!r} is a family of {len(known)} games: say which, as "
            f"{source.word}:{known[0] if known else 'NAME'}."
        )
    if name not in known:
        raise ArenaError(f"there is no game {source.word!r}. {suggestion(name, known)}")
    game: type[Game] = _executed(lambda: found.game(name), source)
    return game


def _unknown(word: str, here: Path) -> ArenaError:
    """Return the error of a word that means no game."""
    lies = here / word
    if lies.is_dir() or lies.with_suffix(".py").is_file():
        file = f"./{word}" if lies.is_dir() else f"./{word}.py"
        return ArenaError(f"there is no game {word!r}; write {file} for what lies here.")
    known = [*GAMES, *(source.word for source in installed())]
    return ArenaError(f"there is no game {word!r}. {suggestion(word, known)}")


# --- what may go wrong


def _executed(code: Callable[[], Any], source: Source) -> Any:
    """Return what code of a game returns; make one line of whatever it raises."""
    try:
        return code()
    except ArenaError:
        raise
    except (Exception, SystemExit) as error:
        raise ArenaError(f"the game {source.word!r} cannot be loaded: {told(error)}") from error


def told(error: BaseException) -> str:
    """Return an error that a game's code has raised, in one line: file, line, what, and where."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}."
    frames = traceback.extract_tb(error.__traceback__)
    real = [frame for frame in frames if not frame.filename.startswith("<")]
    its = [frame for frame in real if not Path(frame.filename).is_relative_to(_OURS)] or real
    place = f"{its[-1].filename}:{its[-1].lineno}: " if its else ""
    what = str(error).partition("\n")[0].rstrip(".")
    return f"{place}{type(error).__name__}{f': {what}' if what else ''}."


def _is_line(value: Any) -> bool:
    """Return whether a value is text in one line, which a terminal can show."""
    return isinstance(value, str) and (value.isprintable() or not value)


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "name": (
        lambda value: isinstance(value, str) and bool(re.fullmatch(NAME, value)),
        'a name of small letters, digits and _, such as "connect_four"',
    ),
    "title": (lambda value: _is_line(value) and bool(value), "a sentence, in one line"),
    "seat_counts": (
        lambda value: isinstance(value, range) and len(value) > 0 and 2 <= value[0] <= 1000,
        "a range of numbers of seats from 2, such as range(2, 5) for two to four",
    ),
    "options_type": (
        lambda value: isinstance(value, type) and issubclass(value, Options),
        "a class derived from referee.game.Options",
    ),
    "rules_version": (lambda value: type(value) is int and value >= 1, "a whole number from 1"),
    "decisions": (
        lambda value: isinstance(value, Mapping) and all(isinstance(name, str) for name in value),
        "a mapping from the name of each decision to its form",
    ),
    "typical_decisions": (
        lambda value: type(value) is int and 0 <= value <= 10**9,
        "a whole number: about how many decisions a match takes",
    ),
    "score": (_is_line, "a text of one line: what scores count"),
    "less_is_better": (lambda value: type(value) is bool, "True or False"),
    "measures": (
        lambda value: isinstance(value, Mapping) and all(map(_is_line, [*value, *value.values()])),
        "a mapping from the names of numbers to what each counts",
    ),
    "has_chance": (lambda value: type(value) is bool, "True or False"),
    "illegal_is_sanctioned": (lambda value: type(value) is bool, "True or False"),
}
"""What each field of a game's class must be, as a test and in words."""


def _check_class(game: type[Game], source: Source) -> None:
    """Raise ArenaError unless a class has all parts of the contract, of the right types."""
    if not isinstance(game, type) or not issubclass(game, Game):
        raise ArenaError(f"the game {source.word!r} is no class derived from referee.game.Game.")
    file = sys.modules[game.__module__].__file__
    where = f"{file}:{_line_of(game)}: class {game.__name__}"
    if missing := sorted(game.__abstractmethods__):
        raise ArenaError(f"{where} lacks {', '.join(missing)}: see docs/write-a-game.md.")
    for field, (is_right, words) in _FIELDS.items():
        if not hasattr(game, field):
            raise ArenaError(f"{where} lacks `{field}`: {words}.")
        value = getattr(game, field)
        if not is_right(value):
            raise ArenaError(f"{where}: `{field}` is {value!r}; it has to be {words}.")
    if game.name in GAMES:
        raise ArenaError(f"{where}: {game.name!r} is the name of a bundled game; choose another.")
    if source.kind == "installed" and game.name != source.word:
        raise ArenaError(
            f"{where}: its name is {game.name!r}, and its entry point's {source.word!r}; they have "
            f"to be the same."
        )


def _line_of(game: type[Game]) -> int:
    """Return the line that a class begins in; 0 where its source is not there."""
    try:
        return inspect.getsourcelines(game)[1]
    except (OSError, TypeError):
        return 0
