"""The leaderboard of a field: its deals, rated and ranked, as a table."""

from collections.abc import Sequence
from typing import Any

from arena.field import Field
from arena.stats.ratings import Ratings, fit
from arena.stats.standings import Standing, standings
from arena.tables import Column, Row, Table


def leaderboard(field: Field, notes: Sequence[str] = ()) -> Table:
    """Return the table of a field's bots."""
    ratings = fit(field.deals, bots=field.bots)
    rows = standings(field.deals, ratings, faults=field.faults, forfeits=field.forfeits)
    facts = {
        "game": field.game and field.game.name,
        "matches": field.matches,
        "deals": field.deal_count,
        "missing": field.missing,
        "draw_probability": ratings.draw_probability,
    }
    return Table(
        "standings",
        _columns(field, ratings),
        [_row(row) for row in rows],
        facts,
        [*_notes(field, ratings), *notes],
    )


def _row(standing: Standing) -> dict[str, Any]:
    return {
        "group": standing.group,
        "rank": standing.ranks and list(standing.ranks),
        "bot": standing.bot,
        "rating": standing.mu,
        "error": standing.error,
        "matches": standing.matches,
        "deals": standing.deals,
        "points": standing.points,
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "mean_place": standing.mean_place,
        "faults": dict(standing.faults),
        "forfeits": standing.forfeits,
    }


def _columns(field: Field, ratings: Ratings) -> list[Column]:
    """Return the columns; two seats win, draw and lose, more have places."""
    if field.duels:
        outcome = Column("W/D/L", _win_draw_loss, "right")
    else:
        outcome = Column("Mean place", _mean_place, "right")
    return [
        *([Column("Group", _group, "right")] if len(ratings.groups) > 1 else []),
        Column("Rank", _ranks, "right"),
        Column("Bot", "bot"),
        Column("Rating ± 2σ", _rating, "right"),
        Column("Matches", "matches", "right"),
        Column("Points", _points, "right"),
        outcome,
        Column("Faults", _fault_text, width=16),
    ]


def _group(row: Row) -> str:
    return str(row["group"] or "-")


def _ranks(row: Row) -> str:
    if row["rank"] is None:
        return "-"
    first, last = row["rank"]
    return str(first) if first == last else f"{first}-{last}"


def _rating(row: Row) -> str:
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


def _notes(field: Field, ratings: Ratings) -> list[str]:
    game = f" of {field.game.name}" if field.game else ""
    notes = [
        f"{field.matches} matches{game} in {field.deal_count} whole deals; "
        f"rank: first to last among those not told apart."
    ]
    if field.game and not field.game.decisions:
        notes.append(f"Nobody decides anything in {field.game.name}: this table is pure luck.")
    if len(ratings.groups) > 1:
        notes.append(
            f"{len(ratings.groups)} groups of bots never met each other: ranks and ratings hold "
            f"within a group only."
        )
    if field.missing:
        notes.append(f"{field.missing} matches are missing; `arena run {field.name}` plays them.")
    return notes
