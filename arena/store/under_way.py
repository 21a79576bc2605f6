"""Matches under way: what was answered in those that are not over, in a file of their own."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from arena.league.bot import Bot
from arena.store.sqlite_file import WAIT, Damage, SqliteFile, explained
from referee.match.evidence import Exchange
from referee.match.kept import KeptAnswer

SLOW_FILE = "slow.db"
"""The file's name, in the folder of a league."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS match (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, terms TEXT NOT NULL, plan BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS bot (
    key TEXT NOT NULL, version TEXT NOT NULL, said BLOB NOT NULL, PRIMARY KEY (key, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answer (
    match INTEGER NOT NULL, seat INTEGER NOT NULL, number INTEGER NOT NULL, said BLOB NOT NULL,
    PRIMARY KEY (match, seat, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS exchange (
    key TEXT PRIMARY KEY, match INTEGER NOT NULL, seat INTEGER NOT NULL, said BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS spent (bot TEXT PRIMARY KEY, cost REAL NOT NULL) STRICT;
"""
"""An exchange is what a bot asked through its door and was answered; `spent` is by a bot's key, and
stays when matches are over.
"""
_REMEDY = (
    "Remove it: the matches that were under way begin anew, but for those of replaced versions, "
    "which are over; and what bots have spent is forgotten."
)

_UNDER_WAY = """
    SELECT name, (SELECT count(*) FROM answer WHERE answer.match = match.id) FROM match
    WHERE terms != '' ORDER BY id
"""
_PLANS = """
    SELECT name, plan, (SELECT count(*) FROM answer WHERE answer.match = match.id) FROM match
    ORDER BY id
"""
_ENTERED = "SELECT key, version, said FROM bot"
_SPENT = "SELECT bot, cost FROM spent"

_encode = msgspec.msgpack.Encoder().encode
_encode_bot = msgspec.msgpack.Encoder(enc_hook=str).encode
_bots = msgspec.msgpack.Decoder(Bot, dec_hook=lambda _, said: Path(said))
_answers = msgspec.msgpack.Decoder(KeptAnswer)
_exchanges = msgspec.msgpack.Decoder(Exchange)
_K = TypeVar("_K")
_T = TypeVar("_T")


class MatchPlan(msgspec.Struct, frozen=True, array_like=True):
    """Which match it is."""

    lineup: tuple[tuple[str, str], ...]
    """Key and version of its bots, in the order of their keys."""
    number: int
    """That of the deal."""
    rotation: int
    is_mirrored: bool


class MatchUnderWay(NamedTuple):
    """A match under way, and what was kept of it: for each seat its answers, oldest first."""

    number: int
    answers: list[list[KeptAnswer]]


_plans = msgspec.msgpack.Decoder(MatchPlan)


class MatchesUnderWay(SqliteFile):
    """The file of a league's matches under way, open; a context manager that closes it.

    Each answer is on its way to the disk when `keep` returns: that this process is killed loses
    none. It may be used by several threads, one at a time, and by several processes.
    """

    def __init__(self, folder: Path) -> None:
        """Open the file in a league's folder, or make it; raise RunError if that cannot be."""
        super().__init__(folder / SLOW_FILE, _REMEDY, by_threads=True)

    def prepare(self) -> None:
        """Make the tables that are not there."""
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = NORMAL")
        self.connection.executescript(_SCHEMA)

    def enter(self, bots: Iterable[Bot]) -> None:
        """Keep what bots are, so that they can finish what they begin; others are forgotten."""
        rows = [(bot.key, bot.version, _encode_bot(replace(bot, known_digest=""))) for bot in bots]
        with self.transaction():
            self.execute("DELETE FROM bot")
            self.executemany("INSERT INTO bot VALUES (?, ?, ?)", rows)

    def begin(
        self, match: str, terms: str, plan: MatchPlan, rest: Mapping[str, MatchPlan] | None = None
    ) -> MatchUnderWay:
        """Return a match as it was left, or as it begins.

        `terms` stand for all that its answers depend on; where they are others, it begins anew.
        With the first match of a deal, it is noted of the `rest` that they are to follow.
        """
        with self.explained():
            found = self.execute("SELECT id, terms FROM match WHERE name = ?", (match,)).fetchone()
            if found is None:
                words = "INSERT OR IGNORE INTO match (name, terms, plan) VALUES (?, '', ?)"
                others = [(other, _encode(its)) for other, its in (rest or {}).items()]
                self.executemany(words, others)
            elif found[1] != terms:
                self.drop([match])
                found = None
            answers: list[list[KeptAnswer]] = [[] for _ in plan.lineup]
            if found is None:
                added = self.execute(
                    "INSERT INTO match (name, terms, plan) VALUES (?, ?, ?)",
                    (match, terms, _encode(plan)),
                )
                assert added.lastrowid is not None
                return MatchUnderWay(added.lastrowid, answers)
            rows = self.execute(
                "SELECT seat, said FROM answer WHERE match = ? ORDER BY seat, number", (found[0],)
            )
            for seat, said in rows:
                answers[seat].append(_read(_answers, said))
            return MatchUnderWay(found[0], answers)

    def keep(self, match: MatchUnderWay, seat: int, number: int, answer: KeptAnswer) -> None:
        """Keep an answer of a seat by its number, from 0: the next one, or one that was kept."""
        with self.explained():
            self.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)",
                (match.number, seat, number, _encode(answer)),
            )
        match.answers[seat][number:] = [answer, *match.answers[seat][number + 1 :]]

    def answered(self, key: str) -> Exchange | None:
        """Return what was kept of a request, by its key."""
        with self.explained():
            found = self.rows("SELECT said FROM exchange WHERE key = ?", (key,))
            return _read(_exchanges, found[0][0]) if found else None

    def keep_exchange(self, match: MatchUnderWay, key: str, bot: str, exchange: Exchange) -> None:
        """Keep what a bot, by its key in the league, was answered, and what that cost."""
        with self.transaction():
            self.execute(
                "INSERT OR REPLACE INTO exchange VALUES (?, ?, ?, ?)",
                (key, match.number, exchange.seat, _encode(exchange)),
            )
            self.spend(bot, exchange.cost)

    def spend(self, bot: str, cost: float) -> None:
        """Add to what a bot has spent in the league, by its key there."""
        with self.explained():
            self.execute(
                "INSERT INTO spent VALUES (?1, ?2) "
                "ON CONFLICT (bot) DO UPDATE SET cost = cost + ?2",
                (bot, cost),
            )

    def exchanges(self, match: MatchUnderWay) -> list[Exchange]:
        """Return what was asked in a match and answered, in the order of its decisions."""
        with self.explained():
            rows = self.rows("SELECT said FROM exchange WHERE match = ?", (match.number,))
            found = [_read(_exchanges, said) for (said,) in rows]
        return sorted(found, key=lambda each: (each.seat, each.ask, each.at))

    def spent(self) -> dict[str, float]:
        """Return what each bot has spent in the league, by its key there."""
        return dict(self.rows(_SPENT))

    def drop(self, matches: Iterable[str]) -> None:
        """Forget matches: they are stored, or are no more what they were."""
        with self.explained():
            for match in matches:
                for table in ("answer", "exchange"):
                    self.execute(
                        f"DELETE FROM {table} "  # noqa: S608 - one of the two
                        "WHERE match IN (SELECT id FROM match WHERE name = ?)",
                        (match,),
                    )
                self.execute("DELETE FROM match WHERE name = ?", (match,))

    def matches(self) -> list[str]:
        """Return the names of the matches under way."""
        return [match for (match,) in self.rows("SELECT name FROM match ORDER BY id")]

    def clear(self) -> None:
        """Forget all matches, as the league is played; nobody else may use the file.

        Without anything spent, it is removed, and this may not be used any more.
        """
        if self.spent():
            self.drop(self.matches())
            return
        self.close()
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{self.path}{end}").unlink()


def under_way(folder: Path) -> dict[str, int]:
    """Return the matches of a league that are under way, each with how many answers are kept of it.

    Those who play them are not kept waiting, and no file is made. Raises RunError if the file
    cannot be read.
    """
    return _looked_up(folder, _UNDER_WAY, lambda match, answers: (match, answers))


def plans(folder: Path) -> dict[str, tuple[MatchPlan, int]]:
    """Return the matches that are under way or to follow, with their answers, as `under_way`."""
    return _looked_up(
        folder, _PLANS, lambda match, plan, answers: (match, (_read(_plans, plan), answers))
    )


def entered(folder: Path) -> dict[tuple[str, str], Bot]:
    """Return the bots that may have matches under way, by key and version, as `under_way` does."""
    return _looked_up(
        folder, _ENTERED, lambda key, version, said: ((key, version), _read(_bots, said))
    )


def spent(folder: Path) -> dict[str, float]:
    """Return what each bot has spent in a league, by its key there, as `under_way` does."""
    return _looked_up(folder, _SPENT, lambda bot, cost: (bot, cost))


def _looked_up(folder: Path, question: str, made: Callable[..., tuple[_K, _T]]) -> dict[_K, _T]:
    """Return what is made of the rows that a question finds."""
    path = folder / SLOW_FILE
    if not path.exists():
        return {}
    with explained(path, _REMEDY):
        try:
            db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=WAIT)
            with closing(db):
                return dict(made(*row) for row in db.execute(question))
        except sqlite3.OperationalError as error:
            is_begun = "no such table" in str(error)  # by a run that is making the file
            if is_begun or not path.exists():
                return {}
            raise


def _read(decoder: "msgspec.msgpack.Decoder[_T]", said: bytes) -> _T:
    try:
        return decoder.decode(said)
    except msgspec.DecodeError as error:
        raise Damage(f"what is kept cannot be read: {str(error).rstrip('.')}") from None
