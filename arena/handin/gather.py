"""The bots that an organizer brings: by words of the command line, and by folders of hand-ins."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

from arena.author.candidate import candidate
from arena.author.new import languages
from arena.folders import enough_space, unfinished, unwritten
from arena.handin.filenames import bot_name, is_junk, stem, titled
from arena.handin.programs import (
    complete,
    inner,
    is_lone,
    is_plain,
    kit_of,
    lacking,
    no_program,
)
from arena.handin.sources import unpacked
from arena.league.entry import called_and_meant
from arena.league.files import LEAGUE_FILE, is_archive, named_files, readable
from arena.league.finding import BOT_FILE
from arena.organize.copying import copy_files
from arena.organize.entering import Brought
from arena.text import composed, safe
from protocol.errors import ArenaError, RunError
from referee.rules.game import Game
from referee.sandbox.sources import odd_kind
from referee.sandbox.workshop import Workshop

MOST = 2000
"""The most files and folders in a folder of hand-ins."""
_TOPS = {"/", "/dev", "/home", "/opt", "/run", "/usr", "/var"}
_SYSTEM = {
    "/bin",
    "/boot",
    "/etc",
    "/lib",
    "/lib64",
    "/proc",
    "/sbin",
    "/sys",
    "/usr/bin",
    "/usr/lib",
}
"""Folders of the system; in _SYSTEM with all that is in them, in _TOPS without."""
_LINK = "it is a link: put the file or folder itself there."


class Gathering(NamedTuple):
    """What was brought: the bots, and what was passed over in the folders."""

    bots: list[Brought]
    passed_over: list[str]
    """Files of the system, of editors and for readers, and our kits, by name."""
    people: dict[str, list[str]]
    """The bots of each person, as a learning platform calls people."""


class HandedIn(NamedTuple):
    """What one author handed in, in a folder of hand-ins."""

    name: str
    """What the bot is called."""
    place: Path
    files: Mapping[str, Path]
    """Where each file or folder is, by what its author called it."""
    who: str = ""
    """Whose it is, as a learning platform says it; or nothing."""


class Workplace:
    """Where what was brought is made into bots: a folder in the league's, gone in the end.

    What was packed is unpacked there as a server unpacks what is handed in. Raises ArenaError if
    another command has it.
    """

    def __init__(self, league: Path, sandbox_uid: int | None = None) -> None:
        self._league = league
        self._uid = sandbox_uid
        self._undo = ExitStack()
        self._folder: Path | None = None
        self._workshop: Workshop | None = None
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._undo.close()

    def new(self) -> Path:
        """Return where the next folder of a bot is to be made."""
        if self._folder is None:
            target = self._league / "added"
            try:
                self._folder = self._undo.enter_context(unfinished(target))
            except OSError as error:
                raise unwritten(target, error) from None
        self._count += 1
        return self._folder / str(self._count)

    def check(self, folder: Path) -> None:
        """Raise ArenaError if a folder plainly holds no hand-ins: the system's, or all around."""
        place, league = folder.resolve(), self._league.resolve()
        system = {str(each) for each in [place, *place.parents][:-1]} & _SYSTEM
        if system or str(place) in _TOPS:
            why = "is a folder of the system"
        elif place in league.parents[1:]:
            why = f"has the folder {safe(str(league.parent))} in it, in which this league is"
        else:
            return
        raise ArenaError(
            f"{safe(str(folder))} {why}: name a folder that has nothing but what was handed in. "
            f"Nothing in it was copied or run."
        )

    def workshop(self) -> Workshop:
        """Return where archives are unpacked; raise SandboxError if nothing can be, safely."""
        if self._workshop is None:
            self._workshop = self._undo.enter_context(Workshop(uid=self._uid))
        return self._workshop


def gathered(
    words: Sequence[str],
    game: type[Game],
    room: Workplace,
    tell: Callable[[str], None] = lambda _words: None,
) -> Gathering:
    """Return what the words of a command line mean.

    A folder without a bot.toml stands for all that was handed in there: programs, folders and
    archives. What cannot be run is among the bots too, with the reason. `tell` is called with what
    is looked at. Raises ArenaError if a folder plainly is none of hand-ins, or holds too much.
    """
    found = Gathering([], [], {})
    for word in words:
        try:
            called, what = called_and_meant(word)
        except ArenaError as error:
            found.bots.append(Brought(word, word, error))
            continue
        path = Path(what)
        if path.is_dir() and not (path / BOT_FILE).exists() and (path / LEAGUE_FILE).exists():
            league = ArenaError(f"{safe(what)} is a league, and no bot.")
            found.bots.append(Brought(called or path.name, what, league))
        elif path.is_dir() and not (path / BOT_FILE).exists() and called is None:
            room.check(path)
            _take(path, what, found, game, room, tell)
        elif called is None and (unpacked_class := _class_in(path, room)):
            _take(unpacked_class, what, found, game, room, tell)
        elif _is_made(path):
            one = HandedIn(bot_name(stem(path.name)), path, {path.name: path})
            found.bots.append(_brought(one._replace(name=called or one.name), game, room))
        else:
            found.bots.append(_named(what, what, game, called))
    return found


def _take(
    folder: Path,
    what: str,
    found: Gathering,
    game: type[Game],
    room: Workplace,
    tell: Callable[[str], None],
) -> None:
    """Take what was handed in in a folder, which was named so."""
    for one in _handed_in(folder, found.passed_over):
        tell(f"looking at {safe(str(one.place))}")
        brought = _brought(one, game, room)
        found.bots.append(brought._replace(place=f"{Path(what) / one.place.name}"))
        if one.who:
            found.people.setdefault(one.who, []).append(brought.name)


def _class_in(path: Path, room: Workplace) -> Path | None:
    """Return a folder with what an archive holds, if all is called as a learning platform does.

    One that is called so itself is one author's, who could hand in what is called by others.
    """
    if not is_archive(path) or titled(path.name).who:
        return None
    target = room.new()
    try:
        _fill(path, target, room)
    except ArenaError:  # it is told when a bot is made of it
        return None
    folder = inner(target)
    said = [titled(each.name) for each in folder.iterdir() if not is_junk(each.name)]
    people = {(each.who, each.number) for each in said}
    return folder if len(people) > 1 and all(each.who for each in said) else None


def _is_made(path: Path) -> bool:
    """Return whether what was named must be made into a bot: it is one that is not run in place."""
    if path.is_dir():
        return not (path / BOT_FILE).exists()
    return is_archive(path) or is_plain(path)


def _handed_in(folder: Path, passed_over: list[str]) -> Iterator[HandedIn]:
    """Yield what was handed in in a folder, in order; note what was passed over."""
    names: list[str] = []
    with readable(folder.name), os.scandir(folder) as entries:
        for entry in entries:
            names.append(entry.name)
            if len(names) > MOST:
                raise ArenaError(
                    f"{safe(str(folder))} has more than {MOST} files; name a folder that has "
                    f"nothing but what was handed in."
                )
    found: dict[tuple[str, str], dict[str, Path]] = {}
    for name in sorted(names):
        path = folder / name
        said = titled(name)
        if is_junk(said.own or name) or _is_kit(path) or (path / LEAGUE_FILE).exists():
            passed_over.append(f"{path.name} (the kit)" if kit_of(path) else path.name)
            continue
        whose = (said.who, said.number) if said.who else ("", name)
        found.setdefault(whose, {})[said.own or name] = path
    is_one = len(found) == 1  # then its folder says whose it is, if it is called as any bot
    named = {whose: bot_name(whose[0] or stem(whose[1])) for whose in found}
    counts = Counter(named.values())
    usual = {stem(language.bot).lower() for language in languages().values()}
    for whose, files in found.items():
        name = named[whose]
        if whose[0] and counts[name] > 1:  # two people of one name
            name = bot_name(f"{name[:28]}_{whose[1]}")
        elif is_one and name.lower() in usual:
            name = bot_name(folder.resolve().name)
        yield HandedIn(name, next(iter(files.values())), files, whose[0])


def _is_kit(path: Path) -> bool:
    return not path.is_symlink() and path.is_file() and bool(kit_of(path))


def _brought(one: HandedIn, game: type[Game], room: Workplace) -> Brought:
    """Return the bot of what was handed in, or why there is none; nothing of it is run."""
    place = str(one.place)
    try:
        if len(one.files) == 1 and not one.place.is_symlink() and one.place.is_dir():
            folder = inner(one.place)
            if (folder / BOT_FILE).exists():
                return _named(str(folder), place, game, one.name)
        target = room.new()
        with enough_space(target):
            made = _made(one, target, room)
    except RunError:  # such as a full disk, for which no author is to blame
        raise
    except (ArenaError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        return Brought(one.name, place, ArenaError(f"bot {one.name!r}: {why}"), is_made=True)
    brought = _named(str(made), place, game, one.name)
    if isinstance(brought.bot, ArenaError):
        said = str(brought.bot).replace(f"{made}/", "").replace(f"{made}", "its folder")
        brought = brought._replace(bot=ArenaError(said))
    return brought._replace(is_made=True)


def _made(one: HandedIn, target: Path, room: Workplace) -> Path:
    """Return a new folder with a bot.toml, made of what was handed in; raise ArenaError if not."""
    for path in one.files.values():
        mode = path.lstat().st_mode
        if path.is_symlink():
            raise ArenaError(_LINK)
        if not path.is_dir() and (kind := odd_kind(mode)):
            raise ArenaError(f"it is {kind}, and no file.")
    if len(one.files) == 1:
        _fill(one.place, target, room)
    else:
        for own, path in one.files.items():
            if path.is_dir() or is_archive(path):
                raise ArenaError(
                    f"there are several things ({safe(', '.join(one.files))}): hand in one "
                    f"archive, or plain files."
                )
            copy_files(one.name, path.parent, {path.name: own}, target)
    folder = inner(target)
    complete(folder)
    if not (folder / BOT_FILE).is_file():
        raise ArenaError(lacking(folder))
    return folder


def _fill(path: Path, target: Path, room: Workplace) -> None:
    """Put what is at a place into the new folder `target`; raise ArenaError if it is no bot."""
    if path.is_dir():
        target.mkdir()
        files = [
            file
            for file in named_files(path.name, path.resolve(), ["."])
            if not any(map(is_junk, Path(file).parts))
        ]
        copy_files(path.name, path, {file: file for file in files}, target)
    elif is_archive(path):
        with readable(path.name), enough_space(target):
            try:
                unpacked(room.workshop(), path, titled(path.name).own, target)
            except RunError as error:  # of this archive, and no reason not to take the others
                raise ArenaError(str(error)) from None
    elif is_lone(path):
        copy_files(path.name, path.parent, {path.name: path.name}, target, runs=True)
    else:
        raise ArenaError(no_program(path))


def _named(what: str, place: str, game: type[Game], called: str | None) -> Brought:
    try:
        name, bot = candidate(what, game, called)
        return Brought(name, place, bot)
    except ArenaError as error:
        return Brought(composed(called or Path(what).stem or what), place, error)
