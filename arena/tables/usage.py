"""What bots used, in columns of the leaderboard: decisions, times, round trips, requests, costs."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import msgspec

from arena.store.result import Spent
from arena.store.timing import Timing
from arena.store.under_way import spent
from arena.tables.facet import Facet, FacetSource, Used
from arena.tables.table import Column, Exact, Row
from arena.text import Words, counted, safe

OF_TIMES = (
    "Decisions and their times are those of all matches, and vary with the machine. In bwrap and "
    "of remote bots, CPU time is not measured."
)
"""What a reader of times should know."""


TIME_KEYS = ("decisions", "cpu_per_decision", "wall_per_decision", "longest_cpu")
TIME_COLUMNS = (
    Column("Decisions", "decisions", "right"),
    Column("CPU ms each", lambda row: _milliseconds(row["cpu_per_decision"]), "right"),
    Column("Wall ms each", lambda row: _milliseconds(row["wall_per_decision"]), "right"),
    Column("Longest CPU ms", lambda row: _milliseconds(row["longest_cpu"]), "right"),
)


def times(source: FacetSource) -> Facet:
    """Return the bots' decisions and their times in all matches, in seconds."""
    found: defaultdict[str, Spent] = defaultdict(Spent.nothing)
    for number, seats in source.store.tallies.clocks():
        if number in source.results:
            for bot, said in zip(source.results[number].bots, seats, strict=True):
                found[bot].add(said)
    remote = {bot.name for bot in source.league.bots if bot.grant.remote}
    return Facet(
        columns=TIME_COLUMNS,
        keys=TIME_KEYS,
        values={
            bot: time_values(found[bot], is_remote=bot in remote) for bot in source.titles.values()
        },
        notes=(OF_TIMES,),
    )


def time_values(its: Spent, *, is_remote: bool) -> Sequence[Any]:
    """Return the values of `TIME_KEYS`."""
    cpu, wall = (
        Exact(round(total / its.decisions / 1e6, 9)) if its.decisions else None
        for total in (its.cpu, its.wall)
    )
    if is_remote:
        return its.decisions, None, wall, None
    return its.decisions, cpu, wall, Exact(its.longest / 1e6)


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.3f}"


def quiet(source: FacetSource) -> Facet:
    """Return how quiet each machine was as runs began, and for which matches that is not known."""
    timings, damaged = source.store.timings.all()
    first: dict[str, str] = {}
    by_machine: defaultdict[str, list[Timing]] = defaultdict(list)
    for began, timing in timings:
        first[timing.machine] = min(began, first.get(timing.machine, began))
        by_machine[timing.machine].append(timing)
    untimed: Counter[str] = Counter()
    for number, machine, count in source.store.tallies.untimed(first):
        if number in source.results:
            untimed[machine] += count
    return Facet(
        facts={
            "timings": [
                {"began": began, **msgspec.to_builtins(timing)} for began, timing in timings
            ],
            **({"damaged_timings": damaged} if damaged else {}),
            "untimed": dict(sorted(untimed.items())),
        },
        notes=[*_quiet_notes(by_machine, untimed, damaged, source.words)],
    )


def _quiet_notes(
    by_machine: Mapping[str, Sequence[Timing]],
    untimed: Mapping[str, int],
    damaged: int,
    words: Words,
) -> Iterator[str]:
    for machine, found in sorted(by_machine.items()):
        runs = "a run" if len(found) == 1 else words.counted(len(found), "run")
        spread = _range([each.noise.spread for each in found])
        waited = _range([each.noise.waited for each in found])
        yield (
            f"Before {runs} on {safe(machine)}, the time of a fixed job varied by {spread}, and "
            f"others had the core for {waited} of it.{_spoilt(found)}"
        )
    if untimed:
        parts = [
            f"{words.counted(count, 'match', 'matches')} on {safe(machine)}"
            for machine, count in sorted(untimed.items())
        ]
        yield f"How quiet the machine was is not known for {', '.join(parts)}."
    if damaged:
        yield (f"Damaged and left out: {words.counted(damaged, 'row')} on how quiet machines were.")


def _range(shares: Sequence[float]) -> str:
    """Return shares in words, from the quietest run to the noisiest."""
    least, most = (f"{100 * each:.1f}" for each in (min(shares), max(shares)))
    return f"{least} %" if least == most else f"{least} to {most} %"


def _spoilt(found: Sequence[Timing]) -> str:
    names = sorted({name for each in found for name in each.spoilt})
    return f" What spoils times there: {safe(', '.join(names))}." if names else ""


def trips(source: FacetSource) -> Facet | None:
    """Return the median round trip to each remote bot that has played, in seconds; None of none."""
    if not any(bot.grant.remote for bot in source.league.bots):
        return None
    found = {
        bot: Exact(median(its.trips) / 1e6) if its.trips else None
        for bot, its in source.used.items()
    }
    if all(trip is None for trip in found.values()):
        return None
    return Facet(
        columns=(Column("Round trip", _trip_text, "right"),),
        keys=("round_trip",),
        values={bot: (trip,) for bot, trip in found.items()},
        notes=(
            "The round trip is what a line takes to a remote bot's machine and back, the median "
            "of its matches; it is a part of its wall time.",
        ),
    )


def _trip_text(row: Row) -> str:
    trip = row["round_trip"]
    return "-" if trip is None else f"{trip * 1000:.3g} ms"


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
            Column("Cost", lambda row: _cost_text(row["cost"]), "right"),
            Column("Cost each match", lambda row: _cost_text(row["cost_per_match"]), "right"),
        ),
        keys=("requests", "tokens_in", "tokens_out", "cost", "cost_per_match"),
        values={bot: _cost_values(its) for bot, its in source.used.items()},
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


def _cost_values(its: Used) -> Sequence[Any]:
    each = Exact(its.cost / its.matches) if its.matches else None
    return its.requests, its.tokens_in, its.tokens_out, Exact(its.cost), each


def _cost_text(cost: float | None) -> str:
    return "-" if cost is None else f"{cost:.4g}"
