"""Which matches are stored, counted and named for whoever plays the others of a league."""

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from arena.schedule.deal import Entrant
from arena.store.columns import typed
from arena.store.database import Database
from arena.store.rows import deal_number, read_lineup, read_numbers

_PLACED = """
    SELECT DISTINCT lineup.bots FROM deal JOIN lineup ON lineup.id = deal.lineup
    WHERE deal.number < :first
        AND (SELECT count(*) FROM match WHERE match.deal = deal.id) = :rotations
"""
_STORED = """
    SELECT lineup.bots, played.deals, played.matches
    FROM (
        SELECT lineup, sum(matches = :rotations) AS deals, sum(matches) AS matches
        FROM (
            SELECT deal, count(*) AS matches FROM match
            WHERE rotation < :rotations GROUP BY deal
        ) AS counted LEFT JOIN deal ON deal.id = counted.deal
        WHERE deal.number IS NULL OR deal.number < :deals GROUP BY lineup
    ) AS played LEFT JOIN lineup ON lineup.id = played.lineup
"""
_KNOWN = """
    SELECT deal.name, played.rotations, deal.rotations IS NOT NULL
    FROM (
        SELECT deal, CASE count(*) = :count AND min(rotation) = 0 AND max(rotation) = :count - 1
            WHEN 0 THEN group_concat(rotation) END AS rotations
        FROM match GROUP BY deal
    ) AS played LEFT JOIN deal ON deal.id = played.deal
    ORDER BY deal.name
"""
LIST = "the list of matches"
"""What is damaged where its rows cannot be read."""


class Begun(NamedTuple):
    """A deal of which some rotations are stored, and not all."""

    rotations: Collection[int]
    is_mirrored: bool


class KnownMatches:
    """Which matches are stored, in eight bytes for each deal that is complete."""

    def __init__(self, whole: Sequence[int], begun: Mapping[int, Begun]) -> None:
        self._whole = whole
        self._begun = begun

    def __bool__(self) -> bool:
        return bool(self._whole or self._begun)

    def lacking(self, deal: str, rotations: range) -> list[int]:
        """Return which rotations of a deal, by its id, are not stored."""
        number = deal_number(deal)
        at = bisect_left(self._whole, number)
        if at < len(self._whole) and self._whole[at] == number:
            return []
        found = self._begun[number].rotations if number in self._begun else ()
        return [rotation for rotation in rotations if rotation not in found]

    def begun_mirrored(self, deal: str) -> bool | None:
        """Return whether a deal that has begun, and is not whole, is mirrored; None for others."""
        begun = self._begun.get(deal_number(deal))
        return None if begun is None else begun.is_mirrored

    def has(self, match: str) -> bool:
        """Return whether a match, by its id, is stored."""
        deal, _, rotation = match.rpartition("-")
        return not self.lacking(deal, range(int(rotation), int(rotation) + 1))


class Known:
    """Reads which matches are stored, for whoever plays the others."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def matches(self, rotations: int) -> KnownMatches:
        """Return which matches are stored; so many make a deal."""
        whole, begun = array("q"), {}
        with self._db.explained():
            rows = self._db.execute(_KNOWN, {"count": rotations})
            while some := rows.fetchmany(10_000):
                for deal, text, mirrored in typed(some, list[tuple[int, str | None, int]], LIST):
                    if text is None:
                        whole.append(deal)
                    else:
                        begun[deal] = Begun(read_numbers(f"[{text}]"), bool(mirrored))
        return KnownMatches(whole, begun)

    def placed(self, rotations: int, first: int) -> set[tuple[str, str]]:
        """Return key and version of every bot that has a whole deal among so many first ones.

        A whole deal has so many matches.
        """
        with self._db.explained():
            values = {"rotations": rotations, "first": first}
            rows = self._db.execute(_PLACED, values).fetchall()
            return {(key, version) for (bots,) in rows for key, version in read_lineup(bots)}

    def count(self, bots: Iterable[Entrant], below: int, rotations: int) -> tuple[int, int]:
        """Return how many deals of bots are whole, and how many matches of them are stored.

        Their deals are numbered `below` so much, and have so many rotations.
        """
        entered = {(bot.key, bot.version) for bot in bots}
        values = {"rotations": rotations, "deals": below}
        deals = matches = 0
        with self._db.explained():
            for lineup, whole, played in self._db.execute(_STORED, values):
                if entered.issuperset(read_lineup(lineup)):
                    deals, matches = deals + whole, matches + played
        return deals, matches
