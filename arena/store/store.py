"""The results of a league in SQLite, where `schema` makes the tables.

Only what was played is stored, never a rating. Nothing is ever overwritten: a match has one row,
written in the same transaction as its record.
"""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, Self

from arena.store.bots import Bots
from arena.store.choosing import (
    CLEAREST,
    CLOSEST,
    EVERY_MATCH,
    OF_PAIRINGS,
    OWN_FAULTS,
    MatchChoice,
    Pairing,
    pairings,
    take_pairings,
)
from arena.store.columns import ListedRow, RecordRow, columns, typed
from arena.store.database import Database
from arena.store.known import LIST, Known
from arena.store.result import PlayedMatch
from arena.store.rounds import Rounds, StoredRound
from arena.store.rows import (
    BotRow,
    BotVersion,
    EnteredBot,
    StoredMatch,
    WholeMatch,
    deal_name,
    deal_number,
    deal_range,
    match_of,
    whole_match,
)
from arena.store.schema import Writer, lineup_text
from arena.store.settings import StoredSettings
from arena.store.sqlite_file import Damage
from arena.store.tallies import Tallies
from arena.store.timing import Timings
from protocol.errors import ArenaError

_FROM = """
    FROM deal JOIN lineup ON lineup.id = deal.lineup JOIN match ON match.deal = deal.id
        JOIN result ON result.id = match.result
"""
_LISTED = columns(ListedRow, "match")
_KEPT = f"match.clock, {columns(RecordRow, 'record')}"
_MATCHES = f"SELECT {_LISTED} {_FROM}"
_KEYS = f"SELECT match.deal, match.rotation {_FROM}"
_NAMED = """
    FROM deal CROSS JOIN match ON match.deal = deal.id
        LEFT JOIN result ON result.id = match.result
    WHERE deal.name BETWEEN ? AND ? AND ? IN ('', '' || match.rotation)
    ORDER BY deal.name, match.rotation
"""
_BEGINNING = f"SELECT {_LISTED} {_NAMED}"
_CANDIDATES = 10  # ids that are named where the beginning of one is that of several
_THIS = """
    FROM match LEFT JOIN deal ON deal.id = match.deal LEFT JOIN result ON result.id = match.result
        LEFT JOIN record ON record.id = match.record
    WHERE match.deal = ? AND match.rotation = ?
"""
_DEAL = """
    SELECT deal.id, deal.name, deal.rotations IS NOT NULL
    FROM lineup JOIN deal ON deal.lineup = lineup.id WHERE lineup.bots = ? AND deal.number = ?
"""
_ONE_LISTED = f"SELECT {_LISTED} {_THIS}"
_ONE_KEPT = f"SELECT {_KEPT} {_THIS}"
_ONE_WHOLE = f"SELECT {_KEPT}, {_LISTED} {_THIS}"
_ONE_SANDBOX = f"SELECT record.sandbox {_THIS}"
_WIDTH = 1 + len(RecordRow.__struct_fields__)  # of what is kept
_COUNT = "SELECT count(*) FROM match JOIN result ON result.id = match.result"
_NEWEST = f"""
    SELECT match.record, record.played_at, {columns(ListedRow, "match")}
    FROM match JOIN record ON record.id = match.record JOIN deal ON deal.id = match.deal
        JOIN result ON result.id = match.result
    WHERE match.record < ? {{}} ORDER BY match.record DESC LIMIT ?
"""  # noqa: S608 - names of ours
_AND_SEATED = """
    AND match.result IN (
        SELECT id FROM result WHERE EXISTS (
            SELECT 1 FROM json_each(result.bots) JOIN json_each(?) AS called
            ON called.value = json_each.value
        )
    )
"""
_FAULTY = "match.faults IS NOT NULL"
_NO_LAST = 1 << 62
_BY_DEAL = "deal.number, lineup.bots, match.rotation"
_IN_ORDER = f"ORDER BY {_BY_DEAL} LIMIT ?"
_FIRST = "row_number() OVER (PARTITION BY pairing.rival ORDER BY {}, " + _BY_DEAL + ") AS {}"
_EXAMPLES = f"""
    SELECT * FROM (
        SELECT match.deal, match.rotation, pairing.rival,
            {_FIRST.format(f"pairing.lead >= 0, {CLOSEST}", "closest")},
            {_FIRST.format(f"pairing.lead >= 0, {CLEAREST}", "clearest")},
            {_FIRST.format(f"NOT coalesce({OWN_FAULTS}, 0), pairing.lead >= 0", "faulty")},
            pairing.lead < 0 AS lost, coalesce({OWN_FAULTS}, 0) AS at_fault
        {_FROM} {OF_PAIRINGS}
    )
    WHERE (lost AND 1 IN (closest, clearest)) OR (at_fault AND faulty = 1)
"""  # noqa: S608 - names of ours


class Store:
    """The results of a league: stores matches, and returns them; a context manager that closes it.

    Each part has the module of its name. The arguments are those of `Database`.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        names: Mapping[str, str] | None = None,
        remedy: str = "",
    ) -> None:
        self.db = Database(path, create=create, names=names, remedy=remedy)
        self.settings = StoredSettings(self.db)
        self.bots = Bots(self.db)
        self.rounds = Rounds(self.db)
        self.known = Known(self.db)
        self.tallies = Tallies(self.db)
        self.timings = Timings(self.db)
        self._writer: Writer | None = None
        """The writer of the last transaction that was not rolled back, with what it remembers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.db.close()

    def add(
        self,
        played: Iterable[PlayedMatch],
        rows: Sequence[BotRow],
        *,
        played_at: str,
    ) -> None:
        """Store matches, all or none; `rows` are the database's numbers of the league's bots."""
        writer, self._writer = self._writer or Writer(self.db.connection), None
        row = rows.__getitem__
        with self.db.transaction():
            writer.add((each, tuple(map(row, each.result.bots)), played_at) for each in played)
        self._writer = writer

    def matches(
        self, choice: MatchChoice = EVERY_MATCH, *, limit: int | None = None, ordered: bool = True
    ) -> Iterator[StoredMatch]:
        """Yield the stored matches that are chosen, by deal, line-up and rotation.

        Not `ordered`, they come as they lie there, which takes less. Ordered, a writer is never
        kept waiting, however slowly they are read.
        """
        with self.db.explained():
            where = self._chosen(choice)
            most = -1 if limit is None else limit
            if ordered:
                order = f"ORDER BY {CLOSEST}, {_BY_DEAL} LIMIT ?" if choice.closest else _IN_ORDER
                keys = self._keys(f"{_KEYS} {where} {order}", (most,))
                bots = self.db.bots()
                for key in zip(*keys, strict=True):
                    row = self.db.execute(_ONE_LISTED, key).fetchone()
                    if row is not None:
                        yield match_of(row, bots)
            else:
                rows = self.db.execute(f"{_MATCHES} {where} LIMIT ?", (most,))
                bots = self.db.bots()
                for row in rows:
                    yield match_of(row, bots)

    def _keys(self, query: str, values: Sequence[object]) -> "tuple[array[int], array[int]]":
        """Return the deals of matches, by row, and their rotations, in sixteen bytes a match."""
        deals, rotations = array("q"), array("q")
        for row in self.db.execute(query, values):
            deal, rotation = typed(row, tuple[int, int], LIST)
            deals.append(deal)
            rotations.append(rotation)
        return deals, rotations

    def count(self, choice: MatchChoice = EVERY_MATCH) -> int:
        """Return how many matches `matches` would yield without a limit."""
        with self.db.explained():
            [(count,)] = self.db.rows(f"{_COUNT} {self._chosen(choice)}")
            return int(count)

    def examples(self, found: Iterable[Pairing]) -> Iterator[tuple[int, str, StoredMatch]]:
        """Yield matches to look at, each with its rival's number, and what it is an example of.

        For each rival it is the "closest" and the "clearest" of those that were lost against it,
        and one in which the bot was "faulty", a lost one if there is one.
        """
        with self.db.explained():
            bots = self.db.bots()
            kind, words = list[tuple[int, int, int, int, int, int, int, int]], "the matches"
            take_pairings(self.db, found)
            rows = self.db.read(_EXAMPLES, kind, words)
            for deal, rotation, rival, *firsts, lost, at_fault in rows:
                row = self.db.execute(_ONE_LISTED, (deal, rotation)).fetchone()
                holds = {"closest": lost, "clearest": lost, "faulty": at_fault}
                for (what, is_so), first in zip(holds.items(), firsts, strict=True):
                    if is_so and first == 1:
                        yield rival, what, match_of(row, bots)

    def newest(
        self,
        *,
        sat: Iterable[Callable[[BotVersion], bool]] = (),
        faulty: bool = False,
        before: int = 0,
        limit: int = 100,
    ) -> Iterator[tuple[int, str, StoredMatch]]:
        """Yield the place in the order of storing, the time of it, and the match, newest first.

        Only matches are yielded in which a bot `sat` for which the first of these holds, and one
        for which the second does, and so on. `before` is a place, of which only what was stored
        earlier is yielded; 0 is the end.
        """
        where, values = "", list[object]()
        with self.db.explained():
            known = self.db.bots()
            for holds in sat:
                where += _AND_SEATED
                called = [number for number, each in known.items() if holds(each)]
                values.append(json.dumps(called))
            if faulty:
                where += f" AND {_FAULTY}"
            values = [before or _NO_LAST, *values, limit]
            for place, played_at, *row in self.db.rows(_NEWEST.format(where), values):
                at, when = typed((place, played_at), tuple[int, str], "when a match was stored")
                yield at, when, match_of(row, known)

    def record_count(self) -> int:
        """Return how many matches are stored, at once: every one has a record, numbered in a row.

        It may be a little too high; whether and how fast it grows is exact.
        """
        [(last,)] = self.db.rows("SELECT coalesce(max(id), 0) FROM record")
        return int(last)

    def _chosen(self, choice: MatchChoice) -> str:
        """Return how matches are chosen in SQL, whose pairings are taken if it needs any."""
        faulty = f"WHERE {_FAULTY}" if choice.faulty else ""
        if choice.bot is None and not choice.closest:
            return faulty
        take_pairings(self.db, pairings(self.tallies.results(), choice))
        own = f"AND {OWN_FAULTS}" if choice.faulty and choice.bot is not None else ""
        return f"{OF_PAIRINGS} {faulty} {own}"

    def find(
        self, beginning: str, is_seen: Callable[[StoredMatch], bool] = lambda _: True
    ) -> StoredMatch:
        """Return the match whose id begins so, as 3f9 or 3f9-1, of those that may be seen.

        Without a rotation, it is that of a deal of which only one match is stored. Raises
        ArenaError unless there is exactly one.
        """
        deal, _, rotation = beginning.partition("-")
        hidden, seen = list[StoredMatch](), list[StoredMatch]()
        with self.db.explained():
            bots = self.db.bots()
            rows = self.db.execute(_BEGINNING, (*deal_range(deal.lower()), rotation))
            for match in (match_of(row, bots) for row in rows):
                (seen if is_seen(match) else hidden).append(match)
                if len(seen) > _CANDIDATES:
                    break
        found = seen or hidden[:1]  # which whoever asks may not look at
        if not found:
            raise ArenaError(f"there is no match {beginning!r}; `arena matches` lists them.")
        if len(found) > 1:
            is_more = len(found) > _CANDIDATES
            if not (rotation or is_more) and len({match.deal_row for match in found}) == 1:
                ids = " or ".join(f"{deal}-{match.rotation}" for match in found)
                raise ArenaError(f"{beginning!r} is a deal of {len(found)} matches: give {ids}.")
            ids = ", ".join(match.id for match in found[:_CANDIDATES]) + ", …" * is_more
            number = f"more than {_CANDIDATES}" if is_more else len(found)
            raise ArenaError(f"{beginning!r} begins {number} ids; give more of one: {ids}.")
        return found[0]

    def whole(self, match: StoredMatch) -> WholeMatch:
        """Return a stored match with all that is kept of it, its record opened."""
        with self.db.explained():
            key = match.deal_row, match.rotation
            row = self.db.execute(_ONE_KEPT, key).fetchone()
            if row is None:
                raise Damage(f"the record of match {match.id} cannot be read")
            found = whole_match(match, row[0], row[1:], self.db.explained)
            if found.replay.seats != len(match.bots):
                raise Damage(f"match {match.id}: its replay is of {found.replay.seats} seats")
        return found

    def sandbox_of(self, match: StoredMatch) -> str:
        """Return the sandbox in which a stored match was played."""
        key, words = (match.deal_row, match.rotation), f"the record of match {match.id}"
        [(sandbox,)] = self.db.read(_ONE_SANDBOX, tuple[tuple[str]], words, key)
        return sandbox

    def everything(self) -> tuple[int, Iterator[WholeMatch]]:
        """Return how many matches are stored now, and an iterator of them, in order.

        A writer is never kept waiting, however slowly they are read.
        """
        with self.db.explained():
            (count,) = self.db.execute("SELECT count(*) FROM match").fetchone()
            keys = self._keys(f"{_KEYS} {_IN_ORDER}", (-1,))  # and of what was added since
            bots = self.db.bots()
            if len(keys[0]) < count:
                raise Damage("the deals of some matches, or their results, are missing")
        pairs = zip(*keys, strict=True)
        return len(keys[0]), (found for pair in pairs if (found := self._one(*pair, bots)))

    def _one(
        self, deal: int, rotation: int, bots: Mapping[int, BotVersion] | None = None
    ) -> WholeMatch | None:
        with self.db.explained():
            row = self.db.execute(_ONE_WHOLE, (deal, rotation)).fetchone()
            if row is None:
                return None
            match = match_of(row[_WIDTH:], self.db.bots() if bots is None else bots)
            return whole_match(match, row[0], row[1:_WIDTH], self.db.explained)

    def lookup(self, match: str, number: int, bots: Iterable[BotVersion]) -> WholeMatch | None:
        """Return the match of a whole id, or None if it is not stored.

        Its deal is named by number and bots, which are called by their keys.
        """
        name, _, rotation = match.partition("-")
        with self.db.explained():
            found = self._deal(number, bots)
            if found is None:
                return None
            deal, stored, _ = found
            if stored != deal_number(name):
                raise Damage(f"deal {name} is stored as {deal_name(stored)}")
        return self._one(deal, int(rotation))

    def is_mirrored(self, number: int, bots: Iterable[BotVersion]) -> bool | None:
        """Return whether a deal of bots, which are called by their keys, is stored as mirrored.

        None if nothing of it is stored.
        """
        with self.db.explained():
            found = self._deal(number, bots)
            return None if found is None else bool(found[2])

    def _deal(self, number: int, bots: Iterable[BotVersion]) -> tuple[int, int, int] | None:
        """Return the row of a deal, the number of its id, and whether it is mirrored."""
        lineup = lineup_text(map(astuple, bots))
        row = self.db.execute(_DEAL, (lineup, number)).fetchone()
        return None if row is None else typed(row, tuple[int, int, int], "a deal")

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
        with self.db.transaction():
            self.settings.write(settings)
            self.rounds.write(0, rounds)
            rows = self.bots.write(bots.items())
            writer = Writer(self.db.connection)
            count = 0
            for played, played_at in matches:
                count += 1
                seated = tuple([rows[bot] for bot in played.result.bots])
                writer.add([(played, seated, played_at)])
            check()
        return count
