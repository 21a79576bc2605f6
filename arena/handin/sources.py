"""Sources that were handed in: unpacked, completed, called by a folder, and removed."""

import inspect
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from arena.folders import keep, put_in_place
from arena.handin import submissions, unpack
from arena.handin.database import HANDED_IN, HandIns, now, written
from arena.handin.submissions import Submission
from protocol.errors import Refusal, RunError
from referee.limits import WorkLimits
from referee.sandbox.program import interpreter
from referee.sandbox.users import first_user
from referee.sandbox.workshop import Workshop

KEPT = timedelta(days=1)
"""How long the sources of what was replaced are kept: matches may still be in play with them ..."""
KEPT_VERSIONS = 3
"""... and of how many versions of a bot at the most, or an author could fill the disk."""

_NEW = ".new-"
_SHOWN = 24  # characters of a bot's name that its folder is called by
_LIMITS = WorkLimits(
    seconds=60.0,
    memory_mb=512,
    processes=8,
    output_kb=64,
    disk_mb=2 * (unpack.BYTES >> 20),
    files=2 * unpack.FILES,
)
_NAMELESS = "bot"


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


def unpacked(workshop: Workshop, file: Path, name: str, target: Path) -> str:
    """Unpack a file into the new folder `target`; return what is to be said of it.

    That is done by `unpack` in a workshop, where it can do no harm. `name` is what it was called by
    whoever handed it in. Raises Refusal for what is refused, and SandboxError, OSError or RunError
    if it could not be tried here.
    """
    user = first_user(None)
    words = [interpreter(user), "-I", "-S", "-c", inspect.getsource(unpack), name or _NAMELESS]
    with (
        file.open("rb") as archive,
        workshop.work(words, None, [], _LIMITS, stdin=archive) as work,
    ):
        outcome = work.outcome
        if outcome.is_ok:
            work.take(target)
            return outcome.output.strip()
    what, _, remedy = outcome.output.strip().partition("\n")
    if outcome.why == f"exited with code {unpack.REFUSED}" and remedy:
        raise Refusal(422, what, remedy)
    if outcome.why.startswith(("ran longer", "used more", "made more")):
        raise Refusal(422, f"it cannot be unpacked: that {outcome.why}.", "Make it smaller.")
    raise RunError(f"the unpacking {outcome.why}: {outcome.output}")
