"""What a game is without its code: facts that tables need, and a hash of the code itself.

Results belong to a game's name, the version of its rules and the hash of its code: the first two
are what its author says, the third is what is true.
"""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from referee.catalog.finding import NAME, Source
from referee.catalog.folder import folder_of, module_of
from referee.catalog.loading import FROM_FILE
from referee.program.file import GAME_FILE, files_in, program_files
from referee.rules.game import Game

_BUNDLED = ("referee.games", "referee.openspiel")
"""The packages of our own games: what they import from elsewhere in `referee` is the engine."""

Plain = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f-\x9f]*\Z")]
"""Text without what a terminal would obey."""


class GameFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a game without executing anything of it.

    It may come from a stranger's league, so its texts hold nothing that a terminal would obey.
    """

    name: Annotated[str, Meta(pattern=rf"\A{NAME}\Z")]
    source: Source
    title: Plain = ""
    rules_version: Annotated[int, Meta(ge=1, le=2**31)] = 1
    seat_counts: list[Annotated[int, Meta(ge=1, le=1000)]] = []
    options: dict[str, Any] = {}
    """All options at their defaults."""
    has_chance: bool = True
    is_pure_luck: bool = False
    """Whether nobody decides anything."""
    typical_decisions: Annotated[int, Meta(ge=0, le=10**9)] = 0
    score: Plain = ""
    """What its scores count; empty in a game without scores."""
    less_is_better: bool = False
    measures: dict[Plain, Plain] = {}
    """The names of its numbers of a match, each with what it counts."""

    def portable(self) -> "GameFacts":
        """Return what is stored and sent elsewhere: without a path of this machine."""
        source = msgspec.structs.replace(self.source, path="")
        return msgspec.structs.replace(self, source=source)


def facts_of(game: type[Game], source: Source) -> GameFacts:
    """Return what tables need of a game."""
    try:
        options = msgspec.to_builtins(game.options_type())
    except (TypeError, ValueError) as error:
        raise ArenaError(
            f"every option of {game.name} needs a default that can stand in JSON: {error}."
        ) from None
    return GameFacts(
        name=game.name,
        source=source,
        title=game.title,
        rules_version=game.rules_version,
        seat_counts=list(game.seat_counts),
        options=options,
        has_chance=game.has_chance,
        is_pure_luck=not game.decisions,
        typical_decisions=game.typical_decisions,
        score=game.score,
        less_is_better=game.less_is_better,
        measures=dict(game.measures),
    )


def code_of(game: type[Game]) -> str:
    """Return the hash of a game's code: 16 hexadecimal digits.

    It covers the files of the game's folder, or its one file, and what these import from around
    them: for a file, from its own folder; for a package, from that package. What is imported by a
    name that is only known when the game runs is not covered, nor are other packages.
    """
    digest = blake2b(game.library.encode(), digest_size=8)
    home, files = code_files(game)
    for name, file in sorted((file.relative_to(home).as_posix(), file) for file in files):
        text = file.read_bytes()
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def code_files(game: type[Game]) -> tuple[Path, set[Path]]:
    """Return the folder that a game's code is in, and the files of it that the game consists of."""
    if game.program is not None:
        names = [GAME_FILE, *program_files(game.program)]
        return game.program, {game.program / name for name in names}
    folder = folder_of(game)
    around = _around(game)
    files = {module_of(game)} if folder is None else {*files_in(folder)}
    if around.package.rstrip(".") not in ("", *_BUNDLED):  # its packages are executed first
        parents = [each for each in module_of(game).parents if around.home in (each, *each.parents)]
        files |= {init for each in parents if (init := each / "__init__.py").is_file()}
    todo = [each for each in files if each.suffix == ".py"]
    while todo:
        new = {*_imported(todo.pop(), around)} - files
        files |= new
        todo += new
    return around.home, files


class _Around(NamedTuple):
    """Where a game imports its own from."""

    home: Path
    """The folder."""
    package: str
    """How modules in it begin when they are imported by their whole names, with a dot."""


def _around(game: type[Game]) -> _Around:
    name = game.__module__
    ours = [each for each in _BUNDLED if name.startswith(f"{each}.")]
    top = ours[0] if ours else name.partition(".")[0]
    if top.startswith(FROM_FILE) or top == name:
        return _Around(folder_of(game) or module_of(game).parent, "")
    return _Around(Path(next(iter(sys.modules[top].__path__))), f"{top}.")


def _imported(file: Path, around: _Around) -> Iterator[Path]:
    """Yield the files around a game that one of them imports, as far as its text says it."""
    for level, name in _names_imported(file.read_bytes()):
        yield from _modules_of(file.parents[level - 1] if level else None, name, around)


@cache
def _names_imported(source: bytes) -> list[tuple[int, str]]:
    """Return what a text imports, each with how many folders up it is looked for; 0 is anywhere.

    Nothing if it is no Python, as nobody can have executed it then.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = f"{node.module}." if node.module else ""
            found += [(node.level, f"{start}{alias.name}") for alias in node.names]
    return found


def _modules_of(base: Path | None, name: str, around: _Around) -> Iterator[Path]:
    """Yield the files that importing a name executes; without `base`, the name is a whole one."""
    if base is None:
        if not name.startswith(around.package):
            return
        base, name = around.home, name.removeprefix(around.package)
    if around.home not in (base, *base.parents):
        return
    place = base
    for part in name.split("."):
        place = place / part
        for found in (place.with_suffix(".py"), place.with_suffix(".pyc"), place / "__init__.py"):
            if found.is_file():
                yield found
