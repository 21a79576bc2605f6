"""What a report counts beside the tables: how long matches were, when, where, in which order."""

from collections.abc import Iterator
from typing import NamedTuple, Self

from arena.league.plan import LeaguePlan
from arena.store.rows import Natural, read_numbers, typed
from arena.store.store import Store
from arena.text import counted

_LENGTHS = """
    SELECT result, reason, decisions, count(*) FROM match GROUP BY result, reason, decisions
    ORDER BY result, reason, decisions
"""
_SITES = """
    SELECT machine, sandbox, count(*), min(played_at), max(played_at) FROM record
    GROUP BY machine, sandbox ORDER BY machine, sandbox
"""
_IN_ORDER = """
    SELECT results, moves
    FROM (
        SELECT max(record) AS last, group_concat(result) AS results, {} AS moves
        FROM match GROUP BY deal
    )
    ORDER BY last
"""


class Site(NamedTuple):
    """A machine and the walls on it, and what was played there."""

    machine: str
    sandbox: str
    matches: int
    first: str
    """When the first match was stored, in ISO 8601."""
    last: str


class Counts(Store):
    """A league's results, opened for a report."""

    @classmethod
    def of(cls, league: LeaguePlan) -> Self:
        """Open the results of a league, as `open_store` does."""
        return cls(league.database, names={bot.key: bot.name for bot in league.bots})

    def lengths(self) -> Iterator[tuple[int, str, int, int]]:
        """Yield results by number with how their matches ended, their decisions, and how many."""
        with self.explained():
            for row in self._db.execute(_LENGTHS):
                yield typed(row, tuple[int, str, Natural, int], "the length of a match")

    def sites(self) -> list[Site]:
        """Return where matches were played, and when."""
        with self.explained():
            rows = self._db.execute(_SITES).fetchall()
            return typed(rows, list[Site], "where matches were played")

    def in_order(self, *, moves: bool = False) -> Iterator[tuple[list[int], str]]:
        """Yield the numbers of the results of every deal, and its moves, as the deals were stored.

        The moves are a text, the same for all deals that were played alike; it is empty unless
        asked for.
        """
        played = "group_concat(result || ':' || moves)" if moves else "''"
        with self.explained():
            for results, text in self._db.execute(_IN_ORDER.format(played)):
                yield read_numbers(f"[{results}]"), ",".join(sorted(text.split(",")))


def many(number: int, thing: str, plural: str = "") -> str:
    """Return a number of things in words, with commas between the thousands."""
    return counted(number, thing, plural).replace(str(number), f"{number:,}", 1)
