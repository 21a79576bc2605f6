"""The results of a league in SQLite, where `schema` makes the tables.

Only what was played is stored, never a rating. Nothing is ever overwritten: a match has one row,
written in the same transaction as its record.
"""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any

import msgspec

from arena.league.bot import Bot
from arena.store.known import LIST
from arena.store.result import PlayedMatch
from arena.store.rounds import Rounds, StoredRound
from arena.store.rows import (
    BotRow,
    BotVersion,
    Damage,
    EnteredBot,
    KnownBot,
    ListedRow,
    RecordRow,
    StoredMatch,
    WholeMatch,
    columns,
    deal_name,
    deal_number,
    deal_range,
    known_bot,
    match_of,
    read_command,
    typed,
    whole_match,
)
from arena.store.schema import Writer, lineup_text
from arena.store.timing import Timings
from protocol.errors import ArenaError
from referee.catalog.identity import GameFacts

_FROM = """
    FROM deal JOIN lineup ON lineup.id = deal.lineup JOIN match ON match.deal = deal.id
        JOIN result ON result.id = match.result
"""
_LISTED = columns(ListedRow, "match")
_LOOK = f"{columns(KnownBot)}, seal"
_KEPT = f"match.clock, {columns(RecordRow, 'record')}"
_MATCHES = f"SELECT {_LISTED} {_FROM}"
_KEYS = f"SELECT match.deal, match.rotation {_FROM}"
_NAMED = """
    FROM deal CROSS JOIN match ON match.deal = deal.id
        LEFT JOIN result ON result.id = match.result
    WHERE deal.name BETWEEN ? AND ? ORDER BY deal.name, match.rotation LIMIT 1000
"""
_BEGINNING = f"SELECT {_LISTED} {_NAMED}"
_THIS = """
    FROM match LEFT JOIN deal ON deal.id = match.deal LEFT JOIN result ON result.id = match.result
        LEFT JOIN record ON record.id = match.record
    WHERE match.deal = ? AND match.rotation = ?
"""
_DEAL = """
    SELECT deal.id, deal.name FROM lineup JOIN deal ON deal.lineup = lineup.id
    WHERE lineup.bots = ? AND deal.number = ?
"""
_MIRRORED = """
    SELECT deal.rotations IS NOT NULL FROM lineup JOIN deal ON deal.lineup = lineup.id
    WHERE lineup.bots = ? AND deal.number = ?
"""
_ONE_LISTED = f"SELECT {_LISTED} {_THIS}"
_ONE_KEPT = f"SELECT {_KEPT} {_THIS}"
_ONE_WHOLE = f"SELECT {_KEPT}, {_LISTED} {_THIS}"
_ONE_SANDBOX = f"SELECT record.sandbox {_THIS}"
_WIDTH = 1 + len(RecordRow.__struct_fields__)  # of what is kept
_COUNT = "SELECT count(*) FROM match JOIN result ON result.id = match.result"
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
LOOKS = f"SELECT {_LOOK} FROM look"  # noqa: S608 - names of ours
"""What `known_bot` reads."""
_KEEP_LOOK = f"INSERT OR REPLACE INTO look ({_LOOK}) VALUES (?, ?, ?, ?)"  # noqa: S608 - likewise
_SUSPENSIONS = """
    SELECT bot.name, bot.version, reason
    FROM suspension JOIN bot ON bot.id = suspension.bot ORDER BY bot.id
"""
_IN_ORDER = "ORDER BY deal.number, lineup.bots, match.rotation LIMIT ?"


class Store(Rounds, Timings):
    """The results of a league: stores matches, and returns them."""

    _writer: Writer | None = None
    """The writer of the last transaction that was not rolled back, with what it remembers."""

    def keep_settings(self, settings: Mapping[str, Any]) -> None:
        """Store the settings that may not change once a match is stored, unless one is.

        Before, a round that was drawn is forgotten.
        """
        with self._transaction():
            self._db.execute("DELETE FROM round WHERE NOT EXISTS (SELECT 1 FROM match)")
            self._add_settings(settings)

    def _add_settings(self, settings: Mapping[str, Any]) -> None:
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
        with self._transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO setting VALUES (?, ?)",
                [(key, json.dumps(value)) for key, value in values.items()],
            )

    def bot_rows(self, bots: Sequence[Bot]) -> list[BotRow]:
        """Return the database's numbers of bots, adding those it does not know."""
        with self._transaction():
            return self._add_bots(
                [
                    (BotVersion(bot.key, bot.version), EnteredBot(bot.command, bot.is_bundled))
                    for bot in bots
                ]
            )

    def _add_bots(self, bots: Sequence[tuple[BotVersion, EnteredBot]]) -> list[BotRow]:
        self._db.executemany(
            "INSERT OR IGNORE INTO bot (name, version, command, is_bundled) VALUES (?, ?, ?, ?)",
            [
                (*astuple(bot), json.dumps(entered.command), int(entered.is_bundled))
                for bot, entered in bots
            ],
        )
        find = "SELECT id FROM bot WHERE name = ? AND version = ?"
        return [self._db.execute(find, astuple(bot)).fetchone()[0] for bot, _ in bots]

    def add(
        self,
        played: Iterable[PlayedMatch],
        rows: Sequence[BotRow],
        *,
        played_at: str,
    ) -> None:
        """Store matches, all or none; `rows` are the database's numbers of the league's bots."""
        writer, self._writer = self._writer or Writer(self._db), None
        row = rows.__getitem__
        with self._transaction():
            writer.add((each, tuple(map(row, each.result.bots)), played_at) for each in played)
        self._writer = writer

    def bot_keys(self) -> list[tuple[str, str]]:
        """Return key and version of every bot that has played, in order."""
        with self.explained():
            return self._db.execute(_PLAYED).fetchall()

    def last_versions(self) -> dict[str, str]:
        """Return by key the version that played last of every bot that has played."""
        with self.explained():
            rows = self._db.execute(_LAST_VERSIONS).fetchall()
            return dict(typed(rows, list[tuple[str, str]], "the names or versions of bots"))

    def bot_names(self) -> list[str]:
        """Return the names of all bots that have played, in order."""
        with self.explained():
            return sorted({bot.name for bot in self._bots().values()})

    def suspend(self, bot: BotRow, reason: str) -> None:
        """Store why a bot, by its number, is suspended for the rest of a run."""
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO suspension VALUES (?, ?)", (bot, reason))

    def reinstate(self, bots: Iterable[BotRow]) -> None:
        """Forget suspensions of bots, by their numbers, as they are to play again."""
        with self._transaction():
            self._db.executemany(
                "DELETE FROM suspension WHERE bot = ?", [(number,) for number in bots]
            )

    def suspensions(self) -> dict[BotVersion, str]:
        """Return why bots were suspended in the last run that they were to play in."""
        with self.explained():
            rows = typed(
                self._db.execute(_SUSPENSIONS).fetchall(),
                list[tuple[str, str, str]],
                "the suspensions of bots",
            )
            return {BotVersion(self._called(key), version): why for key, version, why in rows}

    def known_bots(self) -> list[KnownBot]:
        """Return what is known of the files of bots."""
        with self.explained():
            return [known_bot(row) for row in self._db.execute(LOOKS)]

    def keep_known(self, bots: Iterable[KnownBot]) -> None:
        """Store what is known of the files of bots."""
        with self._transaction():
            self._db.executemany(_KEEP_LOOK, [(*bot, bot.seal) for bot in bots])

    def matches(
        self,
        *,
        bot: str | None = None,
        faulty: bool = False,
        limit: int | None = None,
        ordered: bool = True,
    ) -> Iterator[StoredMatch]:
        """Yield stored matches, by deal, line-up and rotation: all, or those that are asked for.

        Not `ordered`, they come as they lie there, which takes less. Ordered, a writer is never
        kept waiting, however slowly they are read.
        """
        where, values = self._chosen(bot, faulty=faulty)
        most = -1 if limit is None else limit
        if ordered:
            with self.explained():
                keys = self._keys(f"{_KEYS} {where} {_IN_ORDER}", (*values, most))
                bots = self._bots()
                for key in zip(*keys, strict=True):
                    row = self._db.execute(_ONE_LISTED, key).fetchone()
                    if row is not None:
                        yield match_of(row, bots)
        else:
            with self.explained():
                rows = self._db.execute(f"{_MATCHES} {where} LIMIT ?", (*values, most))
                bots = self._bots()
                for row in rows:
                    yield match_of(row, bots)

    def _keys(self, query: str, values: Sequence[object]) -> "tuple[array[int], array[int]]":
        """Return the deals of matches, by row, and their rotations, in sixteen bytes a match."""
        deals, rotations = array("q"), array("q")
        for row in self._db.execute(query, values):
            deal, rotation = typed(row, tuple[int, int], LIST)
            deals.append(deal)
            rotations.append(rotation)
        return deals, rotations

    def count(self, *, bot: str | None = None, faulty: bool = False) -> int:
        """Return how many matches `matches` would yield without a limit."""
        where, values = self._chosen(bot, faulty=faulty)
        with self.explained():
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
        among = deal_range(deal.lower())
        with self.explained():
            rows = self._db.execute(_BEGINNING, among).fetchall()
            bots = self._bots()
            found = [match_of(row, bots) for row in rows]
        found = [match for match in found if rotation in ("", str(match.rotation))]
        if not found:
            raise ArenaError(f"there is no match {prefix!r}; `arena matches` lists them.")
        if len({match.deal for match in found}) > 1:
            raise ArenaError(f"{len(found)} ids begin with {prefix!r}; give more of the id.")
        if len(found) > 1:
            ids = ", ".join(f"{deal}-{match.rotation}" for match in found)
            raise ArenaError(f"{prefix!r} is a deal of {len(found)} matches; name one: {ids}.")
        return found[0]

    def whole(self, match: StoredMatch) -> WholeMatch:
        """Return a stored match with all that is kept of it, its record opened."""
        with self.explained():
            key = match.deal_row, match.rotation
            row = self._db.execute(_ONE_KEPT, key).fetchone()
            if row is None:
                raise Damage(f"the record of match {match.id} cannot be read")
            found = whole_match(match, row[0], row[1:])
            if found.replay.seats != len(match.bots):
                raise Damage(f"match {match.id}: its replay is of {found.replay.seats} seats")
        return found

    def sandbox_of(self, match: StoredMatch) -> str:
        """Return the sandbox in which a stored match was played."""
        with self.explained():
            row = self._db.execute(_ONE_SANDBOX, (match.deal_row, match.rotation)).fetchone()
            return typed(row, tuple[str], f"the record of match {match.id}")[0]

    def bots(self) -> dict[BotVersion, EnteredBot]:
        """Return what is stored of every version of every bot, in order of key and version."""
        with self.explained():
            rows = self._db.execute(
                "SELECT name, version, command, is_bundled FROM bot ORDER BY 1, 2"
            )
            return {
                BotVersion(key, version): EnteredBot(tuple(read_command(command)), bool(bundled))
                for key, version, command, bundled in rows
            }

    def everything(self) -> tuple[int, Iterator[WholeMatch]]:
        """Return how many matches are stored now, and an iterator of them, in order.

        A writer is never kept waiting, however slowly they are read.
        """
        with self.explained():
            (count,) = self._db.execute("SELECT count(*) FROM match").fetchone()
            keys = self._keys(f"{_KEYS} {_IN_ORDER}", (-1,))  # and of what was added since
            bots = self._bots()
            if len(keys[0]) < count:
                raise Damage("the deals of some matches, or their results, are missing")
        pairs = zip(*keys, strict=True)
        return len(keys[0]), (found for pair in pairs if (found := self._one(*pair, bots)))

    def _one(
        self, deal: int, rotation: int, bots: Mapping[int, BotVersion] | None = None
    ) -> WholeMatch | None:
        with self.explained():
            row = self._db.execute(_ONE_WHOLE, (deal, rotation)).fetchone()
            if row is None:
                return None
            match = match_of(row[_WIDTH:], self._bots() if bots is None else bots)
            return whole_match(match, row[0], row[1:_WIDTH])

    def lookup(self, match: str, number: int, bots: Iterable[BotVersion]) -> WholeMatch | None:
        """Return the match of a whole id, or None if it is not stored.

        Its deal is named by number and bots, which are called by their keys.
        """
        name, _, rotation = match.partition("-")
        with self.explained():
            lineup = lineup_text(map(astuple, bots))
            row = self._db.execute(_DEAL, (lineup, number)).fetchone()
            if row is None:
                return None
            deal, stored = typed(row, tuple[int, int], "a deal")
            if stored != deal_number(name):
                raise Damage(f"deal {name} is stored as {deal_name(stored)}")
        return self._one(deal, int(rotation))

    def is_mirrored(self, number: int, bots: Iterable[BotVersion]) -> bool | None:
        """Return whether a deal of bots, which are called by their keys, is stored as mirrored.

        None if nothing of it is stored.
        """
        with self.explained():
            values = (lineup_text(map(astuple, bots)), number)
            row = self._db.execute(_MIRRORED, values).fetchone()
            return None if row is None else bool(row[0])

    def merge(
        self,
        settings: Mapping[str, Any],
        bots: Mapping[BotVersion, EnteredBot],
        rounds: Sequence[StoredRound],
        matches: Iterable[tuple[PlayedMatch, str]],
        check: Callable[[], None],
    ) -> int:
        """Store settings, bots and matches of another store, all or none; return how many matches.

        `check` is called when they are all written, and raises if they are not to stay.

        The rounds take the place of those that are there. The matches' bots are indices of
        `bots`; with each comes when it was played.
        """
        with self._transaction():
            self._add_settings(settings)
            self.write_rounds(0, rounds)
            rows = self._add_bots([*bots.items()])
            writer = Writer(self._db)
            count = 0
            for played, played_at in matches:
                count += 1
                seated = tuple([rows[bot] for bot in played.result.bots])
                writer.add([(played, seated, played_at)])
            check()
        return count
