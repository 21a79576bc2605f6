"""How quiet machines were, as it is kept with the runs on them, beside the times of matches."""

import datetime
from collections.abc import Iterator
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from arena.store.columns import Reader
from arena.store.database import Database
from arena.store.sqlite_file import Damage

MOST = 1e6
"""The most that a job is said to vary by: a clock so coarse that most jobs take none tells more."""

Microseconds = Annotated[int, Meta(ge=0, le=86_400_000_000)]
Share = Annotated[float, Meta(ge=0, le=1)]
Multiple = Annotated[float, Meta(ge=0, le=MOST)]
Word = Annotated[str, Meta(max_length=255)]


class Noise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much the time of a fixed job varied."""

    job: Microseconds
    """The CPU time that the job took, the median of all cores."""
    spread: Multiple
    """From its fastest twentieth to its slowest, in parts of the median: of the worst core."""
    apart: Multiple
    """By how much the slowest core was slower than the fastest, in parts of that."""
    waited: Share
    """How much of the time on the wall somebody else had the core, or the machine."""


class Timing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How quiet a machine was when a run began on it."""

    machine: Word
    spoilt: Annotated[list[Word], Meta(max_length=100)]
    """What spoils measured times there, by the names that `arena doctor --timing` has for it."""
    noise: Noise


class DatedTiming(NamedTuple):
    """A timing, and when its run began, in ISO 8601."""

    began: str
    timing: Timing


TimingRow: TypeAlias = tuple[int, bytes, bytes]
"""A row of the table: its number, and its two columns, in bytes as they need not be text."""

_ROWS = """
    SELECT rowid, CAST(coalesce(began, '') AS BLOB), CAST(coalesce(report, '') AS BLOB)
    FROM timing ORDER BY rowid
"""
_read = Reader("how quiet a machine was", Timing)


class Timings:
    """Stores and reads how quiet machines were when runs began on them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def keep(self, found: Timing, began: str) -> None:
        """Store how quiet a machine was when a run began there."""
        with self._db.transaction():
            text = msgspec.json.encode(found).decode()
            self._db.execute("INSERT INTO timing VALUES (?, ?)", (began, text))

    def all(self) -> tuple[list[DatedTiming], int]:
        """Return when runs began, and how quiet their machines were then, in order of storing.

        No result depends on them: beside them comes how many are damaged and left out.
        """
        read = [_timing_of(row) for row in self._db.rows(_ROWS)]
        found = [timing for timing in read if isinstance(timing, DatedTiming)]
        return found, len(read) - len(found)

    def odd(self) -> Iterator[str]:
        """Yield what is wrong with the rows of timings, in words."""
        for row in self._db.rows(_ROWS):
            if isinstance(problem := _timing_of(row), str):
                yield f"timing of a run, row {row[0]}: {problem}"


def _timing_of(row: TimingRow) -> DatedTiming | str:
    """Return the timing of a row, or else what is wrong with it."""
    _, began, report = row
    try:
        date = began.decode()
        datetime.datetime.fromisoformat(date)
    except ValueError:
        return "when it began cannot be read"
    try:
        return DatedTiming(date, _read(report))
    except Damage as damage:
        return str(damage)
