"""The class of a game that was found, from its package or file, and what is wrong with it.

To load a game executes its code, with all rights of the user: no sandbox is around it.
"""

import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from protocol.errors import ArenaError
from referee.catalog.finding import NAME, Source, entry_point, find_source
from referee.games import GAMES
from referee.program.file import ANYWHERE, Confinement
from referee.rules.game import Game, Options
from referee.rules.options import suggestion

_OURS = Path(__file__).parent
GAME_ERRORS = (Exception, SystemExit)
"""What the code of a game may raise: by SystemExit alone we would end as if all were well."""
FROM_FILE = "bot_arena_game_"
"""How the modules of games from files are called in this process."""


@runtime_checkable
class Family(Protocol):
    """Games that one entry point stands for: `prefix:name` means the one that it calls `name`.

    It may have a third method, `listed`, which says by `Listed` what its games are without making
    each of them. Then `game` raises KeyError for a name that none has, and there may be games that
    are not listed, such as some with parameters in their names.
    """

    def names(self) -> Iterable[str]:
        """Return the names of its games, without the prefix."""

    def game(self, name: str) -> type[Game]:
        """Return one of these games, whose own name is `prefix:name`."""


class Listed(NamedTuple):
    """What a family says of one of its games, of which it may have some that cannot be played."""

    name: str
    """Without the prefix."""
    seats: Sequence[int]
    title: str
    refusal: str
    """Why it cannot be played; empty if it can."""


def find_game(word: str, here: Path = Path()) -> type[Game]:
    """Return the game that a word means, read in the folder `here`; raise ArenaError if none."""
    return load(find_source(word, here))


def load(source: Source, confinement: Confinement = ANYWHERE) -> type[Game]:
    """Return the class of a game; this executes its code.

    The program of a game that is one runs in the sandbox that `confinement` says, and code of
    Python in none. Raises ArenaError with the file and the line for a module that cannot be
    imported, or that has no game, or several, and for a class that lacks part of the contract.
    """
    if source.kind == "bundled":
        if source.word not in GAMES:
            raise ArenaError(f"no game {source.word!r} is bundled with this Bot Arena.")
        return GAMES[source.word]
    if source.kind == "program":
        from referee.program.kind import class_of  # here, as it needs what starts processes

        game = class_of(Path(source.path), confinement)
        _check_class(game, source)
        return game
    with redirect_stdout(sys.stderr), _from_source():  # prints would stand amid our own output
        game = _of_file(source) if source.kind == "file" else _of_package(source)
    _check_class(game, source)
    return game


def listed(source: Source) -> list[Listed] | None:
    """Return the games of a family, by their whole names; None if the source is a game.

    This executes code of its distribution.
    """
    if source.kind != "installed" or ":" in source.word:
        return None
    entry = entry_point(source.word)
    assert entry is not None
    found = _executed(entry.load, source)
    if not isinstance(found, Family) or isinstance(found, type):
        return None
    if hasattr(found, "listed"):
        games: list[Listed] = [*_executed(found.listed, source)]
    else:
        games = [Listed(name, (), "", "") for name in _executed(found.names, source)]
    return [each._replace(name=f"{source.word}:{each.name}") for each in games]


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


_NO_GAME = "A game is a class that is derived from referee.rules.game.Game."


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


def _of_package(source: Source) -> type[Game]:
    entry = entry_point(source.word)
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
            f"it has to be a class derived from referee.rules.game.Game, or a family of games."
        )
    _, colon, name = source.word.partition(":")
    if not colon:
        names = [*_executed(found.names, source)]
        raise ArenaError(
            f"{source.word!r} is a family of {len(names)} games: say which, as "
            f"{source.word}:{names[0] if names else 'NAME'}."
        )
    known: list[str] = []
    if not hasattr(found, "listed"):
        known = [*_executed(found.names, source)]
    game: type[Game] | None = None
    if not known or name in known:
        game = _executed(lambda: _named(found, name), source)
    if game is None:
        known = known or [*_executed(found.names, source)]
        meant = suggestion(name.partition("(")[0], known)
        raise ArenaError(f"there is no game {source.word!r}. {meant}")
    return game


def _named(family: Family, name: str) -> type[Game] | None:
    try:
        return family.game(name)
    except KeyError:
        return None


# --- what may go wrong


def _executed(code: Callable[[], Any], source: Source) -> Any:
    """Return what code of a game returns; make one line of whatever it raises."""
    try:
        return code()
    except ArenaError:
        raise
    except GAME_ERRORS as error:
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
        "a class derived from referee.rules.game.Options",
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
        raise ArenaError(
            f"the game {source.word!r} is no class derived from referee.rules.game.Game."
        )
    if wrong := wrong_with(game) or _wrong_name(game, source):
        if game.program is not None:
            raise ArenaError(f"{game.program}: its program{wrong}")
        file = sys.modules[game.__module__].__file__
        raise ArenaError(f"{file}:{_line_of(game)}: class {game.__name__}{wrong}")


def wrong_with(game: type[Game]) -> str:
    """Return which part of the contract a class lacks, as words behind its name; empty if none."""
    if missing := sorted(game.__abstractmethods__):
        return f" lacks {', '.join(missing)}: see docs/write-a-game.md."
    for field, (is_right, words) in _FIELDS.items():
        if not hasattr(game, field):
            return f" lacks `{field}`: {words}."
        value = getattr(game, field)
        if not is_right(value):
            return f": `{field}` is {value!r}; it has to be {words}."
    return ""


def _wrong_name(game: type[Game], source: Source) -> str:
    """Return why a game cannot have its name, likewise."""
    if game.name in GAMES:
        return f": {game.name!r} is the name of a bundled game; choose another."
    if source.kind == "installed" and game.name != source.word:
        return (
            f": its name is {game.name!r}, and its entry point's {source.word!r}; they have "
            f"to be the same."
        )
    return ""


def _line_of(game: type[Game]) -> int:
    """Return the line that a class begins in; 0 where its source is not there."""
    try:
        return inspect.getsourcelines(game)[1]
    except (OSError, TypeError):
        return 0
