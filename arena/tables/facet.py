"""A facet: all that the tables of a field say of one matter, such as times or costs.

A new optional column is one function that returns one. What it tells of a league's store has a
line in `arena/tables/facets.py`; what it tells of the deals that a table counts, which files of
results have too, is called in `arena/tables/leaderboard.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from arena.league.plan import LeaguePlan
from arena.stats.outcomes import Result
from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.tables.table import Column
from arena.text import Words


@dataclass(frozen=True, kw_only=True)
class Facet:
    """What tables say of one matter: of each bot in columns, and of all of them below."""

    columns: Sequence[Column] = ()
    """What a leaderboard has of it for people."""
    place: Literal["before the rating", "after the rating", "last"] = "last"
    """Where these columns stand."""
    keys: Sequence[str] = ()
    """What a row of a leaderboard has of it for programs."""
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The values of these keys, for each bot of the table."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What holds for the whole table, for programs."""
    notes: Sequence[str] = ()
    """What a reader of any table must know, in sentences."""

    def row(self, bot: str) -> dict[str, Any]:
        """Return what a bot's row has of it."""
        return dict(zip(self.keys, self.values[bot], strict=True)) if self.keys else {}


@dataclass
class Used:
    """What a bot of a table used in its matches."""

    matches: int = 0
    requests: int = 0
    """What it asked for through its door, and the tokens and costs of that."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: int = 0
    """The requests that took tokens and cost nothing."""
    trips: list[int] = field(default_factory=list)
    """How long a line took to its machine and back in each match, if it is remote; microseconds."""


@dataclass(frozen=True)
class FacetSource:
    """What facets are read from: a league, its store, and what its table is made of."""

    league: LeaguePlan
    store: Store
    titles: Mapping[BotVersion, str]
    """What each bot of the table is called there."""
    results: Mapping[int, Result]
    """The results in which only such bots play, by number."""
    words: Words
    """How numbers stand in sentences."""

    @cached_property
    def used(self) -> Mapping[str, Used]:
        """What each bot used in all its matches, whoever else played; read once for all facets."""
        found = {title: Used() for title in self.titles.values()}
        _, matches = self.store.everything()
        for whole in matches:
            seats = [found.get(self.titles.get(bot, "")) for bot in whole.match.bots]
            for its in filter(None, seats):
                its.matches += 1
            for exchange in whole.evidence.exchanges:
                if asker := seats[exchange.seat]:
                    asker.requests += 1
                    asker.tokens_in += exchange.tokens_in
                    asker.tokens_out += exchange.tokens_out
                    asker.cost += exchange.cost
                    took_tokens = exchange.tokens_in + exchange.tokens_out > 0
                    asker.unpriced += took_tokens and not exchange.cost
            for seat, trip in whole.evidence.trips.items():
                if remote := seats[seat]:
                    remote.trips.append(trip)
        return found


ReadFacet: TypeAlias = Callable[[FacetSource], Facet | None]
"""Reads a facet; returns None if there is nothing to be said."""
