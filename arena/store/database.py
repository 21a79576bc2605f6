"""A league's database, open: the connection, transactions on it, and what it was played with."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from arena.store.errors import WAIT, check_file, explained, patiently
from arena.store.rows import BotVersion, check_bot, settings_of
from arena.store.schema import VERSION, is_current, make_tables
from arena.text import quoted

_LAST_BEFORE = "SELECT id FROM main.record WHERE played_at < ? ORDER BY id DESC LIMIT 1"
_ONLY_UNTIL = """
    CREATE TEMP VIEW record AS SELECT * FROM main.record WHERE id <= {last:d};
    CREATE TEMP VIEW match AS SELECT * FROM main.match WHERE record <= {last:d};
    CREATE TEMP TABLE result AS SELECT * FROM main.result
        WHERE id IN (SELECT result FROM main.match WHERE record <= {last:d});
    CREATE UNIQUE INDEX temp.result_of_id ON result (id);
    CREATE TEMP VIEW suspension AS SELECT * FROM main.suspension WHERE 0;
"""


class Database:
    """An open database, on which the parts of a store work.

    A bot is stored under its key. With `names`, what is read calls it by the name of its key.
    `remedy` is what to do about damage. A database that `is_raw` is opened whatever is wrong with
    its settings, and its texts are read whatever their bytes are.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        names: Mapping[str, str] | None = None,
        remedy: str = "",
        is_raw: bool = False,
    ) -> None:
        self._path = path
        self._names = names or {}
        self._remedy = remedy or (
            f"`arena verify {quoted(path.parent)}` names what is wrong; then put back a copy of "
            f"it from before."
        )
        with self.explained():
            check_file(path, create=create)
            self.connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
            self.execute = self.connection.execute
            self.executemany = self.connection.executemany
            try:
                if not patiently(self.connection, path, partial(is_current, self.connection)):
                    with self.transaction():
                        make_tables(self.connection, path)
                if is_raw:
                    self.connection.text_factory = _any_text
                elif self.has_matches():
                    settings_of(self.setting_rows())
            except BaseException:  # Ctrl-C too: raised again once the file is closed
                self.connection.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def has_matches(self) -> bool:
        """Return whether any match is stored."""
        with self.explained():
            found: tuple[int] = self.execute("SELECT EXISTS (SELECT 1 FROM match)").fetchone()
            return found == (1,)

    def explained(self) -> AbstractContextManager[None]:
        """Return a context in which damage and SQLite's errors become ones a person can act on."""
        return explained(self._path, self._remedy)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of what is written in this context, or nothing if an error leaves it."""
        with self.explained():
            patiently(self.connection, self._path, partial(self.execute, "BEGIN IMMEDIATE"))
            try:
                yield
            except BaseException:  # Ctrl-C too: raised again once all is as before
                if self.connection.in_transaction:  # on a full disk SQLite has done it already
                    self.execute("ROLLBACK")
                raise
            self.execute("COMMIT")

    def setting_rows(self) -> dict[str, str]:
        """Return all settings as they are stored."""
        return dict(self.execute("SELECT key, value FROM setting"))

    def check_writable(self) -> None:
        """Raise RunError if nothing could be stored; what is stored stays as it is."""
        with self.transaction():
            self.execute(f"PRAGMA user_version = {VERSION}")  # as before, but truly written

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
            found[number] = BotVersion(self.called(key), version)
        return found

    def called(self, key: str) -> str:
        """Return the present name of a bot; one that left is not to be taken for another."""
        if key in self._names:
            return self._names[key]
        return f"{key} (left)" if key in self._names.values() else key


def _any_text(text: bytes) -> str:
    return text.decode(errors="backslashreplace")
