"""Commands about single matches of a league: matches, show."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from arena.cli import main
from arena.cli.common import league_argument, output_format, show
from arena.display import safe
from arena.league import read_league
from arena.show import told
from arena.store import StoredMatch
from arena.tables import Column, Row, Table
from protocol.errors import ArenaError
from referee.options import suggestion

KEYS = ("match", "deal", "rotation", "seats", "reason", "decisions", "faults")


@main.command()
@league_argument
@click.option("--bot", help="Only matches of this bot.")
@click.option("--faulty", is_flag=True, help="Only matches with faults.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="At most so many; 0 for all.",
)
@output_format
def matches(league: Path, bot: str | None, faulty: bool, limit: int, form: str) -> None:
    """List the matches that were played, by deal.

    \b
    arena matches cup
    arena matches cup --bot mine --faulty
    arena matches cup --limit 0 --format csv > matches.csv
    """
    asked = read_league(league)
    with asked.store() as store:
        if bot is not None:
            _check_known(bot, {*store.bot_names(), *(each.name for each in asked.bots)})
        count = store.count(bot=bot, faulty=faulty)
        found = store.matches(bot=bot, faulty=faulty, limit=limit or None)
        present = {(each.name, each.version) for each in asked.bots}
        rows = [_row(match, present) for match in found]
    columns = (
        Column("Match", "match"),
        Column("Deal", "deal", "right"),
        Column("Places by seat", _seats, width=28),
        Column("Ended", "reason"),
        Column("Decisions", "decisions", "right"),
        Column("Faults", _faults, width=16),
    )
    facts = {"count": count}
    notes = []
    if not count:
        notes.append("No such match was played.")
    if any(not seat["present"] for row in rows for seat in row["seats"]):
        notes.append("*: a bot, or a version of one, that is no longer in the league.")
    if len(rows) < count:
        notes.append(f"The first {len(rows)} of {count} matches; --limit 0 lists all.")
        if form in ("csv", "json"):
            click.echo(notes[-1], err=True)
    show(Table("matches", columns, rows, facts, notes, keys=KEYS), form)


def _check_known(bot: str, known: Collection[str]) -> None:
    if bot not in known:
        raise ArenaError(f"there is no bot {bot!r} in this league. {suggestion(bot, known)}")


def _row(match: StoredMatch, present: Collection[tuple[str, str]]) -> dict[str, Any]:
    return {
        "match": match.id,
        "deal": match.number,
        "rotation": match.rotation,
        "seats": [
            {
                "bot": bot.name,
                "version": bot.version,
                "present": (bot.name, bot.version) in present,
                "place": place,
            }
            for bot, place in zip(match.bots, match.places, strict=True)
        ],
        "reason": match.reason,
        "decisions": match.decisions,
        "faults": {str(seat): dict(kinds) for seat, kinds in enumerate(match.faults) if kinds},
    }


def _seats(row: Row) -> str:
    return ", ".join(
        f"{seat['place']} {seat['bot']}{'' if seat['present'] else '*'}" for seat in row["seats"]
    )


def _faults(row: Row) -> str:
    return "; ".join(
        f"seat {seat}: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        for seat, kinds in row["faults"].items()
    )


@main.command("show")
@league_argument
@click.argument("match")
@click.option("--tables", is_flag=True, help="Draw the table before each step.")
def show_match(league: Path, match: str, tables: bool) -> None:
    """Tell a match move by move, with times, faults and notes.

    MATCH is an id from `arena matches`; the part before the dash may be shortened.

    \b
    arena show cup 3f9a-0
    arena show cup 3f9a-0 --tables | less
    """
    with read_league(league).store() as store:
        found = store.find(match)
        record, circumstances = store.record(found)
    lines = told(found, record.open_replay(), record.open_evidence(), circumstances, tables=tables)
    for line in lines:
        click.echo(safe(line))
