"""What is kept from run to run, for all leagues of a user: builds, environments, and big files.

It is filled beside its place, used again, and forgotten when it is old.
"""

import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from protocol.errors import ArenaError
from referee.sandbox.fork_server import remove

_OF_ROOT = "/var/cache"
"""Root's bots are other users, who cannot enter its home."""
_UNFINISHED = ".new-"
"""How the names of things begin that are being filled, or emptied."""
_KEPT_SECONDS = 30 * 86_400  # for which a thing is kept that nobody uses
_MOST_BYTES = 20 << 30  # that all of a kind may have together ...
_SAFE_SECONDS = 86_400  # ... but for those that were used so lately: somebody may run them


def kept_folder() -> Path:
    """Return the folder: in XDG_CACHE_HOME, or else in the user's cache, or the system's for root.

    It need not be there yet. Raises ArenaError for a user who has no home.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    if home:
        return Path(home) / "bot-arena"
    if os.geteuid() == 0:
        return Path(_OF_ROOT) / "bot-arena"
    try:
        return Path.home() / ".cache" / "bot-arena"
    except RuntimeError:
        raise ArenaError(
            "what is built, and big files, are kept in the user's cache, and this user has no home "
            "folder: set XDG_CACHE_HOME to a folder for it."
        ) from None


def make_open(folder: Path, above: Path) -> None:
    """Make a folder that everybody may enter, and those between it and one `above`, as needed.

    What is there already stays as it is: who closed it meant it.
    """
    above.mkdir(parents=True, exist_ok=True)
    for each in reversed([folder, *folder.parents]):
        if each.is_relative_to(above) and not each.exists():
            with suppress(FileExistsError):
                each.mkdir()
                each.chmod(0o755)


@contextmanager
def being_filled(place: Path) -> Iterator[Path]:
    """Make a new folder beside a place that is to be filled, and remove it in the end."""
    new = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=place.parent))
    try:
        yield new
    finally:
        remove(str(new))


def unfinished(place: Path) -> Path:
    """Return where what belongs in a place is kept as long as it is not whole."""
    return place.with_name(f"{_UNFINISHED}{place.name}")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process is filling a folder, and be the only one that does."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until we end, however we do
        yield
    finally:
        os.close(lock)


def is_whole(thing: Path) -> bool:
    """Return whether something that is kept is no longer being filled."""
    return not thing.name.startswith(_UNFINISHED)


def use(folder: Path) -> bool:
    """Note that a folder is used now; return whether it is there."""
    try:
        os.utime(folder)
    except OSError:
        return False
    return True


def forget_old(folder: Path) -> None:
    """Remove what was not used for a month, what was never finished, and the oldest of too much.

    They are the files and folders in a folder. A file that has another name is in use.
    """
    with suppress(OSError):  # others may remove the same; there will be a next time
        total = 0
        found = ((each.lstat(), each) for each in folder.iterdir())
        for known, thing in sorted(found, key=lambda each: _last_used(each[0]), reverse=True):
            total += size_of(thing)
            is_short = not is_whole(thing) or total > _MOST_BYTES
            is_used = stat.S_ISREG(known.st_mode) and known.st_nlink > 1
            age = time.time() - _last_used(known)
            if not is_used and age > (_SAFE_SECONDS if is_short else _KEPT_SECONDS):
                discard(thing)


def _last_used(found: os.stat_result) -> float:
    """Return when a kept thing was used last: its user sets its times, or gives it another name."""
    return found.st_ctime if stat.S_ISREG(found.st_mode) else found.st_mtime


def size_of(thing: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if not thing.is_dir():
        return thing.lstat().st_size
    return sum(
        path.lstat().st_size
        for path in thing.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def discard(thing: Path) -> None:
    """Remove a kept file or folder, which nobody takes for whole any more from the first moment."""
    if not thing.is_dir() or thing.is_symlink():
        thing.unlink(missing_ok=True)
        return
    left = unfinished(thing)
    with suppress(OSError):
        thing.rename(left)
    remove(str(left))
    remove(str(thing))
