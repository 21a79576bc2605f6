"""The command that lets a bot play in a served league from this machine: connect."""

from pathlib import Path
from time import monotonic, sleep

import click

from arena.author.submitting import Address, Client, address_of
from arena.cli import main
from arena.cli.options import WholeNumber, sandbox_option
from arena.cli.progress import StatusLine
from arena.cli.running import stopped_by_signals
from arena.cli.saying import say, warn_unprotected
from arena.cli.submit import SHOWN_OUTPUT, send, token_of, token_option, verdict_on
from arena.home.prepared import Prepared, marker, prepare, try_start
from arena.play.slow.room import check_room
from protocol.errors import ArenaError, Refusal, RunError, installing
from protocol.remote import MOST_AT_ONCE
from referee.limits import SandboxName
from referee.sandbox import Launcher

_STOPPED_AT_ONCE = 130  # the exit code, as that of a program that Ctrl-C has ended
_LINE_SECONDS = 60.0  # between lines on how things stand, where there is no terminal
_KNOWN_SECONDS = 30.0  # in which a league knows a bot that it has taken


@main.command()
@click.argument("url", metavar="URL")
@click.argument("source", metavar="BOT", type=click.Path(exists=True))
@click.option("--bot", "name", default="", metavar="NAME", help="The bot's name in the league.")
@click.option(
    "--slots",
    type=WholeNumber(1, MOST_AT_ONCE),
    default=2,
    show_default=True,
    help="Matches that it plays at once.",
)
@sandbox_option
@token_option
def connect(
    url: str, source: str, name: str, slots: int, sandbox: SandboxName, token_file: Path | None
) -> None:
    """Let a bot play in a league from this machine, for as long as this runs.

    URL is the league's address, and BOT a folder with a bot.toml, or one program. Only the hash of
    its files is handed in; the league asks it over this connection, which is made again when it
    breaks. Each match has a process of its own, in the sandbox here. The token comes from the
    variable ARENA_TOKEN or from a file. Ctrl-C finishes the matches in play; a second Ctrl-C ends
    them. Exit code 1: the bot cannot play, or the league does not want it.

    \b
    export ARENA_TOKEN=...
    arena connect https://bots.example.org/cup ./my_bot
    arena connect https://bots.example.org/cup bot.py --bot ada --slots 8
    arena connect https://bots.example.org/cup ./my_gpu_bot --sandbox none
    """
    try:
        import arena.home.session  # noqa: F401 - here, as its library need not be installed
    except ModuleNotFoundError as error:
        raise ArenaError(
            f"`arena connect` needs a library ({error.name} is missing): {installing('connect')}."
        ) from None

    address, token = address_of(url), token_of(token_file)
    bot = _prepared(source, name, sandbox)
    most = min(MOST_AT_ONCE, 2 * slots)
    check_room(
        most,
        1,
        [bot.limits],
        None,
        has_door=False,
        asked=f"--slots {slots}",
        remedy=lambda fit: f"Say --slots {max(1, fit // 2)}, or",
    )
    warn_unprotected(bot.limits.sandbox)
    with Launcher(bot.limits.sandbox, programs=most) as launcher:
        took = try_start(launcher, bot)
        where = f"in the sandbox {launcher.sandbox.name}"
        if bot.limits.sandbox == "none":
            where = "without a sandbox"
        say(f"{bot.name} ({bot.digest[:6]}) says ready after {took:.2f} s, {where}.")
        _play(address, token, bot, launcher, slots)


def _prepared(source: str, name: str, sandbox: SandboxName) -> Prepared:
    """Return the bot; show what its build printed if that failed."""
    try:
        return prepare(source, name, sandbox, say)
    except Refusal as error:
        if error.said:
            say("The build printed:", *(f"  {line}" for line in error.said[-SHOWN_OUTPUT:]))
        raise RunError(f"bot {source!r} {error}") from None


def _play(address: Address, token: str, bot: Prepared, launcher: Launcher, slots: int) -> None:
    """Play until it is stopped; what the league does not know yet is handed in."""
    from arena.home.session import BotSession

    client, name = Client(address, token), bot.name
    known_until: float | None = None
    while True:
        with StatusLine(between=_LINE_SECONDS) as screen:
            session = BotSession(address, token, bot, launcher, screen, name=name, slots=slots)
            try:
                with stopped_by_signals(session, "the matches in play are lost.") as heard:
                    session.run()
                break
            except Refusal as error:
                if known_until is not None and monotonic() > known_until:
                    raise RunError(str(error)) from None
            except RunError as error:
                if len(heard) < 2:
                    raise
                screen.clear()
                say(*f"arena: {error}".splitlines())
                raise click.exceptions.Exit(_STOPPED_AT_ONCE) from None
        if known_until is None:
            name = _handed_in(client, bot, name)
            known_until = monotonic() + _KNOWN_SECONDS
        else:
            sleep(1)
    say(f"{session.done}.")


def _handed_in(client: Client, bot: Prepared, name: str) -> str:
    """Hand in a bot that the league does not have; return its name there.

    Exits with 1 if it is refused; raises RunError if it is not even taken.
    """
    try:
        with marker(bot, name) as parcel:
            submission = send(client, parcel, name)
    except Refusal as error:
        if not error.status:
            raise
        hint = " Name the bot: --bot NAME." if error.status == 409 else ""
        raise RunError(f"{error}{hint}") from None
    submission = verdict_on(client, submission.number)
    if submission.state != "playing":
        raise click.exceptions.Exit(1)
    return submission.bot
