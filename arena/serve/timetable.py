"""What the calendar of a served league says now, and what was published of its final."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Literal

from arena.handin.calendar import (
    CalendarChange,
    calendar_changes,
    held_back_since,
    note_calendar,
    phase,
)
from arena.handin.database import HandIns, written
from arena.handin.final import (
    draw,
    has_final,
    is_due,
    is_final_held_back,
    published_seed,
    sealed,
)
from arena.handin.hooks import forget_hook, hook_trouble
from arena.handin.stale import PutBack, last_put_back
from arena.league.contest import HandIn
from arena.league.plan import LeaguePlan
from arena.serve.shown import Calendar, calendar_of


class Timetable:
    """The calendar of one league, as it stands.

    Args:
        asked: returns what the league's file asks for now.
        say: called with sentences for the organizer.

    """

    def __init__(self, asked: Callable[[], LeaguePlan], say: Callable[[str], None]) -> None:
        self._asked = asked
        self.changes: Sequence[CalendarChange] = ()
        """Of the calendar, the newest first."""
        self.hook_trouble = ""
        """What is wrong with the hook, for organizers; empty if nothing is."""
        self._say = say
        self.put_back = PutBack("")
        """What was put back last into a league's file that was saved from an older copy."""
        self._began = written(datetime.now(UTC))
        self._seal = self._seed = ""
        self._was_due = False

    @property
    def _hand_in(self) -> HandIn:
        return self._asked().hand_in

    @property
    def phase(self) -> Literal["before", "open", "closed"]:
        """Whether bots are taken now: none are once the final was made, whatever the dates say."""
        return "closed" if has_final(self._asked()) else phase(self._hand_in, datetime.now(UTC))

    @property
    def frozen(self) -> str:
        """From when on results are held back now from all but organizers; empty if they are not."""
        since = held_back_since(self._hand_in, datetime.now(UTC))
        return "" if since is None else since.isoformat()

    def since(self, *, to_organizer: bool) -> str:
        """Return from when on results are held back now from somebody; empty if they are not."""
        return "" if to_organizer else self.frozen

    def is_final_shown(self, *, to_organizer: bool) -> bool:
        """Return whether there is a final that somebody may see now."""
        is_held_back = is_final_held_back(self._hand_in, datetime.now(UTC))
        return has_final(self._asked()) and (to_organizer or not is_held_back)

    @property
    def calendar(self) -> Calendar:
        """When bots are taken and results shown, and what was changed of that."""
        return calendar_of(self._hand_in, self.changes, seed_hash=self._seal, seed=self._seed)

    def look_at_put_back(self, db: HandIns) -> None:
        """Say what was put back into the league's file since the last look, by any process."""
        found = last_put_back(db)
        if found.at > max(self.put_back.at, self._began):
            self._say(found.words(db.league))
        self.put_back = found

    def look_at_calendar(self, db: HandIns) -> None:
        """Log and keep what is new in the calendar; draw the seed of a final if there is one."""
        for change in note_calendar(db, self._hand_in):
            old, new = (each or "nothing" for each in (change.old, change.new))
            self._say(f"calendar: {change.key}: {old} → {new}.")
            if change.key in ("opens", "closes") and has_final(self._asked()):
                self._say("the final was made already: no bots are taken, whatever the dates say.")
        self.changes = calendar_changes(db)[::-1]
        if not self._hand_in.hook:
            forget_hook(db)
        is_drawn = self._hand_in.final_deals is not None and draw(db)
        if not self._seal and (seal := sealed(db)):
            self._seal = seal
            late = is_drawn and self.phase == "closed"
            when = " It was drawn only now, after the closing." if late else ""
            self._say(f"the SHA-256 of the final's seed is {seal}.{when}")

    def look_at_final(self, db: HandIns) -> bool:
        """Take note of what may be known of the final by now, and of how the hook is.

        Return whether the final has become due since the last look.
        """
        self._seed = published_seed(db, self._hand_in, datetime.now(UTC))
        self.hook_trouble = hook_trouble(db)
        was_due, self._was_due = self._was_due, is_due(db, self._hand_in)
        return self._was_due and not was_due
