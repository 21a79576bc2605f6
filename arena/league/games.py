"""Games as leagues and commands use them: found by a word, agreed to by the user, and loaded.

A game of Python code runs with all rights of the user, and no sandbox is around it; so does a game
that is a program in a league without one. If it is not bundled, it is loaded only once this user
has agreed to its file, folder or package.
"""

import json
import os
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

from arena.folders import unwritten
from arena.league.bot import SOURCES
from arena.text import quoted
from protocol.errors import ArenaError
from referee.catalog.finding import OPENSPIEL, Source, find_source
from referee.catalog.loading import Listed, listed, load
from referee.program.file import ANYWHERE, Confinement, read_game_file
from referee.rules.game import Game

trusting: ContextVar[bool] = ContextVar("trusting", default=False)
"""Whether the user agrees, with this command or call, to the games that it loads."""


_OURS = "bot-arena"
"""Our own distribution: who runs it has agreed to it."""


def find_game(
    word: str,
    here: Path = Path(),
    confinement: Confinement = ANYWHERE,
) -> tuple[type[Game], Source]:
    """Return the game that a word means, read in the folder `here`, and where it comes from.

    Raises ArenaError if there is none, or nobody has agreed to it.
    """
    try:
        source = find_source(word, here)
    except ArenaError:
        from referee.openspiel.kind import surveys  # here, as few commands need it

        if word in surveys():
            meant = f"{OPENSPIEL}:{word}"
            raise ArenaError(f"there is no game {word!r}. Did you mean {meant!r}?") from None
        raise
    return load_game(source, confinement), source


def load_game(
    source: Source,
    confinement: Confinement = ANYWHERE,
) -> type[Game]:
    """Return the class of a game; raise ArenaError unless the user has agreed to it.

    A game that is a program runs in a sandbox, as bots do, and needs consent only where a league
    says that there is none.
    """
    is_contained = source.kind == "program" and confinement.sandbox != "none"
    if source.kind != "bundled" and not is_contained:
        _check_agreed(source)
    return load(source, confinement)


def outdated(game: type[Game]) -> str:
    """Return in a sentence that a game's program is older than its source; empty if it is not.

    Whoever forgets to build it would look at what the game was before.
    """
    folder = game.program
    if folder is None:
        return ""
    program = folder / read_game_file(folder).command[0]
    if not program.is_file():
        return ""
    built = program.stat().st_mtime
    for source in sorted(each for each in folder.iterdir() if each.suffix in SOURCES):
        if source.stat().st_mtime > built:
            made = (folder / "Makefile").is_file()
            how = f": `make -C {quoted(folder)}`" if made else ""
            return (
                f"{source.name} is newer than the program that is played, {program.name}; build it "
                f"first{how}."
            )
    return ""


def family_of(word: str) -> list[Listed] | None:
    """Return the games of a family, by their whole names; None if the word is no family's.

    Raises ArenaError as `find_game` does.
    """
    source = find_source(word)
    if source.kind == "installed":
        _check_agreed(source)
    return listed(source)


def word_in(source: Source, folder: Path) -> str:
    """Return the word that means a game in the file of the league in `folder`."""
    if source.kind not in ("file", "program"):
        return source.word
    path = os.path.relpath(source.path, folder.resolve())
    path = path if path.startswith("..") else f"./{path}"
    return f"{path}:{source.class_name}" if source.class_name else path


def _check_agreed(source: Source) -> None:
    """Raise ArenaError unless the user agrees to a game, now or before; remember it if now."""
    if source.distribution == _OURS:
        return
    file, key = _agreed_file(), _key(source)
    known = file is not None and key in _agreed(file)
    if known:
        return
    if not trusting.get():
        raise ArenaError(
            f"the game {source.word!r} is code {source.said}, which you have not used before. It "
            f"would run with all your rights, outside of any sandbox. If you trust its author, "
            f"say so once: --trust."
        )
    if file is not None:
        _remember(file, key)


def agree(source: Source) -> None:
    """Note that the user agrees to a game, now and from now on."""
    token = trusting.set(True)
    try:
        _check_agreed(source)
    finally:
        trusting.reset(token)


def _key(source: Source) -> str:
    whose = source.distribution if source.kind == "installed" else source.path
    return json.dumps([source.kind, os.fsencode(whose).decode(errors="backslashreplace")])


def _agreed_file() -> Path | None:
    """Return the file that holds what this user has agreed to; None for one without a home."""
    if folder := os.environ.get("XDG_STATE_HOME"):
        return Path(folder) / "bot-arena" / "trusted-games"
    with suppress(RuntimeError):
        return Path.home() / ".local" / "state" / "bot-arena" / "trusted-games"
    return None


def _agreed(file: Path) -> set[str]:
    try:
        if file.exists() and not file.is_file():
            raise ArenaError(f"{file}, which lists the games that you trust, is no file.")
        return {*file.read_text(encoding="utf-8").splitlines()}
    except (FileNotFoundError, NotADirectoryError):
        return set()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ArenaError(
            f"{file}, which lists the games that you trust, cannot be read: {why}."
        ) from None


def _remember(file: Path, key: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        ends_well = not file.exists() or file.read_bytes()[-1:] in (b"", b"\n")
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{'' if ends_well else chr(10)}{key}\n")
    except OSError as error:
        raise unwritten(file, error) from None
