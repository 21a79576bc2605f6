"""The command that hands in a bot to a league that is served: submit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from arena.author.submitting import LEFT_OUT, Client, Parcel, address_of, packed
from arena.cli import main
from arena.cli.handing_in import send, token_of, token_option, verdict_on
from arena.cli.saying import say
from arena.text import counted
from protocol.errors import ArenaError


@main.command(epilog=f"Left out of a folder: {', '.join(sorted(LEFT_OUT))}.")
@click.argument("url", metavar="URL")
@click.argument("source", metavar="BOT", type=click.Path(path_type=Path, exists=True))
@click.option("--bot", "name", default="", metavar="NAME", help="The bot's name in the league.")
@token_option
@click.option("--no-wait", is_flag=True, help="Do not wait for the verdict.")
def submit(url: str, source: Path, name: str, token_file: Path | None, no_wait: bool) -> None:
    """Hand in a bot, wait for the verdict, and show it.

    URL is the league's address, and BOT a folder with a bot.toml, an archive of one, or one
    program. The token comes from the variable ARENA_TOKEN or from a file, never from the command
    line, where others could see it. Exit code 0: the bot plays. 1: it is refused. 2: it could not
    be handed in.

    \b
    export ARENA_TOKEN=...
    arena submit https://bots.example.org/cup ./my_bot
    arena submit https://bots.example.org/cup bot.py --bot ada
    arena submit https://bots.example.org/cup my.zip --no-wait
    """
    client = Client(address_of(url), token_of(token_file))
    with packed(source) as parcel:
        told = client.league()
        _check_size(told, parcel)
        _say_packed(parcel)
        submission = send(client, parcel, name)
    if no_wait:
        return
    submission = verdict_on(client, submission.number)
    if submission.state != "playing":
        raise click.exceptions.Exit(1)


def _check_size(told: Mapping[str, Any], parcel: Parcel) -> None:
    """Raise ArenaError for what the server would refuse after all of it was sent."""
    calendar = told.get("calendar")
    most = calendar.get("size_mb") if isinstance(calendar, Mapping) else 0
    if isinstance(most, int) and most and parcel.size > most << 20:
        raise ArenaError(
            f"what you hand in is {parcel.size / (1 << 20):.1f} MiB, and at most {most} MiB are "
            f"taken. Leave out what the bot does not need."
        )


def _say_packed(parcel: Parcel) -> None:
    size = f"{parcel.size / 1000:.1f} kB" if parcel.size < 1e6 else f"{parcel.size / 1e6:.1f} MB"
    left = f"; left out: {', '.join(parcel.left_out)}" if parcel.left_out else ""
    say(f"{counted(parcel.files, 'file')}, {size}{left}")
