"""The bots of a league: what is run for each, and the files that make its version."""

import hashlib
import os
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self, TypeGuard

from protocol.errors import ArenaError
from referee.sandbox import PYTHON, Program, is_program, opening

SHIPPED = Path(__file__).parent.parent / "bots"
"""The folder of the bots that come along, one file `<game>_<name>.py` each."""
HUMAN = "human"
"""The word for a person, who sits only in single matches."""
LEAGUE_FILE = "league.toml"
"""What marks a folder as a league, which is no part of any bot."""
NAME_LIMIT = 40
"""The most characters of a bot's name."""

SOURCES = {
    *(".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".rs", ".go", ".java", ".kt", ".cs", ".swift"),
    *(".zig", ".hs", ".ml", ".nim", ".d", ".pas"),
}
"""How the files of compiled languages end."""
_FILES_LIMIT = 2000
_BYTES_LIMIT = 256 << 20


@dataclass(frozen=True)
class Bot:
    """A program entered in the arena, known by its name and by the hash of its files.

    The command is run in `folder`; its first word is looked up there if it holds a slash, and
    on the PATH otherwise. `files` are relative to `folder` and sorted.
    """

    name: str
    folder: Path
    command: tuple[str, ...]
    files: tuple[str, ...]
    first_name: str | None = None
    """What it was called when it entered the league, if it was renamed."""

    @property
    def key(self) -> str:
        """The name its deals and results are kept under."""
        return self.name if self.first_name is None else self.first_name

    @property
    def is_shipped(self) -> bool:
        """Whether it came along with the arena."""
        return self.folder == SHIPPED

    @cached_property
    def version(self) -> str:
        """The hash of exactly the command and the files: another hash, another version."""
        return self._hash()

    def hashed(self) -> Self:
        """Return the bot; raise ArenaError if its files cannot be read."""
        assert self.version
        return self

    def checked(self) -> Self:
        """Return the bot; raise ArenaError if its command cannot be run."""
        assert self.program
        return self

    def has_changed(self) -> bool:
        """Return whether the files are others by now."""
        try:
            return self._hash() != self.version
        except ArenaError:
            return True

    def _hash(self) -> str:
        digest = hashlib.blake2b(len(self.command).to_bytes(8, "little"), digest_size=8)
        for word in self.command:
            digest.update(_framed(os.fsencode(word)))
        for name in self.files:
            digest.update(_framed(os.fsencode(name)))
            try:
                content = (self.folder / name).read_bytes()
            except OSError as error:
                raise ArenaError(
                    f"bot {self.name!r}: {self.folder / name} cannot be read: {error.strerror}."
                ) from None
            digest.update(_framed(content))
        return digest.hexdigest()

    @cached_property
    def program(self) -> Program:
        """What is executed; raise ArenaError if it cannot be."""
        first, *others = self.command
        argv = (first if first == PYTHON else self._executable(first), *others)
        return Program(argv, str(self.folder), self.files)

    def _executable(self, word: str) -> str:
        if "/" not in word:
            found = shutil.which(word)
            if found is None:
                inside = (self.folder / word).is_file()
                raise ArenaError(
                    f"bot {self.name!r}: there is no program {word!r} on the PATH"
                    + (f"; ./{word} is the file in its folder." if inside else ".")
                )
            return found
        path = self.folder / word
        with _readable(self.name):
            self._check_executable(path)
        return str(path)

    def _check_executable(self, path: Path) -> None:
        if path.is_dir():
            raise ArenaError(f"bot {self.name!r}: {path} is a folder; name the program in it.")
        if path.is_symlink() and not path.exists():
            raise ArenaError(
                f"bot {self.name!r}: {path} is a link that leads nowhere; put the program there."
            )
        if not path.exists():
            raise ArenaError(f"bot {self.name!r}: {_absent(path, self.folder)}")
        if not os.access(path, os.X_OK):
            raise ArenaError(f"bot {self.name!r}: {path} {_unexecutable(path)}")


@dataclass(frozen=True)
class LostBot(Bot):
    """A bot that is still in a league, while what it was run from is not there any more.

    It has results, but cannot be run: asked for its program, it raises ArenaError.
    """

    problem: str = ""
    """Why it cannot be run, as one sentence about the bot."""
    version: str = ""
    """The one that played last; empty if none did."""

    @property
    def program(self) -> Program:
        """Nothing that could be executed."""
        raise ArenaError(f"bot {self.name!r}: {self.problem}")

    @property
    def remark(self) -> str:
        """What a reader of its results should know, in sentences."""
        counted = (
            f"Its results are those of the version that played last ({self.version[:6]})."
            if self.version
            else "It has not played."
        )
        return f"Bot {self.name!r}: {self.problem} {counted}"


def lost_bot(name: str, key: str | None, error: ArenaError) -> LostBot:
    """Return what is left of a bot that an error says is not to be found."""
    problem = str(error).removeprefix(f"bot {name!r}: ")
    return LostBot(name, Path(), (), (), key, problem)


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data


def check_name(name: str) -> None:
    """Raise ArenaError for a name that could not stand in a table."""
    if not name or len(name) > NAME_LIMIT or not name.isprintable() or name != name.strip():
        shown = name if len(name) <= NAME_LIMIT else name[:NAME_LIMIT] + "…"
        raise ArenaError(f"a bot's name is 1 to {NAME_LIMIT} printable characters, not {shown!r}.")


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn errors of the file system into ones of a bot that cannot be read."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            f"bot {name!r}: {error.filename} cannot be read: {error.strerror}."
        ) from None


def make_bot(
    name: str, folder: Path, command: Sequence[str], files: Iterable[str] | None = None
) -> Bot:
    """Return a bot whose files exist; by default they are its folder's, save hidden ones."""
    check_name(name)
    if not command:
        raise ArenaError(f"bot {name!r}: its command is empty.")
    with _readable(name):
        if not folder.is_dir():
            raise ArenaError(f"bot {name!r}: there is no folder {folder}.")
        folder = folder.resolve()
        found = (
            _folder_files(name, folder, folder)
            if files is None
            else _named_files(name, folder, files)
        )
    return Bot(name, folder, tuple(command), found)


def _named_files(name: str, folder: Path, files: Iterable[str]) -> tuple[str, ...]:
    found: set[str] = set()
    for word in files:
        path = folder / word
        if Path(word).is_absolute() or ".." in Path(word).parts:
            raise ArenaError(f"bot {name!r}: files are named inside its folder, unlike {word!r}.")
        if path.is_dir():
            found.update(str(Path(word) / inner) for inner in _folder_files(name, path, folder))
        elif _is_of_a_league(path.name):
            raise ArenaError(
                f"bot {name!r}: {path} is a league's and no bot may read it; take it off its files."
            )
        elif path.is_file():
            _check_inside(name, path, folder)
            found.add(str(Path(word)))
        else:
            raise ArenaError(f"bot {name!r}: {_absent(path, folder)}")
    return tuple(sorted(found))


def _unexecutable(path: Path) -> str:
    """Say what to do about a file that is there and not executable."""
    if path.suffix in SOURCES:
        made = (path.parent / "Makefile").is_file()
        how = f" (make -C {shlex.quote(str(path.parent))})" if made else ""
        return f"is a source file; name the program that is built from it{how}."
    if is_program(str(path)):
        return "is not executable; try chmod +x."
    return f"is not executable; try chmod +x, and a first line such as {opening(str(path))}."


def _absent(path: Path, folder: Path) -> str:
    built = (folder / "Makefile").is_file()
    how = f"; build it: make -C {shlex.quote(str(folder))}" if built else ""
    return f"there is no file {path}{how}."


def _folder_files(name: str, folder: Path, root: Path) -> tuple[str, ...]:
    """Return the files of a folder; dot files, `__pycache__` and leagues are left out.

    `root` is the bot's folder, out of which no link may lead.
    """
    _check_inside(name, folder, root)
    found: list[str] = []
    size = 0
    for here, folders, files in os.walk(folder, onerror=_give_up):
        folders[:] = sorted(
            inner for inner in folders if inner[0] != "." and inner != "__pycache__"
        )
        if LEAGUE_FILE in files and here != str(folder):
            folders.clear()
            continue
        for file in files:
            path = Path(here, file)
            if file[0] == "." or _is_of_a_league(file) or not path.is_file():
                continue
            _check_inside(name, path, root)
            found.append(str(path.relative_to(folder)))
            size += path.stat().st_size
            if len(found) > _FILES_LIMIT or size > _BYTES_LIMIT:
                raise ArenaError(
                    f"bot {name!r}: its folder {folder} holds more than {_FILES_LIMIT} files or "
                    f"{_BYTES_LIMIT >> 20} MiB; name the bot's own files: files = [...]."
                )
    return tuple(sorted(found))


def _give_up(error: OSError) -> None:
    """Raise the error of a folder that cannot be read, which would else count as empty."""
    raise error


def _check_inside(name: str, path: Path, folder: Path) -> None:
    """Raise ArenaError for a link out of a bot's folder: it would show the bot any file."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ArenaError(
            f"bot {name!r}: {path} is a link to {path.resolve()}, out of its folder; put the file "
            f"itself there, or name the bot's own files in a bot.toml: files = [...]."
        )


def _is_of_a_league(file: str) -> bool:
    return file == LEAGUE_FILE or file.startswith("league.db")


def shipped(game: str) -> dict[str, Path]:
    """Return the programs that come along for a game, by name."""
    return {
        path.stem.removeprefix(f"{game}_"): path for path in sorted(SHIPPED.glob(f"{game}_*.py"))
    }


def shipped_bot(game: str, name: str, called: str | None = None) -> Bot | None:
    """Return a bot that comes along, `called` something else if need be; None if unknown."""
    path = shipped(game).get(name.removeprefix(f"{game}_"))
    if path is None:
        return None
    return make_bot(
        name if called is None else called, SHIPPED, (PYTHON, path.name), (path.name, "kit.py")
    )


def bot_folder(folder: Path, called: str | None = None) -> Bot:
    """Return the bot of a folder with a `bot.toml`: its `command`, perhaps `name`, `files`."""
    file = folder / "bot.toml"
    said = f"bot {called!r}: " if called else ""
    try:
        if not folder.is_dir():
            raise ArenaError(f"{said}there is no folder {folder}.")
        settings = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ArenaError(
            f"{folder} is a folder without a bot.toml; name the program{_example(folder)}."
        ) from None
    except OSError as error:
        raise ArenaError(f"{said}{file} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{file}: not TOML: {error}") from None
    unknown = set(settings) - {"name", "command", "files"}
    if unknown:
        raise ArenaError(
            f"{file}: there is no key {min(unknown)!r}; there are name, command and files."
        )
    command = settings.get("command")
    files = settings.get("files")
    if not _is_words(command):
        is_what = "is missing" if command is None else "is a list of text"
        raise ArenaError(f'{file}: command {is_what}: command = ["./bot"].')
    if not (files is None or _is_words(files)):
        raise ArenaError(f'{file}: files is a list of text: files = ["bot.py"].')
    name = settings.get("name", folder.resolve().name) if called is None else called
    if not isinstance(name, str):
        raise ArenaError(f"{file}: name is text.")
    return make_bot(name, folder, command, files)


def _example(folder: Path) -> str:
    """Return the first program of a folder as an example of how to name it, if there is one."""
    for path in sorted(folder.glob("[!.]*")):
        if path.is_file() and os.access(path, os.X_OK) and is_program(str(path)):
            return f", as {path}"
    return ""


def _is_words(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def find_bot(word: str, game: str, called: str | None = None) -> Bot:
    """Return the bot that a word of the command line means.

    It is the name of one that comes along, a folder with a `bot.toml`, or an executable; the
    files of an executable are those of its folder. Raises ArenaError if it means none, or two.
    """
    if "/" not in word and (bot := shipped_bot(game, word, called)):
        _check_not_here(word, game)
        return bot
    path = Path(word)
    if path.is_dir():
        return bot_folder(path, called)
    if not path.exists():
        if word == HUMAN:
            raise ArenaError("a human cannot play in a league, only in `arena play`.")
        come_along = "those that come along need a --game"
        if game:
            names = ", ".join(shipped(game)) or "none"
            come_along = f"the bots that come along for {game} are {names}"
        raise ArenaError(f"there is no bot {word!r}: it is no file here, and {come_along}.")
    bot = make_bot(path.stem if called is None else called, path.parent, (f"./{path.name}",))
    return bot.checked()


def _check_not_here(word: str, game: str) -> None:
    """Raise ArenaError if a word that means a bot that comes along may also mean one here."""
    here = Path(word)
    if here.is_file() or (here / "bot.toml").is_file():
        what = "file" if here.is_file() else "folder"
        short = word.removeprefix(f"{game}_")
        other = f"{game}_{word}" if word == short else short
        raise ArenaError(
            f"{word!r} is a bot that comes along and a {what} here: write ./{word} for yours, or "
            f"{other} for the other."
        )
