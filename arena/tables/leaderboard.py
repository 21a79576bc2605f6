"""The leaderboard of a field: its bots, rated and ranked, as a table."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from arena.stats.elo import Anchor
from arena.stats.encounters import Mean
from arena.stats.pairs import Neighbours
from arena.stats.ratings import FEWEST_DEALS, Ratings
from arena.stats.scores import shown_error
from arena.stats.standings import Standing, standings
from arena.store.result import Spent
from arena.tables import costs, linked, misfits, quiet, trips, unforfeited
from arena.tables.elo import (
    ELO_KEYS,
    anchor_facts,
    anchor_in,
    elo_in,
    elo_values,
    of_elo,
    rating_column,
)
from arena.tables.field import Field
from arena.tables.more_deals import more_facts, of_more, still_close
from arena.tables.table import NAME_WIDTH, Column, Exact, Row, Style, Table
from protocol.errors import ArenaError
from referee.limits import NO_GRANT

By: TypeAlias = Literal["rating", "score"]
"""What a leaderboard may be sorted by."""
RANKS = "A rank is a range: bots that the results cannot separate share it."
"""What a reader must know of ranks."""
TOGETHER = (
    "Ranks hold for the whole table at once: if all bots were equal, in 95 % of tables all would "
    "share one range."
)
"""The same of ranks for all pairs together."""
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
    "Decisions and their times are those of all matches; times vary with the machine, and `arena "
    "doctor --timing` says what spoils them there. In bwrap, only a bot's wall time is measured, "
    "not its CPU time; of a remote bot nobody here sees it."
)
"""What a reader of times should know."""
_SCORE_KEYS = ("score", "score_error", "score_deals")
_TIME_KEYS = ("decisions", "cpu_per_decision", "wall_per_decision", "longest_cpu")


def leaderboard(
    field: Field,
    ratings: Ratings,
    notes: Sequence[str] = (),
    *,
    faults: bool = False,
    by: By = "rating",
    together: bool = False,
    anchor: Anchor | None = None,
    without: Ratings | None = None,
) -> Table:
    """Return the table of a field's bots, with times and scores if the field has them.

    With `faults`, every kind of them has a column; otherwise all stand in one. Ranks hold pair by
    pair, or for all pairs `together`. With an `anchor`, by default the league's, ratings are shown
    on Elo's scale. `without` are the ratings of the deals without forfeits, to stand beside. Raises
    ArenaError if faults, the scores to sort by, or the anchor are asked for and not known.
    """
    if faults and field.faults is None:
        raise ArenaError(f"{field.name} is a file of results, which has no faults; name a league.")
    if by == "score":
        _check_scored(field)
    means = field.scores.means() if field.scores else None
    anchor = anchor_in(field, ratings, anchor)
    elo = elo_in(ratings, anchor)
    beside = {} if without is None else unforfeited.values_of(ratings, without, anchor)
    rows = [
        {
            **_row(field, standing),
            **beside.get(standing.bot, {}),
            **elo_values(elo, standing.bot),
            **_scored(standing.bot, means),
            **_times(standing.bot, field),
            **trips.values_of(standing.bot, field.trips),
            **costs.values_of(standing.bot, field.costs),
        }
        for standing in standings(
            field.deals,
            ratings,
            faults=field.faults,
            forfeits=field.forfeits,
            together=together,
        )
    ]
    many = len(ratings.groups) > 1
    columns = [
        *([Column("Group", _group, "right")] if many else []),
        Column("Rank", ranks_text, "right"),
        Column("Bot", "bot", width=NAME_WIDTH),
        *([_SCORE] if means is not None else []),
        rating_column(anchor),
        *([unforfeited.column(anchor)] if beside else []),
        Column("Matches", "matches", "right"),
        Column("Points", _points, "right"),
        Column("W/D/L", _win_draw_loss, "right")
        if field.duels
        else Column("Mean place", _mean_place, "right"),
        *(_fault_columns(rows) if faults else [_FAULTS] if field.faults is not None else []),
        *(_TIMES if field.times is not None else []),
        *([trips.column()] if field.trips else []),
        *(costs.columns() if field.costs is not None else []),
    ]
    close = still_close(ratings, together=together)
    facts = {
        **field.facts,
        "draw_probability": ratings.draw_probability,
        **anchor_facts(anchor),
        **_facts_of_scores(field),
        **(unforfeited.facts_of(field) if beside else {}),
        **quiet.facts_of(field),
        **linked.facts_of(field, ratings),
        **misfits.facts_of(field, ratings, rows),
        "more_deals": more_facts(close),
    }
    said = [
        *_notes(field, ratings, rows, facts, close),
        *([TOGETHER] if together else []),
        *notes,
    ]
    if anchor is not None:
        said.insert(1, of_elo(anchor))
    if beside:
        said.append(unforfeited.note_of(field, rows))
    if by == "score":
        rows.sort(key=lambda row: _place_by_score(field, row))
    scored = () if means is None else _SCORE_KEYS
    keys = (
        *KEYS,
        *(unforfeited.keys(anchor) if beside else ()),
        *(ELO_KEYS if anchor else ()),
        *scored,
        *(_TIME_KEYS if field.times is not None else ()),
        *(trips.TRIP_KEYS if field.trips else ()),
        *(costs.COST_KEYS if field.costs is not None else ()),
    )
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


def _check_scored(field: Field) -> None:
    """Raise ArenaError if there are matches, and no scores to sort by."""
    if field.scores is None:
        whose = field.game.name if field.game else field.name
        raise ArenaError(f"--by score: {whose} has no scores; leave it out to rank by rating.")
    if field.matches and not field.scores.matches:
        raise ArenaError(
            f"--by score: no whole deal of {field.name} has scores, as {_unscored(field)}; leave "
            f"it out to rank by rating."
        )


def _unscored(field: Field) -> str:
    """Return in a clause how many matches have no scores, and why."""
    assert field.scores is not None
    count = field.counted(field.scores.unscored, "match has", "matches have")
    return f"{count} none" + (" (a seat forfeited)" if field.game else "")


def _scored(bot: str, means: Mapping[str, Mean] | None) -> dict[str, Any]:
    """Return a bot's mean score a match, if scores are known."""
    if means is None:
        return {}
    mean = means.get(bot, Mean())
    values = (mean.mean if mean.deals else None, shown_error(mean), mean.deals)
    return dict(zip(_SCORE_KEYS, values, strict=True))


def _place_by_score(field: Field, row: Row) -> tuple[float, bool, float, str]:
    """Return the key by which a row is sorted: within its group, the best score first."""
    is_less_better = field.game is not None and field.game.less_is_better
    score = row["score"] or 0.0
    group = row["group"] or math.inf  # who met nobody is in none
    return group, row["score"] is None, score if is_less_better else -score, row["bot"]


def _facts_of_scores(field: Field) -> dict[str, Any]:
    """Return what the scores are, and how many matches are left out of them, if they are known."""
    if field.scores is None:
        return {}
    return {
        "score": field.game.score if field.game else None,
        "less_is_better": field.game is not None and field.game.less_is_better,
        "scored": field.scores.matches,
        "unscored": field.scores.unscored,
        "scored_waiting": field.scores.waiting,
    }


def _times(bot: str, field: Field) -> dict[str, Any]:
    """Return a bot's decisions and their times, in seconds, if they are known."""
    if field.times is None:
        return {}
    its = field.times.get(bot, Spent.nothing())
    cpu, wall = (
        Exact(round(total / its.decisions / 1e6, 9)) if its.decisions else None
        for total in (its.cpu, its.wall)
    )
    if field.grants.get(bot, NO_GRANT).remote:
        return dict(zip(_TIME_KEYS, (its.decisions, None, wall, None), strict=True))
    values = (its.decisions, cpu, wall, Exact(its.longest / 1e6))
    return dict(zip(_TIME_KEYS, values, strict=True))


def _group(row: Row) -> str:
    return str(row["group"] or "-")


def ranks_text(row: Row) -> str:
    """Return the interval of a row's rank."""
    if row["rank"] is None:
        return "-"
    first, last = row["rank"]
    return str(first) if first == last else f"{first}-{last}"


def score_text(row: Row, form: str = ".2f") -> str:
    """Return a row's mean score and what it may be off by."""
    if row["score"] is None:
        return "-"
    if row["score_error"] is None:
        return f"{row['score']:{form}}"
    return f"{row['score']:{form}} ± {2 * row['score_error']:{form}}"


_SCORE = Column("Score ± 2σ", score_text, "right")


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
    field: Field,
    ratings: Ratings,
    rows: Sequence[Row],
    facts: Mapping[str, Any],
    close: Neighbours | None,
) -> list[str]:
    notes = [f"{field.extent}. {RANKS}", *_of_scores(field, rows)]
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
    notes += of_more(field, close)
    notes += misfits.notes_of(facts["cycles"], facts["gaps"])
    notes += linked.notes_of(field, ratings)
    if forfeited := [_forfeited(field, row) for row in rows if row["forfeits"]]:
        notes.append(f"Lost by forfeit: {', '.join(forfeited)}.")
    if field.times is not None:
        notes += [OF_TIMES, *quiet.notes_of(field)]
    if field.trips:
        notes.append(trips.OF_TRIPS)
    if field.costs is not None:
        notes.append(costs.OF_COSTS)
    return [*notes, *field.remarks]


def _of_scores(field: Field, rows: Sequence[Row]) -> Iterator[str]:
    """Yield what a reader must know of scores, if they are shown."""
    if field.scores is None:
        return
    what = f"{field.game.score}; " if field.game else ""
    best = "less" if field.game and field.game.less_is_better else "more"
    yield (
        f"Score: {what}the mean of a match, {best} is better. Its ± are two standard errors by "
        f"deal. It depends on whom a bot met, and ranks do not follow it."
    )
    if field.scores.unscored:
        also = ""
        if field.scores.waiting:
            more = field.counted(field.scores.waiting, "other match", "other matches")
            also = f", and {more} of their deals"
        yield f"Left out of the scores: {_unscored(field)}{also}."
    if few := [row["bot"] for row in rows if 0 < row["score_deals"] < FEWEST_DEALS]:
        yield f"Scores without an error, from fewer than {FEWEST_DEALS} deals: {', '.join(few)}."


def _forfeited(field: Field, row: Row) -> str:
    """Return how many matches a bot forfeited, and of how many that it lost if these are them.

    Matches that are left out count among forfeits only, and where all forfeit it may be a draw.
    """
    forfeits, losses = row["forfeits"], row["losses"]
    is_part = not (field.waiting or field.repeats) and forfeits <= losses
    of = f" of its {field.number(losses)} losses" if is_part else ""
    return f"{row['bot']} {field.number(forfeits)}{of}"
