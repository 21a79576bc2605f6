"""The dates of a league that is served, and the changes of them."""

from datetime import datetime, timedelta

from arena.handin.calendar import calendar_changes, held_back_since, note_calendar, phase
from arena.handin.database import HandIns
from arena.league.contest import HandIn
from tests.arena.handin.conftest import Clock

NOON = datetime.fromisoformat("2026-05-01T12:00:00+00:00")
TWO_IN_ROME = datetime.fromisoformat("2026-05-01T14:00:00+02:00")  # the same moment
SECOND = timedelta(seconds=1)


def test_a_moment_is_the_same_in_every_time_zone() -> None:
    for at in (NOON, TWO_IN_ROME):
        hand_in = HandIn(opens=at, closes=at + timedelta(hours=1))
        assert phase(hand_in, NOON - SECOND) == "before"
        assert phase(hand_in, NOON) == "open"
        assert phase(hand_in, NOON + timedelta(hours=1) - SECOND) == "open"
        assert phase(hand_in, NOON + timedelta(hours=1)) == "closed"
    assert phase(HandIn(), NOON) == "open"


def test_results_are_held_back_from_the_freeze_to_the_release() -> None:
    hand_in = HandIn(freezes=NOON, release=NOON + timedelta(days=1))
    assert held_back_since(hand_in, NOON - SECOND) is None
    assert held_back_since(hand_in, NOON) == NOON
    assert held_back_since(hand_in, NOON + timedelta(days=1) - SECOND) == NOON
    assert held_back_since(hand_in, NOON + timedelta(days=1)) is None
    assert held_back_since(HandIn(freezes=NOON), NOON + timedelta(days=99)) == NOON
    assert held_back_since(HandIn(), NOON) is None


def test_every_change_is_stored_once_with_what_was_and_what_is(db: HandIns, clock: Clock) -> None:
    assert note_calendar(db, HandIn()) == []
    first = HandIn(closes=TWO_IN_ROME, hook=["https://user:secret@example.org"])
    [change] = note_calendar(db, first)
    assert (change.key, change.old, change.new) == ("closes", "", "2026-05-01T14:00:00+02:00")
    assert note_calendar(db, first) == []
    clock.go(hours=1)
    note_calendar(db, HandIn(closes=NOON, per_hour=3, replays=True))
    note_calendar(db, HandIn(per_hour=3))
    assert [(each.at[11:16], each.key, each.old, each.new) for each in calendar_changes(db)] == [
        ("12:00", "closes", "", "2026-05-01T14:00:00+02:00"),
        ("13:00", "closes", "2026-05-01T14:00:00+02:00", "2026-05-01T12:00:00+00:00"),
        ("13:00", "per_hour", "10", "3"),
        ("13:00", "replays", "false", "true"),
        ("13:00", "closes", "2026-05-01T12:00:00+00:00", ""),
        ("13:00", "replays", "true", "false"),
    ]
    assert "secret" not in repr(calendar_changes(db))
