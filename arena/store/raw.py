"""The rows of a league's database as they stand, for code that takes nothing for granted."""

from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from arena.store.bots import LOOKS
from arena.store.database import Database
from arena.store.rows import (
    BotVersion,
    FixedSettings,
    check_bot,
    known_bot,
    read_command,
    settings_of,
)
from arena.store.sqlite_file import Damage
from arena.store.timing import Timings

Page = tuple[int, int]
"""The first and the last of the numbers that some deals have in the database."""

_ROWS = """
    SELECT match.*, deal.name, deal.number, deal.rotations, lineup.bots AS lineup,
        result.bots, result.places, record.replay, record.evidence
    FROM match LEFT JOIN deal ON deal.id = match.deal LEFT JOIN lineup ON lineup.id = deal.lineup
        LEFT JOIN result ON result.id = match.result LEFT JOIN record ON record.id = match.record
    WHERE match.deal BETWEEN ? AND ? ORDER BY match.deal, match.rotation
"""
_LOOSE = """
    SELECT 'rows of ' || "table" || ' name a row of ' || parent || ' that is not there', count(*)
    FROM pragma_foreign_key_check GROUP BY 1
    UNION ALL SELECT 'rows of ' || name || ' belong to no match', count(*)
    FROM (
        SELECT 'deal' AS name FROM deal WHERE id NOT IN (SELECT deal FROM match)
        UNION ALL SELECT 'lineup' FROM lineup WHERE id NOT IN (SELECT lineup FROM deal)
        UNION ALL SELECT 'result' FROM result WHERE id NOT IN (SELECT result FROM match)
        UNION ALL SELECT 'record' FROM record WHERE id NOT IN (SELECT record FROM match)
    ) GROUP BY 1
    UNION ALL SELECT 'rows of record have no moment, or a time below 0', count(*)
    FROM record WHERE seconds < 0 OR julianday(played_at) IS NULL GROUP BY 1 ORDER BY 1
"""

_TABLES = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"


REMEDY = "Put back a copy of it from before."
"""What whoever is looking for damage is told of it."""


class RawStore(Database):
    """A database whose rows are read as they are; every reading is over when it returns.

    So a run that goes on beside it never waits long. It is opened whatever is wrong with its
    settings, and its texts are read whatever their bytes are.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        super().__init__(path, create=create, remedy=REMEDY)
        self.timings = Timings(self)

    def prepare(self) -> None:
        """Make the tables if there are none."""
        self.make_own_tables()
        self.connection.text_factory = lambda text: text.decode(errors="backslashreplace")

    def fixed(self) -> FixedSettings:
        """Return the settings of the league; raise Damage if one is not right."""
        with self.explained():
            rows = self.setting_rows()
        return settings_of(rows)

    def bot_numbers(self) -> dict[BotVersion, int]:
        """Return the numbers in the database of all bots, which are called by their keys."""
        rows = self.rows("SELECT id, name, version FROM bot")
        return {BotVersion(key, version): number for number, key, version in rows}

    def bundled(self) -> frozenset[BotVersion]:
        """Return the bots that are dealt to by their keys alone."""
        rows = self.rows("SELECT name, version FROM bot WHERE is_bundled")
        return frozenset(BotVersion(key, version) for key, version in rows)

    def odd_bots(self) -> list[str]:
        """Return what is wrong with the rows of bots, in words."""
        found = []
        query = "SELECT id, name, version, command, is_bundled FROM bot"
        for number, key, version, command, is_bundled in self.rows(query):
            try:
                check_bot(number, key, version, is_bundled)
                read_command(command)
            except Damage as damage:
                found.append(f"bot {key!r}, row {number}: {damage}")
        for look in self.rows(LOOKS):
            try:
                known_bot(look)
            except Damage as damage:
                found.append(f"bot {look[0]!r}: {damage}")
        return found

    def pages(self, size: int) -> list[Page]:
        """Return parts of all deals that have a match now, of about so many matches each."""
        with self.explained():
            rows = self.execute("SELECT deal FROM match ORDER BY deal, rotation")
            firsts = sorted({deal for (deal,) in islice(rows, 0, None, size)})
            (last,) = self.execute("SELECT max(deal) FROM match").fetchone()
        ends = [*firsts, last + 1] if firsts else []
        return [(first, after - 1) for first, after in pairwise(ends)]

    def matches(self, first: int, last: int) -> list[dict[str, Any]]:
        """Return what the tables hold of the matches of some deals, by column, nothing decoded.

        The deals are those with numbers from `first` to `last`. What should stand in a row that
        is missing is None.
        """
        with self.explained():
            found = self.execute(_ROWS, (first, last))
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found]

    def count_rows(self) -> int:
        """Return how many rows of matches there are, also those that `count` cannot see."""
        [(count,)] = self.rows("SELECT count(*) FROM match")
        return int(count)

    def check_integrity(self) -> None:
        """Raise RunError if something is wrong with the file itself: its tables, or their pages."""
        with RawStore(Path(":memory:"), create=True) as new, self.explained():
            wrong = {str(name) for _, name, *_ in {*self._tables()} ^ {*new._tables()}}
            if wrong:
                raise Damage(f"its tables are not those of a league: {', '.join(sorted(wrong))}")
            lines = [line for (line,) in self.execute("PRAGMA integrity_check")]
            if lines != ["ok"]:
                more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
                raise Damage(" ".join(lines[0].split()).rstrip(".") + more)

    def _tables(self) -> list[tuple[str, ...]]:
        return self.rows(_TABLES)

    def loose_rows(self) -> list[tuple[str, int]]:
        """Return in words which rows lead nowhere or belong to nothing, and how many they are."""
        return self.rows(_LOOSE)
