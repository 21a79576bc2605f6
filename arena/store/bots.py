"""The bots of a league, in all their versions, and what is known of them, as stored."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple

from arena.league.bot import Bot
from arena.store.columns import columns
from arena.store.database import Database
from arena.store.rows import BotRow, BotVersion, EnteredBot, KnownBot, known_bot, read_command

_PLAYED = """
    SELECT name, version FROM bot
    WHERE EXISTS (SELECT 1 FROM result, json_each(result.bots) AS seat WHERE seat.value = bot.id)
    ORDER BY 1, 2
"""
_LAST_VERSIONS = """
    SELECT bot.name, bot.version
    FROM (
        SELECT result, max(record.played_at) AS at
        FROM match JOIN record ON record.id = match.record GROUP BY result
    ) AS last JOIN result ON result.id = last.result,
        json_each(result.bots) AS seat JOIN bot ON bot.id = seat.value
    GROUP BY bot.id ORDER BY max(last.at), bot.id
"""
_LOOK = f"{columns(KnownBot)}, seal"
LOOKS = f"SELECT {_LOOK} FROM look"  # noqa: S608 - names of ours
"""What `known_bot` reads."""
_KEEP_LOOK = f"INSERT OR REPLACE INTO look ({_LOOK}) VALUES (?, ?, ?, ?)"  # noqa: S608 - likewise
_SUSPENSIONS = """
    SELECT bot.name, bot.version, reason
    FROM suspension JOIN bot ON bot.id = suspension.bot ORDER BY bot.id
"""


class Bots:
    """Stores and reads versions of bots, under their keys, and why some are suspended."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def rows(self, bots: Sequence[Bot]) -> list[BotRow]:
        """Return the database's numbers of bots, adding those it does not know."""
        with self._db.transaction():
            return self.write(
                [
                    (BotVersion(bot.key, bot.version), EnteredBot(bot.command, bot.is_bundled))
                    for bot in bots
                ]
            )

    def write(self, bots: Collection[tuple[BotVersion, EnteredBot]]) -> list[BotRow]:
        """Return the database's numbers of bots, adding within a transaction those it lacks."""
        self._db.executemany(
            "INSERT OR IGNORE INTO bot (name, version, command, is_bundled) VALUES (?, ?, ?, ?)",
            [
                (*astuple(bot), json.dumps(entered.command), int(entered.is_bundled))
                for bot, entered in bots
            ],
        )
        find = "SELECT id FROM bot WHERE name = ? AND version = ?"
        return [self._db.execute(find, astuple(bot)).fetchone()[0] for bot, _ in bots]

    def played(self) -> list[tuple[str, str]]:
        """Return key and version of every bot that has played, in order."""
        return self._db.rows(_PLAYED)

    def last_versions(self) -> dict[str, str]:
        """Return by key the version that played last of every bot that has played."""
        words = "the names or versions of bots"
        return dict(self._db.read(_LAST_VERSIONS, list[tuple[str, str]], words))

    def names(self) -> list[str]:
        """Return the names of all bots that have played, in order."""
        with self._db.explained():
            return sorted({bot.name for bot in self._db.bots().values()})

    def suspend(self, bot: BotRow, reason: str) -> None:
        """Store why a bot, by its number, is suspended for the rest of a run."""
        with self._db.transaction():
            self._db.execute("INSERT OR REPLACE INTO suspension VALUES (?, ?)", (bot, reason))

    def reinstate(self, bots: Iterable[BotRow]) -> None:
        """Forget suspensions of bots, by their numbers, as they are to play again."""
        with self._db.transaction():
            self._db.executemany(
                "DELETE FROM suspension WHERE bot = ?", [(number,) for number in bots]
            )

    def suspensions(self) -> dict[BotVersion, str]:
        """Return why bots were suspended in the last run that they were to play in."""
        rows = self._db.read(_SUSPENSIONS, list[tuple[str, str, str]], "the suspensions of bots")
        return {self._db.bot(key, version): why for key, version, why in rows}

    def looks(self) -> list[KnownBot]:
        """Return what is known of the files of bots."""
        with self._db.explained():
            return [known_bot(row) for row in self._db.execute(LOOKS)]

    def keep_looks(self, bots: Iterable[KnownBot]) -> None:
        """Store what is known of the files of bots."""
        with self._db.transaction():
            self._db.executemany(_KEEP_LOOK, [(*bot, bot.seal) for bot in bots])

    def stored(self) -> dict[BotVersion, EnteredBot]:
        """Return what is stored of every version of every bot, in order of key and version."""
        with self._db.explained():
            rows = self._db.execute(
                "SELECT name, version, command, is_bundled FROM bot ORDER BY 1, 2"
            )
            return {
                BotVersion(key, version): EnteredBot(tuple(read_command(command)), bool(bundled))
                for key, version, command, bundled in rows
            }

    def entries(self) -> list[BotVersion]:
        """Return every version of every bot that was ever to play, in the order of their coming."""
        with self._db.explained():
            return [bot for _, bot in sorted(self._db.bots().items())]
