"""What the pages of a league show, read from its folder: plain values for any process.

Nothing in them says where the league lies on its machine, or what its seed is.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from arena.league.bot import LostBot
from arena.league.plan import LeaguePlan
from arena.stats.ratings import fit
from arena.store.opening import has_database, open_store, read_played
from arena.store.store import Store
from arena.store.suspensions import is_too_slow
from arena.store.tournament import asked_deals
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from arena.tables.sources import field_of
from arena.tables.standings import ShownStandings, shown_standings
from arena.text import WITH_COMMAS, safe

Row = dict[str, Any]


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """A league's leaderboard, and how far it is."""

    league: str
    game: str
    title: str
    """The game in a sentence."""
    seats: int
    rows: list[Row]
    """One for each bot, with the keys of `arena rank --format json`."""
    duels: bool
    """Whether matches have two seats: then wins are shown, and mean places otherwise."""
    scored: bool
    """Whether rows have scores."""
    less_is_better: bool
    """Whether the lower score is the better one."""
    notes: list[str]
    """What a reader should know, in sentences."""
    suspended: dict[str, str]
    """Why bots were suspended, by bot."""
    matches: int
    """The matches that count."""
    stored: int
    """The matches that were ever stored."""
    asked: int
    """The matches that the league asks for."""
    missing: int
    """Those of them that are not played yet."""
    last: str
    """When the last match was stored, in ISO 8601; empty before the first."""
    tournament: ShownStandings | None = None
    """The standings of a format that goes by results."""


@contextmanager
def reading(folder: Path, since: str = "") -> Iterator[tuple[LeaguePlan, Store | None]]:
    """Yield the league of a folder with its results, which are None before the first.

    With `since`, a time in ISO 8601, it is as it was then: results of later are held back, and
    bots are the versions that had played. Raises ArenaError if it cannot be read.
    """
    league = read_played(folder)
    if not has_database(league):
        yield league, None
        return
    with open_store(league) as store:
        if since:
            store.db.hold_back(datetime.fromisoformat(since))
            league = _as_it_was(league, store)
        yield league, store


def _as_it_was(league: LeaguePlan, store: Store) -> LeaguePlan:
    last = store.bots.last_versions()
    if not last:
        return league  # nothing was played by then: its bots are there, without results
    bots = [
        replace(bot, version=last[bot.key])
        if isinstance(bot, LostBot)
        else replace(bot, plays_as=last[bot.key])
        for bot in league.bots
        if bot.key in last
    ]
    return replace(league, bots=tuple(bots))


def table_view(folder: Path, since: str = "") -> TableView:
    """Return the leaderboard of the league in a folder; with `since`, as it was then.

    Raises ArenaError if the league or its results cannot be read. A league in which nothing was
    played yet has a row for each bot.
    """
    with reading(folder, since) as (league, store):
        stored, last = 0, ""
        if store is not None:  # first: what is stored meanwhile is only read again
            stored = store.record_count()
            last = max((site.last for site in store.tallies.sites()), default="")
        field = public_field(league, store)
        ratings = fit(field.deals, bots=field.bots)
        table = leaderboard(field, ratings, more=True)
        return TableView(
            league=league_name(league),
            game=league.game.name,
            title=league.game.title,
            seats=league.seats,
            rows=[plain(row) for row in table.rows],
            duels=league.seats == 2,
            scored=field.scores is not None,
            less_is_better=league.game.less_is_better,
            notes=list(table.notes),
            suspended=dict(field.suspended),
            matches=field.matches,
            stored=stored,
            asked=field.asked,
            missing=max(0, field.missing),
            last=last,
            tournament=shown_standings(league, store, ratings),
        )


def league_name(league: LeaguePlan) -> str:
    """Return how a league is called: as its folder, which is all that is said of where it is."""
    return safe(league.folder.resolve().name)


def public_field(
    league: LeaguePlan,
    store: Store | None,
    *,
    versions: bool = False,
    without: Collection[str] = (),
) -> Field:
    """Return the field of a league as strangers may see it: without paths and commands.

    With `versions`, all versions of all bots that ever played are in it, except of those whose
    names are in `without`.
    """
    if store is None:
        return _unplayed(league)
    found = field_of(
        league,
        store,
        versions=versions,
        scores=not versions,
        without=without,
        words=WITH_COMMAS,
    )
    if found.scores and not found.scores.matches:
        found = replace(found, scores=None)  # a seat forfeited in each deal
    return replace(
        found,
        name=league_name(league),
        is_for_readers=True,
        remedy=None,  # what is missing stands above the table, and is played in turn
        suspended={bot: _publicly(why) for bot, why in found.suspended.items()},
        asides=tuple(map(safe, _asides(league, store))),
    )


def _asides(league: LeaguePlan, store: Store | None) -> Iterator[str]:
    """Yield what strangers should know of bots that are excluded, or gone, or cannot be run.

    Why they cannot be run names files, so it is not said.
    """
    for gone in league.disqualified:
        yield f"{gone.remark} Its matches do not count."
    for bot in league.lost:
        yield f"{bot.name} cannot be run: its files are not as they should be."
    left = {key for key, _ in store.bots.played()} - league.names.keys() if store else ()
    if left:
        are, their = ("is", "its") if len(left) == 1 else ("are", "their")
        names = ", ".join(sorted(left))
        yield f"{names} {are} no longer in the league: {their} matches do not count."


def _publicly(why: str) -> str:
    """Return why a bot was suspended, as far as strangers may know: others hold its own words."""
    first = why.partition(".")[0]
    if is_too_slow(first.removeprefix("it ")):
        return f"{first}."
    return "its author can read why."


def _unplayed(league: LeaguePlan) -> Field:
    return Field(
        name=league_name(league),
        game=league.game,
        bots=tuple(sorted(bot.name for bot in league.bots)),
        versions={bot.name: bot.version for bot in league.bots},
        deals=Counter(),
        asked=(asked := asked_deals(league, None).match_count),
        missing=asked,
        is_for_readers=True,
        remedy=None,
        anchor=league.anchor,
        words=WITH_COMMAS,
        faults={},
        asides=tuple(map(safe, _asides(league, None))),
    )


def plain(row: Mapping[str, Any]) -> Row:
    """Return a row of a table as it is sent."""
    return {key: dict(value) if isinstance(value, Mapping) else value for key, value in row.items()}
