"""What tables count, counted in the database: the results that there are, and how often."""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import starmap
from typing import Annotated, NamedTuple

from arena.store.columns import columns, typed
from arena.store.database import Database
from arena.store.result import Natural, Spent
from arena.store.rows import (
    BotRow,
    BotVersion,
    SeatedResult,
    read_lineup,
    read_numbers,
    seated_result,
    seats_of,
    stored_clock,
    stored_faults,
    stored_scores,
)
from arena.store.sqlite_file import Damage
from referee.match.scoring import Number

_DEALS = """
    SELECT results, moves, scores, forfeited, count(*)
    FROM (
        SELECT group_concat(result) AS results, {} AS moves, {} AS scores, {} AS forfeited
        FROM match GROUP BY deal
    )
    GROUP BY results, moves, scores, forfeited
"""
_LENGTHS = """
    SELECT result, reason, decisions, count(*) FROM match GROUP BY result, reason, decisions
    ORDER BY result, reason, decisions
"""
_LINEUPS = """
    SELECT lineup.bots, deal.rotations IS NOT NULL, count(*)
    FROM deal JOIN lineup ON lineup.id = deal.lineup GROUP BY lineup.id, deal.rotations IS NULL
"""
_IN_TURN = """
    SELECT lineup.bots, deal.rotations, group_concat(match.rotation || ',' || match.result)
    FROM deal JOIN lineup ON lineup.id = deal.lineup JOIN match ON match.deal = deal.id
    WHERE deal.rotations IS NOT NULL
    GROUP BY deal.id ORDER BY deal.number, lineup.bots
"""
_PLACES = "where matches were played"
_SPANS = """
    SELECT result, min(played_at), max(played_at), count(*)
    FROM match JOIN record ON record.id = match.record GROUP BY result
"""
_OF_RECORDS = "FROM record GROUP BY machine, sandbox ORDER BY machine, sandbox"
_AS_STORED = """
    SELECT results, moves
    FROM (
        SELECT max(record) AS last, group_concat(result) AS results, {} AS moves
        FROM match GROUP BY deal
    )
    ORDER BY last
"""


class Dealt(NamedTuple):
    """What was played alike in some deals; lists go by match."""

    results: list[int]
    """The numbers of the results."""
    moves: str
    """The same for all deals that were played alike; empty unless asked for."""
    scores: list[tuple[Number, ...] | None]
    """By seat; empty unless asked for."""
    forfeited: bool
    """Whether a bot forfeited a match of each; False unless asked for."""
    deals: int
    """How many there were."""


class Span(NamedTuple):
    """How often a bot's version played, and from when to when."""

    first: str
    """When its first match was stored, in ISO 8601."""
    last: str
    matches: int


class Site(NamedTuple):
    """A machine and the sandbox on it, and what was played there."""

    machine: str
    sandbox: str
    matches: Annotated[int, "count(*)"]
    first: Annotated[str, "min(played_at)"]
    """When the first match was stored, in ISO 8601."""
    last: Annotated[str, "max(played_at)"]


_SITES = f"SELECT {columns(Site)} {_OF_RECORDS}"
_SANDBOXES = """
    SELECT match.result, record.sandbox, count(*)
    FROM match JOIN record ON record.id = match.record GROUP BY 1, 2 ORDER BY 1, 2
"""
_UNTIMED = """
    SELECT match.result, record.machine, count(*)
    FROM match JOIN record ON record.id = match.record LEFT JOIN (
        SELECT json_extract(value, '$[0]') AS machine, json_extract(value, '$[1]') AS began
        FROM json_each(?)
    ) AS timed ON timed.machine = record.machine
    WHERE timed.began IS NULL OR record.played_at < timed.began GROUP BY 1, 2 ORDER BY 1, 2
"""


class Tallies:
    """Reads results by their numbers in the database, few as they are, and counts of them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def results(self) -> dict[int, SeatedResult]:
        """Return every result that a match had, by its number in the database."""
        with self._db.explained():
            rows = self._db.rows("SELECT id, bots, places FROM result")
            bots = self._db.bots()
            return {number: seated_result(seats, places, bots) for number, seats, places in rows}

    def _seats(self) -> dict[int, list[BotRow]]:
        """Return the numbers of the bots of every result, by seat; raise Damage for others.

        Read while a cursor is open on the matches, they are those of the same moment.
        """
        rows = self._db.execute("SELECT id, bots FROM result")
        found = {number: seats_of(seats) for number, seats in rows}
        if len(set(map(len, found.values()))) > 1:
            raise Damage("the results are not all of as many bots")
        return found

    def deals(
        self, *, moves: bool = False, scores: bool = False, forfeits: bool = False
    ) -> Iterator[Dealt]:
        """Yield what was played in deals, with moves, scores and forfeits if they are asked for.

        What is yielded is few lines if the results are few, and no moves or scores are asked for.
        """
        with self._db.explained():
            scored = "group_concat(coalesce(scores, ''), ';')" if scores else "''"
            forfeited = "count(forfeits) > 0" if forfeits else "0"
            rows = self._db.execute(_DEALS.format(_played(moves), scored, forfeited))
            lineups = {number: sorted(seats) for number, seats in self._seats().items()}
            for results, text, kept, lost, count in rows:
                numbers = read_numbers(f"[{results}]")
                lineup = lineups.get(numbers[0])
                if lineup is None or any(lineups.get(number) != lineup for number in numbers):
                    raise Damage("the results of a deal are missing, or of other bots")
                seats = len(lineup)
                found = [stored_scores(each or None, seats) for each in kept.split(";") if scores]
                played = ",".join(sorted(text.split(",")))
                yield Dealt(numbers, played, found, bool(lost), count)

    def in_order(self, *, moves: bool = False) -> Iterator[tuple[list[int], str]]:
        """Yield the results and the moves of every deal, as `deals` does, in the order of storing.

        The moves are empty unless asked for.
        """
        with self._db.explained():
            for results, text in self._db.execute(_AS_STORED.format(_played(moves))):
                yield read_numbers(f"[{results}]"), ",".join(sorted(text.split(",")))

    def lengths(self) -> Iterator[tuple[int, str, int, int]]:
        """Yield results by number with how their matches ended, their decisions, and how many."""
        with self._db.explained():
            for row in self._db.execute(_LENGTHS):
                yield typed(row, tuple[int, str, Natural, int], "the length of a match")

    def sites(self) -> list[Site]:
        """Return where matches were played, and when."""
        return self._db.read(_SITES, list[Site], _PLACES)

    def spans(self) -> dict[BotVersion, Span]:
        """Return when each version of each bot that has played did so."""
        found: dict[BotVersion, Span] = {}
        with self._db.explained():
            kind = list[tuple[int, str, str, Natural]]
            rows = self._db.read(_SPANS, kind, "when matches were stored")
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

    def sandbox_names(self) -> set[str]:
        """Return the sandboxes in which matches were played, as they are stored."""
        query = "SELECT DISTINCT sandbox FROM record"
        return {name for (name,) in self._db.read(query, list[tuple[str]], _PLACES)}

    def sandboxes(self) -> list[tuple[int, str, int]]:
        """Return results by number with the sandboxes of their matches, and how many."""
        return self._db.read(_SANDBOXES, list[tuple[int, str, int]], _PLACES)

    def untimed(self, timed: Mapping[str, str]) -> list[tuple[int, str, int]]:
        """Return results by number with the machines of matches that no timing is of, and how many.

        `timed` says for each machine that has any when the first one began, in ISO 8601.
        """
        values = (json.dumps([*timed.items()]),)
        return self._db.read(_UNTIMED, list[tuple[int, str, int]], _PLACES, values)

    def deal_sizes(self, first: int = 0) -> Iterator[tuple[int, tuple[BotVersion, ...], int]]:
        """Yield number, line-up and stored matches of every deal from a number on."""
        with self._db.explained():
            rows = self._db.execute(
                "SELECT deal.number, deal.lineup, count(*) FROM deal JOIN match "
                "ON match.deal = deal.id WHERE deal.number >= ? GROUP BY deal.id",
                (first,),
            )
            lineups = {
                number: tuple(starmap(self._db.bot, read_lineup(bots)))
                for number, bots in self._db.execute("SELECT id, bots FROM lineup")
            }
            for row in rows:
                number, lineup, count = typed(row, tuple[int, int, int], "a deal")
                if lineup not in lineups:
                    raise Damage("the line-up of a deal is missing")
                yield number, lineups[lineup], count

    def strangers_deals(self) -> Iterator[tuple[tuple[BotVersion, ...], bool, int]]:
        """Yield line-ups of which not all bots are bundled, and how many deals they have.

        Those that are mirrored, which is said between, are counted apart.
        """
        with self._db.explained():
            bundled = self._bundled()
            for text, is_mirrored, count in self._db.execute(_LINEUPS):
                bots = read_lineup(text)
                if not bundled.issuperset(bots):
                    yield tuple(starmap(self._db.bot, bots)), bool(is_mirrored), count

    def first_and_last(self) -> Iterator[tuple[int, int]]:
        """Yield the results, by number, of the first and the last rotation of each mirrored deal.

        They come in the order of the numbers of the deals, and are those of bots of which not all
        are bundled.
        """
        with self._db.explained():
            bundled = self._bundled()
            rows = self._db.read(_IN_TURN, list[tuple[str, str, str]], "the deals")
            for text, order, results in rows:
                if bundled.issuperset(read_lineup(text)):
                    continue
                rotations, numbers = read_numbers(order), read_numbers(f"[{results}]")
                by_rotation = dict(zip(numbers[::2], numbers[1::2], strict=True))
                if len(rotations) > 1 and by_rotation.keys() >= {rotations[0], rotations[-1]}:
                    yield by_rotation[rotations[0]], by_rotation[rotations[-1]]

    def _bundled(self) -> set[tuple[str, str]]:
        query = "SELECT name, version FROM bot WHERE is_bundled"
        return set(self._db.read(query, list[tuple[str, str]], "the names or versions of bots"))

    def faults(self) -> Iterator[tuple[int, list[dict[str, int]], list[int], int]]:
        """Yield results by number, with faults by seat, seats that forfeited, and how many."""
        with self._db.explained():
            rows = self._db.execute(
                "SELECT result, faults, forfeits, count(*) FROM match "
                "WHERE faults IS NOT NULL OR forfeits IS NOT NULL GROUP BY result, faults, forfeits"
            )
            seats = self._seats()
            for result, faults, forfeits, count in rows:
                if result not in seats:
                    raise Damage("the result of a match is missing")
                yield result, *stored_faults(faults, forfeits, len(seats[result])), count

    def clocks(self, among: Collection[int] | None = None) -> Iterator[tuple[int, list[Spent]]]:
        """Yield the result of every match by number, and what the clock said by seat.

        With `among`, they are only those with one of these results.
        """
        with self._db.explained():
            those, values = "", list[str]()
            if among is not None:
                those = "WHERE result IN (SELECT value FROM json_each(?))"
                values.append(json.dumps([*among]))
            rows = self._db.execute(f"SELECT result, clock FROM match {those}", values)  # noqa: S608
            seats = self._seats()
            for result, clock in rows:
                if result not in seats:
                    raise Damage("the result of a match is missing")
                yield result, stored_clock(clock, len(seats[result]))


def _played(moves: bool) -> str:
    """Return what SQL makes of the moves of a deal's matches: nothing, unless they are wanted."""
    return "group_concat(result || ':' || moves)" if moves else "''"
