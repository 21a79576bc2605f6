"""Ratings of the deals in which nobody forfeited, to stand beside those of all; columns and notes.

A forfeit says that a program broke, and hardly how well it plays. The unit is the deal: one match
less would favour who sat better in the others.
"""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from arena.stats.elo import Anchor, Elo
from arena.stats.ratings import Ratings
from arena.tables.elo import elo_in, elo_text
from arena.tables.field import Field
from arena.tables.table import Column, Row

KEYS = ("rating_unforfeited", "error_unforfeited", "deals_unforfeited")
_ELO_KEYS = ("elo_unforfeited", "elo_error_unforfeited")


def keys(anchor: Anchor | None) -> tuple[str, ...]:
    """Return the keys of a row of them."""
    return (*KEYS, *(_ELO_KEYS if anchor else ()))


def values_of(
    ratings: Ratings, without: Ratings, anchor: Anchor | None
) -> dict[str, dict[str, Any]]:
    """Return by bot what the deals without forfeits say; of one that met nobody there, nothing.

    Their numbers are measured from the mean that the same bots have in the other column, and on
    Elo's scale from the anchor, if there is one.
    """
    found: dict[str, dict[str, Any]] = {
        bot: dict(zip(KEYS, (None, None, rating.deals), strict=True))
        for bot, rating in without.bots.items()
    }
    for group in without.groups:
        shift = fsum(ratings.bots[bot].mu - without.bots[bot].mu for bot in group) / len(group)
        for bot in group:
            own = without.bots[bot]
            found[bot] = dict(zip(KEYS, (own.mu + shift, own.error, own.deals), strict=True))
    if anchor is not None:
        elo = elo_in(without, anchor) or {}
        for bot, values in found.items():
            values.update(zip(_ELO_KEYS, elo.get(bot, (None, None)), strict=True))
    return found


def facts_of(field: Field) -> dict[str, int]:
    """Return how many deals are left out, and how many there are, for programs."""
    return {"forfeited_deals": _left_out(field)}


def note_of(field: Field, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return in a sentence what is left out, and what that means."""
    count = _left_out(field)
    if not count:
        return "Nobody forfeited in any whole deal: both ratings are the same."
    deals = field.counted(count, "deal")
    said = (
        f"Without forfeits: the ratings of the deals in which nobody forfeited any match; {deals} "
        f"of {field.number(field.deal_count)} "
        f"{'is' if count == 1 else 'are'} left out whole. They spare a bot what it lost so, and "
        f"look better for one that breaks when it is losing. Ranks are those of all deals."
    )
    gone = [row["bot"] for row in rows if row["group"] and row[KEYS[0]] is None]
    return said + (f" No such deals: {', '.join(gone)}." if gone else "")


def _left_out(field: Field) -> int:
    assert field.unforfeited is not None
    return field.deal_count - sum(field.unforfeited.values())


def column(anchor: Anchor | None) -> Column:
    """Return the column of ratings without forfeits, on the scale of the column beside it."""
    return Column("Without\nforfeits ± 2σ", _text if anchor is None else _elo_text, "right")


def _text(row: Row) -> str:
    if row[KEYS[0]] is None:
        return "-"
    return f"{row[KEYS[0]]:.2f} ± {2 * row[KEYS[1]]:.2f}"


def _elo_text(row: Row) -> str:
    points, error = (row[key] for key in _ELO_KEYS)
    return "-" if points is None else elo_text(Elo(points, error))
