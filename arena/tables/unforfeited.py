"""Ratings of the deals in which nobody forfeited, to stand beside those of all; columns and notes.

A forfeit says that a program broke, and hardly how well it plays. The unit is the deal: one match
less would favour who sat better in the others.
"""

from collections.abc import Sequence
from math import fsum
from typing import Any

from arena.stats.elo import Anchor, elo_from
from arena.stats.ratings import Ratings
from arena.tables.facet import Facet
from arena.tables.field import Field
from arena.tables.table import Column, Row, with_error

_KEYS = ("rating_unforfeited", "error_unforfeited", "deals_unforfeited")
_ELO_KEYS = ("elo_unforfeited", "elo_error_unforfeited")


def unforfeited(
    field: Field, ratings: Ratings, without: Ratings | None, anchor: Anchor | None
) -> Facet | None:
    """Return the ratings `without` forfeits, if there are any; nothing of who met nobody there.

    Their numbers are measured from the mean that the same bots have in the other column, and on
    Elo's scale from the anchor, if there is one.
    """
    if without is None or field.unforfeited is None:
        return None
    values: dict[str, tuple[Any, ...]] = {
        bot: (None, None, rating.deals) for bot, rating in without.bots.items()
    }
    for group in without.groups:
        shift = fsum(ratings.bots[bot].mu - without.bots[bot].mu for bot in group) / len(group)
        for bot in group:
            own = without.bots[bot]
            values[bot] = own.mu + shift, own.error, own.deals
    ranked = [bot for group in ratings.groups for bot in group]
    gone = [bot for bot in sorted(ranked) if values[bot][0] is None]
    if anchor is not None:
        elo = elo_from(without, *anchor)
        values = {bot: (*its, *elo.get(bot, (None, None))) for bot, its in values.items()}
    left_out = field.deal_count - sum(field.unforfeited.values())
    return Facet(
        columns=(
            Column("Without\nforfeits ± 2σ", _text if anchor is None else _elo_text, "right"),
        ),
        place="after the rating",
        keys=_KEYS if anchor is None else (*_KEYS, *_ELO_KEYS),
        values=values,
        facts={"forfeited_deals": left_out},
        notes=(_note(field, left_out, gone),),
    )


def _note(field: Field, left_out: int, gone: Sequence[str]) -> str:
    """Return in a sentence what is left out, and what that means."""
    if not left_out:
        return "Nobody forfeited in any whole deal: both ratings are the same."
    said = (
        f"Without forfeits: {field.words.counted(left_out, 'deal')} of "
        f"{field.words.number(field.deal_count)} {'is' if left_out == 1 else 'are'} left out, in "
        f"which somebody forfeited; ranks are those of all."
    )
    return said + (f" No such deals: {', '.join(gone)}." if gone else "")


def _text(row: Row) -> str:
    return with_error(row[_KEYS[0]], row[_KEYS[1]])


def _elo_text(row: Row) -> str:
    return with_error(row[_ELO_KEYS[0]], row[_ELO_KEYS[1]], ".0f")
