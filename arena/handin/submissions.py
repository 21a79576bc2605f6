"""Submissions: what is known of each, in which state it is, and which is looked at next."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

import msgspec

from arena.handin.database import HandIns, now, written
from arena.text import league_words, likeness, safe
from protocol.errors import ArenaError, Refusal

State = Literal["received", "building", "checking", "playing", "checked", "refused", "replaced"]

TRIES = 3
"""How often a submission may bring the intake to its end before it is refused."""

_BRIEF = (
    "submission.number, person.name AS author, bot, state, received_at, changed_at, step, reason, "
    "remedy, can_retry, digest, size, submission.version, filename, folder, arrived, only_check"
)
_OF = "FROM submission JOIN person ON person.number = submission.person"


class SubmissionView(msgspec.Struct, frozen=True, kw_only=True):
    """A submission as its author and the organizer see it."""

    number: int
    author: str
    bot: str
    state: State
    received_at: str
    changed_at: str
    step: str = ""
    """Where it is or was refused: receive, unpack, build, check or enter; or empty."""
    reason: str = ""
    remedy: str = ""
    can_retry: bool = False
    """Whether handing in the same again can help."""
    digest: str = ""
    """The SHA-256 of what arrived."""
    size: int = 0
    """The bytes of what arrived."""
    version: str = ""
    """The version of the bot that was made of it; empty if none was."""
    steps: list[dict[str, Any]] = []
    """The steps of the check: title, state, detail and evidence."""
    output: str = ""
    """What the build wrote."""
    history: list[tuple[str, str]] = []
    """Every state with the time at which it began."""
    progress: str = ""
    """What is being done with it now, in words; empty if nothing is known of that."""
    only_check: bool = False
    """Whether it ends with its check, and never enters the league."""


class Submission(SubmissionView, frozen=True, kw_only=True):
    """One thing that was handed in, as it stands, and what is for our eyes alone."""

    filename: str
    folder: str
    """Its sources in the league's folder, once they are there."""
    arrived: str
    """The name of the file that arrived."""


# --- reading


def get(db: HandIns, number: int) -> Submission:
    """Return all of a submission; raise ArenaError if there is none of this number."""
    rows = db.rows(f"SELECT {_BRIEF}, steps, output {_OF} WHERE submission.number = ?", (number,))
    if not rows:
        raise ArenaError(f"there is no submission {number} in {league_words(db.league)}.")
    history = db.rows(
        "SELECT state, at FROM history WHERE submission = ? ORDER BY rowid", (number,)
    )
    steps = json.loads(rows[0]["steps"])
    return _one({**rows[0], "steps": steps, "history": [tuple(change) for change in history]})


def of_author(db: HandIns, name: str) -> list[Submission]:
    """Return an author's submissions, newest first, without steps, output and history."""
    return _several(db, "WHERE person.name = ? ORDER BY submission.number DESC", (name,))


def versions_of_author(db: HandIns, person: int) -> list[tuple[str, str]]:
    """Return the bots of an author, by number, with each version that plays or has played.

    The newest come first.
    """
    rows = db.rows(
        "SELECT bot, version FROM submission WHERE person = ? AND accepted "
        "GROUP BY bot, version ORDER BY max(number) DESC",
        (person,),
    )
    return [(row["bot"], row["version"]) for row in rows]


def bots_of_author(db: HandIns, person: int) -> list[str]:
    """Return the bots of an author, by number, that play or have played, the newest first."""
    return [*dict.fromkeys(bot for bot, _ in versions_of_author(db, person))]


def all_of(db: HandIns, most: int = 1000) -> list[Submission]:
    """Return the newest submissions of all authors, without steps, output and history."""
    return _several(db, "ORDER BY submission.number DESC LIMIT ?", (most,))


def queue(db: HandIns) -> list[Submission]:
    """Return what is looked at and then what waits, in the order in which it will be taken in."""
    begun = _several(db, "WHERE state IN ('building', 'checking') ORDER BY submission.number", ())
    waiting = _several(db, "WHERE state = 'received' ORDER BY submission.number", ())
    due = {row["name"]: row["due"] for row in db.rows("SELECT name, due FROM turn")}
    [usual] = db.rows("SELECT avg(spent) AS spent FROM person WHERE spent")
    turns = []
    for one in waiting:
        turns.append((due[one.author], one.number))
        due[one.author] += usual["spent"] or 1  # how long it will take is not known yet
    return begun + [one for _, one in sorted(zip(turns, waiting, strict=True))]


def next_one(db: HandIns) -> Submission | None:
    """Return what is to be taken in next: of an author whose turn is due first, as it is fair."""
    turn = "(SELECT due FROM turn WHERE turn.number = person.number)"
    return _first(db, f"WHERE state = 'received' ORDER BY {turn}, submission.number LIMIT 1", ())


def playing(db: HandIns) -> list[Submission]:
    """Return what plays, without steps, output and history."""
    return _several(db, "WHERE state = 'playing'", ())


def retired(db: HandIns) -> list[Submission]:
    """Return what has played and plays no more, without steps, output and history."""
    return _several(db, "WHERE state = 'replaced' AND accepted AND folder != ''", ())


def idle(db: HandIns, before: str, most: int) -> list[Submission]:
    """Return what has sources and never plays, or was replaced before a time, or by so many."""
    return _several(
        db,
        "WHERE folder != '' AND (state IN ('refused', 'checked') OR (state = 'replaced' "
        "AND (NOT accepted OR changed_at < ? OR (SELECT count(*) FROM submission AS newer "
        "WHERE newer.accepted AND newer.likeness = submission.likeness "
        "AND newer.number > submission.number) > ?)))",
        (before, most),
    )


def last_accepted(db: HandIns, bot: str) -> Submission | None:
    """Return the newest submission of a bot that plays or has played; None if there is none."""
    where = "WHERE submission.likeness = ? AND accepted ORDER BY submission.number DESC LIMIT 1"
    return _first(db, where, (likeness(bot),))


def first_of(db: HandIns, name: str) -> Submission | None:
    """Return the submission that a name like this belongs to; None if it is nobody's."""
    return _first(
        db,
        "WHERE submission.likeness = ? AND NOT only_check AND (accepted OR state IN "
        "('received', 'building', 'checking')) ORDER BY submission.number LIMIT 1",
        (likeness(name),),
    )


def accepted_versions(db: HandIns, bot: str) -> set[str]:
    """Return the versions of a bot that play or have played."""
    where = "SELECT version FROM submission WHERE likeness = ? AND accepted"
    return {row["version"] for row in db.rows(where, (likeness(bot),))}


def _several(db: HandIns, where: str, values: Sequence[Any]) -> list[Submission]:
    rows = db.rows(f"SELECT {_BRIEF} {_OF} {where}", values)
    return [_one(dict(row)) for row in rows]


def _first(db: HandIns, where: str, values: Sequence[Any]) -> Submission | None:
    return next(iter(_several(db, where, values)), None)


def _one(values: Mapping[str, Any]) -> Submission:
    return msgspec.convert(values, Submission, strict=False)  # SQLite's truth is a number


# --- from state to state


def begin(db: HandIns, number: int) -> bool:
    """Let a submission that waits be looked at, which is its author's turn.

    Return whether it still waited. Turns are fair by time, not by number: an author whose bots
    are built for minutes comes as often as the time of others allows (start-time fair queueing,
    Goyal, Vin and Cheng 1996). A turn begins when the author's last one would have ended if only
    this author's time counted, or now if that is later; now is when the newest turn began.
    """
    with db.transaction():
        if _state(db, number) != "received":
            return False
        _set(db, number, "building", {"step": "unpack", "output": ""})
        db.change("UPDATE submission SET tries = tries + 1 WHERE number = ?", (number,))
        db.change(
            "UPDATE person SET began = (SELECT due FROM turn WHERE turn.number = person.number), "
            "spent = 0 WHERE number = (SELECT person FROM submission WHERE number = ?)",
            (number,),
        )
        return True


def end_turn(db: HandIns, number: int, seconds: float) -> None:
    """Count the time for which a submission was looked at as its author's."""
    with db.transaction():
        db.change(
            "UPDATE person SET spent = ? "
            "WHERE number = (SELECT person FROM submission WHERE number = ?)",
            (round(1000 * seconds), number),
        )


def note(db: HandIns, number: int, state: State | None = None, **known: str) -> None:
    """Store what is known of a submission by now, and that another state begins."""
    with db.transaction():
        if state is None or state == _state(db, number):
            _store(db, number, known)
        else:
            _set(db, number, state, known)


def add_output(db: HandIns, number: int, text: str) -> None:
    """Store what else was said while a submission was unpacked and built."""
    with db.transaction():
        db.change("UPDATE submission SET output = output || ? WHERE number = ?", (text, number))


def put_back(db: HandIns, number: int) -> None:
    """Let a submission wait again as if it had not been looked at: the intake was told to end.

    One that is being entered stays where it is: what came of that is found out by the next intake.
    """
    with db.transaction():
        [row] = db.rows("SELECT state, step FROM submission WHERE number = ?", (number,))
        if row["state"] in ("building", "checking") and row["step"] != "enter":
            _set(db, number, "received", {"step": ""})
            db.change("UPDATE submission SET tries = tries - 1 WHERE number = ?", (number,))


def refuse(db: HandIns, number: int, refusal: Refusal) -> None:
    """Refuse a submission at the step where it is."""
    what, remedy = safe(refusal.what), safe(refusal.remedy)
    known = {"reason": what, "remedy": remedy, "can_retry": int(refusal.can_retry)}
    with db.transaction():
        _set(db, number, "refused", known)
    _forget_arrived(db, number)


def end_check(db: HandIns, number: int) -> None:
    """Let a submission that is only a check have passed it."""
    with db.transaction():
        _set(db, number, "checked", {"step": ""})
    _forget_arrived(db, number)


def accept(db: HandIns, number: int) -> None:
    """Let a submission be what plays of its bot, and no earlier one any more."""
    with db.transaction():
        [row] = db.rows("SELECT likeness FROM submission WHERE number = ?", (number,))
        for before in db.rows(
            "SELECT number FROM submission WHERE likeness = ? AND state = 'playing'",
            (row["likeness"],),
        ):
            reason = f"submission {number} of this bot was accepted."
            _set(db, before["number"], "replaced", {"reason": reason})
        _set(db, number, "playing", {"step": ""})
        db.change("UPDATE submission SET accepted = 1 WHERE number = ?", (number,))
    _forget_arrived(db, number)


def replace_queued(db: HandIns, person: int, bot: str, by: int, *, only_check: bool) -> list[str]:
    """Let an author's submissions of a bot that still wait make room for a newer one.

    A check makes room for a check, whatever the bot, and never for what is to play or the other
    way round. It is called within a transaction. Returns the names of their files, which are of no
    more use.
    """
    found = db.rows(
        "SELECT number, arrived FROM submission WHERE person = ? AND state = 'received' "
        "AND number != ? AND only_check = ? AND (only_check OR likeness = ?)",
        (person, by, only_check, likeness(bot)),
    )
    for row in found:
        reason = f"you handed in {by} before it was looked at."
        _set(db, row["number"], "replaced", {"reason": reason})
    return [row["arrived"] for row in found]


def retire(db: HandIns, number: int, reason: str) -> None:
    """Let a submission that plays be replaced, as the organizer has changed the league."""
    with db.transaction():
        if _state(db, number) == "playing":
            _set(db, number, "replaced", {"reason": reason})


def resume(db: HandIns, number: int) -> None:
    """Let what was looked at when the intake was killed wait again.

    It is refused if it was so too often: it may be what ends the intake.
    """
    with db.transaction():
        [row] = db.rows("SELECT tries FROM submission WHERE number = ?", (number,))
        if row["tries"] < TRIES:
            _set(db, number, "received", {"step": ""})
            return
    what = f"it ended the intake {TRIES} times."
    remedy = "Ask the organizer what happened on the server; it may be no fault of the bot."
    refuse(db, number, Refusal(422, what, remedy, can_retry=True))


def _state(db: HandIns, number: int) -> str:
    [row] = db.rows("SELECT state FROM submission WHERE number = ?", (number,))
    return str(row["state"])


def _set(db: HandIns, number: int, state: State, known: Mapping[str, Any]) -> None:
    at = written(now())
    _store(db, number, {**known, "state": state, "changed_at": at})
    db.change("INSERT INTO history VALUES (?, ?, ?)", (number, state, at))


def _store(db: HandIns, number: int, known: Mapping[str, Any]) -> None:
    for name, value in known.items():
        words = f"UPDATE submission SET {name} = ? WHERE number = ?"  # noqa: S608 - our columns only
        db.change(words, (value, number))


def _forget_arrived(db: HandIns, number: int) -> None:
    """Remove the file that arrived; the sources of the bot, if it was accepted, stay."""
    [row] = db.rows("SELECT arrived FROM submission WHERE number = ?", (number,))
    with suppress(OSError):  # what is left is removed when the intake begins
        (db.arrivals / row["arrived"]).unlink(missing_ok=True)
