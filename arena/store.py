"""The results of a league in SQLite: with `schema` and `raw_store` the only modules with SQL.

Only what was played is stored, never a rating. Nothing is ever overwritten: a match has one row,
written in the same transaction as its record.
"""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any, Self

import msgspec

from arena.result import PlayedMatch, Record
from arena.roster import Bot
from arena.schema import Writer, deal_name, deal_number, deal_range, is_current, prepare
from arena.stored import (
    BotVersion,
    Circumstances,
    SeatedResult,
    StoredMatch,
    WholeMatch,
    match_of,
    seats_of,
)
from protocol.errors import ArenaError, RunError

_MAGIC = b"SQLite format 3\0"
_WAIT = 30.0  # seconds for another process to let go of the database

_FROM = """
    FROM deal JOIN lineup ON lineup.id = deal.lineup JOIN match ON match.deal = deal.id
        JOIN result ON result.id = match.result
"""
_COLUMNS = """
    match.deal, deal.number, match.rotation, result.bots, result.places, match.reason,
    match.decisions, match.faults, match.forfeits, match.moves
"""
_MATCHES = f"SELECT {_COLUMNS} {_FROM}"
_KEYS = f"SELECT match.deal, match.rotation {_FROM}"
_ONE = f"""
    SELECT {_COLUMNS}, match.clock, record.replay, record.evidence, record.seconds,
        record.played_at, record.machine, record.sandbox
    {_FROM} JOIN record ON record.id = match.record WHERE match.deal = ? AND match.rotation = ?
"""
_COUNT = "SELECT count(*) FROM match JOIN result ON result.id = match.result"
_DEALS = """
    SELECT results, moves, count(*)
    FROM (SELECT group_concat(result) AS results, {} AS moves FROM match GROUP BY deal)
    GROUP BY results, moves
"""
_IN_ORDER = "ORDER BY deal.number, lineup.bots, match.deal, match.rotation LIMIT ?"

_json = msgspec.json.decode


class Store:
    """An open database; a context manager that closes it.

    A bot is stored under its key. With `names`, what is read calls it by the name of its key.
    """

    def __init__(
        self, path: Path, *, create: bool = False, names: Mapping[str, str] | None = None
    ) -> None:
        self._path = path
        self._names = names or {}
        if not create and not path.exists():
            raise ArenaError(f"{path.parent} has no results yet; `arena run` plays them.")
        self._check_magic()
        with self._explained():
            self._db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
            try:
                self._prepare()
            except BaseException:  # Ctrl-C too: raised again once the file is closed
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def _check_magic(self) -> None:
        """Refuse a file that is no database, which SQLite would take for empty if it is short."""
        try:
            with self._path.open("rb") as file:
                start = file.read(len(_MAGIC))
        except OSError:
            return  # SQLite will say it
        if start and start != _MAGIC:
            raise ArenaError(f"{self._path} is not a league's database: it is no database at all.")

    def _prepare(self) -> None:
        if not is_current(self._db):
            with self._transaction():
                prepare(self._db, self._path)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones a person can act on."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise  # two rows for one match would be a fault of ours
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise RunError(
                    f"{self._path} is locked: another process has been writing into it for "
                    f"{_WAIT:.0f} seconds, a large import perhaps. What was stored before is "
                    f"safe; run again when that is done."
                ) from None
            raise RunError(
                f"{self._path}: {error}. What was stored before is safe; free the disk or the "
                f"file, then run again."
            ) from None
        except sqlite3.DatabaseError as error:
            raise ArenaError(f"{self._path} is not a league's database: {error}.") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:  # Ctrl-C too: raised again once all is as before
                if self._db.in_transaction:  # on a full disk SQLite has done it already
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def settings(self) -> dict[str, Any]:
        """Return the settings the stored matches were played with; empty before the first."""
        with self._explained():
            rows = self._db.execute("SELECT key, value FROM setting").fetchall()
        return {key: json.loads(value) for key, value in rows}

    def keep_settings(self, settings: Mapping[str, Any]) -> None:
        """Store the settings that may not change once a match is stored, unless one is."""
        with self._transaction():
            self._add_settings(settings)

    def _add_settings(self, settings: Mapping[str, Any]) -> None:
        self._db.execute("DELETE FROM setting WHERE NOT EXISTS (SELECT 1 FROM match)")
        self._db.executemany(
            "INSERT OR IGNORE INTO setting VALUES (?, ?)",
            [(key, json.dumps(value)) for key, value in settings.items()],
        )

    def bot_ids(self, bots: Sequence[Bot]) -> list[int]:
        """Return the database's numbers of bots, adding those it does not know."""
        with self._transaction():
            return self._add_bots([(bot.key, bot.version, bot.command) for bot in bots])

    def _add_bots(self, bots: Sequence[tuple[str, str, Sequence[str]]]) -> list[int]:
        self._db.executemany(
            "INSERT OR IGNORE INTO bot (name, version, command) VALUES (?, ?, ?)",
            [(key, version, json.dumps(command)) for key, version, command in bots],
        )
        return [
            self._db.execute(
                "SELECT id FROM bot WHERE name = ? AND version = ?", (key, version)
            ).fetchone()[0]
            for key, version, _ in bots
        ]

    def add(
        self,
        played: Iterable[PlayedMatch],
        ids: Sequence[int],
        *,
        played_at: str,
        machine: str,
        sandbox: str,
    ) -> None:
        """Store matches, all or none; `ids` are the database's numbers of the league's bots."""
        with self._transaction():
            writer = Writer(self._db)
            for each in played:
                bots = [ids[bot] for bot in each.result.bots]
                writer.add(each.result, bots, (*each.record.columns, played_at, machine, sandbox))

    def match_ids(self) -> set[str]:
        """Return the ids of all stored matches."""
        with self._explained():
            rows = self._db.execute("SELECT deal, rotation FROM match")
            return {f"{deal_name(deal)}-{rotation}" for deal, rotation in rows}

    def bot_keys(self) -> list[tuple[str, str]]:
        """Return key and version of every bot that has played, in order."""
        with self._explained():
            return self._db.execute("SELECT name, version FROM bot ORDER BY 1, 2").fetchall()

    def bot_names(self) -> list[str]:
        """Return the names of all bots that have played, in order."""
        with self._explained():
            return sorted({bot.name for bot in self._bots().values()})

    def mean_seconds(self) -> float | None:
        """Return the mean time on the wall of the stored matches; None if there are none."""
        with self._explained():
            (mean,) = self._db.execute("SELECT avg(seconds) FROM record").fetchone()
        return mean if mean is None else float(mean)

    def results(self) -> dict[int, SeatedResult]:
        """Return every result that a match had, by its number in the database."""
        with self._explained():
            bots = self._bots()
            rows = self._db.execute("SELECT id, bots, places FROM result").fetchall()
        return {
            number: SeatedResult(seats_of(seats, bots), tuple(_json(places)))
            for number, seats, places in rows
        }

    def deals(self, *, moves: bool = False) -> Iterator[tuple[list[int], str, int]]:
        """Yield the numbers of the results of a deal's matches, their moves, and how many did so.

        The moves are a text, the same for all deals that were played alike; they are left out
        unless asked for. What is yielded is few lines if the results are few.
        """
        played = "group_concat(result || ':' || moves)" if moves else "''"
        with self._explained():
            for results, text, count in self._db.execute(_DEALS.format(played)):
                yield list(map(int, results.split(","))), ",".join(sorted(text.split(","))), count

    def deal_sizes(self, first: int = 0) -> Iterator[tuple[int, tuple[BotVersion, ...], int]]:
        """Yield number, line-up and stored matches of every deal from a number on."""
        with self._explained():
            lineups = {
                number: tuple(
                    BotVersion(self._called(key), version) for key, version in _json(bots)
                )
                for number, bots in self._db.execute("SELECT id, bots FROM lineup")
            }
            rows = self._db.execute(
                "SELECT deal.number, deal.lineup, count(*) FROM deal JOIN match "
                "ON match.deal = deal.id WHERE deal.number >= ? GROUP BY deal.id",
                (first,),
            )
            for number, lineup, count in rows:
                yield number, lineups[lineup], count

    def faults(self) -> Iterator[tuple[int, list[dict[str, int]], list[int], int]]:
        """Yield results by number, with faults by seat, seats that forfeited, and how many."""
        with self._explained():
            rows = self._db.execute(
                "SELECT result, faults, forfeits, count(*) FROM match "
                "WHERE faults IS NOT NULL OR forfeits IS NOT NULL GROUP BY result, faults, forfeits"
            )
            for result, faults, forfeits, count in rows:
                yield result, _json(faults or "[]"), _json(forfeits or "[]"), count

    def clocks(self) -> Iterator[tuple[int, list[list[int]]]]:
        """Yield the result of every match by number, and what the clock said (see `clock_of`)."""
        with self._explained():
            for result, clock in self._db.execute("SELECT result, clock FROM match"):
                yield result, _json(clock)

    def matches(
        self, *, bot: str | None = None, faulty: bool = False, limit: int | None = None
    ) -> Iterator[StoredMatch]:
        """Yield stored matches, by deal, line-up and rotation: all, or those that are asked for."""
        where, values = self._chosen(bot, faulty=faulty)
        most = -1 if limit is None else limit
        with self._explained():
            bots = self._bots()
            for row in self._db.execute(f"{_MATCHES} {where} {_IN_ORDER}", (*values, most)):
                yield match_of(row, bots)

    def count(self, *, bot: str | None = None, faulty: bool = False) -> int:
        """Return how many matches `matches` would yield without a limit."""
        where, values = self._chosen(bot, faulty=faulty)
        with self._explained():
            (count,) = self._db.execute(f"{_COUNT} {where}", values).fetchone()
        return int(count)

    def _chosen(self, bot: str | None, *, faulty: bool) -> tuple[str, list[str]]:
        """Return the condition on a match and its result, in SQL, and the values for it."""
        conditions = ["match.faults IS NOT NULL"] if faulty else []
        values: list[str] = []
        if bot is not None:
            called = [number for number, each in self._bots().items() if each.name == bot]
            conditions.append(
                "EXISTS (SELECT 1 FROM json_each(result.bots) JOIN json_each(?) AS called "
                "ON called.value = json_each.value)"
            )
            values.append(json.dumps(called))
        return f"WHERE {' AND '.join(conditions)}" if conditions else "", values

    def find(self, prefix: str) -> StoredMatch:
        """Return the match of an id that may be shortened, as 3f9a or 3f9a-1.

        Raises ArenaError unless there is exactly one.
        """
        deal, _, rotation = prefix.partition("-")
        among = deal_range(deal)
        with self._explained():
            bots = self._bots()
            found = [
                match_of(row, bots)
                for row in self._db.execute(
                    f"{_MATCHES} WHERE match.deal BETWEEN ? AND ? {_IN_ORDER}", (*among, 1000)
                )
            ]
        found = [match for match in found if rotation in ("", str(match.rotation))]
        if not found:
            raise ArenaError(f"there is no match {prefix!r}; `arena matches` lists them.")
        if len({match.deal for match in found}) > 1:
            raise ArenaError(f"{prefix!r} begins {len(found)} ids; give more of it.")
        if len(found) > 1:
            ids = ", ".join(f"{deal}-{match.rotation}" for match in found)
            raise ArenaError(f"{prefix!r} is a deal of {len(found)} matches: {ids}.")
        return found[0]

    def record(self, match: StoredMatch) -> tuple[Record, Circumstances]:
        """Return the record of a stored match and its circumstances."""
        with self._explained():
            row = self._db.execute(
                "SELECT replay, evidence, seconds, played_at, machine, sandbox FROM record "
                "WHERE id = (SELECT record FROM match WHERE deal = ? AND rotation = ?)",
                (deal_range(match.deal)[0], match.rotation),
            ).fetchone()
        replay, evidence, seconds, played_at, machine, sandbox = row
        circumstances = Circumstances(played_at, machine, sandbox, seconds)
        return Record(replay, evidence, seconds), circumstances

    def _bots(self) -> dict[int, BotVersion]:
        rows = self._db.execute("SELECT id, name, version FROM bot")
        return {number: BotVersion(self._called(key), version) for number, key, version in rows}

    def _called(self, key: str) -> str:
        """Return the present name of a bot; one that left is not to be taken for another."""
        if key in self._names:
            return self._names[key]
        return f"{key} (left)" if key in self._names.values() else key

    def commands(self) -> dict[BotVersion, list[str]]:
        """Return what was run for every bot, in order of key and version."""
        with self._explained():
            rows = self._db.execute("SELECT name, version, command FROM bot ORDER BY 1, 2")
            return {BotVersion(key, version): _json(command) for key, version, command in rows}

    def everything(self) -> Iterator[WholeMatch]:
        """Return an iterator of all matches that are stored now, in order.

        A writer is never kept waiting, however slowly they are read.
        """
        keys = array("q")
        with self._explained():
            for row in self._db.execute(f"{_KEYS} {_IN_ORDER}", (-1,)):
                keys.extend(row)
            bots = self._bots()
        pairs = zip(keys[::2], keys[1::2], strict=True)
        return (found for pair in pairs if (found := self._one(*pair, bots)))

    def _one(
        self, deal: int, rotation: int, bots: Mapping[int, BotVersion] | None = None
    ) -> WholeMatch | None:
        with self._explained():
            row = self._db.execute(_ONE, (deal, rotation)).fetchone()
            if row is None:
                return None
            match = match_of(row[:10], self._bots() if bots is None else bots)
        clock, replay, evidence, seconds, played_at, machine, sandbox = row[10:]
        circumstances = Circumstances(played_at, machine, sandbox, seconds)
        return WholeMatch(match, _json(clock), Record(replay, evidence, seconds), circumstances)

    def lookup(self, match: str) -> WholeMatch | None:
        """Return the match of a whole id, or None if it is not stored."""
        deal, _, rotation = match.partition("-")
        return self._one(deal_number(deal), int(rotation))

    def merge(
        self,
        settings: Mapping[str, Any],
        commands: Mapping[BotVersion, Sequence[str]],
        matches: Iterable[tuple[PlayedMatch, Circumstances]],
    ) -> int:
        """Store settings, bots and matches of another store, all or none; return how many matches.

        The matches' bots are indices of `commands`.
        """
        with self._transaction():
            self._add_settings(settings)
            ids = self._add_bots([(*astuple(bot), command) for bot, command in commands.items()])
            writer = Writer(self._db)
            count = 0
            for played, where in matches:
                count += 1
                bots = [ids[bot] for bot in played.result.bots]
                columns = (where.played_at, where.machine, where.sandbox)
                writer.add(played.result, bots, (*played.record.columns, *columns))
        return count
