"""Receiving what is handed in: who may hand in what now, and its bytes stored whole or not."""

import errno
import fcntl
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Self

from arena.folders import keep
from arena.handin.calendar import phase
from arena.handin.database import HandIns, now, written
from arena.handin.final import has_final
from arena.handin.people import Person, by_number
from arena.handin.submissions import Submission, first_of, get, replace_queued
from arena.league.bot import check_strangers_name
from arena.league.plan import LeaguePlan
from arena.text import composed, duration, likeness, quoted
from protocol.errors import ArenaError, Refusal

_FILENAME_LIMIT = 100
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_refused = partial(Refusal, step="receive")
"""What was refused at once, and is no submission."""


class Arrival:
    """Something on its way in, piece by piece; a context manager that leaves it stored, or nothing.

    All methods raise Refusal, the constructor before anything was transferred. `plan`
    gives the league as it is now: it may be changed while something comes slowly. With
    `only_check`, it is taken under the same rules, to be checked and not to play.
    """

    def __init__(
        self,
        db: HandIns,
        plan: Callable[[], LeaguePlan],
        person: Person,
        bot_name: str,
        filename: str,
        *,
        only_check: bool = False,
    ) -> None:
        self._hand_ins = db
        self._plan = plan
        self._person = person
        self._filename = shown_filename(filename)
        self._only_check = only_check
        self._bot = bot_for(db, person, bot_name)
        check_may_hand_in(db, plan(), person, self._bot)
        self._digest = hashlib.sha256()
        self._size = 0
        with _room():
            db.arrivals.mkdir(parents=True, exist_ok=True)
            self._path, self._file = _new_file(db.arrivals)
        self._is_stored = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if not self._is_stored:
            with suppress(OSError):
                self._path.unlink()
        os.close(self._file)

    def write(self, piece: bytes) -> None:
        """Add bytes."""
        self._size += len(piece)
        most = self._plan().hand_in.size_mb
        if self._size > most << 20:
            raise _refused(
                413,
                f"what you hand in is larger than {most} MiB.",
                "Leave out what the bot does not need.",
            )
        self._digest.update(piece)
        with _room():
            while piece:
                piece = piece[os.write(self._file, piece) :]

    def finish(self) -> Submission:
        """Store it for good, and return the submission."""
        if not self._size:
            raise _refused(422, "what you hand in is empty.", "Hand in a zip, a tar or a program.")
        with _room():
            os.fsync(self._file)
            keep(self._path.parent)
            with self._hand_ins.transaction():
                # Again, as somebody else may have handed in meanwhile, or the league have closed.
                check_may_hand_in(self._hand_ins, self._plan(), self._person, self._bot)
                number = self._add()
                idle = replace_queued(
                    self._hand_ins,
                    self._person.number,
                    self._bot,
                    number,
                    only_check=self._only_check,
                )
        self._is_stored = True
        for name in idle:
            with suppress(OSError):  # what is left is removed when the intake begins
                (self._hand_ins.arrivals / name).unlink()
        return get(self._hand_ins, number)

    def _add(self) -> int:
        at = written(now())
        number = self._hand_ins.change(
            "INSERT INTO submission (person, bot, likeness, state, received_at, changed_at, "
            "digest, size, filename, arrived, only_check) "
            "VALUES (?, ?, ?, 'received', ?, ?, ?, ?, ?, ?, ?)",
            (
                self._person.number,
                self._bot,
                likeness(self._bot),
                at,
                at,
                self._digest.hexdigest(),
                self._size,
                self._filename,
                self._path.name,
                self._only_check,
            ),
        )
        self._hand_ins.change("INSERT INTO history VALUES (?, 'received', ?)", (number, at))
        return number


def _new_file(folder: Path) -> tuple[Path, int]:
    """Return a new file, open, with a lock that says that its receiver is alive."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        path = folder / secrets.token_hex(16)
        file = os.open(path, flags, 0o600)
        fcntl.flock(file, fcntl.LOCK_SH)
        if os.fstat(file).st_nlink:  # else `tidy` has come between
            return path, file
        os.close(file)


def tidy(db: HandIns) -> None:
    """Remove what is left of things whose receiver was killed, and what was looked at."""
    try:
        names = sorted(path.name for path in db.arrivals.iterdir())
    except FileNotFoundError:
        return
    for name in names:
        with suppress(FileNotFoundError), (db.arrivals / name).open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue  # its receiver is alive
            if not db.rows(
                "SELECT 1 FROM submission WHERE arrived = ? "
                "AND state IN ('received', 'building', 'checking')",
                (name,),
            ):
                (db.arrivals / name).unlink()


def shown_filename(filename: str) -> str:
    """Return the last part of the name of what was handed in, as it may be shown and stored."""
    last = PurePosixPath(filename.replace("\\", "/")).name
    kept = "".join(char for char in last if char.isprintable())
    return kept[-_FILENAME_LIMIT:]


def bot_for(db: HandIns, person: Person, bot_name: str) -> str:
    """Return the name of the bot; raise Refusal if it cannot be a name."""
    name = composed(bot_name) or _usual_bot(db, person)
    try:
        check_strangers_name(name)
    except ArenaError as error:
        raise _refused(422, str(error), "Choose another name.") from None
    return name


def _usual_bot(db: HandIns, person: Person) -> str:
    rows = db.rows(
        "SELECT DISTINCT bot FROM submission WHERE person = ? AND NOT only_check AND "
        "(accepted OR state IN ('received', 'building', 'checking'))",
        (person.number,),
    )
    return rows[0]["bot"] if len(rows) == 1 else person.name


# --- who may hand in what, and when


def check_may_hand_in(db: HandIns, plan: LeaguePlan, person: Person, bot: str) -> None:
    """Raise Refusal unless a person may hand in a bot of this name now."""
    if by_number(db, person.number) != person:
        raise _refused(
            401,
            "your token is not valid any more.",
            "Ask the organizer for a new one.",
        )
    if person.role == "reader":
        raise _refused(403, "a reader may not hand in.", "Ask the organizer to make you an author.")
    if person.role != "organizer":
        _check_open(plan)
        _check_rate(db, plan, person)
    _check_name_free(db, plan, person, bot)


def _check_open(plan: LeaguePlan) -> None:
    hand_in = plan.hand_in
    now_is = phase(hand_in, now())
    if has_final(plan):
        raise _refused(
            403,
            "no bots are taken any more: the final was made of those that were in the league.",
            "Ask the organizer if you had trouble before.",
        )
    if now_is == "before":
        assert hand_in.opens is not None
        opens = hand_in.opens
        raise _refused(
            403,
            f"bots are taken from {_moment(opens)} on.",
            "Hand in again then.",
            can_retry=True,
            again_at=opens,
        )
    if now_is == "closed":
        assert hand_in.closes is not None
        raise _refused(
            403,
            f"no bots are taken any more: the league closed at {_moment(hand_in.closes)}.",
            "Ask the organizer if you had trouble before.",
        )


def _moment(at: datetime) -> str:
    return at.isoformat(sep=" ", timespec="seconds")


def _check_rate(db: HandIns, plan: LeaguePlan, person: Person) -> None:
    hand_in = plan.hand_in
    at = now()
    for most, time, words in (
        (hand_in.per_hour, timedelta(hours=1), "60 minutes"),
        (hand_in.per_day, timedelta(days=1), "24 hours"),
    ):
        rows = db.rows(
            "SELECT received_at FROM submission WHERE person = ? AND received_at > ? "
            "ORDER BY received_at DESC LIMIT ?",
            (person.number, written(at - time), most),
        )
        if len(rows) == most:
            again = datetime.fromisoformat(rows[-1]["received_at"]) + time
            is_over = hand_in.closes is not None and again >= hand_in.closes
            raise _refused(
                429,
                f"you have handed in {most} times in {words}, those that were refused among them, "
                f"and may not do so more often.",
                "The league closes before you may again."
                if is_over
                else f"Hand in again in {duration((again - at).total_seconds())}, at "
                f"{_moment(again)}.",
                can_retry=not is_over,
                again_at=None if is_over else again,
            )


def _check_name_free(db: HandIns, plan: LeaguePlan, person: Person, bot: str) -> None:
    alike, owned = likeness(bot), first_of(db, bot)
    if owned and owned.author != person.name:
        what = f"the name {bot!r} is taken by another author."
        raise _refused(409, what, "Choose another one.")
    if owned and owned.bot != bot:
        what = f"your bot is called {owned.bot!r}, not {bot!r}."
        raise _refused(409, what, "Write it so.")
    for gone in plan.disqualified:
        if alike in (likeness(gone.name), likeness(gone.key)):
            raise _refused(403, gone.remark, "Ask the organizer about it.")
    names = {likeness(name) for pair in plan.names.items() for name in pair}
    if not owned and alike in names:
        command = f"arena remove {quoted(plan.folder.name)} {quoted(bot)}"
        raise _refused(
            409,
            f"the name {bot!r} is taken by a bot that the organizer has entered.",
            f"Choose another one; if it is your bot, the organizer frees it by `{command}`.",
        )
    others = db.rows(
        "SELECT name FROM person WHERE likeness = ? AND number != ?", (alike, person.number)
    )
    if others:
        what = f"{bot!r} is the name of another person of this league."
        raise _refused(409, what, "Choose another one.")
    _check_count(db, plan, person, alike)


def _check_count(db: HandIns, plan: LeaguePlan, person: Person, alike: str) -> None:
    rows = db.rows(
        "SELECT DISTINCT bot FROM submission WHERE person = ? AND likeness != ? AND "
        "NOT only_check AND state IN ('received', 'building', 'checking', 'playing')",
        (person.number, alike),
    )
    if len(rows) >= plan.hand_in.bots and person.role != "organizer":
        names = ", ".join(repr(row["bot"]) for row in rows)
        count = "one bot" if plan.hand_in.bots == 1 else f"{plan.hand_in.bots} bots"
        raise _refused(
            409,
            f"you may have {count} in the league, and have {names}.",
            f"Hand in a new version of {names}, or ask the organizer to remove it.",
        )


# --- the disk


@contextmanager
def _room() -> Iterator[None]:
    """Turn a full disk into a refusal that says so."""
    full = _refused(
        507,
        "the server's disk is full, and your bot could not be stored.",
        "Try again later; the organizer has to free some space.",
        can_retry=True,
    )
    try:
        yield
    except Refusal as error:
        raise full if error.status == 507 else error from None
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise full from None
        raise
