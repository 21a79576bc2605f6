"""Where things are kept from run to run, for all leagues of a user: builds, and big files."""

import os
import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path

from protocol.errors import ArenaError

UNFINISHED = ".new-"
"""How the names of folders begin that are being filled."""
_OF_ROOT = "/var/cache"
"""Root's bots are other users, who cannot enter its home."""
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


def _last_used(found: os.stat_result) -> float:
    """Return when a kept thing was used last: its user sets its times, or gives it another name."""
    return found.st_ctime if stat.S_ISREG(found.st_mode) else found.st_mtime


def forget_old(folder: Path) -> None:
    """Remove what was not used for a month, what was never finished, and the oldest of too much.

    They are the files and folders in a folder. A file that has another name is in use.
    """
    with suppress(OSError):  # others may remove the same; there will be a next time
        total = 0
        found = ((each.lstat(), each) for each in folder.iterdir())
        for known, path in sorted(found, key=lambda each: _last_used(each[0]), reverse=True):
            total += _size(path, known)
            is_short = path.name.startswith(UNFINISHED) or total > _MOST_BYTES
            is_used = stat.S_ISREG(known.st_mode) and known.st_nlink > 1
            age = time.time() - _last_used(known)
            if not is_used and age > (_SAFE_SECONDS if is_short else _KEPT_SECONDS):
                _remove(path)


def _size(path: Path, found: os.stat_result) -> int:
    if not stat.S_ISDIR(found.st_mode):
        return found.st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
