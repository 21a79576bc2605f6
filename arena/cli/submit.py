"""The command that hands in a bot to a league that is served, and what `arena connect` shares."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.author.submitting import (
    LEFT_OUT,
    Client,
    Parcel,
    ShownSubmission,
    address_of,
    awaited,
    packed,
)
from arena.author.verdict import State, Step, lines, shown, verdict_table
from arena.cli import main
from arena.cli.options import output_format
from arena.cli.progress import StatusLine
from arena.cli.saying import say, screen_width, show
from arena.text import counted, fold, safe, safe_lines
from protocol.errors import ArenaError

SHOWN_OUTPUT = 40
"""Lines of a build that failed, at most."""
_STEP_STATES: dict[str, State] = {"ok": "ok", "failed": "FAILED", "advice": "advice"}
_FACTS = "number", "bot", "state", "step", "reason", "remedy", "can_retry", "output"
"""What is told to a program beside the steps."""
_STATES = {
    "received": "waiting for its turn",
    "building": "being unpacked and built",
    "checking": "being checked",
}

token_option = click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file that holds the token.  [default: ARENA_TOKEN holds it]",
)
"""The option that `token_of` reads."""


def token_of(file: Path | None) -> str:
    """Return the token in a file, or in the variable; raise ArenaError if there is none."""
    if file is not None:
        try:
            token = file.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise ArenaError(f"{safe(str(file))} cannot be read: {why}.") from None
    else:
        token = os.environ.get("ARENA_TOKEN", "").strip()
    if not token:
        raise ArenaError(
            "there is no token: put yours, which the organizer gave you, into the variable "
            "ARENA_TOKEN, or into a file and name it: --token-file."
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ArenaError("the token is none: it is one word of letters, digits, - and _.")
    return token


def send(client: Client, parcel: Parcel, name: str, *, only_check: bool = False) -> ShownSubmission:
    """Hand in a parcel as a bot of this name, and say so; return the submission."""
    with StatusLine() as line:
        submission = client.hand_in(
            parcel,
            name,
            lambda sent: line.show(f"sending, {100 * sent // parcel.size} %"),
            only_check=only_check,
        )
    say(f"Received as submission {submission.number} of {submission.bot}.")
    return submission


def verdict_on(client: Client, number: int, form: str = "simple") -> ShownSubmission:
    """Wait for the verdict on a submission, and show it in a format; return the submission."""
    with StatusLine() as line:
        submission = awaited(
            client, number, lambda now: line.show(safe(now.progress or _STATES.get(now.state, "")))
        )
    steps = [
        Step(each.title, _STEP_STATES.get(each.state, "not tried"), each.detail, each.evidence)
        for each in submission.steps
    ]
    if form == "simple":
        _show(submission, steps)
    else:
        facts = {name: getattr(submission, name) for name in _FACTS}
        show(verdict_table(steps, **facts), form)
    return submission


def _show(submission: ShownSubmission, steps: Sequence[Step]) -> None:
    """Show the verdict: steps as `arena check` does, and the build's output if it failed."""
    bot, number = safe(submission.bot), submission.number
    if submission.state == "refused":
        said = [f"{bot} is refused: {submission.reason}", submission.remedy]
        said += ["To hand in the same again can help."] if submission.can_retry else []
        for words in filter(None, said):
            click.echo("\n".join(fold(safe(words), screen_width())))
        click.echo()
    if submission.step == "build" and submission.output:
        _show_output(submission.output)
    for place, step in shown(steps):
        click.echo("\n".join(lines(place, step, screen_width())))
    if steps:
        click.echo()
    match submission.state:
        case "playing":
            click.echo(f"{bot} is accepted, and plays from now on (submission {number}).")
        case "checked":
            click.echo(f"{bot} is fit to play. It was only checked (submission {number}).")
        case "replaced":
            click.echo(f"Submission {number} of {bot} was replaced: {safe(submission.reason)}")
        case _:
            words = f"{bot} is refused at the step {submission.step} (submission {number})."
            click.echo("\n".join(fold(safe(words), screen_width())))


def _show_output(output: str) -> None:
    found = output.splitlines()
    if len(found) > SHOWN_OUTPUT:
        click.echo(f"The end of what the build printed ({len(found)} lines in all):")
    else:
        click.echo("The build printed:")
    click.echo(safe_lines("\n".join(found[-SHOWN_OUTPUT:]), "  "))
    click.echo()


@main.command(epilog=f"Left out of a folder: {', '.join(sorted(LEFT_OUT))}.")
@click.argument("url", metavar="URL")
@click.argument("source", metavar="BOT", type=click.Path(path_type=Path, exists=True))
@click.option("--bot", "name", default="", metavar="NAME", help="The bot's name in the league.")
@token_option
@click.option("--check", "only_check", is_flag=True, help="Check it there; do not enter it.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the verdict.")
@output_format
def submit(
    url: str,
    source: Path,
    name: str,
    token_file: Path | None,
    only_check: bool,
    no_wait: bool,
    form: str,
) -> None:
    """Hand in a bot, wait for the verdict, and show it.

    URL is the league's address, and BOT a folder with a bot.toml, an archive of one, or one
    program. The token comes from the variable ARENA_TOKEN or from a file, never from the command
    line, where others could see it. With --check, it is built and checked as any other, and never
    plays. Exit code 0: the bot plays or, with --check, could. 1: it is refused. 2: it could not be
    handed in.

    \b
    export ARENA_TOKEN=...
    arena submit https://bots.example.org/cup ./my_bot
    arena submit https://bots.example.org/cup bot.py --bot ada
    arena submit https://bots.example.org/cup ./my_bot --check
    arena submit https://bots.example.org/cup my.zip --no-wait
    arena submit https://bots.example.org/cup ./my_bot --format json
    """
    client = Client(address_of(url), token_of(token_file))
    with packed(source) as parcel:
        told = client.league()
        _check_size(told, parcel)
        _say_packed(parcel)
        submission = send(client, parcel, name, only_check=only_check)
    if no_wait:
        return
    submission = verdict_on(client, submission.number, form)
    if submission.state not in ("playing", "checked"):
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
