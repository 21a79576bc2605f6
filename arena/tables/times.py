"""The bots' decisions and their times, in columns of the leaderboard."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from arena.store.result import Spent
from arena.tables.facet import Facet, FacetSource
from arena.tables.table import Column, Exact

OF_TIMES = (
    "Decisions and their times are those of all matches; times vary with the machine, and `arena "
    "doctor --timing` says what spoils them there. In bwrap, only a bot's wall time is measured, "
    "not its CPU time; of a remote bot nobody here sees it."
)
"""What a reader of times should know."""


def times(source: FacetSource) -> Facet:
    """Return the bots' decisions and their times in all matches, in seconds."""
    found: defaultdict[str, Spent] = defaultdict(Spent.nothing)
    for number, seats in source.store.clocks():
        if number in source.results:
            for bot, said in zip(source.results[number].bots, seats, strict=True):
                found[bot].add(said)
    remote = {bot.name for bot in source.league.bots if bot.grant.remote}
    return Facet(
        columns=(
            Column("Decisions", "decisions", "right"),
            Column("CPU ms each", lambda row: _milliseconds(row["cpu_per_decision"]), "right"),
            Column("Wall ms each", lambda row: _milliseconds(row["wall_per_decision"]), "right"),
            Column("Longest CPU ms", lambda row: _milliseconds(row["longest_cpu"]), "right"),
        ),
        keys=("decisions", "cpu_per_decision", "wall_per_decision", "longest_cpu"),
        values={
            bot: _values(found[bot], is_remote=bot in remote) for bot in source.titles.values()
        },
        notes=(OF_TIMES,),
    )


def _values(its: Spent, *, is_remote: bool) -> Sequence[Any]:
    cpu, wall = (
        Exact(round(total / its.decisions / 1e6, 9)) if its.decisions else None
        for total in (its.cpu, its.wall)
    )
    if is_remote:
        return its.decisions, None, wall, None
    return its.decisions, cpu, wall, Exact(its.longest / 1e6)


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.3f}"
