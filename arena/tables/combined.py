"""The leaderboard of several leagues together, as a table."""

from collections.abc import Sequence

from arena.stats.combined import Combined, combined, combined_elo
from arena.stats.elo import Anchor
from arena.stats.ratings import Ratings
from arena.tables.elo import ELO_KEYS, anchor_facts, elo_values, of_elo, rating_column
from arena.tables.field import Field
from arena.tables.leaderboard import flat, ranks_text
from arena.tables.table import NAME_WIDTH, Column, Table
from arena.text import first_few, fold
from protocol.errors import ArenaError
from referee.rules.options import suggestion

KEYS = ("group", "rank", "bot", "rating", "error", "leagues")
RULE = (
    "A bot's rating is the mean of its ratings in the leagues, each measured from the mean of the "
    "compared bots."
)


def combined_table(
    fields: Sequence[Field], ratings: Sequence[Ratings], *, anchor: Anchor | None = None
) -> Table:
    """Return the table of the bots that played in all of the fields, with each one's rating.

    With an `anchor`, by default the one that the leagues name, ratings are shown on Elo's scale.
    Raises ArenaError if no two bots can be compared in all of them, or the anchor is none of those
    that can.
    """
    found = combined(ratings)
    if not found:
        raise ArenaError(
            f"no two bots are linked by matches in all of {', '.join(_names(fields))}, so "
            f"there is nothing to combine. Bots are the same if they have the same name."
        )
    anchor = _anchor(fields, found, anchor)
    elo = None if anchor is None else combined_elo(found, ratings, anchor)
    many = found[-1].group > 1
    columns = [
        *([Column("Group", "group", "right")] if many else []),
        Column("Rank", ranks_text, "right"),
        Column("Bot", "bot", width=NAME_WIDTH),
        rating_column(anchor),
        *(_column(name) for name in _names(fields)),
    ]
    facts = {
        "rule": RULE,
        **anchor_facts(anchor),
        "fields": {name: field.facts for name, field in zip(_names(fields), fields, strict=True)},
    }
    rows = [
        {
            "group": row.group,
            "rank": list(row.ranks),
            "bot": row.bot,
            "rating": row.mu,
            "error": row.error,
            **elo_values(elo, row.bot),
            "leagues": dict(zip(_names(fields), row.ratings, strict=True)),
        }
        for row in found
    ]
    notes = [RULE, *([of_elo(anchor)] if anchor else []), *_notes(fields, found)]
    keys = (*KEYS, *(ELO_KEYS if anchor else ()))
    fixed = 3 if many else 2
    return Table("standings", columns, rows, facts, notes, keys, flat=flat, fixed=fixed)


def _anchor(
    fields: Sequence[Field], rows: Sequence[Combined], asked: Anchor | None
) -> Anchor | None:
    """Return what is asked for, or what all leagues name that name any, if it can be compared."""
    bots = [row.bot for row in rows]
    if asked is not None:
        if asked[0] not in bots:
            raise ArenaError(
                f"{asked[0]!r} is not linked by matches in all of {', '.join(_names(fields))}. "
                f"{suggestion(asked[0], bots)}"
            )
        return asked
    named = {field.anchor for field in fields if field.anchor is not None}
    return next((each for each in named if len(named) == 1 and each[0] in bots), None)


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
        also = f" Not ranked here: {first_few(missing)}." if missing else ""
        notes.append(f"{name}: {field.extent}.{also}")
        notes += [f"{name}: {remark}" for remark in field.remarks]
    return notes
