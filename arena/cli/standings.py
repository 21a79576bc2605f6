"""The command that shows how a tournament stands."""

from pathlib import Path

from arena.cli import main
from arena.cli.options import league_argument, output_format
from arena.cli.saying import show
from arena.tables.standings import read_standings


@main.command()
@league_argument
@output_format
def standings(league: Path, form: str) -> None:
    """Show how a tournament stands: its points, its rounds, its bracket.

    It is for the formats that go by results: swiss, knockout, double-elimination, settled. For
    the ratings of any league, see `arena rank`.

    \b
    arena standings cup
    """
    show(read_standings(league), form)
