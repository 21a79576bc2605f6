"""A league's database, open: its settings, its bots, and transactions on it."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

from arena.store.errors import WAIT, check_file, explained, patiently
from arena.store.rows import BotVersion, Damage, check_bot, setting_of, settings_of
from arena.store.schema import VERSION, is_current, make_tables
from arena.text import quoted
from referee.catalog.identity import GameFacts


class Database:
    """An open database; a context manager that closes it.

    A bot is stored under its key. With `names`, what is read calls it by the name of its key.
    """

    def __init__(
        self, path: Path, *, create: bool = False, names: Mapping[str, str] | None = None
    ) -> None:
        self._path = path
        self._names = names or {}
        with self.explained():
            check_file(path, create=create)
            self._db = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
            try:
                self._prepare()
            except BaseException:  # Ctrl-C too: raised again once the file is closed
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def _prepare(self) -> None:
        if not patiently(self._db, self._path, partial(is_current, self._db)):
            with self._transaction():
                make_tables(self._db, self._path)
        self._check_settings()

    def _check_settings(self) -> None:
        """Raise Damage unless there are no matches yet, or all settings they were played with."""
        if self.has_matches():
            settings_of(self._setting_rows())

    def has_matches(self) -> bool:
        """Return whether any match is stored."""
        with self.explained():
            found: tuple[int] = self._db.execute("SELECT EXISTS (SELECT 1 FROM match)").fetchone()
            return found == (1,)

    def explained(self) -> AbstractContextManager[None]:
        """Return a context in which damage and SQLite's errors become ones a person can act on."""
        return explained(self._path, self._remedy)

    @property
    def _remedy(self) -> str:
        """What to do about damage."""
        return (
            f"`arena verify {quoted(self._path.parent)}` names what is wrong; then put "
            f"back a copy of it from before."
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self.explained():
            patiently(self._db, self._path, partial(self._db.execute, "BEGIN IMMEDIATE"))
            try:
                yield
            except BaseException:  # Ctrl-C too: raised again once all is as before
                if self._db.in_transaction:  # on a full disk SQLite has done it already
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def settings(self) -> dict[str, Any]:
        """Return the settings the stored matches were played with; empty before the first."""
        with self.explained():
            return {key: setting_of(key, value) for key, value in self._setting_rows().items()}

    def facts(self) -> GameFacts | None:
        """Return what is stored of the league's game; None if nothing is, as in imports."""
        with self.explained():
            rows = self._setting_rows()
            if "facts" not in rows:
                return None
            facts: GameFacts = setting_of("facts", rows["facts"], GameFacts)
            if facts.name != setting_of("game", rows["game"]):
                raise Damage(f"the setting facts is of the game {facts.name}")
            return facts

    def _setting_rows(self) -> dict[str, str]:
        return dict(self._db.execute("SELECT key, value FROM setting"))

    def check_writable(self) -> None:
        """Raise RunError if nothing could be stored; what is stored stays as it is."""
        with self._transaction():
            self._db.execute(f"PRAGMA user_version = {VERSION}")  # as before, but truly written

    def _bots(self) -> dict[int, BotVersion]:
        found = {}
        for number, key, version in self._db.execute("SELECT id, name, version FROM bot"):
            check_bot(number, key, version)
            found[number] = BotVersion(self._called(key), version)
        return found

    def _called(self, key: str) -> str:
        """Return the present name of a bot; one that left is not to be taken for another."""
        if key in self._names:
            return self._names[key]
        return f"{key} (left)" if key in self._names.values() else key
