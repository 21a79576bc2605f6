"""The leaderboard of a field: its bots, rated and ranked, as a table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.stats.encounters import cycles, encounters, never_crossed
from arena.stats.ratings import FEWEST_DEALS, Ratings
from arena.stats.standings import Standing, standings
from arena.store.result import Spent
from arena.tables.field import Field
from arena.tables.table import NAME_WIDTH, Column, Row, Style, Table
from arena.text import counted
from protocol.errors import ArenaError

RANKS = "A rank is a range: bots that the results cannot separate share it."
"""What a reader must know of ranks."""
KEYS = (
    *(
        "group",
        "rank",
        "bot",
        "version",
        "rating",
        "error",
        "matches",
        "deals",
        "points",
        "wins",
        "draws",
    ),
    *("losses", "mean_place", "faults", "forfeits"),
)
OF_TIMES = (
    "Decisions and their times are those of all matches; times vary with the machine. In bwrap, "
    "only a bot's wall time is measured, not its CPU time."
)
"""What a reader of times should know."""
_NAMED_GAPS = 3
_TIME_KEYS = ("decisions", "cpu_per_decision", "wall_per_decision", "longest_cpu")


def leaderboard(
    field: Field, ratings: Ratings, notes: Sequence[str] = (), *, faults: bool = False
) -> Table:
    """Return the table of a field's bots, with times if the field has them.

    With `faults`, every kind of them has a column; otherwise all stand in one. Raises
    ArenaError if they are asked for and not known.
    """
    if faults and field.faults is None:
        raise ArenaError(f"{field.name} is a file of results, which has no faults; name a league.")
    rows = [
        {**_row(field, standing), **_times(standing.bot, field.times)}
        for standing in standings(
            field.deals, ratings, faults=field.faults, forfeits=field.forfeits
        )
    ]
    many = len(ratings.groups) > 1
    columns = [
        *([Column("Group", _group, "right")] if many else []),
        Column("Rank", ranks_text, "right"),
        Column("Bot", "bot", width=NAME_WIDTH),
        Column("Rating ± 2σ", rating_text, "right"),
        Column("Matches", "matches", "right"),
        Column("Points", _points, "right"),
        Column("W/D/L", _win_draw_loss, "right")
        if field.duels
        else Column("Mean place", _mean_place, "right"),
        *(_fault_columns(rows) if faults else [_FAULTS] if field.faults is not None else []),
        *(_TIMES if field.times is not None else []),
    ]
    facts = {
        **field.facts,
        "draw_probability": ratings.draw_probability,
        **_misfits(field, ratings, rows),
    }
    said = [*_notes(field, ratings, rows, facts), *notes]
    keys = (*KEYS, *(_TIME_KEYS if field.times is not None else ()))
    return Table("standings", columns, rows, facts, said, keys, fixed=3 if many else 2)


def _row(field: Field, standing: Standing) -> dict[str, Any]:
    return {
        "group": standing.group,
        "rank": standing.ranks and list(standing.ranks),
        "bot": standing.bot,
        "version": field.versions.get(standing.bot),
        "rating": standing.mu,
        "error": standing.error,
        "matches": standing.matches,
        "deals": standing.deals,
        "points": standing.points,
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "mean_place": standing.mean_place,
        "faults": None if field.faults is None else dict(standing.faults),
        "forfeits": None if field.faults is None else standing.forfeits,
    }


def _times(bot: str, spent: Mapping[str, Spent] | None) -> dict[str, Any]:
    """Return a bot's decisions and their times, in seconds, if they are known."""
    if spent is None:
        return {}
    its = spent.get(bot, Spent.nothing())
    cpu, wall = (
        total / its.decisions / 1e6 if its.decisions else None for total in (its.cpu, its.wall)
    )
    values = (its.decisions, cpu, wall, its.longest / 1e6)
    return dict(zip(_TIME_KEYS, values, strict=True))


def _group(row: Row) -> str:
    return str(row["group"] or "-")


def ranks_text(row: Row) -> str:
    """Return the interval of a row's rank."""
    if row["rank"] is None:
        return "-"
    first, last = row["rank"]
    return str(first) if first == last else f"{first}-{last}"


def rating_text(row: Row) -> str:
    """Return a row's rating and what it may be off by."""
    return f"{row['rating']:.2f} ± {2 * row['error']:.2f}"


def _points(row: Row) -> str:
    return "-" if row["points"] is None else f"{100 * row['points']:.1f} %"


def _win_draw_loss(row: Row) -> str:
    return f"{row['wins']}/{row['draws']}/{row['losses']}"


def _mean_place(row: Row) -> str:
    return "-" if row["mean_place"] is None else f"{row['mean_place']:.2f}"


def _fault_text(row: Row) -> str:
    kinds = [f"{count} {kind}" for kind, count in row["faults"].items()]
    if row["forfeits"]:
        kinds.append(f"forfeits {row['forfeits']}")
    return ", ".join(kinds)


def _fault_style(row: Row) -> Style | None:
    return "warning" if row["faults"] or row["forfeits"] else None


_FAULTS = Column("Faults", _fault_text, width=16, style=_fault_style)


def _fault_columns(rows: Sequence[Row]) -> list[Column]:
    """Return a column for every kind of fault that there was, and one for forfeits."""

    def column(kind: str) -> Column:
        return Column(kind.capitalize(), lambda row: str(row["faults"].get(kind, 0)), "right")

    kinds = sorted({kind for row in rows for kind in row["faults"]})
    return [*map(column, kinds), Column("Forfeits", "forfeits", "right", style=_fault_style)]


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.3f}"


_TIMES = (
    Column("Decisions", "decisions", "right"),
    Column("CPU ms each", lambda row: _milliseconds(row["cpu_per_decision"]), "right"),
    Column("Wall ms each", lambda row: _milliseconds(row["wall_per_decision"]), "right"),
    Column("Longest CPU ms", lambda row: _milliseconds(row["longest_cpu"]), "right"),
)


def _notes(
    field: Field, ratings: Ratings, rows: Sequence[Row], facts: Mapping[str, Any]
) -> list[str]:
    notes = [f"{field.extent}. {RANKS}"]
    if len(ratings.groups) > 1:
        notes.append(
            f"{len(ratings.groups)} groups of bots never met each other: ranks and ratings hold "
            f"within a group, and say nothing between groups."
        )
    few = [row["bot"] for row in rows if row["rank"] and row["deals"] < FEWEST_DEALS]
    if few:
        notes.append(
            f"Not distinguished from any bot, with fewer than {FEWEST_DEALS} deals: "
            f"{', '.join(few)}."
        )
    alone = [bot for bot in ratings.bots if not any(bot in group for group in ratings.groups)]
    if alone:
        notes.append(f"Not ranked, having played no whole deal: {', '.join(alone)}.")
    notes += _of_cycles(facts["cycles"])
    notes += _of_gaps(facts["gaps"])
    if forfeited := [_forfeited(field, row) for row in rows if row["forfeits"]]:
        notes.append(f"Lost by forfeit: {', '.join(forfeited)}.")
    if field.times is not None:
        notes.append(OF_TIMES)
    return [*notes, *field.remarks]


def _misfits(field: Field, ratings: Ratings, rows: Sequence[Row]) -> dict[str, list[list[str]]]:
    """Return what no rating can show: cycles of bots, and gaps whose width is a guess.

    A gap is named by the bots above and below it.
    """
    met = encounters(field.deals)
    gaps = [
        [above, below]
        for group in range(1, len(ratings.groups) + 1)
        for above, below in never_crossed(
            met, [row["bot"] for row in rows if row["group"] == group], duels=field.duels
        )
        if ratings.separated(above, below)
    ]
    found = cycles(met, [row["bot"] for row in rows])
    return {"cycles": [list(cycle) for cycle in found], "gaps": gaps}


def _of_cycles(found: Sequence[Sequence[str]]) -> Iterator[str]:
    if found:
        first, second, third = found[0]
        also = f", and {counted(len(found) - 1, 'more cycle')}" if found[1:] else ""
        yield (
            f"No rating can show that {first} surely beats {second}, {second} surely beats "
            f"{third}, and {third} surely beats {first}{also}: see `arena table`."
        )


def _of_gaps(found: Sequence[Sequence[str]]) -> Iterator[str]:
    if found:
        named = "; ".join(f"{above} and {below}" for above, below in found[:_NAMED_GAPS])
        more = f", and {len(found) - _NAMED_GAPS} more" if found[_NAMED_GAPS:] else ""
        yield (
            f"The width of the gap is unknown between {named}{more}: no bot below ever beat a bot "
            f"above."
        )


def _forfeited(field: Field, row: Row) -> str:
    """Return how many matches a bot forfeited, and of how many that it lost if these are them.

    Matches that are left out count among forfeits only, and where all forfeit it may be a draw.
    """
    forfeits, losses = row["forfeits"], row["losses"]
    is_part = not (field.waiting or field.repeats) and forfeits <= losses
    return f"{row['bot']} {forfeits}{f' of its {losses} losses' if is_part else ''}"
