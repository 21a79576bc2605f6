"""What a command prints: its table, and what it says beside that, in sentences for people."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence

import click

from arena.league.bot import Bot
from arena.league.hints import unmet
from arena.tables.table import WIDTH, Row, Table, pieces
from arena.text import quoted, safe, wrapped
from referee.limits import Grant, Limits
from referee.sandbox import root_folder

UNPROTECTED = "bots run unprotected (sandbox none): they can do whatever you can."


def say(*lines: str, err: bool = True) -> None:
    """Print a message, on standard error or on standard output; on a terminal, broken at spaces.

    Elsewhere each line stays as long as it is, so that programs find whole messages in it.
    """
    shown = "\n".join(map(safe, lines))
    if (sys.stderr if err else sys.stdout).isatty():
        shown = wrapped(shown, shutil.get_terminal_size().columns)
    click.echo(shown, err=err)


root_folder.told.append(say)


def show(table: Table, form: str, rows: Iterable[Row] | None = None) -> None:
    """Print a table on standard output, as wide as a terminal there, in colour if wanted.

    Where there may be millions of `rows`, they can be given beside it.
    """
    color = sys.stdout.isatty() and is_color_welcome()
    for piece in pieces(
        table, table.rows if rows is None else rows, form, width=screen_width(), color=color
    ):
        click.echo(piece, nl=False)
    click.echo()


def show_all(tables: Sequence[Table], form: str) -> None:
    """Show tables below each other; programs, whose formats hold one table, get the first."""
    for number, table in enumerate(tables[:1] if form in ("csv", "json") else tables):
        click.echo("\n" * bool(number), nl=False)
        show(table, form)


def is_color_welcome() -> bool:
    """Return whether a terminal here takes colours, and nobody has said that none are wanted."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def screen_width() -> int:
    """Return how many columns standard output has; 80 where it is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def warn_unprotected(sandbox: str, bots: Iterable[Bot] = ()) -> None:
    """Warn if bots are run without a sandbox: all, or those that have that of their own."""
    if sandbox == "none":
        say(f"Warning: {UNPROTECTED}")
    elif free := [bot.name for bot in bots if bot.grant.sandbox == "none"]:
        say(f"Warning: {', '.join(free)}: {UNPROTECTED}")


def _remedy(lacking: Grant) -> str:
    """Return how all bots of a match get what one of them lacks, if they can."""
    if lacking.door or lacking.remote:
        return "only leagues give that"
    words = [
        f"--sandbox {value}"
        if key == "sandbox"
        else f"--limit {quoted(f'{key}={json.dumps(value)}')}"
        for key, value in lacking.given.items()
    ]
    return f"`{' '.join(words)}` gives it to all bots"


def tell_unmet(bots: Iterable[Bot], limits: Limits) -> None:
    """Say what bots need and have not, where options alone say what all of them have."""
    for bot in bots:
        if why := unmet(bot, limits, f"{_remedy(bot.needs.beyond(limits))}."):
            say(why)
