"""Changes to the bots of a `league.toml` by command; whatever else stands there stays as it is."""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tomlkit.exceptions import TOMLKitError

from arena.folders import keep, unwritten
from arena.league.file import file_of, read_text
from arena.league.league_text import LeagueText, unchangeable
from arena.league.plan import LeaguePlan
from arena.text import composed
from protocol.errors import ArenaError
from referee.rules.options import SettingError

_MARK = b"\xef\xbb\xbf"
"""What some editors write before the text."""


def add_bot(folder: Path, entry: Mapping[str, Any]) -> LeaguePlan:
    """Add a `[[bot]]` with these keys after the others, and return the league as it is then.

    Raises ArenaError if its name is taken or looks like another's, it cannot be found, or the
    league's file is wrong or cannot be written; then the file is as it was. The other functions
    here raise likewise.
    """
    return _changed(folder, str(entry["name"]), lambda text: text.add(entry))


def replace_bot(folder: Path, name: str, entry: Mapping[str, Any]) -> LeaguePlan:
    """Give the bot of a name these keys and no others, and return the league as it is then.

    Its `key`, and why it is disqualified, stay unless the entry says otherwise: they belong to
    the name. Raises ArenaError also if there is no such bot.
    """
    return _changed(
        folder,
        str(entry.get("name", name)),
        lambda text: text.replace(name, {"name": name, **entry}),
    )


def remove_bots(folder: Path, *names: str, first: Callable[[], None] | None = None) -> LeaguePlan:
    """Take the bots of these names out, and the comments above them; return the league then.

    `first` is called once that is sure to be possible, before the file is written. Raises
    ArenaError also if one of them is not there, or is disqualified; then all stay.
    """

    def remove(text: LeagueText) -> None:
        for name in names:
            text.remove(name)
        if first is not None:
            first()

    return _changed(folder, "", remove)


def change_bots(folder: Path, change: Callable[[LeagueText], None]) -> LeaguePlan:
    """Change several bots at once, while no other command does; return the league then."""
    return _changed(folder, "", change)


def set_keys(folder: Path, name: str, keys: Mapping[str, Any]) -> LeaguePlan:
    """Set keys of the bot of a name, or take out those that are None; return the league then.

    Raises ArenaError also if there is no such bot.
    """
    return _changed(folder, "", lambda text: text.set(name, keys))


def check_changeable(folder: Path) -> None:
    """Raise ArenaError if a league's file could not be changed now, before work is spent on it."""
    file, text = file_of(folder)
    read_text(file, text, "read")
    LeagueText(file, text)
    for path in (file, Path(os.path.realpath(file)).parent):
        if not os.access(path, os.W_OK, effective_ids=True):
            raise unwritten(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def _changed(folder: Path, name: str, change: Callable[["LeagueText"], None]) -> LeaguePlan:
    """Change a league's file, in which the bot of a name, if one is given, must then be there."""
    while True:
        file, _ = file_of(folder)
        with _held(Path(os.path.realpath(file))) as real:
            _, before = file_of(folder)
            read_text(file, before, "read")  # what is wrong already is told by its line
            text = LeagueText(file, before)
            try:
                change(text)
                league = read_text(file, text.checked(), "read")
            except SettingError as error:
                raise ArenaError(error.what) from None
            except TOMLKitError:
                raise unchangeable(file) from None
            for bot in league.lost:
                if bot.name == composed(name):
                    raise ArenaError(f"bot {bot.name!r}: {bot.problem}")
            if file_of(folder)[1] == before:  # an editor knows nothing of the lock
                _replace(real, text.checked())
                return league


@contextmanager
def _held(file: Path) -> Iterator[Path]:
    """Keep other commands from changing a file until the end; wait for them before.

    The lock is on the file itself, and leaves nothing behind; whoever has waited while another
    was put in its place takes the lock of that one.
    """
    while True:
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise unwritten(file, error) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), file.stat()):
                    yield file
                    return
        finally:
            os.close(descriptor)


def _replace(file: Path, text: str) -> None:
    """Put a text in the place of a file's, whole or not at all, with the same mode and owner."""
    new = file.with_name(f".{file.name}")
    try:
        now, mark = file.stat(), _begins_with_mark(file)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as output:
            if (now.st_uid, now.st_gid) != (os.geteuid(), os.getegid()):
                with suppress(PermissionError):  # who may write here need not own it
                    os.fchown(descriptor, now.st_uid, now.st_gid)
            os.fchmod(descriptor, now.st_mode & 0o7777)
            output.write(mark + text.encode())
            output.flush()
            os.fsync(descriptor)
        new.replace(file)
        keep(file.parent)
    except OSError as error:
        raise unwritten(file, error) from None
    finally:
        new.unlink(missing_ok=True)


def _begins_with_mark(file: Path) -> bytes:
    with file.open("rb") as source:
        return _MARK if source.read(len(_MARK)) == _MARK else b""
