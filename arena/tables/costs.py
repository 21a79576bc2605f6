"""What bots have asked for through their doors, and what that cost: columns of the leaderboard."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.tables.table import Column, Exact

COST_KEYS = ("requests", "tokens_in", "tokens_out", "cost", "cost_per_match")
OF_COSTS = (
    "Requests, tokens and costs are those of all matches that are stored; costs follow from the "
    "prices that the league had at the time."
)
"""What a reader of costs should know."""


@dataclass
class Outlay:
    """What a bot has asked for in some matches."""

    matches: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


def outlays(store: Store, titles: Mapping[BotVersion, str]) -> dict[str, Outlay]:
    """Return what each bot of a field has asked for, in all matches between such bots."""
    found: defaultdict[str, Outlay] = defaultdict(Outlay)
    _, matches = store.everything()
    for whole in matches:
        bots = [BotVersion(bot.name, bot.version) for bot in whole.match.bots]
        if not titles.keys() >= set(bots):
            continue
        for bot in bots:
            found[titles[bot]].matches += 1
        for exchange in whole.evidence.exchanges:
            its = found[titles[bots[exchange.seat]]]
            its.requests += 1
            its.tokens_in += exchange.tokens_in
            its.tokens_out += exchange.tokens_out
            its.cost += exchange.cost
    return dict(found)


def values_of(bot: str, costs: Mapping[str, Outlay] | None) -> dict[str, Any]:
    """Return a bot's columns, if costs are known."""
    if costs is None:
        return {}
    its = costs.get(bot, Outlay())
    each = Exact(its.cost / its.matches) if its.matches else None
    values = (its.requests, its.tokens_in, its.tokens_out, Exact(its.cost), each)
    return dict(zip(COST_KEYS, values, strict=True))


def columns() -> Sequence[Column]:
    """Return the columns of the table."""
    return (
        Column("Requests", "requests", "right"),
        Column("Tokens in", "tokens_in", "right"),
        Column("Tokens out", "tokens_out", "right"),
        Column("Cost", lambda row: f"{row['cost']:.4g}", "right"),
        Column("Cost each match", lambda row: _text(row["cost_per_match"]), "right"),
    )


def _text(cost: float | None) -> str:
    return "-" if cost is None else f"{cost:.4g}"
