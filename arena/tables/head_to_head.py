"""Two bots of a field against each other, as a table with a sentence."""

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

from arena.stats.elo import elo_lead
from arena.stats.encounters import Encounter, encounters, seated_in
from arena.stats.likelihood import LEAD, draw_margin
from arena.stats.ratings import EXACT, Ratings
from arena.tables.cross_table import KEYS, encounter_row, wins_text
from arena.tables.elo import anchor_in, elo_text
from arena.tables.field import Field
from arena.tables.leaderboard import faults_text
from arena.tables.table import NAME_WIDTH, Column, Row, Table
from arena.text import composed, counted
from protocol.errors import ArenaError
from referee.rules.options import suggestion


def head_to_head(field: Field, ratings: Ratings, bot: str, other: str) -> Table:
    """Return what two bots did against each other: in all, and in each seat where that is known.

    Raises ArenaError unless they are two bots of the field.
    """
    bot, other = composed(bot), composed(other)
    for name in (bot, other):
        if name not in field.bots:
            raise ArenaError(f"{field.name} has no bot {name!r}. {suggestion(name, field.bots)}")
    if bot == other:
        raise ArenaError(f"name two different bots: {bot!r} does not play against itself.")
    rows = [*_rows(field, bot, other), *_rows(field, other, bot)]
    return Table(
        "encounters",
        _columns(field),
        rows,
        _facts(field, ratings, bot, other),
        list(_notes(field, ratings, bot, other)),
        keys=("seat", *KEYS),
        fixed=2 if field.by_seat else 1,
        grids=None if rows else [],
    )


def _encounter(field: Field, bot: str, other: str, seat: int | None = None) -> Encounter | None:
    """Return what a bot did against another, in one seat of its own or in all."""
    both = seated_in(seated_in(field.deals, bot, seat), other)
    return encounters(both).get((bot, other))


def _rows(field: Field, bot: str, other: str) -> Iterator[dict[str, Any]]:
    seats = max((len(result.bots) for result in field.results), default=0) if field.by_seat else 0
    for seat in (None, *range(seats)):
        encounter = _encounter(field, bot, other, seat)
        if encounter:
            yield {"seat": seat, **encounter_row((bot, other), encounter)}


SEAT = Column("Seat", lambda row: "any" if row["seat"] is None else str(row["seat"]), "right")


def _columns(field: Field) -> list[Column]:
    return [
        Column("Bot", "bot", width=NAME_WIDTH),
        *([SEAT] if field.by_seat else []),
        *share_columns(field),
    ]


def share_columns(field: Field) -> list[Column]:
    """Return the columns of an `encounter_row`, but for whom it is about."""
    return [
        Column("Matches", "matches", "right"),
        Column("Deals", "deals", "right"),
        Column("W/D/L", wins_text, "right"),
        Column("Points", lambda row: f"{100 * row['points']:.1f} %", "right"),
        Column("95 %", lambda row: _interval(row["low"], row["high"]), "right"),
        *([] if field.duels else [Column("Place", _mean_place, "right")]),
    ]


def _mean_place(row: Row) -> str:
    return f"{row['mean_place']:.2f}"


def _interval(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def _facts(field: Field, ratings: Ratings, bot: str, other: str) -> dict[str, Any]:
    gap = _gap(ratings, bot, other)
    faults, forfeits = _faults(field, bot, other)
    return {
        **field.facts,
        "bot": bot,
        "other": other,
        "rating_gap": gap,
        "rating_gap_error": None if gap is None else ratings.error_between(bot, other),
        "win_chance": None if gap is None else _win_chance(ratings, gap),
        "faults": faults,
        "forfeits": forfeits,
    }


def _faults(field: Field, *bots: str) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
    """Return the faults of bots by kind, and their forfeits, in all matches."""
    found = field.faults or {}
    faults = {bot: dict(sorted(found.get(bot, {}).items())) for bot in bots}
    return faults, {bot: field.forfeits.get(bot, 0) for bot in bots}


def _gap(ratings: Ratings, bot: str, other: str) -> float | None:
    """Return by how much a bot is rated above another; None if their ratings do not compare."""
    if not ratings.are_linked(bot, other):
        return None
    return ratings.bots[bot].mu - ratings.bots[other].mu


def _win_chance(ratings: Ratings, gap: float) -> float:
    """Return the chance to win a match, and not to draw it."""
    return NormalDist().cdf((gap - draw_margin(ratings.draw_probability)) / LEAD)


def _notes(field: Field, ratings: Ratings, bot: str, other: str) -> Iterator[str]:
    encounter = _encounter(field, bot, other)
    if encounter is None:
        yield f"{bot} and {other} never met in the matches that count."
    else:
        yield _verdict(field, bot, other, encounter)
    gap = _gap(ratings, bot, other)
    if gap is None:
        yield "No other bots link them: their ratings cannot be compared."
    elif round(gap, EXACT) == 0:
        yield f"By all matches {bot} and {other} are rated equal."
    else:
        better, worse = (bot, other) if gap > 0 else (other, bot)
        yield _rated(field, ratings, better, worse, abs(gap))
    if encounter and not field.duels:
        yield (
            "W/D/L: matches with the better, the same and the worse place of the two. Place: the "
            "mean place among all bots of those matches."
        )
    yield from _fault_note(field, bot, other)
    yield from field.remarks


def _verdict(field: Field, bot: str, other: str, encounter: Encounter) -> str:
    if encounter.lead < 0:
        bot, other = other, bot
        turned = _encounter(field, bot, other)
        assert turned
        encounter = turned
    share = (
        f"{100 * encounter.points.mean:.1f} % of the points in "
        f"{counted(encounter.points.deals, 'deal')} "
        f"(95 % interval {_interval(*encounter.points.interval)})."
    )
    if encounter.lead:
        return f"By their own matches {bot} is surely ahead of {other}: {share}"
    return f"By their own matches {bot} and {other} cannot be separated: {bot} has {share}"


def _rated(field: Field, ratings: Ratings, better: str, worse: str, gap: float) -> str:
    doubt = ratings.error_between(better, worse)
    told = "surely leads" if ratings.separated(better, worse) else "leads, but not surely,"
    lead = f"{gap:.2f} ± {2 * doubt:.2f}"
    elo = ""
    if anchor_in(field, ratings, None):
        elo = f" ({elo_text(elo_lead(gap, doubt, ratings.draw_probability))} Elo)"
    return (
        f"By all matches {better} {told} by {lead} mu points{elo}: a chance of "
        f"{100 * _win_chance(ratings, gap):.1f} % to win a match against {worse}."
    )


def _fault_note(field: Field, bot: str, other: str) -> Iterator[str]:
    faults, forfeits = _faults(field, bot, other)
    texts = {name: faults_text(faults[name], forfeits[name]) for name in (bot, other)}
    if said := [f"{name} {text}" for name, text in texts.items() if text]:
        yield f"Faults in all matches: {'; '.join(said)}."
