"""The rounds of a league whose format goes by results, as they are stored."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from arena.schedule.deal import DEALS_LIMIT, PAIRS_LIMIT, Entrant
from arena.schedule.rounds import Lineup, Places
from arena.store.columns import Reader
from arena.store.database import Database
from arena.store.rows import BotRow, places_of, seats_of
from arena.store.schema import lineup_text
from arena.store.sqlite_file import Damage

_ROUNDS = "SELECT number, drawn, out FROM round ORDER BY number"
_KEEP = "INSERT OR REPLACE INTO round (number, drawn, out) VALUES (?, ?, ?)"
_PLAYED = """
    SELECT result.bots, result.places
    FROM lineup JOIN deal ON deal.lineup = lineup.id JOIN match ON match.deal = deal.id
        JOIN result ON result.id = match.result
    WHERE lineup.bots = ? AND deal.number = ? AND match.rotation < ? ORDER BY match.rotation
"""

_InField: TypeAlias = Annotated[int, Meta(ge=0)]
"""A bot, as its place in the field of a round, from 0."""


class Drawn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A round as it was drawn: it never changes."""

    deals_each: Annotated[int, Meta(ge=1, le=DEALS_LIMIT)]
    """How many deals the league's file asked for."""
    options: dict[str, Any]
    """The options of the format in that file."""
    field: list[tuple[str, str]]
    """Key and version of the bots that could play, in the order of that file."""
    deals: list[tuple[list[_InField], Annotated[int, Meta(ge=0, lt=PAIRS_LIMIT)]]]
    """The line-up and the number of each deal, in the order of play."""


class StoredRound(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A round, and who was gone before all of its deals were played."""

    drawn: Drawn
    out: list[_InField] = []
    """Suspended bots, and those that left: none of their deals in this round counts."""

    def check(self) -> None:
        """Raise Damage unless all its bots are of its field, which has each bot once."""
        size = len(self.drawn.field)
        if len({key for key, _ in self.drawn.field}) < size:
            raise Damage("a bot is twice in the field of a round")
        for lineup, _ in self.drawn.deals:
            if len(set(lineup)) < len(lineup) or max(lineup, default=size) >= size:
                raise Damage("a deal of a round is of bots that are not in its field")
        if max(self.out, default=-1) >= size:
            raise Damage("a bot that is out of a round is not in its field")
        if self.out != sorted({*self.out}):
            raise Damage("the bots that are out of a round are not in order, each once")


_read_drawn = Reader("a round", Drawn)
_read_out = Reader("the bots that are out of a round", list[_InField])
_encode = msgspec.json.Encoder(order="deterministic").encode


class Rounds:
    """Reads and stores rounds, and reads what was played in their deals."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self) -> list[StoredRound]:
        """Return all rounds that were drawn, in order."""
        with self._db.explained():
            rows = self._db.read(_ROUNDS, list[tuple[int, str, str]], "the rounds")
            return [_read_round(at, row) for at, row in enumerate(rows)]

    def keep(self, first: int, rounds: Sequence[StoredRound]) -> None:
        """Store rounds from a number on, all or none; those that are there are replaced."""
        with self._db.transaction():
            self.write(first, rounds)

    def write(self, first: int, rounds: Sequence[StoredRound]) -> None:
        """Store rounds within a transaction."""
        self._db.executemany(
            _KEEP,
            [
                (number, _encode(each.drawn).decode(), _encode(each.out).decode())
                for number, each in enumerate(rounds, first)
            ],
        )

    def places(
        self, deals: Iterable[tuple[Lineup, int]], rotations: int
    ) -> Iterator[tuple[Places, ...] | None]:
        """Yield the places in each match of deals, given by line-up and number.

        They are in the order of the line-up; None for a deal of which matches are missing.
        """
        with self._db.explained():
            rows = self._db.execute("SELECT name, version, id FROM bot")
            numbers = {Entrant(key, version): BotRow(number) for key, version, number in rows}
            for lineup, deal in deals:
                text = lineup_text((bot.key, bot.version) for bot in lineup)
                played = self._db.execute(_PLAYED, (text, deal, rotations)).fetchall()
                if len(played) < rotations:
                    yield None
                    continue
                if not numbers.keys() >= set(lineup):
                    raise Damage("the bots of a round are not all stored")
                order = [numbers[bot] for bot in lineup]
                yield tuple(_in_order(order, seats, places) for seats, places in played)


def _read_round(at: int, row: tuple[int, str, str]) -> StoredRound:
    """Return the round of a row, which must be the one at a place from 0 on."""
    number, drawn, out = row
    if number != at:
        raise Damage(f"round {at + 1} is missing")
    try:
        found = StoredRound(drawn=_read_drawn(drawn), out=_read_out(out))
        found.check()
    except Damage as damage:
        raise Damage(f"round {at + 1}: {damage}") from None
    return found


def _in_order(order: Sequence[BotRow], seats: str, places: str) -> Places:
    """Return the places of a result, those of the bots `order` in turn."""
    bots = seats_of(seats)
    by_bot = dict(zip(bots, places_of(places, len(bots)), strict=True))
    if by_bot.keys() != set(order):
        raise Damage("the results of a deal are of other bots")
    return tuple(by_bot[bot] for bot in order)
