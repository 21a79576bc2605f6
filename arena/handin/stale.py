"""Bots that a league's file has lost: it was saved from a copy older than what was handed in.

Bots that were handed in are taken out by `arena remove` alone, so that one that plays by
`handin.db` belongs in the file. What an editor saves without it is put right: the entry is put
back, and all else that was changed stays. So is why a bot that was handed in is disqualified, which
`arena remove --undo` alone takes back. Another bot under the name of one that was handed in is no
loss: the organizer has replaced it. What was taken out or replaced is told if it is there again.
"""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from arena.handin import submissions
from arena.handin.database import FILE, HANDED_IN, HandIns, now, written
from arena.handin.submissions import Submission
from arena.league.file import file_of, read_asked
from arena.league.plan import LeaguePlan
from arena.organize.excluding import exclude
from arena.text import composed, likeness, quoted, toml
from protocol.errors import ArenaError

_FACT = "put back"
_REASON = "disqualified"
_OWN = ("folder", "entry")
"""The keys of an entry that belong to what was handed in, and not to the organizer."""

_Table = Mapping[str, Any]


class PutBack(NamedTuple):
    """What was put back into the league's file last, or told of it."""

    at: str
    """When, in ISO 8601; empty if nothing ever was."""
    bots: Sequence[str] = ()
    excluded: Sequence[str] = ()
    """Those that are disqualified again."""
    returned: Sequence[str] = ()
    """Those that were taken out or replaced, and are in the file again; they stay."""

    def words(self, league: object) -> str:
        """Return what is said of it; `league` is how commands call the league."""
        remove = f"arena remove {quoted(league)}"
        said = []
        if self.bots:
            said.append(
                f"league.toml was saved from an older copy, without what was handed in meanwhile: "
                f"{', '.join(self.bots)}. That is in it again; all else that was changed stays. To "
                f"take out a bot that was handed in, use `{remove} NAME`."
            )
        if self.excluded:
            said.append(
                f"league.toml was saved from an older copy, without the disqualification of "
                f"{', '.join(self.excluded)}. That is in it again; `{remove} NAME --undo` lets a "
                f"bot play."
            )
        if self.returned:
            said.append(_returned_words(self.returned, league))
        return " ".join(said)


class _Loss(NamedTuple):
    one: Submission
    present: _Table | None
    """Its bot's entry in the file, older or not disqualified; None if there is none."""

    @property
    def name(self) -> str:
        return composed((self.present or {"name": self.one.bot})["name"])

    @property
    def is_reason(self) -> bool:
        """Whether nothing is lost but why it is disqualified."""
        return self.present is not None and self.present.get("folder") == self.one.folder


def remember(db: HandIns, number: int, entry: _Table) -> None:
    """Note the entry of a submission in the league's file, as it stands there or will."""
    with db.transaction():
        words = "INSERT OR REPLACE INTO entered VALUES (?, ?)"
        db.change(words, (number, json.dumps(entry)))


def take_out(league: Path, names: Sequence[str]) -> LeaguePlan:
    """Take bots out of a league for good, as `arena remove` does; return the league then.

    Raises ArenaError if one of them is not there, or is disqualified; then all stay.
    """
    from arena.league.edit import remove_bots

    if not (league / FILE).exists():
        return remove_bots(league, *names)
    with HandIns(league) as db:

        def retire() -> None:  # while the file is held, or it would be taken for a loss
            for one, table in _found(db, tables(league)):
                if table is not None and composed(table["name"]) in map(composed, names):
                    submissions.retire(db, one.number, "the organizer has taken it out.")

        return remove_bots(league, *names, first=retire)


def disqualify(league: Path, name: str, reason: str | None) -> LeaguePlan:
    """Disqualify a bot or let it play again, as `exclude` does, and as no older copy undoes."""
    if not (league / FILE).exists():
        return exclude(league, name, reason)
    with HandIns(league) as db:
        if reason is None:  # first, or it would be put back
            for one, table in _found(db, tables(league)):
                if table is not None and composed(table["name"]) == composed(name):
                    remember(db, one.number, _without_reason(_entry(db, one)))
        left = exclude(league, name, reason)
        _remember_all(db, tables(league))
        return left


def retire_replaced(db: HandIns) -> list[int]:
    """Let be replaced what the organizer has replaced by other programs; return the numbers."""
    found = tables(db.league)
    gone = [one for one in submissions.playing(db) if _fate(db, one, found)[0] == "replaced"]
    for one in gone:
        submissions.retire(db, one.number, "the organizer has replaced it.")
    return [one.number for one in gone]


def settle(league: Path) -> PutBack | None:
    """Put back into a league's file what it has lost; return what that was, if there was any.

    Raises ArenaError if the file cannot be read, or what it lacks not be put back: then it says
    what is missing.
    """
    if not (league / FILE).exists():
        return None
    with HandIns(league) as db:
        return put_back(db)


def put_back(db: HandIns) -> PutBack | None:
    """Put back what the league's file has lost, as `settle` does."""
    read_asked(db.league)  # what is wrong with the file is told by its line
    present = tables(db.league)
    lost = _losses(db, present)
    mended: Sequence[_Loss] = ()
    if lost:
        mended = _mended(db, lost)
        present = tables(db.league)
    _remember_all(db, present)
    return _noted(db, mended, _returned(db, present))


def _mended(db: HandIns, lost: Sequence[_Loss]) -> Sequence[_Loss]:
    """Put back what was lost; return what that was in the end."""
    from arena.league.edit import change_bots

    done: list[_Loss] = []

    def mend(found: Any) -> None:
        done[:] = _losses(db, found.bots)  # anew, while nobody else changes it
        for loss in done:
            entry = _entry(db, loss.one)
            if loss.present is None:
                found.add(entry)
            elif loss.is_reason:
                found.set(loss.present["name"], {_REASON: entry[_REASON]})
            else:
                own = {key: entry.get(key) for key in _OWN}
                found.set(loss.present["name"], {**_left_out(entry, loss.present), **own})

    try:
        change_bots(db.league, mend)
    except ArenaError as error:
        entries = (toml(_entry(db, loss.one)) for loss in lost)
        raise ArenaError(
            f"{_said(db.league, lost)} It cannot be put back: {error} The entries are "
            f"{', '.join(entries)}."
        ) from None
    return done


def _noted(db: HandIns, mended: Sequence[_Loss], returned: Sequence[str]) -> PutBack | None:
    """Note what was put back and what is there again; return it if there is anything new."""
    last = last_put_back(db)
    names, excluded = _names(mended)
    is_new = bool(mended) or not set(returned) <= set(last.returned)
    found = PutBack(written(now()), names, excluded, returned)
    if not is_new:
        found = last._replace(returned=returned)
    if [*found.returned] != [*last.returned] or is_new:
        with db.transaction():
            db.note_fact(_FACT, json.dumps(found))
    return found if is_new else None


def last_put_back(db: HandIns) -> PutBack:
    """Return what was put back last."""
    fact = db.fact(_FACT)
    return PutBack(*json.loads(fact)) if fact else PutBack("")


def lost_words(league: Path) -> str:
    """Return what is to be said of what a league's file has lost; nothing if it has all.

    Nor is anything said to somebody who may not know what was handed in.
    """
    if not os.access(league / FILE, os.R_OK | os.W_OK):
        return ""
    try:
        with HandIns(league) as db:
            present = tables(league)
            lost, returned = _losses(db, present), _returned(db, present)
    except ArenaError as error:  # which is no reason not to show the table
        return str(error)
    said = []
    if lost:
        said.append(
            f"{_said(league, lost)} A server, or `arena run {quoted(league)}`, puts that back; "
            f"`arena remove {quoted(league)} NAME` takes a bot out."
        )
    if returned:
        said.append(_returned_words(returned, league))
    return " ".join(said)


def _said(league: Path, lost: Sequence[_Loss]) -> str:
    names, excluded = _names(lost)
    lacks = []
    if names:
        lacks.append(f"what was handed in meanwhile: {', '.join(names)}")
    if excluded:
        lacks.append(f"the disqualification of {', '.join(excluded)}")
    return f"{league}/league.toml was saved from an older copy, without {', and '.join(lacks)}."


def _names(lost: Sequence[_Loss]) -> tuple[list[str], list[str]]:
    """Return the names of bots that were lost, and of those that only are not disqualified."""
    return (
        [loss.name for loss in lost if not loss.is_reason],
        [loss.name for loss in lost if loss.is_reason],
    )


def _returned_words(names: Sequence[str], league: object) -> str:
    return (
        f"league.toml has bots that were handed in, and taken out or replaced since: "
        f"{', '.join(names)}. They play as long as they are in it: `arena remove "
        f"{quoted(league)} NAME` takes one out again."
    )


def tables(league: Path) -> Sequence[_Table]:
    """Return the bots of a league's file as they stand there."""
    bots: Sequence[_Table] = tomllib.loads(file_of(league)[1]).get("bot", [])
    return bots


def _losses(db: HandIns, found: Sequence[_Table]) -> list[_Loss]:
    """Return what plays by the database, and is not in the file."""
    fates = [(one, *_fate(db, one, found)) for one in submissions.playing(db)]
    return [_Loss(one, table) for one, fate, table in fates if fate == "lost"]


def _returned(db: HandIns, found: Sequence[_Table]) -> list[str]:
    """Return the bots of the file that play, and by the database do so no more."""
    gone = {one.folder for one in submissions.retired(db)}
    gone -= {loss.present.get("folder") for loss in _losses(db, found) if loss.present}
    return [
        composed(table["name"])
        for table in found
        if table.get("folder") in gone and _REASON not in table
    ]


def _found(db: HandIns, found: Sequence[_Table]) -> list[tuple[Submission, _Table | None]]:
    return [(one, _fate(db, one, found)[1]) for one in submissions.playing(db)]


def _fate(
    db: HandIns, one: Submission, found: Sequence[_Table]
) -> tuple[Literal["there", "lost", "replaced"], _Table | None]:
    """Return what a file says of a submission that plays, and its bot's entry, if there is one."""
    for table in found:
        if table.get("folder") == one.folder:
            is_lost = _REASON in _entry(db, one) and _REASON not in table
            return ("lost" if is_lost else "there"), table
    known = {likeness(one.bot), likeness(str(_entry(db, one)["name"]))}
    for table in found:
        if known.isdisjoint(likeness(str(table[key])) for key in ("name", "key") if key in table):
            continue
        home, _, number = str(table.get("folder", "")).rpartition("/")
        if not home.startswith(f"{HANDED_IN}/") or not number.isdecimal():
            return "replaced", table
        return ("there" if int(number) > one.number else "lost"), table  # it is being entered
    return "lost", None


def _entry(db: HandIns, one: Submission) -> dict[str, Any]:
    """Return the entry of a submission as the file had it last."""
    rows = db.rows("SELECT entry FROM entered WHERE submission = ?", (one.number,))
    known = json.loads(rows[0]["entry"]) if rows else {"name": one.bot}
    return {**known, "folder": one.folder}


def _without_reason(entry: _Table) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != _REASON}


def _left_out(entry: _Table, present: _Table) -> dict[str, Any]:
    """Return what an older copy of an entry does not say, such as what was granted since."""
    return {key: value for key, value in entry.items() if key not in present}


def _remember_all(db: HandIns, found: Sequence[_Table]) -> None:
    for one in submissions.playing(db):
        fate, table = _fate(db, one, found)
        is_own = fate == "there" and table is not None and table.get("folder") == one.folder
        if table is not None and is_own and table != _entry(db, one):
            remember(db, one.number, table)
