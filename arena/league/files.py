"""The files of a bot: which they are, what they hold, and whether they are as they were."""

import difflib
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

from arena.text import quoted, safe
from protocol.errors import ArenaError
from referee.sandbox import PYTHON, is_program
from referee.sandbox.big_files import BIG, CHANGED, FRESH, digest_of
from referee.sandbox.executable import OF_VENV, is_link_of_venv
from referee.sandbox.sources import BYTES_LIMIT, FILES_LIMIT, Sources, odd_kind, sizes_of

LEAGUE_FILE = "league.toml"
"""What marks a folder as a league, which is no part of any bot."""

_KITS = {
    "kit.py": ((".py",), ("python",)),
    "kit.js": ((".js", ".mjs", ".cjs"), ("node", "deno", "bun")),
    "kit.sh": ((".sh",), ("sh",)),
}
"""The kits that are there when a bot runs: how its program ends, or what its first line names."""
KIT_WORDS = {"kit.py": "", "kit.js": " javascript", "kit.sh": " shell"}
"""What follows `--kit` for each."""
_ARCHIVES = {
    *(".zip", ".tar", ".tgz", ".gz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".7z", ".rar"),
}
_LOOKED_AT = 1 << 20  # bytes of a program in which its kit is named
_SHOWN = 200  # characters of a path


class Look(NamedTuple):
    """What a look at a bot's files found."""

    digest: str
    """The hash of exactly the command and the files."""
    signature: str
    """What changes with the files, see `signature`; empty if they have only just changed."""


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn errors of the file system into ones of a bot that cannot be read."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            f"bot {name!r}: {safe(str(error.filename))} cannot be read: {error.strerror}."
        ) from None


# --- which they are


def named_files(
    name: str, folder: Path, words: Iterable[str], *, but: Iterable[str] = (), where: str = ""
) -> tuple[str, ...]:
    """Return the files that words name in a bot's folder, and those of the folders they name.

    In folders, dot files, `__pycache__`, leagues, and what `but` names are left out. `where` says
    where the words stand. Raises ArenaError for what is not there, is no regular file, or is too
    much; nothing is read for that.
    """
    found = _Found(name, folder, but, where)
    with readable(name):
        for word in dict.fromkeys(words):
            found.add(word)
    return found.files


def command_files(name: str, folder: Path, command: Sequence[str]) -> tuple[str, ...]:
    """Return the files that a command names in its folder, and the kits that these use.

    What else lies there is not the bot's: it may be another bot. Raises ArenaError if the program
    itself is not there: the first word, or one that ends as scripts do.
    """
    programs = {ending for endings, _ in _KITS.values() for ending in endings}
    words = [
        word
        for number, word in _words_inside(folder, command)
        if is_there(folder / word)
        or ((number == 0 or Path(word).suffix in programs) and not (folder / word).is_symlink())
    ]
    files = named_files(name, folder, words)
    kits = [kit for file in files if (kit := _kit_of(folder, file))]
    return named_files(name, folder, [*files, *kits])


def _words_inside(folder: Path, command: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the words of a command that may be paths inside of a folder, relative to it.

    The first is 0.
    """
    for number, word in enumerate(command):
        path = Path(word)
        if path.is_absolute() and path.is_relative_to(folder):
            path = path.relative_to(folder)
        is_on_path = number == 0 and "/" not in word
        is_inside = not path.is_absolute() and ".." not in path.parts and path != Path()
        if is_inside and not is_on_path and word != PYTHON:
            yield number, str(path)


def _kit_of(folder: Path, file: str) -> str:
    """Return the kit that lies beside a program and is named in its text; else nothing."""
    kits = [kit for kit in _KITS if (folder / file).with_name(kit).is_file()]
    if not kits or Path(file).name in _KITS:
        return ""
    try:
        with Sources(folder) as sources, sources.open(file) as program:
            text = program.read(_LOOKED_AT)
    except OSError:
        return ""  # which is reported when it is hashed
    if not re.search(rb"\bkit\b", text):
        return ""
    kit = _kit_of_language(Path(file).suffix, text)
    return str(Path(file).with_name(kit)) if kit in kits else ""


def _kit_of_language(suffix: str, text: bytes) -> str:
    first = text.partition(b"\n")[0].decode(errors="replace")
    for kit, (endings, _) in _KITS.items():
        if suffix in endings:
            return kit
    for kit, (_, interpreters) in _KITS.items():
        if first.startswith("#!") and any(word in first for word in interpreters):
            return kit
    return ""


class _Found:
    """The files of a bot as they are found, never more of them than it may have."""

    def __init__(self, name: str, folder: Path, but: Iterable[str], where: str) -> None:
        self._name = name
        self._where = where
        self._folder = folder
        self._but = {os.path.normpath(word) for word in but}
        self._sizes: dict[str, int] = {}
        self._size = 0
        self._walked: set[str] = set()

    @property
    def files(self) -> tuple[str, ...]:
        """All so far, sorted."""
        return tuple(sorted(self._sizes))

    def add(self, word: str) -> None:
        """Add the file, or those of the folder, that a word names."""
        path = self._folder / word
        if Path(word).is_absolute() or ".." in Path(word).parts:
            raise self._error(f"its files must be named inside its folder, not as {word!r}.")
        if not is_there(path):
            raise self._error(absent(path, self._folder, self._where))
        self._check_inside(path)
        if path.is_dir():
            self._walk(Path(word))
        elif is_of_a_league(path.name):
            raise self._error(
                f"{safe(str(path))} belongs to a league, and no bot may read it; take it off files."
            )
        else:
            self._add_file(str(Path(word)))

    def _walk(self, top: Path) -> None:
        """Add the files of a folder, one after another: it may hold millions."""
        left = [top]
        while left:
            here = left.pop()
            if str(here) in self._walked:
                continue
            self._walked.add(str(here))
            if len(self._walked) > FILES_LIMIT:
                raise self._too_much(here)
            with os.scandir(self._folder / here) as entries:
                if here != top and (self._folder / here / LEAGUE_FILE).is_file():
                    continue
                for entry in entries:
                    if entry.name[0] == "." or str(here / entry.name) in self._but:
                        continue
                    if entry.is_dir():
                        if entry.name != "__pycache__" and not entry.is_symlink():
                            left.append(here / entry.name)
                    elif not is_of_a_league(entry.name) and is_there(entry.path):
                        if entry.is_symlink():
                            self._check_inside(Path(entry.path))
                        self._add_file(str(here / entry.name))
            if len(left) > FILES_LIMIT:
                raise self._too_much(here)

    def _add_file(self, file: str) -> None:
        if file in self._sizes:
            return
        path = self._folder / file
        found = path.stat()
        if kind := odd_kind(found.st_mode):
            raise self._error(
                f"{safe(str(path))} is {kind}, and only regular files can be a bot's; remove "
                f"it, or name the files that the bot needs: files = [...]."
            )
        self._check_name(file)
        self._sizes[file] = found.st_size
        self._size += found.st_size
        if len(self._sizes) > FILES_LIMIT or self._size > BYTES_LIMIT:
            raise self._too_much(Path(file))

    def _check_name(self, file: str) -> None:
        try:
            file.encode()
        except UnicodeEncodeError:
            raise self._error(f"the name of its file {file!r} is not UTF-8; rename it.") from None

    def _check_inside(self, path: Path) -> None:
        """Raise ArenaError for a link out of a bot's folder: it would show the bot any file."""
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self._folder):
            if is_link_of_venv(str(path)):
                raise self._error(f"{safe(str(path))} {OF_VENV}")
            raise self._error(
                f"{safe(str(path))} is a link to {safe(str(real))}, out of its folder; put the "
                f"file itself there, or name the bot's own files in a bot.toml: files = [...]."
            )

    def _too_much(self, last: Path) -> ArenaError:
        shown = safe(str(last))
        shown = shown if len(shown) < _SHOWN else f"{shown[:_SHOWN]}…"
        return self._error(
            f"it has more than {FILES_LIMIT} files or {BYTES_LIMIT >> 20} MiB in "
            f"{safe(str(self._folder))} (counted up to {shown}); name only those that it "
            f"needs: files = [...]."
        )

    def _error(self, what: str) -> ArenaError:
        return ArenaError(f"bot {self._name!r}: {what}")


def absent(path: Path, folder: Path, where: str = "") -> str:
    """Say what to do about a file that is not there, and where it is named."""
    built = (folder / "Makefile").is_file()
    how = f"; `make -C {quoted(folder)}` builds it" if built else ""
    if path.name in KIT_WORDS and not built:
        how = f"; `arena bots --kit{KIT_WORDS[path.name]} > {quoted(path)}` writes it"
    named = f", which {where} names" if where else ""
    return f"there is no file {safe(str(path))}{named}{how}."


def near_miss(names: Iterable[str], wanted: str) -> str:
    """Return a name that is perhaps meant to be another: in capitals, or as text; "" if none is."""
    for name in sorted(names):
        folded = name.casefold()
        if folded.startswith(wanted) or difflib.get_close_matches(folded, [wanted], 1, 0.85):
            return name
    return ""


def is_archive(path: Path) -> bool:
    """Return whether a file is called as archives are, and is no program all the same."""
    return path.suffix.lower() in _ARCHIVES and path.is_file() and not is_program(str(path))


def is_there(path: str | Path) -> bool:
    """Return whether there is such a file or folder; any text may be asked for."""
    return os.path.exists(path)  # noqa: PTH110 - Path raises OSError for names that are too long


def is_of_a_league(file: str) -> bool:
    """Return whether a file's name is one of a league's own."""
    return file == LEAGUE_FILE or file.startswith("league.db")


# --- what they hold


WHOLE = 256 << 20
"""The most bytes of a bot's files together that are all read for its version."""
Borrowed: TypeAlias = tuple[tuple[str, str], ...]
"""Files of a bot that lie outside of its folder: the name of each in it, and its path."""


def look(
    name: str,
    folder: Path,
    command: Sequence[str],
    files: Sequence[str],
    borrowed: Borrowed = (),
) -> Look:
    """Read a bot's files and return what they are; raise ArenaError if they cannot be read."""
    now = time.time_ns()
    before, newest = signature(folder, command, files, borrowed)
    digest = _digest(name, folder, command, files, borrowed)
    after, _ = signature(folder, command, files, borrowed)
    is_settled = before == after and newest < now - FRESH
    return Look(digest, before if is_settled else "")


def signature(
    folder: Path, command: Sequence[str], files: Sequence[str], borrowed: Borrowed = ()
) -> tuple[str, int]:
    """Return what is another text if a file was written to, replaced or moved; empty if gone.

    It takes no reading: the time of a change (ctime) is the kernel's, and nobody can set it. Beside
    it comes when the newest change was, in nanoseconds.
    """
    newest = 0
    parts: list[object] = [str(folder), list(command)]
    elsewhere = dict(borrowed)
    try:
        for name in files:
            found = (folder / elsewhere.get(name, name)).stat()
            newest = max(newest, found.st_mtime_ns, found.st_ctime_ns)
            parts.append([name, found.st_dev, found.st_ino, found.st_size])
            parts.append([found.st_mtime_ns, found.st_ctime_ns])
    except OSError:
        return "", newest
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest(), newest


def _digest(
    name: str, folder: Path, command: Sequence[str], files: Sequence[str], borrowed: Borrowed
) -> str:
    elsewhere = dict(borrowed)
    sizes = sizes_of(elsewhere.get(file, f"{folder}/{file}") for file in files)
    is_large = sum(sizes.values()) > WHOLE
    form = b"big files" if is_large else b""  # so that no two forms give the same
    count = len(command).to_bytes(8, "little")
    digest = hashlib.blake2b(count, digest_size=8, person=form)
    for word in command:
        digest.update(_framed(os.fsencode(word)))
    with readable(name), Sources(folder, borrowed) as sources:
        for file in files:
            digest.update(_framed(os.fsencode(file)))
            try:
                _add_content(digest, sources, file, is_large=is_large)
            except OSError as error:
                error.filename = str(folder / file)
                raise
    return digest.hexdigest()


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data


def _add_content(digest: hashlib.blake2b, sources: Sources, file: str, *, is_large: bool) -> None:
    """Add what a file holds; of a big one among many bytes its own hash, which is remembered."""
    with sources.open(file) as source:
        size = left = os.fstat(source.fileno()).st_size
        digest.update(size.to_bytes(8, "little"))
        if is_large and size >= BIG:
            sources.count(size, file)
            digest.update(bytes.fromhex(digest_of(source)))
            return
        for piece in sources.pieces(source, file):
            digest.update(piece)
            left -= len(piece)
        if left:
            raise OSError(0, CHANGED, file)
