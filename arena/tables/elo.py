"""Ratings in tables: in mu points, or on Elo's scale where one bot's strength on it is known."""

from collections.abc import Mapping
from typing import Any

from arena.stats.elo import Anchor, Elo, elo_from
from arena.stats.ratings import Ratings
from arena.tables.facet import Facet
from arena.tables.field import Field
from arena.tables.table import Column, Row, with_error
from protocol.errors import ArenaError
from referee.rules.options import suggestion

ELO_KEYS = ("elo", "elo_error")
"""The keys of a row that has a rating on Elo's scale."""


def anchor_in(field: Field, ratings: Ratings, asked: Anchor | None) -> Anchor | None:
    """Return what ratings are measured from: what is asked for, or else what the league names.

    None if that is nothing, or a bot that is not in the table, as one that was disqualified.
    Raises ArenaError if one is asked for that is no bot of the field.
    """
    if asked is not None:
        if asked[0] not in field.bots:
            near = suggestion(asked[0], field.bots)
            raise ArenaError(f"{field.name} has no bot {asked[0]!r}. {near}")
        return asked
    named = field.anchor
    return named if named is not None and named[0] in ratings.bots else None


def elo_in(ratings: Ratings, anchor: Anchor | None) -> Mapping[str, Elo] | None:
    """Return the bots' strengths on Elo's scale, measured from an anchor; None without one."""
    return None if anchor is None else elo_from(ratings, *anchor)


def elo_values(elo: Mapping[str, Elo] | None, bot: str) -> dict[str, Any]:
    """Return what a bot's row says of its strength, if there is an anchor.

    Both are None for a bot that no match links with it.
    """
    if elo is None:
        return {}
    return dict(zip(ELO_KEYS, elo.get(bot, (None, None)), strict=True))


def on_elo(ratings: Ratings, anchor: Anchor | None) -> Facet | None:
    """Return the bots' strengths on Elo's scale, if there is an anchor."""
    if anchor is None:
        return None
    elo = elo_from(ratings, *anchor)
    return Facet(
        keys=ELO_KEYS,
        values={bot: elo.get(bot, (None, None)) for bot in ratings.bots},
        facts=anchor_facts(anchor),
        notes=(of_elo(anchor),),
    )


def anchor_facts(anchor: Anchor | None) -> dict[str, Any]:
    """Return what a table says of its anchor, for programs."""
    return {} if anchor is None else {"anchor": {"bot": anchor[0], "elo": anchor[1]}}


def rating_column(anchor: Anchor | None) -> Column:
    """Return the column of ratings."""
    return Column("Rating ± 2σ" if anchor is None else "Elo ± 2σ", rating_text, "right")


def rating_text(row: Row) -> str:
    """Return a row's rating and what it may be off by: on Elo's scale if it has that."""
    if "elo" in row:
        return with_error(row["elo"], row["elo_error"], ".0f")
    return with_error(row["rating"], row["error"])


def elo_text(elo: Elo) -> str:
    """Return a strength and what it may be off by."""
    return with_error(elo.points, elo.error, ".0f")


def of_elo(anchor: Anchor) -> str:
    """Return what a reader must know of ratings on Elo's scale."""
    bot, points = anchor
    return f"Elo is measured from {bot}, which is taken for {points:g}."
