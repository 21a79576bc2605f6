"""A league's database, open: the connection, transactions on it, and what it was played with."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from arena.store.columns import typed
from arena.store.rows import BotVersion, check_bot, settings_of
from arena.store.schema import MARKS, STATEMENTS, check_version
from arena.store.sqlite_file import SqliteFile, check_file, explained, patiently
from arena.text import quoted

T = TypeVar("T")

_LAST_BEFORE = "SELECT id FROM main.record WHERE played_at < ? ORDER BY id DESC LIMIT 1"
_ONLY_UNTIL = """
    CREATE TEMP VIEW record AS SELECT * FROM main.record WHERE id <= {last:d};
    CREATE TEMP VIEW match AS SELECT * FROM main.match WHERE record <= {last:d};
    CREATE TEMP TABLE result AS SELECT * FROM main.result
        WHERE id IN (SELECT result FROM main.match WHERE record <= {last:d});
    CREATE UNIQUE INDEX temp.result_of_id ON result (id);
    CREATE TEMP VIEW suspension AS SELECT * FROM main.suspension WHERE 0;
"""


class Database(SqliteFile):
    """An open database, on which the parts of a store work.

    A bot is stored under its key. With `names`, what is read calls it by the name of its key.
    `remedy` is what to do about damage.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        names: Mapping[str, str] | None = None,
        remedy: str = "",
    ) -> None:
        self._names = names or {}
        remedy = remedy or (
            f"`arena verify {quoted(path.parent)}` names what is wrong; then put back a copy of "
            f"it from before."
        )
        with explained(path, remedy):
            check_file(path, create=create)
        super().__init__(path, remedy)

    def prepare(self) -> None:
        """Make the tables if there are none; raise Damage for settings that no league has."""
        self.make_own_tables()
        if self.has_matches():
            settings_of(self.setting_rows())

    def make_own_tables(self) -> None:
        """Make the tables of a new file; raise ArenaError if it is not of this version."""
        if not patiently(self, lambda: self.marks == MARKS):
            with self.transaction():
                if not self.make_tables(MARKS, STATEMENTS.values()):
                    check_version(self.path, self.marks[1])

    def has_matches(self) -> bool:
        """Return whether any match is stored."""
        return self.rows("SELECT EXISTS (SELECT 1 FROM match)") == [(1,)]

    def read(self, query: str, kind: type[T], words: str, values: Sequence[Any] = ()) -> T:
        """Return the rows that a query finds, as a list of a kind; `words` name what is damaged."""
        with self.explained():
            return typed(self.execute(query, values).fetchall(), kind, words)

    def begin_transaction(self) -> None:
        """Let nobody else write from now on; say so if it takes long until nobody else does."""
        patiently(self, super().begin_transaction)

    def setting_rows(self) -> dict[str, str]:
        """Return all settings as they are stored."""
        return dict(self.execute("SELECT key, value FROM setting"))

    def check_writable(self) -> None:
        """Raise RunError if nothing could be stored; what is stored stays as it is."""
        with self.transaction():
            self.execute(f"PRAGMA user_version = {MARKS[1]}")  # as before, but truly written

    def hold_back(self, since: datetime) -> None:
        """Read from now on as if nothing had been stored since a time, and no suspension ever.

        Of a suspension it is not known when it began.
        """
        until = since.astimezone(UTC).isoformat(timespec="seconds")
        with self.explained():
            (last,) = self.execute(_LAST_BEFORE, (until,)).fetchone() or (0,)
            self.connection.executescript(_ONLY_UNTIL.format(last=last))  # before those of main

    def bots(self) -> dict[int, BotVersion]:
        """Return every version of every bot by its number."""
        found = {}
        for number, key, version in self.execute("SELECT id, name, version FROM bot"):
            check_bot(number, key, version)
            found[number] = self.bot(key, version)
        return found

    def bot(self, key: str, version: str) -> BotVersion:
        """Return a bot by its present name; one that left is not to be taken for another."""
        name = self._names.get(key)
        if name is None:
            name = f"{key} (left)" if key in self._names.values() else key
        return BotVersion(name, version)
