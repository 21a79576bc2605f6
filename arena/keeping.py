"""What is kept from run to run: filled beside its place, used again, forgotten when it is old."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from referee.sandbox.fork_server import remove

_KEPT_SECONDS = 30 * 86_400  # for which a folder is kept that nobody uses
_MOST_BYTES = 20 << 30  # that all folders in one may have together ...
_SAFE_SECONDS = 86_400  # ... but for those that were used so lately: somebody may run them
_NEW = ".new-"  # how folders begin that are being filled, or emptied


@contextmanager
def being_filled(place: Path) -> Iterator[Path]:
    """Make a new folder beside a place that is to be filled, and remove it in the end."""
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=place.parent))
    try:
        yield new
    finally:
        remove(str(new))


def is_whole(folder: Path) -> bool:
    """Return whether a folder in a kept one is no longer being filled."""
    return not folder.name.startswith(_NEW)


def forget_old(kept: Path) -> None:
    """Remove what was not used for a month, what was never finished, and the oldest of too much."""
    with suppress(OSError):
        total = 0
        found = ((each.stat().st_mtime, each) for each in kept.iterdir())
        for used, folder in sorted(found, reverse=True):
            total += size_of(folder)
            is_short = not is_whole(folder) or total > _MOST_BYTES
            if used < time.time() - (_SAFE_SECONDS if is_short else _KEPT_SECONDS):
                discard(folder)


def discard(folder: Path) -> None:
    """Remove a kept folder, which nobody takes for whole any more from the first moment on."""
    left = folder.with_name(f"{_NEW}{folder.name}")
    with suppress(OSError):
        folder.rename(left)
    remove(str(left))
    remove(str(folder))


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(
        path.lstat().st_size
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


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


def use(folder: Path) -> bool:
    """Note that a folder is used now; return whether it is there."""
    try:
        os.utime(folder)
    except OSError:
        return False
    return True
