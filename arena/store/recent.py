"""What was stored when: the newest matches, and from when to when each bot's version played."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from arena.store.result import Natural
from arena.store.rows import BotVersion, Damage, ListedRow, StoredMatch, columns, match_of, typed
from arena.store.tallies import Tallies

_SPANS = """
    SELECT result, min(played_at), max(played_at), count(*)
    FROM match JOIN record ON record.id = match.record GROUP BY result
"""
_NEWEST = f"""
    SELECT match.record, record.played_at, {columns(ListedRow, "match")}
    FROM match JOIN record ON record.id = match.record JOIN deal ON deal.id = match.deal
        JOIN result ON result.id = match.result
    WHERE match.record < ? {{}} ORDER BY match.record DESC LIMIT ?
"""  # noqa: S608 - names of ours
_OF_BOTS = """
    AND match.result IN (
        SELECT id FROM result WHERE EXISTS (
            SELECT 1 FROM json_each(result.bots) JOIN json_each(?) AS called
            ON called.value = json_each.value
        )
    )
"""
_FAULTY = "AND match.faults IS NOT NULL"
_NO_LAST = 1 << 62
_LAST_BEFORE = "SELECT id FROM main.record WHERE played_at < ? ORDER BY id DESC LIMIT 1"
_ONLY_UNTIL = """
    CREATE TEMP VIEW record AS SELECT * FROM main.record WHERE id <= {last:d};
    CREATE TEMP VIEW match AS SELECT * FROM main.match WHERE record <= {last:d};
    CREATE TEMP TABLE result AS SELECT * FROM main.result
        WHERE id IN (SELECT result FROM main.match WHERE record <= {last:d});
    CREATE UNIQUE INDEX temp.result_of_id ON result (id);
    CREATE TEMP VIEW suspension AS SELECT * FROM main.suspension WHERE 0;
"""


class Span(NamedTuple):
    """How often a bot's version played, and from when to when."""

    first: str
    """When its first match was stored, in ISO 8601."""
    last: str
    matches: int


class Recent(Tallies):
    """Reads the newest matches first, and times of storing."""

    def hold_back(self, since: datetime) -> None:
        """Read from now on as if nothing had been stored since a time, and no suspension ever.

        Of a suspension it is not known when it began.
        """
        until = since.astimezone(UTC).isoformat(timespec="seconds")
        with self.explained():
            (last,) = self._db.execute(_LAST_BEFORE, (until,)).fetchone() or (0,)
            self._db.executescript(_ONLY_UNTIL.format(last=last))  # before those of main

    def spans(self) -> dict[BotVersion, Span]:
        """Return when each version of each bot that has played did so."""
        found: dict[BotVersion, Span] = {}
        with self.explained():
            rows = typed(
                self._db.execute(_SPANS).fetchall(),
                list[tuple[int, str, str, Natural]],
                "when matches were stored",
            )
            results = self.results()
            for result, first, last, count in rows:
                if result not in results:
                    raise Damage("the result of a match is missing")
                for bot in results[result].bots:
                    known = found.get(bot, Span(first, last, 0))
                    found[bot] = Span(
                        min(known.first, first), max(known.last, last), known.matches + count
                    )
        return found

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
        with self.explained():
            known = self._bots()
            for holds in sat:
                where += _OF_BOTS
                called = [number for number, each in known.items() if holds(each)]
                values.append(json.dumps(called))
            if faulty:
                where += _FAULTY
            rows = self._db.execute(
                _NEWEST.format(where), (before or _NO_LAST, *values, limit)
            ).fetchall()
            for place, played_at, *row in rows:
                at, when = typed((place, played_at), tuple[int, str], "when a match was stored")
                yield at, when, match_of(row, known)
