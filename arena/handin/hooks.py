"""What a hook is told: messages with numbers, kept until they were told or could not be."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from arena.handin.calendar import held_back_since
from arena.handin.database import HandIns, now, written
from arena.handin.final import TOLD, is_made, is_over
from arena.handin.submissions import get
from arena.league.plan import LeaguePlan
from arena.store.opening import open_store

Event = Literal["accepted", "refused", "suspended", "overtaken", "final_begins", "final_ends"]
Rank = tuple[str, int, int]
"""A bot's version, and its first and last rank."""

TRIES = 3
"""How often a message is tried."""
LOG = "hook.log"
"""The file in a league's folder of what became of messages, and of what a command printed."""
_MOST_WAITING = 1000
_KEPT = 1000  # messages that were told
_REST = timedelta(hours=1)  # between two messages that a bot was overtaken
_LONGEST = 2000  # characters of a reason
_CURSOR = "hook_history"  # the last change of a submission that was looked at
_RANKS = "hook_ranks"  # the best place of each bot since it was told that it lost one
_FAILING = "hook_failing"  # the number of the first message of those that failed in a row
_TEXTS = {"accepted": ("author", "version"), "refused": ("author", "step", "reason", "remedy")}
"""What is told of submissions besides number and bot."""


@dataclass(frozen=True)
class Message:
    """What a hook is to be told."""

    number: int
    event: Event
    body: str
    """JSON."""


# --- what happened


def note_events(db: HandIns, plan: LeaguePlan) -> None:
    """Store messages of all that happened since this was last called.

    What happened before it was first called is not told. While results are held back, no
    suspension is told; it is told once they are shown.
    """
    is_first = not db.fact(_CURSOR)
    found: list[tuple[Event, dict[str, Any], str]] = []
    if held_back_since(plan.hand_in, now()) is None:
        found += _suspended(plan)
    if is_made(db.league):
        found.append(("final_begins", {}, TOLD["final_begins"]))
        if is_over(db):
            found.append(("final_ends", {}, TOLD["final_ends"]))
    with db.transaction():
        _note_submissions(db, is_first=is_first)
        for event, what, mark in found:
            if not db.fact(mark):
                db.note_fact(mark, written(now()))
                if not is_first:
                    _store(db, event, what)


def _note_submissions(db: HandIns, *, is_first: bool) -> None:
    [newest] = db.rows("SELECT coalesce(max(rowid), 0) AS last FROM history")
    events: dict[str, Event] = {"playing": "accepted", "refused": "refused"}
    changes = db.rows(
        "SELECT submission, state FROM history WHERE rowid > ? AND state IN ('playing', 'refused') "
        "ORDER BY rowid",
        (newest["last"] if is_first else int(db.fact(_CURSOR)),),
    )
    for row in changes:
        event = events[row["state"]]
        one = get(db, row["submission"])
        if one.only_check:  # for its author alone
            continue
        said = {name: getattr(one, name)[:_LONGEST] for name in _TEXTS[event]}
        _store(db, event, {"bot": one.bot, "submission": one.number, **said})
    db.note_fact(_CURSOR, str(newest["last"]))


def _suspended(plan: LeaguePlan) -> Iterator[tuple[Event, dict[str, Any], str]]:
    """Yield the suspensions that are stored, each with a mark by which it is told once."""
    if not plan.database.is_file():
        return
    with open_store(plan) as store:
        for bot, why in store.bots.suspensions().items():
            what = {"bot": bot.name, "version": bot.version, "reason": f"it {why}"[:_LONGEST]}
            yield "suspended", what, f"hook_suspended {bot.version} {bot.name}"


def note_ranks(db: HandIns, ranks: Mapping[str, Rank]) -> None:
    """Store messages of who was overtaken, by the ranks of a table at whole deals.

    A bot was overtaken if its ranks begin behind the end of those that it had before, with the
    same version: another one, which did not surely stand before it, does so now. It is told once
    an hour at the most.
    """
    with db.transaction():
        at = now()
        known = json.loads(db.fact(_RANKS) or "{}")
        new: dict[str, list[Any]] = {}
        for bot, (version, first, last) in ranks.items():
            before_version, before_first, before_last, told = known.get(bot, ("", 0, 0, ""))
            is_same = version == before_version
            has_rested = not told or at - datetime.fromisoformat(told) >= _REST
            if is_same and first > before_last and has_rested:
                before = [before_first, before_last]
                _store(db, "overtaken", {"bot": bot, "before": before, "now": [first, last]})
                new[bot] = [version, first, last, written(at)]
            elif is_same and last >= before_last:
                new[bot] = [version, before_first, before_last, told]
            else:
                new[bot] = [version, first, last, told]
        if new != known:
            db.note_fact(_RANKS, json.dumps(new))


def forget_hook(db: HandIns) -> None:
    """Forget what was told: what happens while there is no hook is not told to a later one."""
    if db.rows("SELECT 1 FROM fact WHERE name GLOB 'hook_*' LIMIT 1"):
        with db.transaction():
            db.change("DELETE FROM fact WHERE name GLOB 'hook_*'")
            db.change("UPDATE message SET state = 'failed' WHERE state = 'waiting'")


def _store(db: HandIns, event: Event, what: Mapping[str, Any]) -> None:
    at = written(now())
    number = db.change("INSERT INTO message (at, event, body) VALUES (?, ?, '')", (at, event))
    body = {"number": number, "event": event, "at": at, "league": db.league.resolve().name, **what}
    db.change(
        "UPDATE message SET body = ? WHERE number = ?",
        (json.dumps(body, ensure_ascii=True), number),
    )
    [waiting] = db.rows("SELECT count(*) AS count FROM message WHERE state = 'waiting'")
    if waiting["count"] > _MOST_WAITING:
        fail(db, number, f"more than {_MOST_WAITING} messages waited")


# --- from the first try to the last


def next_message(db: HandIns) -> Message | None:
    """Return the oldest message that is still to be told, counted as tried once more; or None.

    One that was tried so often already, as whoever tried it was killed, has failed.
    """
    while True:
        with db.transaction():
            rows = db.rows(
                "SELECT number, event, body, tries FROM message WHERE state = 'waiting' "
                "ORDER BY number LIMIT 1"
            )
            if not rows:
                return None
            number, event, body, tries = rows[0]
            if tries < TRIES:
                db.change("UPDATE message SET tries = tries + 1 WHERE number = ?", (number,))
                return Message(number, event, body)
            fail(db, number, "whoever tried it was ended")


def note_told(db: HandIns, number: int) -> None:
    """Note that a message was told, and forget some that were told long ago."""
    with db.transaction():
        db.change("UPDATE message SET state = 'told', problem = '' WHERE number = ?", (number,))
        db.change("DELETE FROM message WHERE state != 'waiting' AND number <= ?", (number - _KEPT,))
        db.change("DELETE FROM fact WHERE name = ?", (_FAILING,))


def note_try(db: HandIns, number: int, problem: str) -> bool:
    """Note why a try has failed; return whether that is the first message in a row that fails."""
    with db.transaction():
        [row] = db.rows("SELECT tries FROM message WHERE number = ?", (number,))
        if row["tries"] < TRIES:
            db.change("UPDATE message SET problem = ? WHERE number = ?", (problem, number))
            return False
        is_first = not db.fact(_FAILING)
        fail(db, number, problem)
        return is_first


def fail(db: HandIns, number: int, problem: str) -> None:
    """Give a message up; within a transaction."""
    db.change(
        "UPDATE message SET state = 'failed', problem = ? WHERE number = ?", (problem, number)
    )
    if not db.fact(_FAILING):
        db.note_fact(_FAILING, str(number))


def hook_trouble(db: HandIns) -> str:
    """Return what is wrong with the hook, in sentences for the organizer; empty if nothing is."""
    first = db.fact(_FAILING)
    if not first:
        return ""
    rows = db.rows(
        "SELECT number, event, problem FROM message WHERE state = 'failed' AND number >= ? "
        "ORDER BY number DESC",
        (int(first),),
    )
    if not rows:
        return ""
    number, event, problem = rows[0]
    others = f" So did {len(rows) - 1} before it." if len(rows) > 1 else ""
    return (
        f"The hook was not told message {number} ({event}): {problem}.{others} {LOG} in the "
        f"league's folder says more."
    )
