"""What a bot's page shows: its versions, its rating over time, and whom it met how."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import msgspec

from arena.report.charts import rating_chart
from arena.report.progress import Point, progress
from arena.serve.views import Row, league_name, plain, public_field, reading
from arena.stats.outcomes import Result
from arena.stats.ratings import fit
from arena.store.rows import BotVersion
from arena.store.tallies import Span
from arena.tables.cross_table import cross_table
from arena.tables.leaderboard import leaderboard
from arena.tables.sources import title_of
from arena.tables.table import Row as TableRow
from arena.tables.table import Table
from protocol.errors import Refusal

_MOST_LINES = 12  # versions that are drawn, the last ones


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot; rated among all versions of all bots that ever played."""

    version: str
    """The hash of what was run."""
    title: str
    """How ratings over time call it."""
    present: bool
    """Whether it is the one that plays."""
    first: str
    """When its first match was stored, in ISO 8601; empty if it has played none."""
    last: str
    matches: int
    """The matches that its rating counts."""
    rating: float
    error: float
    elo: float | None = None
    """Its strength on Elo's scale, if the league has an anchor, and matches link it with that."""
    elo_error: float | None = None
    rank: list[int] | None
    points: float | None
    faults: dict[str, int]
    forfeits: int


class RatedPoint(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot's versions were rated when so many matches of the league were played."""

    matches: int
    ratings: dict[str, tuple[float, float]]
    """Rating and standard error by the version's title."""
    elo: dict[str, tuple[float, float | None]] = {}
    """The same on Elo's scale, if the league has an anchor."""


class BotView(msgspec.Struct, frozen=True, kw_only=True):
    """All that the page of a bot shows to everybody."""

    league: str
    game: str
    bot: str
    present: bool
    """Whether it is in the league now."""
    disqualified: str = ""
    """Why it was disqualified, in a sentence; empty if it was not."""
    duels: bool
    row: Row | None
    """Its row in the leaderboard, if it is in it."""
    suspended: str
    """Why it was suspended, as far as strangers may know; empty if it was not."""
    versions: list[Version]
    """The newest first."""
    points: list[RatedPoint]
    picture: str
    """The same as SVG, which runs nothing; empty if there is not enough to draw."""
    opponents: list[Row]
    """One for each present bot that it met, with the keys of `arena table --format json`."""


def bot_view(folder: Path, bot: str, since: str = "") -> BotView:
    """Return the page of a bot that is or was in the league of a folder; with `since`, as then.

    Raises ArenaError if it never was, or if the league or its results cannot be read.
    """
    with reading(folder, since) as (league, store):
        present = frozenset(BotVersion(each.name, each.version) for each in league.bots)
        spans = {each: Span("", "", 0) for each in present if each.name == bot}
        is_present = bool(spans)
        if store is not None:
            played = store.tallies.spans()
            spans |= {each: span for each, span in played.items() if each.name == bot}
        if not spans:
            raise Refusal(404, f"there is no bot {bot!r} in this league, and never was.")
        field = public_field(league, store)
        ratings = fit(field.deals, bots=field.bots)
        rated: Mapping[str, TableRow] = {}
        ratings_then: Sequence[Point] = ()
        if store is not None:
            size = _size(store.record_count())
            without = frozenset(each.name for each in league.disqualified) - {bot}
            rated, ratings_then = _history(folder, since, present, without, (league.anchor, size))
        versions = _versions(spans, rated, present)
        points = list(_own(ratings_then, {_title(each, present) for each in spans}))
        return BotView(
            league=league_name(league),
            game=league.game.name,
            bot=bot,
            present=is_present,
            disqualified=next((e.remark for e in league.disqualified if e.name == bot), ""),
            duels=league.seats == 2,
            row=next(map(plain, _rows_of(bot, leaderboard(field, ratings))), None),
            suspended=field.suspended.get(bot, ""),
            versions=versions,
            points=[_rated(point) for point in points],
            picture=_picture(points, versions),
            opponents=[*map(plain, _rows_of(bot, cross_table(field, ratings, "points")))],
        )


def _rows_of(bot: str, table: Table) -> Iterator[TableRow]:
    return (row for row in table.rows if row["bot"] == bot)


@lru_cache(maxsize=16)
def _history(
    folder: Path,
    since: str,
    present: frozenset[BotVersion],
    without: frozenset[str],
    _state: object,
) -> tuple[Mapping[str, TableRow], Sequence[Point]]:
    """Return the rows, by title, and the ratings over time of all versions that ever played.

    Matches of the bots whose names are in `without` do not count. The rest are rated together,
    which takes long: it is kept until the bots or that `_state` of the league are others.
    """
    with reading(folder, since) as (league, store):
        assert store is not None
        field = public_field(league, store, versions=True, without=without)
        ratings = fit(field.deals, bots=field.bots)
        results = {
            number: Result(tuple(_title(bot, present) for bot in each.bots), each.places)
            for number, each in store.tallies.results().items()
            if without.isdisjoint(bot.name for bot in each.bots)
        }
        rows = {row["bot"]: row for row in leaderboard(field, ratings).rows}
        return rows, progress(league, store, field, ratings, results)


def _size(stored: int) -> int:
    """Return what is another number once a twentieth more matches are stored."""
    return int(math.log(1 + stored) / math.log(1.05))


def _title(bot: BotVersion, present: Collection[BotVersion]) -> str:
    return bot.name if bot in present else title_of(bot)


def _own(points: Iterable[Point], titles: Collection[str]) -> Iterator[Point]:
    """Yield points with the versions of one bot alone, each for as long as it played."""
    deals = dict.fromkeys(titles, 0)
    for point in points:
        own = {}
        for title in deals.keys() & point.ratings.keys():
            rating = point.ratings[title]
            if rating.deals > deals[title]:
                own[title] = rating
            deals[title] = rating.deals
        yield replace(point, ratings=own)


def _versions(
    spans: Mapping[BotVersion, Span], rows: Mapping[str, TableRow], present: Collection[BotVersion]
) -> list[Version]:
    """Return the versions that have rows, the newest first, and the present one before all."""
    known = {bot: row for bot in spans if (row := rows.get(_title(bot, present))) is not None}
    found = [
        Version(
            version=bot.version,
            title=_title(bot, present),
            present=bot in present,
            first=spans[bot].first,
            last=spans[bot].last,
            matches=row["matches"],
            rating=row["rating"],
            error=row["error"],
            elo=row.get("elo"),
            elo_error=row.get("elo_error"),
            rank=row["rank"],
            points=row["points"],
            faults=dict(row["faults"]),
            forfeits=row["forfeits"],
        )
        for bot, row in known.items()
    ]
    return sorted(found, key=lambda each: (each.present, each.first, each.title), reverse=True)


def _rated(point: Point) -> RatedPoint:
    return RatedPoint(
        matches=point.matches,
        ratings={title: (each.mu, each.error) for title, each in point.ratings.items()},
        elo={title: each for title, each in point.elo.items() if title in point.ratings},
    )


def _picture(points: Iterable[Point], versions: Iterable[Version]) -> str:
    """Return the picture of the ratings of versions; empty for less than two points."""
    drawn = [point for point in points if point.ratings]
    if len(drawn) < 2:
        return ""
    shown = {title for point in drawn for title in point.ratings}
    titles = [each.title for each in versions if each.title in shown]
    return rating_chart(drawn, titles[:_MOST_LINES])
