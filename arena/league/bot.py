"""The bots of a league: what is run for each, and the files that make its version."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from arena.league.command import REMOTE, check_command
from arena.league.files import (
    Borrowed,
    Look,
    absent,
    command_files,
    is_archive,
    look,
    named_files,
    readable,
    signature,
)
from arena.text import composed, likeness, quoted, safe, toml
from protocol.errors import ArenaError
from referee.limits import NO_GRANT, Grant
from referee.sandbox import PYTHON, Program, is_program, opening
from referee.sandbox.executable import OF_VENV, is_of_venv
from referee.sandbox.sources import too_large

NAME_LIMIT = 40
"""The most characters of a bot's name."""

SOURCES = {
    *(".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".rs", ".go", ".java", ".kt", ".cs", ".swift"),
    *(".zig", ".hs", ".ml", ".nim", ".d", ".pas"),
}
"""How the files of compiled languages end."""


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
    """The bot's name when it entered the league, if it was renamed."""
    borrowed: Borrowed = ()
    """The files that lie elsewhere."""
    listed_in: str = field(default="", compare=False)
    """The file that may list its files; empty for a lone program of the command line."""
    by_command: bool = field(default=False, compare=False)
    """Whether its files are not listed, so that they are those that its command names."""
    known_digest: str = field(default="", compare=False)
    """The hash of command and files, where it is known without reading them."""
    known_bundled: bool | None = field(default=None, compare=False)
    """Whether it is dealt to as if it were bundled, or were not; None if as what it is."""
    plays_as: str = field(default="", compare=False)
    """The version it is, if that is not the hash: what a build makes is as its sources are."""
    build: tuple[str, ...] = ()
    """The command that makes its program from its files; empty if there is nothing to build."""
    products: tuple[str, ...] = ()
    """What a build leaves that it needs when it runs: files and folders; "." is all."""
    entry: int = 1
    """The how many-th time these files came into their league: back after others, as another."""
    grant: Grant = NO_GRANT
    """What it is allowed in place of the limits of its league."""
    needs: Grant = field(default=NO_GRANT, compare=False)
    """What its bot.toml asks for: a wish, which gives it nothing."""
    has_packages: bool = False
    """Whether it is run in an environment of packages, which its lock names."""
    environment: str = field(default="", compare=False)
    """The folder of that environment, once it is made."""
    wheels: str = field(default="", compare=False)
    """What is another text for other wheels in it, if its lock leaves a choice of them."""

    @property
    def key(self) -> str:
        """The name its deals and results are kept under."""
        return self.name if self.first_name is None else self.first_name

    @property
    def remote_digest(self) -> str:
        """The hash of what runs on its author's machine; empty for a bot that runs here."""
        return self.command[1] if self.command[:1] == (REMOTE,) else ""

    @property
    def is_bundled(self) -> bool:
        """Whether it is bundled with the arena, or dealt to as if it were."""
        return bool(self.borrowed) if self.known_bundled is None else self.known_bundled

    @property
    def version(self) -> str:
        """What its results are stored under: another hash, another version."""
        if self.plays_as or self.entry == 1:
            return self.plays_as or self.digest
        words = f"{self.digest}\0{self.entry}"
        return hashlib.blake2b(words.encode(), digest_size=8).hexdigest()

    @property
    def paths(self) -> list[str]:
        """Where its files lie, in their order."""
        elsewhere = dict(self.borrowed)
        return [elsewhere.get(file, f"{self.folder}/{file}") for file in self.files]

    @property
    def digest(self) -> str:
        """The hash of exactly the command and the files."""
        return self.known_digest or self.first_look.digest

    @cached_property
    def first_look(self) -> Look:
        """What the files were when they were first read."""
        return self.look()

    def look(self) -> Look:
        """Read its files and return what they are now."""
        return look(self.name, self.folder, self._words, self.files, self.borrowed)

    def signature(self) -> str:
        """Return what is another text if its files were changed, without reading them."""
        return signature(self.folder, self._words, self.files, self.borrowed)[0]

    @property
    def _words(self) -> tuple[str, ...]:
        """All that makes its version beside its files; no command holds the zero byte."""
        words = self.command
        if self.build:
            words = (*words, "\0build", *self.build, "\0files", *self.products)
        if self.has_packages:
            words = (*words, "\0python", "venv")
        if own := self.grant.deciding:
            words = (*words, "\0granted", json.dumps(own))
        return words

    @property
    def is_to_be_made(self) -> bool:
        """Whether it must be built, or its environment be made, before it can be run."""
        return bool(self.build) or (self.has_packages and not self.environment)

    def check_size(self, most_mb: int) -> None:
        """Raise ArenaError if its files are more than so many MiB; nothing is read for that.

        What is run of a bot that is built is not there yet.
        """
        paths = [f"{self.folder}/{file}" for file in self.files]
        if not self.build and (why := too_large(paths, most_mb)):
            raise ArenaError(f"bot {self.name!r}: {why}")

    def hashed(self) -> Self:
        """Return the bot; raise ArenaError if its files cannot be read."""
        assert self.digest
        return self

    def checked(self) -> Self:
        """Return the bot; raise ArenaError if its command cannot be run.

        Of one that is still to be built, or runs elsewhere, nothing is known before.
        """
        assert self.is_to_be_made or self.remote_digest or self.program
        return self

    def is_as(self, then: "Bot") -> bool:
        """Return whether command and files are those of this bot as it was."""
        try:
            return self.digest == then.digest
        except ArenaError:
            return False

    def has_changed(self) -> bool:
        """Return whether the files are others by now."""
        return not replace(self, known_digest="").is_as(self)

    @cached_property
    def program(self) -> Program:
        """What is executed; raise ArenaError if it cannot be."""
        assert not self.is_to_be_made, "it is run as what `building` makes of it"
        if self.remote_digest:
            raise ArenaError(
                f"bot {self.name!r}: it runs on its author's machine, and plays only in a league "
                f"that is served."
            )
        first, *others = self.command
        shared = (self.environment,) if self.environment else ()
        if first == PYTHON:
            first = f"{self.environment}/bin/python" if self.environment else PYTHON
        else:
            first = self._executable(first)
        return Program((first, *others), str(self.folder), self.files, self.borrowed, shared)

    def _executable(self, word: str) -> str:
        if "/" not in word:
            found = shutil.which(word)
            if found is None:
                inside = (self.folder / word).is_file()
                raise ArenaError(
                    f"bot {self.name!r}: there is no program {word!r} on the PATH"
                    + (f"; write ./{word} for the file in its folder." if inside else ".")
                )
            return found
        path = self.folder / word
        with readable(self.name):
            if why := self._unfit(path):
                raise ArenaError(f"bot {self.name!r}: {why}")
        return str(path)

    def _unfit(self, path: Path) -> str:
        """Return why a file cannot be run, and what to do about it; or nothing, as it can."""
        shown = safe(str(path))
        if path.is_dir():
            return f"{shown} is a folder; name the program in it."
        if path.is_symlink() and not path.exists():
            why = "is a link that leads nowhere; put the program there."
            return f"{shown} {OF_VENV if is_of_venv(str(path)) else why}"
        if not path.exists():
            return absent(path, self.folder)
        if is_archive(path):
            return f"{shown} is an archive; unpack it, and name the folder."
        if not os.access(path, os.X_OK):
            return f"{shown} {_unexecutable(path, is_lone=not self.listed_in)}"
        return ""


@dataclass(frozen=True)
class LostBot(Bot):
    """A bot that is still in a league, though what it was run from is not there any more.

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


@dataclass(frozen=True)
class DisqualifiedBot:
    """A bot that an organizer has excluded: it has a name and results, and is not run any more."""

    name: str
    key: str
    """The name its deals and results are kept under."""
    reason: str

    @property
    def remark(self) -> str:
        """What a reader of any table should know, in a sentence."""
        end = "" if self.reason[-1] in ".!?…" else "."
        return f"{self.name} was disqualified: {self.reason}{end}"


def lost_bot(name: str, key: str | None, error: ArenaError) -> LostBot:
    """Return a lost bot in place of one that an error says is missing."""
    problem = str(error).removeprefix(f"bot {name!r}: ")
    return LostBot(name, Path(), (), (), first_name=key, problem=problem)


def check_name(name: str, whose: str = "a bot's") -> None:
    """Raise ArenaError for a name that could not stand in a table."""
    if not name or len(name) > NAME_LIMIT or not name.isprintable() or name != name.strip():
        shown = name if len(name) <= NAME_LIMIT else name[:NAME_LIMIT] + "…"
        raise ArenaError(f"{whose} name is 1 to {NAME_LIMIT} printable characters, not {shown!r}.")


def check_strangers_name(name: str, whose: str = "a bot's") -> None:
    """Raise ArenaError for a name that could not stand in a table, or is no word of a command."""
    check_name(name, whose)
    if name.startswith("-"):
        raise ArenaError(f"{whose} name begins with no -, as an option does: not {name!r}.")


def check_unlike(name: str, others: Iterable[str]) -> None:
    """Raise ArenaError for the name of a new bot that a reader could take for another's."""
    for other in others:
        if composed(other) != composed(name) and likeness(other) == likeness(name):
            raise ArenaError(
                f"the name {name!r} looks like {other!r}, which is in the league already; choose "
                f"another name."
            )


def make_bot(
    name: str,
    folder: Path,
    command: Sequence[str],
    files: Iterable[str] | None = None,
    *,
    listed_in: str = "",
    build: Sequence[str] = (),
    products: Sequence[str] = (),
    but: Sequence[str] = (),
) -> Bot:
    """Return a bot whose files exist; by default they are those that its command names.

    `listed_in` is the file that may name them. With `build`, they are what that command is given,
    and what it leaves are the `products`. What `but` names is left out of folders. Raises
    ArenaError if the files are more than a bot may have, or none that it can have; they are not
    read for that.
    """
    name = composed(name)
    check_command(name, command)
    if build:
        check_command(name, build)
    check_name(name)
    with readable(name):
        if not folder.is_dir():
            raise ArenaError(f"bot {name!r}: there is no folder {safe(str(folder))}.")
        folder = folder.resolve()
        found = (
            command_files(name, folder, command)
            if files is None
            else named_files(
                name, folder, files, but=but, where=listed_in and f"`files` in {listed_in}"
            )
        )
    return Bot(
        name,
        folder,
        tuple(command),
        found,
        listed_in=listed_in,
        by_command=files is None,
        build=tuple(build),
        products=tuple(products),
    )


def _unexecutable(path: Path, *, is_lone: bool) -> str:
    """Say what to do about a file that is there and not executable."""
    if path.suffix in SOURCES:
        made = (path.parent / "Makefile").is_file()
        how = f" (`make -C {quoted(path.parent)}`)" if made else ""
        return f"is a source file; name the program that is built from it{how}."
    if is_program(str(path)):
        return f"is not executable; try `chmod +x {quoted(path)}`."
    if is_lone and path.suffix == ".py":
        return (
            f"is not executable: put it, with kit.py if it imports that, into a folder with a "
            f"bot.toml that says command = {toml([PYTHON, path.name])}, and name the folder; "
            f"`arena new` makes such a one."
        )
    return (
        f"is not executable; try `chmod +x {quoted(path)}`, and a first line such as "
        f"{opening(str(path))}."
    )
