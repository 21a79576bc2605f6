"""The rows of a league's database as they stand, for those who take nothing in them for granted."""

from pathlib import Path
from typing import Any

from arena.store import Store
from arena.stored import BotVersion
from protocol.errors import ArenaError, RunError

_ROWS = """
    SELECT match.*, deal.number, lineup.bots AS lineup, result.bots, result.places,
        record.replay, record.evidence
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
        UNION ALL SELECT 'record' FROM record WHERE id NOT IN (SELECT record FROM match)
    ) GROUP BY 1 ORDER BY 1
"""


class RawStore(Store):
    """A store whose rows are read as they are; every reading is over when it returns.

    So a run that goes on beside it never waits long.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        super().__init__(path, create=create)
        self._db.text_factory = lambda text: text.decode(errors="backslashreplace")

    def bot_numbers(self) -> dict[BotVersion, int]:
        """Return the numbers in the database of all bots, which are called by their keys."""
        with self._explained():
            return {bot: number for number, bot in self._bots().items()}

    def rows(self, first: int, last: int) -> list[dict[str, Any]]:
        """Return what the tables hold of the matches of some deals, by column, nothing decoded.

        The deals are those with numbers from `first` to `last`. What should stand in a row that
        is missing is None.
        """
        with self._explained():
            found = self._db.execute(_ROWS, (first, last))
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found]

    def count_rows(self) -> int:
        """Return how many rows of matches there are, also those that `count` cannot see."""
        with self._explained():
            (count,) = self._db.execute("SELECT count(*) FROM match").fetchone()
        return int(count)

    def file_damage(self) -> list[str]:
        """Return what is wrong with the file itself, in lines: with its tables, or their pages."""
        try:
            with RawStore(Path(":memory:"), create=True) as new, self._explained():
                if self._tables() != new._tables():
                    return ["its tables are not those of a league."]
                lines = [line for (line,) in self._db.execute("PRAGMA integrity_check")]
        except RunError:
            raise
        except UnicodeDecodeError:  # in the words of an error of SQLite's
            return ["its tables cannot be read."]
        except ArenaError as error:
            return [str(error).removeprefix(f"{self._path} is not a league's database: ")]
        return [] if lines == ["ok"] else lines

    def _tables(self) -> list[tuple[str, ...]]:
        return self._db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()

    def loose_rows(self) -> list[tuple[str, int]]:
        """Return in words which rows lead nowhere or belong to nothing, and how many they are."""
        with self._explained():
            return self._db.execute(_LOOSE).fetchall()
