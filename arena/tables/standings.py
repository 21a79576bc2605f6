"""How a tournament stands, in the form of its format: its tables, and its bracket as a picture."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from arena.league.plan import LeaguePlan
from arena.schedule.rounds import Lineup, StandingsGrid
from arena.stats.elo import Anchor
from arena.stats.ratings import Ratings, fit
from arena.store.departures import answers_under_way
from arena.store.opening import open_store, read_played
from arena.store.store import Store
from arena.store.tournament import Tournament, asked_deals
from arena.tables.elo import ELO_KEYS, elo_in, elo_values, of_elo, rating_column, rating_text
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from arena.tables.sources import asides_of, field_of
from arena.tables.table import NAME_WIDTH, Column, Row, Sheet, Table
from arena.text import counted, safe
from protocol.errors import ArenaError

Rate = Callable[[Field], Ratings]

_MOST_LINEUPS = 40  # of a round that are shown
_INITIALS = 2  # letters of a header that stands for two words


class ShownGrid(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the standings, as text."""

    title: str
    headers: list[str]
    words: list[bool]
    """Which columns hold words, others hold numbers."""
    rows: list[list[str]]


class ShownStandings(msgspec.Struct, frozen=True, kw_only=True):
    """How a tournament stands, as a page shows it."""

    grids: list[ShownGrid]
    picture: list[str]
    notes: list[str]


def read_ranking(folder: Path, rate: Rate, *, by_results: bool = False) -> list[Table]:
    """Return what `ranking` does of the league in a folder, also before anything was played.

    Raises ArenaError if it has no database, unless its format goes by results; and if it does not,
    where that is asked for.
    """
    league = read_played(folder)
    if by_results and not league.goes_by_results:
        raise ArenaError(
            f"{folder} is played as {league.settings.tournament!r}, which has no standings but the "
            f"ratings: leave out --by."
        )
    if league.goes_by_results and not league.database.is_file():
        return [standings_table(league, None, fit({}, bots=[bot.name for bot in league.bots]))]
    with open_store(league) as store:
        return ranking(league, store, rate)


def ranking(
    league: LeaguePlan,
    store: Store,
    rate: Rate,
    remedy: str | None = None,
    *,
    is_for_readers: bool = False,
) -> list[Table]:
    """Return how a league stands: its leaderboard, after its standings if it goes by results.

    A `remedy` says how missing matches are got, unless they are missing by somebody's doing.
    """
    begun = _under_way(league, store) if league.limits.pace == "slow" else ()
    said = (*asides_of(league, store), *begun)
    field = replace(field_of(league, store), asides=said, is_for_readers=is_for_readers)
    if remedy is not None and not field.suspended:
        field = replace(field, remedy=remedy)
    ratings = rate(field)
    table = leaderboard(field, ratings)
    if not league.goes_by_results:
        return [table]
    first = standings_table(league, store, ratings)
    facts = dict(first.facts)
    for facet in field.facets:
        facts |= facet.facts
    below = Sheet(table.columns, table.rows, table.fixed, title="Ratings")
    notes = [note for note in table.notes if note not in first.notes]
    return [
        replace(first, facts=facts),
        replace(table, grids=[below], notes=notes),
    ]


def _under_way(league: LeaguePlan, store: Store) -> Iterator[str]:
    """Yield how many of a slow league's matches are under way, in a sentence, if any are."""
    deals = frozenset(map(league.schedule.deal_id, asked_deals(league, store).plan()))
    try:
        answers = answers_under_way(league, deals)
    except ArenaError:
        yield "How many matches are under way cannot be read."
        return
    if answers:
        matches = counted(len(answers), "match is", "matches are")
        yield f"{matches} under way, with {counted(sum(answers), 'answer')}."


def standings_table(league: LeaguePlan, store: Store | None, ratings: Ratings) -> Table:
    """Return the standings of a league that goes by results, with the ratings of its bots.

    Without a store, nothing was played yet.
    """
    tournament = Tournament(league, store)
    found = tournament.standings()
    sheets = [_sheet(grid) for grid in found.grids]
    anchor = league.anchor if league.anchor and league.anchor[0] in ratings.bots else None
    first = _rated(sheets[0], ratings, anchor) if sheets else Sheet((), ())
    if sheets and (playing := tournament.playing):
        sheets.append(_playing(tournament, playing))
    return Table(
        name="standings",
        columns=first.columns,
        rows=first.rows,
        facts={
            "tournament": league.settings.tournament,
            "rounds": len(tournament.past),
            "progress": tournament.progress,
            "tables": {sheet.title: sheet.rows for sheet in sheets[1:]},
        },
        notes=[
            *(safe(note) for note in dict.fromkeys([tournament.progress, *found.notes])),
            *([of_elo(anchor)] if anchor else []),
        ],
        keys=[
            *(found.grids[0].headers if sheets else ()),
            "rating",
            "error",
            *(ELO_KEYS if anchor else ()),
        ],
        grids=[first, *sheets[1:]] if sheets else [],
        picture=[safe(line) for line in found.drawing],
    )


def _sheet(grid: StandingsGrid) -> Sheet:
    rows = [dict(zip(grid.headers, row, strict=True)) for row in grid.rows]
    columns = [
        Column(
            _title(header),
            _text_of(header),
            "left" if any(isinstance(row[header], str) for row in rows) else "right",
            width=NAME_WIDTH,
        )
        for header in grid.headers
    ]
    return Sheet(columns, rows, title=grid.title)


def _title(header: str) -> str:
    """Return what stands above a column, given its key."""
    words = header.replace("_", " ")
    return words.upper() if len(words) == _INITIALS else words[:1].upper() + words[1:]


def _rated(sheet: Sheet, ratings: Ratings, anchor: Anchor | None) -> Sheet:
    """Return the table of the bots' places with their ratings beside them."""
    elo = elo_in(ratings, anchor)
    rows = []
    for row in sheet.rows:
        rating = ratings.bots.get(row["bot"])
        both = (None, None) if rating is None or not rating.deals else (rating.mu, rating.error)
        rows.append({**row, "rating": both[0], "error": both[1], **elo_values(elo, row["bot"])})
    column = replace(rating_column(anchor), cell=_rating)
    return replace(sheet, columns=[*sheet.columns, column], rows=rows)


def _rating(row: Row) -> str:
    return "" if row["rating"] is None else rating_text(row)


def _playing(tournament: Tournament, playing: Sequence[tuple[Lineup, int]]) -> Sheet:
    """Return the table of the line-ups of the round that is not over."""
    rows = [
        {"bots": ", ".join(map(tournament.called, lineup)), "deals": deals}
        for lineup, deals in playing[:_MOST_LINEUPS]
    ]
    more = len(playing) - len(rows)
    said = f", and {more} more line-ups" if more else ""
    columns = [
        Column("Bots", _text_of("bots"), width=NAME_WIDTH),
        Column("Deals", "deals", "right"),
    ]
    return Sheet(columns, rows, title=f"Round {len(tournament.past) + 1}{said}")


def _text_of(header: str) -> Callable[[Row], str]:
    """Return what makes the text of a column's cells."""

    def text(row: Row) -> str:
        value = row[header]
        if value is None:
            return ""
        if isinstance(value, float):
            return f"{value:.3f}".rstrip("0").rstrip(".")
        return safe(str(value))

    return text


def shown_standings(
    league: LeaguePlan, store: Store | None, ratings: Ratings
) -> ShownStandings | None:
    """Return the standings for a page; None for a league that does not go by results."""
    if not league.goes_by_results:
        return None
    table = standings_table(league, store, ratings)
    return ShownStandings(
        grids=[
            ShownGrid(
                title=sheet.title,
                headers=[column.title for column in sheet.columns],
                words=[column.align == "left" for column in sheet.columns],
                rows=[[column.text(row) for column in sheet.columns] for row in sheet.rows],
            )
            for sheet in table.grids or ()
        ],
        picture=list(table.picture),
        notes=list(table.notes),
    )
