"""How quiet machines were, as it is kept with the runs on them, beside the times of matches."""

from typing import Annotated

import msgspec

from arena.store.database import Database
from arena.store.rows import Reader, typed

Microseconds = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0)]


class Noise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much the time of a fixed job varied."""

    job: Microseconds
    """The CPU time that the job took, the median of all cores."""
    spread: Share
    """From its fastest twentieth to its slowest, in parts of the median: of the worst core."""
    apart: Share
    """By how much the slowest core was slower than the fastest, in parts of that."""
    waited: Share
    """How much of the time on the wall somebody else had the core, or the machine."""


class Timing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How quiet a machine was when a run began on it."""

    machine: str
    spoilt: list[str]
    """What spoils measured times there, by the names that `arena doctor --timing` has for it."""
    noise: Noise


_WORDS = "how quiet machines were"
_read = Reader(_WORDS, Timing)


class Timings(Database):
    """Stores and reads how quiet machines were when runs began on them."""

    def keep_timing(self, found: Timing, began: str) -> None:
        """Store how quiet a machine was when a run began there."""
        with self._transaction():
            text = msgspec.json.encode(found).decode()
            self._db.execute("INSERT INTO timing VALUES (?, ?)", (began, text))

    def timings(self) -> list[tuple[str, Timing]]:
        """Return when runs began, and how quiet their machines were then, in order of storing."""
        with self.explained():
            rows = self._db.execute("SELECT began, report FROM timing ORDER BY rowid").fetchall()
            texts = typed(rows, list[tuple[str, str]], _WORDS)
            return [(began, _read(text)) for began, text in texts]
