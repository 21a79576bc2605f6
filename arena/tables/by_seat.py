"""What the bots of a field scored in each seat, as a table."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from arena.stats.encounters import SURE
from arena.stats.ratings import Ratings
from arena.stats.seats import EVERYBODY, Gain, Sitting, Who, mirror_gain, sittings
from arena.stats.standings import standings
from arena.tables.cross_table import lead_column
from arena.tables.field import Field
from arena.tables.table import NAME_WIDTH, Column, Row, Sheet, Table
from protocol.errors import ArenaError

Sat: TypeAlias = Mapping[tuple[Who, int], Row]
"""The rows of JSON and CSV, by who sat in which seat."""

KEYS = (
    *("bot", "seat", "matches", "deals", "points", "error", "wins", "draws", "losses"),
    *("mean_place", "lead"),
)


def by_seat(field: Field, ratings: Ratings) -> Table:
    """Return the table of all seats: everybody, then the bots in the order of the leaderboard.

    JSON and CSV have a row for each bot and seat; where the bot is null, it is everybody. Raises
    ArenaError if the field does not say who sat where.
    """
    if not field.by_seat:
        raise ArenaError(
            f"{field.name} is a file of results, which does not say who sat where; name a league "
            f"for --by seat."
        )
    found = sittings(field.deals)
    rated = standings(field.deals, ratings, out=field.out)
    order: list[Who] = [EVERYBODY, *(row.bot for row in rated)]
    seats = sorted({seat for _, seat in found})
    is_apart = bool(field.on("mirroring").facts.get("mirroring", {}).get("apart"))
    gain = None if is_apart else mirror_gain(field.deals)
    sat = {
        (who, seat): _row(who, seat, found[who, seat])
        for who in order
        for seat in seats
        if (who, seat) in found
    }
    return Table(
        "seats",
        columns=(),
        rows=list(sat.values()),
        facts=_facts(field, gain),
        notes=[*_notes(field, found, _APART if is_apart else _gain_note(gain))],
        keys=KEYS,
        grids=[_grid(order, seats, sat)] if sat else [],
    )


def _facts(field: Field, gain: Gain | None) -> dict[str, Any]:
    """Return the facts; JSON has no word for an infinite gain, so that it is null, too."""
    return {
        **field.facts,
        "mirror_gain": gain.deals if gain and math.isfinite(gain.deals) else None,
        "mirror_gain_error": gain and gain.error,
        "mirror_gain_is_infinite": bool(gain and math.isinf(gain.deals)),
    }


def _row(who: Who, seat: int, sitting: Sitting) -> dict[str, Any]:
    return {
        "bot": who,
        "seat": seat,
        "matches": sitting.matches,
        "deals": sitting.points.deals,
        "points": sitting.points.mean if sitting.points.deals else None,
        "error": sitting.points.error,
        "wins": sitting.wins,
        "draws": sitting.draws,
        "losses": sitting.losses,
        "mean_place": sitting.places / sitting.matches,
        "lead": sitting.lead,
    }


def _grid(order: Sequence[Who], seats: Sequence[int], sat: Sat) -> Sheet:
    return Sheet(
        [
            Column("Bot", "name", width=NAME_WIDTH),
            *(lead_column(f"Seat {seat}", seat, sat, _points) for seat in seats),
        ],
        [{"bot": who, "name": "(everybody)" if who is EVERYBODY else who} for who in order],
    )


def _points(row: Row) -> str:
    if row["points"] is None:
        return "-"
    points = f"{100 * row['points']:.1f} %"
    return points if row["error"] is None else f"{points} ± {100 * SURE * row['error']:.1f}"


def _notes(
    field: Field, found: Mapping[tuple[Who, int], Sitting], of_mirroring: str
) -> Iterator[str]:
    yield (f"{field.extent}. Points: the share of the other seats beaten, a tie counting half.")
    if any(sitting.edge.deals for (who, _), sitting in found.items() if who is not EVERYBODY):
        yield ("+ and -: surely more and surely less than in the other seats of the same deals.")
    elif found:
        yield (
            "+ and -: a seat that is surely better or surely worse; as no bot sat in two seats of "
            "one deal, none is compared with itself."
        )
    yield of_mirroring
    yield from field.remarks


_APART = "What mirroring is worth is measured where all deals are mirrored."


def _gain_note(gain: Gain | None) -> str:
    if gain is None:
        return "What mirroring is worth cannot be measured from these deals."
    if gain.error is None:
        return (
            "Mirroring removes all luck here: all deals gave the same, but their matches did not."
        )
    return (
        f"A mirrored deal is worth {gain.deals:.1f} ± {SURE * gain.error:.1f} deals of as many "
        f"independent matches."
    )
