"""When bots are taken, by the dates of `[hand_in]`, and what was changed in them."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from arena.handin.database import HandIns, now, written
from arena.league.contest import HandIn

Phase = Literal["before", "open", "closed"]
"""Whether bots are not taken yet, or taken, or not taken any more."""

_UNSHOWN = "hook"  # it may hold a password, and is no part of the calendar


class CalendarChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a league's calendar."""

    at: str
    """When it was noticed, in ISO 8601."""
    key: str
    """What was changed, as it is called in the league's file."""
    old: str
    """What stood there before; empty if nothing did."""
    new: str


def phase(hand_in: HandIn, at: datetime) -> Phase:
    """Return whether bots are taken at a time."""
    if hand_in.opens is not None and at < hand_in.opens:
        return "before"
    return "closed" if hand_in.closes is not None and at >= hand_in.closes else "open"


def held_back_since(hand_in: HandIn, at: datetime) -> datetime | None:
    """Return from when on results are held back at a time; None if all are shown."""
    if hand_in.freezes is None or at < hand_in.freezes:
        return None
    is_released = hand_in.release is not None and at >= hand_in.release
    return None if is_released else hand_in.freezes


def note_calendar(db: HandIns, hand_in: HandIn) -> list[CalendarChange]:
    """Store what is another than when this was last called, and return it.

    The first time, that is what differs from a `[hand_in]` in which nothing stands.
    """
    new = _words(hand_in)
    with db.transaction():
        known = _words(HandIn()) | {each.key: each.new for each in calendar_changes(db)}
        at = written(now())
        changes = [
            CalendarChange(at=at, key=key, old=known.get(key, ""), new=value)
            for key, value in new.items()
            if value != known.get(key, "")
        ]
        for change in changes:
            db.change(
                "INSERT INTO calendar (at, key, old, new) VALUES (?, ?, ?, ?)",
                msgspec.structs.astuple(change),
            )
    return changes


def calendar_changes(db: HandIns) -> list[CalendarChange]:
    """Return every change that was noticed, oldest first."""
    rows = db.rows("SELECT at, key, old, new FROM calendar ORDER BY number")
    return [CalendarChange(**dict(row)) for row in rows]


def _words(hand_in: HandIn) -> dict[str, str]:
    return {
        key: _word(value)
        for key, value in msgspec.structs.asdict(hand_in).items()
        if key != _UNSHOWN
    }


def _word(value: Any) -> str:
    """Return a value as it stands in a file; nothing for one that does not."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)
