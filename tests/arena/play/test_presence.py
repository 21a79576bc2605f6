"""Who of the remote bots is there, as it is told and read."""

import threading

from arena.play.presence import Presence

SAGE, TOM = ("sage", "1" * 64), ("tom", "2" * 64)


def test_who_is_not_named_has_no_room_and_only_changes_are_counted() -> None:
    presence = Presence()
    assert presence.room(*SAGE) == 0
    presence.tell({SAGE: 0})  # as good as not there
    assert presence.changes == 0
    rooms = {SAGE: 3}
    presence.tell(rooms)
    rooms[SAGE] = 5  # what is told is taken as it is then
    assert presence.room(*SAGE) == 3
    assert presence.room("sage", TOM[1]) == 0  # another version of it
    presence.tell({TOM: 0, SAGE: 3})
    assert presence.changes == 1
    presence.tell({TOM: 1})
    assert (presence.room(*SAGE), presence.room(*TOM)) == (0, 1)
    presence.tell({})
    assert presence.changes == 3


def test_who_has_read_the_last_change_has_read_the_last_state() -> None:
    """Told by another thread at any moment."""
    presence = Presence()
    last = 20_000
    teller = threading.Thread(
        target=lambda: [presence.tell({SAGE: room}) for room in range(1, last + 1)]
    )
    teller.start()
    changes = room = 0
    while changes < last:
        changes = presence.changes
        assert changes <= (room := presence.room(*SAGE))
    teller.join()
    assert room == last
