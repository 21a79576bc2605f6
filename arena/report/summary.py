"""All that the page of a league shows, matches aside."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from itertools import accumulate
from typing import Any

import msgspec

from arena.league.plan import LeaguePlan
from arena.report.progress import Point, present_results, progress
from arena.stats.outcomes import Result
from arena.stats.ratings import fit
from arena.store.opening import open_store
from arena.store.store import Store
from arena.store.tallies import Site
from arena.tables.by_seat import by_seat
from arena.tables.cross_table import cross_table
from arena.tables.facets import TIMES
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from arena.tables.sources import asides_of, field_of
from arena.tables.standings import ShownStandings, shown_standings
from arena.tables.table import Table
from arena.text import WITH_COMMAS, safe
from referee.limits import Limits


@dataclass(frozen=True)
class Lengths:
    """How long all matches of the present bots were, and how they ended.

    Also those that tables leave out, as they wait for the rest of their deals or repeat others.
    """

    decisions: Mapping[int, int]
    """How many matches had so many decisions, shortest first."""
    reasons: Mapping[str, int]
    """How many matches ended so, the most frequent first."""

    @property
    def matches(self) -> int:
        """How many matches there were."""
        return sum(self.decisions.values())

    @property
    def mean(self) -> float:
        """The mean of the decisions of a match, of which there must be one."""
        return sum(length * count for length, count in self.decisions.items()) / self.matches

    @property
    def median(self) -> int:
        """The length that half of the matches do not exceed; there must be one."""
        passed = zip(self.decisions, accumulate(self.decisions.values()), strict=True)
        return next(length for length, matches in passed if 2 * matches >= self.matches)


@dataclass(frozen=True, kw_only=True)
class LeagueFacts:
    """What was played, where and when; not the seed, which would reveal the deals to come."""

    game: str
    title: str
    origin: str
    """Where the game comes from, in words."""
    rules: int
    """The version of the game's rules."""
    seats: int
    deals: int
    """How many deals there are for each line-up."""
    rotations: str
    share: float
    options: Mapping[str, Any]
    usual_options: Mapping[str, Any]
    """The options of the game, where nothing else is asked for."""
    limits: Mapping[str, Any]
    """The limits that differ from the usual ones."""
    sites: Sequence[Site]
    arena: str
    """The version of the arena that made the summary."""

    @property
    def matches(self) -> int:
        """How many matches were ever stored, also those of bots that left."""
        return sum(site.matches for site in self.sites)

    @property
    def first(self) -> str:
        """When the first of them was stored, in ISO 8601; empty if that is not known."""
        return min((site.first for site in self.sites if site.first), default="")

    @property
    def last(self) -> str:
        """When the last of them was stored."""
        return max((site.last for site in self.sites), default="")


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What the page of a league shows; every table is the one that a command prints."""

    name: str
    field: Field
    standings: Table
    """The table of `arena rank --times`, with the scores of `arena rank --by score`."""
    encounters: Table
    """The table of `arena table --cells points`."""
    seats: Table
    """The table of `arena rank --by seat`."""
    tournament: ShownStandings | None
    """The standings that `arena rank` prints, if the format goes by results."""
    progress: Sequence[Point]
    lengths: Lengths
    facts: LeagueFacts


def summary_of(league: LeaguePlan, watch: Callable[[str], None] = lambda _: None) -> Summary:
    """Return the summary of a league, which is read with `read_played`.

    `watch` is called now and then with what is being done. Raises ArenaError if nothing was
    played, or what was cannot be read.
    """
    name = safe(league.folder.resolve().name)
    with open_store(league) as store:
        watch("Reading the results")
        field = replace(
            field_of(league, store, [TIMES], scores=True, words=WITH_COMMAS),
            name=name,
            is_for_readers=True,
            asides=asides_of(league, store),
        )
        if field.scores and not field.scores.matches:
            field = replace(field, scores=None)  # a seat forfeited in each deal
        ratings = fit(
            field.deals,
            bots=field.bots,
            watch=lambda state: watch(f"Rating: sweep {state.sweeps}"),
        )
        watch("Making the tables")
        results = present_results(league, store)
        return Summary(
            name=name,
            field=field,
            standings=leaderboard(field, ratings),
            encounters=cross_table(field, ratings, "points"),
            seats=by_seat(field, ratings),
            tournament=shown_standings(league, store, ratings),
            progress=progress(league, store, field, ratings, results, watch),
            lengths=_lengths(store, results),
            facts=_facts(league, store),
        )


def _lengths(store: Store, results: Mapping[int, Result]) -> Lengths:
    decisions: Counter[int] = Counter()
    reasons: Counter[str] = Counter()
    for result, reason, length, count in store.tallies.lengths():
        if result in results:
            decisions[length] += count
            reasons[reason] += count
    often = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return Lengths(dict(sorted(decisions.items())), dict(often))


def _facts(league: LeaguePlan, store: Store) -> LeagueFacts:
    settings = league.settings
    usual = msgspec.to_builtins(Limits())
    limits = msgspec.to_builtins(league.limits)
    return LeagueFacts(
        game=league.game.name,
        title=league.game.title,
        origin=league.game.source.said,
        rules=league.game.rules_version,
        seats=league.seats,
        deals=league.deals,
        rotations=settings.rotations,
        share=settings.share,
        options=dict(league.options),
        usual_options=dict(league.game.options),
        limits={key: value for key, value in limits.items() if value != usual[key]},
        sites=store.tallies.sites(),
        arena=metadata.version("bot-arena"),
    )
