"""The command that shows who met whom: table."""

from pathlib import Path

import click

from arena.cli import main
from arena.cli.left_out import LeagueArgument
from arena.cli.options import output_format
from arena.cli.rating import rated
from arena.cli.saying import show
from arena.tables.circles import circles_table
from arena.tables.cross_table import Cell, cross_table
from arena.tables.head_to_head import head_to_head
from arena.tables.sources import read_field
from protocol.errors import ArenaError


@main.command("table")
@click.argument("source", cls=LeagueArgument, metavar="[LEAGUE]")
@click.option(
    "--cells",
    "cell",
    type=click.Choice(["wins", "points", "places"]),
    help="What the cells show.  [default: wins in games of two, places in others]",
)
@click.option("--between", nargs=2, metavar="BOT BOT", help="Show only these two bots, in detail.")
@click.option(
    "--cycles", is_flag=True, help="Show bots that beat each other in circles, and whom to send."
)
@output_format
def table_command(
    source: Path, cell: Cell | None, between: tuple[str, str] | None, cycles: bool, form: str
) -> None:
    """Show the results of every bot against every other.

    LEAGUE is a league's folder or a file of results (JSON lines, CSV or PGN; - is standard
    input).

    \b
    arena table cup
    arena table cup --cells points
    arena table cup --between mine sensible
    arena table cup --cycles
    """
    if between is not None and cell is not None:
        raise ArenaError("--cells is about the cross-table: leave it out with --between.")
    if cycles and (between is not None or cell is not None):
        raise ArenaError("--cycles is a table of its own: leave out --cells and --between.")
    field = read_field(source)
    if cycles:
        show(circles_table(field), form)
        return
    ratings = rated(field)
    if between is None:
        show(cross_table(field, ratings, cell), form)
    else:
        show(head_to_head(field, ratings, *between), form)
