"""What commands have in common that hand in bots: the token, what is sent, and the verdict."""

import os
from pathlib import Path

import click

from arena.author.step import State as StepState
from arena.author.step import Step
from arena.author.submitting import Client, Parcel, ShownSubmission, ShownStep, awaited
from arena.author.verdict import is_fit, lines, shown
from arena.cli.progress import StatusLine
from arena.cli.saying import say, screen_width
from arena.text import fold, safe, safe_lines
from protocol.errors import ArenaError

_SHOWN_OUTPUT = 40  # lines of a build that failed
_STEP_STATES: dict[str, StepState] = {"ok": "ok", "failed": "FAILED", "advice": "advice"}
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


def send(client: Client, parcel: Parcel, name: str) -> ShownSubmission:
    """Hand in a parcel as a bot of this name, and say so; return the submission."""
    with StatusLine() as line:
        submission = client.hand_in(
            parcel, name, lambda sent: line.show(lambda: _sending(sent, parcel.size))
        )
    say(f"Received as submission {submission.number} of {submission.bot}.")
    return submission


def verdict_on(client: Client, number: int) -> ShownSubmission:
    """Wait for the verdict on a submission, and show it; return the submission."""
    with StatusLine() as line:
        submission = awaited(client, number, lambda now: line.show(lambda: _waiting(now)))
    _show(submission)
    return submission


def _sending(sent: int, size: int) -> str:
    return f"sending, {100 * sent // size if size else 100} %"


def _waiting(submission: ShownSubmission) -> str:
    return safe(submission.progress or _STATES.get(submission.state, ""))


def _show(submission: ShownSubmission) -> None:
    """Show the verdict: steps as `arena check` does, and the build's output if it failed."""
    bot, number = safe(submission.bot), submission.number
    if submission.step == "build" and submission.output:
        _show_output(submission.output)
    steps = [*map(_step, submission.steps)]
    for place, step in shown(steps):
        click.echo("\n".join(lines(place, step, screen_width())))
    if steps:
        click.echo()
    match submission.state:
        case "playing":
            click.echo(f"{bot} is accepted, and plays from now on (submission {number}).")
        case "replaced":
            click.echo(f"ShownSubmission {number} of {bot} was replaced: {safe(submission.reason)}")
        case _:
            why = "; the step that failed shows why."
            if is_fit(steps):
                why = f" at the step {submission.step}: {submission.reason}"
            said = [f"{bot} is refused{why}"]
            said += [submission.remedy] if submission.remedy else []
            said += ["To hand in the same again can help."] if submission.can_retry else []
            for words in said:
                for part in fold(safe(words), screen_width()):
                    click.echo(part)


def _step(told: ShownStep) -> Step:
    state = _STEP_STATES.get(told.state, "not tried")
    return Step(told.title, state, told.detail, told.evidence)


def _show_output(output: str) -> None:
    found = output.splitlines()
    if len(found) > _SHOWN_OUTPUT:
        click.echo(f"The end of what the build printed ({len(found)} lines in all):")
    else:
        click.echo("The build printed:")
    click.echo(safe_lines("\n".join(found[-_SHOWN_OUTPUT:]), "  "))
    click.echo()
