"""What the matches of a league were played with, and what is known of its game, as stored."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from arena.store.database import Database
from arena.store.rows import setting_of
from arena.store.sqlite_file import Damage
from referee.catalog.identity import GameFacts


class StoredSettings:
    """Stores and reads what may not change once a match was played."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self) -> dict[str, Any]:
        """Return the settings the stored matches were played with; empty before the first."""
        with self._db.explained():
            return {key: setting_of(key, value) for key, value in self._db.setting_rows().items()}

    def facts(self) -> GameFacts | None:
        """Return what is stored of the league's game; None if nothing is, as in imports."""
        with self._db.explained():
            rows = self._db.setting_rows()
            if "facts" not in rows:
                return None
            facts: GameFacts = setting_of("facts", rows["facts"], GameFacts)
            if facts.name != setting_of("game", rows["game"]):
                raise Damage(f"the setting facts is of the game {facts.name}")
            return facts

    def keep(self, settings: Mapping[str, Any]) -> None:
        """Store the settings that may not change once a match is stored, unless one is.

        Before, a round that was drawn is forgotten.
        """
        with self._db.transaction():
            self._db.execute("DELETE FROM round WHERE NOT EXISTS (SELECT 1 FROM match)")
            self.write(settings)

    def write(self, settings: Mapping[str, Any]) -> None:
        """Store settings within a transaction, unless a match is stored."""
        self._db.execute("DELETE FROM setting WHERE NOT EXISTS (SELECT 1 FROM match)")
        self._db.executemany(
            "INSERT OR IGNORE INTO setting VALUES (?, ?)",
            [(key, json.dumps(value)) for key, value in settings.items()],
        )

    def keep_game(self, facts: GameFacts, code: str) -> None:
        """Store what is known of the game, and the hash of its code that all matches agree with.

        The hash is empty if none is known.
        """
        values = {"facts": msgspec.to_builtins(facts), "code": code}
        with self._db.transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO setting VALUES (?, ?)",
                [(key, json.dumps(value)) for key, value in values.items()],
            )
