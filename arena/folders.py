"""Our folders: who may work in one now, where unfinished files are kept, and what fails there."""

import errno
import fcntl
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from protocol.errors import ArenaError, RunError

SERVED = Path("handed-in", ".served")
"""The folder in a league's of which the server that keeps the league open has the lock."""
_RUN = "run or import"
_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def locked(folder: Path, by: str = _RUN) -> Iterator[None]:
    """Keep others away from a folder; the lock is on the folder and leaves nothing behind.

    Not on a file in it: an editor that saves puts another file in its place. Raises ArenaError,
    naming the process, if another process has it, which is called `by`, or the server that plays
    the league.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArenaError(_in_use(folder, by)) from None
        yield
    finally:
        os.close(descriptor)


def _in_use(folder: Path, by: str) -> str:
    """Return what to say of a folder that another process has."""
    user = player_of(folder) if by == _RUN else None
    if user is not None and user.is_server:
        return (
            f"`arena serve` plays {folder} (process {user.process}), and what is missing by "
            f"itself; stop it first."
        )
    pid = holder(folder)
    who = f"process {pid}" if pid else "on another machine or in another container"
    return f"{folder} is in use by another {by} ({who}); wait for it, or stop it."


class User(NamedTuple):
    """Who plays a league."""

    process: int
    is_server: bool
    """Whether it is the server that keeps the league open, and plays again what is missing then."""


def player_of(league: Path) -> User | None:
    """Return who plays a league now, if somebody does that can be seen as by `holder`.

    A server plays its leagues and their finals also while there is nothing to play.
    """
    run = holder(league)
    servers = (holder(folder / SERVED) for folder in (league, league.resolve().parent))
    server = next((server for server in servers if server is not None), None)
    if server is not None and (run is None or _is_child(run, server)):
        return User(server, True)
    return None if run is None else User(run, False)


def _is_child(pid: int, parent: int) -> bool:
    """Return whether a process was started by another, as far as we may know."""
    try:
        said = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return f"\nPPid:\t{parent}\n" in said


def holder(folder: Path) -> int | None:
    """Return the process that keeps others away from a folder, as `locked` does, if one does.

    The kernel's table is read: to try the lock would turn away a run that begins just then. One
    on another machine, or in another container, is not in it.
    """
    try:
        place = folder.stat()
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    for words in map(str.split, lines):
        if words[1] == "FLOCK" and words[3] == "WRITE" and words[5].endswith(f":{place.st_ino}"):
            pid = int(words[4])
            if _may_have_open(pid, place):
                return pid
    return None


def _may_have_open(pid: int, place: os.stat_result) -> bool:
    """Return whether a process has a folder open, as far as we may know.

    Another disk's folder can have the same number, and the table's names of disks are not those
    of `stat` everywhere.
    """
    try:
        opened = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return True
    for descriptor in opened:
        with suppress(OSError):  # closed meanwhile
            if os.path.samestat(descriptor.stat(), place):
                return True
    return False


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Make a hidden folder beside a file or folder that is to be made whole or not at all.

    It is gone in the end. Were it not, as its maker was killed, the next one for this target
    would empty it. Raises OSError if it cannot be made, and ArenaError while it is in use.
    """
    hidden = target.with_name(f".{target.name}.unfinished")
    hidden.mkdir(exist_ok=True)
    with locked(hidden, "command that writes it"):
        try:
            for left in hidden.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            yield hidden
        finally:
            shutil.rmtree(hidden, ignore_errors=True)


def keep(path: Path) -> None:
    """Let a file, or the names in a folder, survive a power cut; raise OSError if that fails."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def stamp_of(file: Path) -> object:
    """Return what is another value once a file was written or replaced; None if there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def put_in_place(new: Path, target: Path) -> None:
    """Rename a folder that is whole by now, so that both outlive a power cut, or neither is there.

    Raises OSError if that fails, as when there is a folder already.
    """
    for path in [new, *new.rglob("*")]:
        if not path.is_symlink():
            keep(path)
    new.rename(target)
    keep(target.parent)


@contextmanager
def whole_or_nothing(files: Collection[Path], named: Path) -> Iterator[None]:
    """Make the folders of new files, which are written within; if that fails, nothing is left.

    Raises ArenaError, which names a path, in place of an OSError.
    """
    folders = {folder for file in files for folder in file.parents}
    made = sorted((folder for folder in folders if not folder.exists()), reverse=True)
    try:
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:  # Ctrl-C too: raised again once nothing is left
        for file in files:
            with suppress(OSError):
                file.unlink()
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError):
            raise unwritten(named, error) from None
        raise


@contextmanager
def enough_space(place: Path) -> Iterator[None]:
    """Raise RunError if the disk of a place is full, which no owner of files is to blame for.

    Any other OSError is left as it is.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise unwritten(place, error) from None
        raise


def unwritten(path: Path, error: OSError) -> ArenaError:
    """Return what to say of a file that cannot be written: whether a name or a disk is to blame."""
    what = f"{path} cannot be written: {error.strerror}."
    if error.errno in _FULL:
        return RunError(f"{what} Free some space there, then run again.")
    return ArenaError(what)
