"""The commands for the environments of bots: made, listed, removed."""

from pathlib import Path

import click
import msgspec

from arena.cli import main
from arena.cli.options import PATH, output_format, sandbox_uid_option
from arena.cli.progress import StatusLine
from arena.cli.saying import say, show
from arena.environment.names import LOCK, REQUIREMENTS
from arena.environment.settings import EnvironmentSettings
from arena.league.file import read_asked
from arena.league.finding import BOT_FILE, VENV, asks_for_packages, bot_folder
from arena.play.building import Builder
from arena.tables.table import Column, Table
from arena.text import safe
from protocol.errors import ArenaError
from referee.limits import WorkLimits


@main.group()
def env() -> None:
    """Make the environments of bots that need packages, and show which are kept.

    \b
    arena env build ./mine --fetch
    arena env list
    arena env remove --unused
    """


@env.command("build")
@click.argument("bot", metavar="DIR", type=PATH)
@click.option("--fetch", is_flag=True, help="Fetch wheels from the package index of your pip.")
@click.option("--update", is_flag=True, help=f"Make {LOCK} anew, though it fits.")
@click.option(
    "--league",
    metavar="LEAGUE",
    type=PATH,
    help="Do it as this league does: [environments] and [build] of its file hold.",
)
@sandbox_uid_option
def build(
    bot: Path, fetch: bool, update: bool, league: Path | None, sandbox_uid: int | None
) -> None:
    """Lock the packages that a bot asks for, and make its environment.

    requirements.txt in its folder names them, and requirements.lock, which is written, their exact
    versions; both are files of the bot. Wheels are taken from the folder wheels beside them, or
    fetched. Nothing of them is executed.

    \b
    arena env build ./mine
    arena env build ./mine --fetch
    arena env build ./mine --league cup
    """
    from arena.environment.existing import written_requirements  # here, as few need it

    if not asks_for_packages(bot):
        raise ArenaError(
            f'{safe(str(bot / BOT_FILE))} does not say python = "{VENV}", so that the bot would '
            f"not use its packages: write that there."
        )
    plan = None if league is None else read_asked(league)
    settings = EnvironmentSettings() if plan is None else plan.environments
    if fetch:
        settings = msgspec.structs.replace(settings, fetch=True)
    limits = WorkLimits() if plan is None else plan.build
    with Builder(limits, sandbox_uid, settings).open() as builder, StatusLine() as line:
        if said := written_requirements(bot):
            say(said)
        line.show(f"locking {REQUIREMENTS}")
        if said := builder.environments.locks.made(bot, anew=update):
            line.clear()
            click.echo(said)
        found = bot_folder(bot)
        line.show("unpacking the packages")
        made = builder.environments.made(found.folder)
        line.clear()
    if made.remark:
        say(f"{found.name}: {made.remark}")
    if made.outcome is None:
        click.echo(safe(f"The environment of {found.name} was there already: {made.folder}."))
    else:
        seconds = made.outcome.seconds
        click.echo(safe(f"The environment of {found.name} is made, in {seconds:.1f} s."))


@env.command("list")
@output_format
def list_environments(form: str) -> None:
    """List the environments that are kept, those that were used last first.

    \b
    arena env list
    """
    from arena.environment.kept import kept_environments

    rows = [
        {
            "environment": each.name,
            "python": each.python,
            "packages": each.packages,
            "mb": each.size / 1e6,
            "used": each.used,
        }
        for each in kept_environments()
    ]
    columns = (
        Column("Environment", "environment"),
        Column("Python", "python"),
        Column("MB", lambda row: f"{row['mb']:.0f}", "right"),
        Column("Last used", lambda row: row["used"][:16].replace("T", " ")),
        Column("Packages", lambda row: safe(", ".join(row["packages"])), width=40),
    )
    show(Table("environments", columns, rows, {}), form)


@env.command("remove")
@click.argument("names", nargs=-1, metavar="[ENVIRONMENT...]")
@click.option("--unused", is_flag=True, help="Remove all that were not used for a day.")
def remove_environments(names: tuple[str, ...], unused: bool) -> None:
    """Remove environments, by the names that `arena env list` shows.

    A bot that needs one again has it made again. Do not remove one while a bot plays in it.

    \b
    arena env remove --unused
    """
    from arena.environment.kept import removed

    if bool(names) == unused:
        raise click.UsageError("Name environments, or say --unused.")
    gone = removed(names)
    click.echo(f"Removed: {', '.join(gone) or 'none'}.")
