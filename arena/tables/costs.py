"""What bots have asked for through their doors, and what that cost: columns of the leaderboard."""

from collections.abc import Sequence
from typing import Any

from arena.store.under_way import spent
from arena.tables.facet import Facet, FacetSource, Used
from arena.tables.table import Column, Exact
from arena.text import counted, safe


def costs(source: FacetSource) -> Facet:
    """Return what each bot has asked for."""
    unpriced = sum(its.unpriced for its in source.used.values())
    free = (
        f"{counted(unpriced, 'request')} took tokens and cost nothing here: the league had no "
        f"price, or one of 0, for what was asked."
    )
    return Facet(
        columns=(
            Column("Requests", "requests", "right"),
            Column("Tokens in", "tokens_in", "right"),
            Column("Tokens out", "tokens_out", "right"),
            Column("Cost", lambda row: _text(row["cost"]), "right"),
            Column("Cost each match", lambda row: _text(row["cost_per_match"]), "right"),
        ),
        keys=("requests", "tokens_in", "tokens_out", "cost", "cost_per_match"),
        values={bot: _values(its) for bot, its in source.used.items()},
        notes=(
            "Requests, tokens and costs are those of all stored matches of each bot as it is now, "
            "whoever else played; costs follow from the prices that the league had at the time.",
            *[free] * bool(unpriced),
        ),
    )


def spent_out(source: FacetSource) -> Facet | None:
    """Return which bots may ask no more, as they have spent all that the league's door allows."""
    league = source.league
    if league.door is None or league.door.spend is None:
        return None
    cost, most = spent(league.folder), league.door.spend
    out = [bot.name for bot in league.bots if cost.get(bot.key, 0.0) >= most]
    has, its = ("has", "its") if len(out) == 1 else ("have", "their")
    note = (
        f"{' and '.join(map(safe, out))} {has} spent the {most:g} that [door] allows each bot: "
        f"since then, {its} requests are answered 402."
    )
    return Facet(notes=[note]) if out else None


def _values(its: Used) -> Sequence[Any]:
    each = Exact(its.cost / its.matches) if its.matches else None
    return its.requests, its.tokens_in, its.tokens_out, Exact(its.cost), each


def _text(cost: float | None) -> str:
    return "-" if cost is None else f"{cost:.4g}"
