"""What no rating of a field can show, as a table: circles of bots, and whom to send then."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from arena.stats.cycles import Circles, Cycle, Unexplained
from arena.stats.encounters import points_by_deal
from arena.stats.lottery import Ticket, lottery
from arena.stats.margins import margins
from arena.stats.propagation import connected
from arena.tables.field import Field
from arena.tables.table import NAME_WIDTH, Column, Row, Sheet, Table

KEYS = ("group", "bot", "weight", "low", "high")
_SHOWN_CYCLES = 10
_UNSURE_CYCLES = 3  # shown where there are circles, and no three bots are sure to be one
_SHOWN_WEIGHT = 0.005  # that a bot may have at most, and is not shown


class _Group(NamedTuple):
    """What was found in a group of bots that matches link."""

    number: int
    circles: Circles
    unexplained: Unexplained | None
    """None if too few pairs met."""
    cycles: Sequence[Cycle]
    tickets: Sequence[Ticket]

    @property
    def is_sure(self) -> bool:
        """Whether one number a bot does not say all of it."""
        by_all = self.unexplained is not None and self.unexplained.is_sure
        return by_all or any(cycle.is_sure for cycle in self.cycles[:1])

    @property
    def shown(self) -> Sequence[Cycle]:
        """The cycles to name."""
        if not self.is_sure:
            return ()
        sure = [cycle for cycle in self.cycles if cycle.is_sure]
        return sure[:_SHOWN_CYCLES] or self.cycles[:_UNSURE_CYCLES]


def circles_table(field: Field) -> Table:
    """Return the table of a field's circles: how much is in them, the surest ones, the lottery.

    JSON holds all that; CSV holds the lottery alone. The same results always give the same table.
    """
    groups = list(_groups(field))
    many = len(groups) > 1
    rows = [{"group": group.number, **asdict(each)} for group in groups for each in group.tickets]
    facts = {
        **field.facts,
        "unexplained": [_of_unexplained(group) for group in groups],
        "cycles": [_of_cycle(group, cycle) for group in groups for cycle in group.shown],
    }
    return Table(
        "lottery",
        columns=(),
        rows=rows,
        facts=facts,
        notes=[*_notes(field, groups), *field.remarks],
        keys=KEYS,
        grids=list(_grids(facts["cycles"], rows, many=many)),
    )


def _groups(field: Field) -> Iterator[_Group]:
    """Yield what is found of each group, the largest first."""
    found = margins(points_by_deal(field.deals))
    linked = sorted(connected(found), key=lambda group: (-len(group), group))
    for number, bots in enumerate(linked, 1):
        circles = Circles(bots, found, duels=field.duels)
        has_any = circles.has_circles
        yield _Group(
            number,
            circles,
            circles.unexplained() if has_any else None,
            circles.cycles() if has_any else (),
            lottery(circles.bots, circles.margins, circles.expected()),
        )


def _of_unexplained(group: _Group) -> dict[str, Any]:
    found = group.unexplained
    return {
        "group": group.number,
        "share": found and found.share,
        "error": found and found.error,
        "surely": found and found.surely,
        "is_sure": group.is_sure,
    }


def _of_cycle(group: _Group, cycle: Cycle) -> dict[str, Any]:
    return {
        "group": group.number,
        "bots": list(cycle.bots),
        "points": list(cycle.shares),
        "surely": cycle.surely,
    }


def _grids(
    cycles: Sequence[Mapping[str, Any]], rows: Sequence[Row], *, many: bool
) -> Iterator[Sheet]:
    """Yield the cycles, if there are any, and the lottery."""
    group = [Column("Group", "group", "right")] if many else []
    if cycles:
        yield Sheet(
            [
                *group,
                Column("Bot", lambda row: str(row["bots"][0]), width=NAME_WIDTH),
                Column("beats", lambda row: str(row["bots"][1]), width=NAME_WIDTH),
                Column("which beats", lambda row: str(row["bots"][2]), width=NAME_WIDTH),
                Column("Points of each", _points, "right"),
                Column("Surely", _surely, "right"),
            ],
            cycles,
        )
    yield Sheet(
        [
            *group,
            Column("Bot", "bot", width=NAME_WIDTH),
            Column("To send", lambda row: _percent(row["weight"]), "right"),
            Column(
                "95 %", lambda row: f"{_percent(row['low'])} to {_percent(row['high'])}", "right"
            ),
        ],
        [row for row in rows if row["high"] >= _SHOWN_WEIGHT],
    )


def _points(row: Row) -> str:
    return ", ".join(f"{100 * share:.1f}" for share in row["points"]) + " %"


def _surely(row: Row) -> str:
    surely = row["surely"]
    if surely > 0.999:
        return "over 99.9 %"
    return "under 50 %" if surely < 0.5 else f"{100 * surely:.1f} %"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _notes(field: Field, groups: Sequence[_Group]) -> Iterator[str]:
    yield f"{field.extent}."
    many = len(groups) > 1
    for group in groups:
        yield (f"Group {group.number}: " if many else "") + _sentence(group)
    if any(group.shown for group in groups):
        unsure = any(group.shown and not group.shown[0].is_sure for group in groups)
        yield (
            "Cycles: the third bot beats the first. Points: of each against the next. Surely: "
            "that it is one, however many threes were looked at."
            + " No three stand out; these come closest."
            * unsure
        )
    more = sum(cycle.is_sure for group in groups for cycle in group.cycles[_SHOWN_CYCLES:])
    if more:
        yield f"There are {field.words.counted(more, 'more sure cycle')}."
    yield (
        "To send: whoever sends a bot drawn with these chances expects at least half the points, "
        "whatever bot another sends. 95 %: what other deals might give."
    )
    unmet = sum(len(group.circles.expected()) for group in groups)
    if unmet:
        yield (
            f"{field.words.counted(unmet, 'pair')} never met: what one number a bot expects of "
            f"them stands in."
        )
    never = sum(ticket.high < _SHOWN_WEIGHT for group in groups for ticket in group.tickets)
    if never:
        yield f"{field.words.counted(never, 'other bot is', 'other bots are')} not to be sent."


def _sentence(group: _Group) -> str:
    """Return how much of a group's differences one number a bot leaves."""
    found = group.unexplained
    if found is None:
        return "Too few pairs met for any bots to beat each other in a circle."
    part = None if found.share is None else f"{_percent(found.share)} ± {_percent(_twice(found))}"
    if group.is_sure:
        how = (
            "there they beat each other in circles"
            if group.cycles
            else "no three beat each other in a circle, but some win more or less than they should"
        )
        return (
            f"One number a bot, such as a rating, cannot say {part} of how the bots differ: {how}."
        )
    if part:
        return (
            f"No circles are found: what one number a bot, such as a rating, does not say of how "
            f"the bots differ, {part}, may be chance."
        )
    return (
        "No circles are found. What part of how the bots differ one number a bot leaves cannot be "
        "told from these deals."
    )


def _twice(found: Unexplained) -> float:
    return 2 * (found.error or 0.0)
