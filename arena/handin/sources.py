"""The folders of sources that were handed in: how they are called, made whole, and removed."""

import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from arena.folders import keep, put_in_place
from arena.handin import submissions
from arena.handin.database import HANDED_IN, HandIns, now, written
from arena.handin.submissions import Submission

KEPT = timedelta(days=1)
"""How long the sources of what was replaced are kept: matches may still be in play with them ..."""
KEPT_VERSIONS = 3
"""... and of how many versions of a bot at the most, or an author could fill the disk."""

_NEW = ".new-"
_SHOWN = 24  # characters of a bot's name that its folder is called by


def source_folder(one: Submission) -> str:
    """Return the folder of a submission's sources, as it is written in the league's file.

    Of the bot's name it holds what is harmless, so that a person finds it; the number makes it
    one of its own.
    """
    harmless = re.sub(r"[^a-z0-9_]+", "-", one.bot.lower())[:_SHOWN].strip("-")
    return f"{HANDED_IN}/{harmless or 'bot'}/{one.number}"


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Yield where a folder is to be made that is `target` at the end; after an error, nothing is.

    What was left at either place by somebody who was killed is removed before.
    """
    new = target.parent.parent / f"{_NEW}{target.name}"
    for left in (new, target):
        shutil.rmtree(left, ignore_errors=True)
    try:
        yield new
        target.parent.mkdir(exist_ok=True)
        keep(target.parent.parent)
        put_in_place(new, target)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def sweep(db: HandIns, needed: Collection[str]) -> None:
    """Remove the sources of what was refused, and of what was replaced a day or some versions ago.

    The folders that are `needed`, as they are in the league's, stay in any case. What an intake has
    begun to make that was killed goes too: it is called while nothing is taken in.
    """
    for left in db.sources.glob(f"{_NEW}*"):
        shutil.rmtree(left, ignore_errors=True)
    for one in submissions.idle(db, written(now() - KEPT), KEPT_VERSIONS):
        if one.folder not in needed:
            folder = db.league / one.folder
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):  # others of this bot are there
                folder.parent.rmdir()
            submissions.note(db, one.number, folder="")
