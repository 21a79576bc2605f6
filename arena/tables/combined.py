"""The leaderboard of several leagues together, as a table."""

from collections.abc import Sequence

from arena.stats.combined import Combined, combined
from arena.stats.ratings import Ratings
from arena.tables.field import Field
from arena.tables.leaderboard import RANKS, ranks_text, rating_text
from arena.tables.table import NAME_WIDTH, Column, Table
from arena.text import fold
from protocol.errors import ArenaError

KEYS = ("group", "rank", "bot", "rating", "error", "leagues")
RULE = (
    "A bot's rating is the mean of its ratings in the leagues, which all count alike. Each of "
    f"them is measured from the mean of the compared bots. {RANKS}"
)


def combined_table(fields: Sequence[Field], ratings: Sequence[Ratings]) -> Table:
    """Return the table of the bots that played in all of the fields, with each one's rating.

    Raises ArenaError if no two bots can be compared in all of them.
    """
    found = combined(ratings)
    if not found:
        raise ArenaError(
            f"no two bots are linked by matches in all of {', '.join(_names(fields))}, so "
            f"there is nothing to combine. Bots are the same if they have the same name."
        )
    many = found[-1].group > 1
    columns = [
        *([Column("Group", "group", "right")] if many else []),
        Column("Rank", ranks_text, "right"),
        Column("Bot", "bot", width=NAME_WIDTH),
        Column("Rating ± 2σ", rating_text, "right"),
        *(_column(name) for name in _names(fields)),
    ]
    facts = {
        "rule": RULE,
        "fields": {name: field.facts for name, field in zip(_names(fields), fields, strict=True)},
    }
    rows = [
        {
            "group": row.group,
            "rank": list(row.ranks),
            "bot": row.bot,
            "rating": row.mu,
            "error": row.error,
            "leagues": dict(zip(_names(fields), row.ratings, strict=True)),
        }
        for row in found
    ]
    notes = [RULE, *_notes(fields, found)]
    return Table("standings", columns, rows, facts, notes, KEYS, fixed=3 if many else 2)


def _names(fields: Sequence[Field]) -> list[str]:
    """Return the shortest names that distinguish the fields."""
    last = [field.name.rstrip("/").rpartition("/")[2] for field in fields]
    return last if len(set(last)) == len(fields) else [field.name for field in fields]


def _column(name: str) -> Column:
    title = "\n".join(fold(name, NAME_WIDTH))
    return Column(title, lambda row: f"{row['leagues'][name]:.2f}", "right")


def _notes(fields: Sequence[Field], rows: Sequence[Combined]) -> list[str]:
    ranked = {row.bot for row in rows}
    notes = []
    if rows[-1].group > 1:
        notes.append(
            "Groups of bots never met each other in some league: ranks hold within a group."
        )
    for name, field in zip(_names(fields), fields, strict=True):
        missing = [bot for bot in field.bots if bot not in ranked]
        also = f" Not ranked here: {', '.join(missing)}." if missing else ""
        notes.append(f"{name}: {field.extent}.{also}")
        notes += [f"{name}: {remark}" for remark in field.remarks]
    return notes
