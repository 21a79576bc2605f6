"""The command that says why a bot lost."""

from pathlib import Path

import click

from arena.cli import completion, main
from arena.cli.left_out import LeagueArgument, is_file
from arena.cli.options import output_format
from arena.cli.saying import show
from arena.tables.meetings import read_why


@main.command()
@click.argument("league", cls=LeagueArgument, also=is_file, metavar="[LEAGUE]")
@click.argument("bot", shell_complete=completion.entered)
@click.option(
    "--against",
    metavar="BOT",
    help="Show only this rival, in detail.",
    shell_complete=completion.entered,
)
@output_format
def why(league: Path, bot: str, against: str | None, form: str) -> None:
    """Show where a bot lost: against whom, in which seat, by which faults and matches.

    If the bot does not play, it begins with the reason. The worst rival comes first. BOT may also
    be an old version, as `arena rank --versions` calls it. LEAGUE may also be a file of results,
    which says less.

    Matches to look at are, for each rival, the closest and the clearest of those that were lost, as
    `arena matches --closest` compares them, and one in which BOT had a fault.

    \b
    arena why cup mine
    arena why cup mine --against sensible
    arena why cup mine --format json
    """
    show(read_why(league, bot, against), form)
