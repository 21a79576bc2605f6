"""The command that keeps leagues open: serve."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import main
from arena.cli.options import WholeNumber, leagues_type, sandbox_uid_option, trust_option
from arena.cli.saying import say, warn_unprotected
from arena.league.file import read_asked, with_game
from arena.text import quoted
from protocol.errors import ArenaError, installing

if TYPE_CHECKING:
    from arena.serve.server import Hosting

_LOCAL = ("127.0.0.1", "::1")


@main.command()
@click.argument("leagues", nargs=-1, required=True, metavar="LEAGUE...", type=leagues_type)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    default=8000,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Believe the X-Forwarded headers: only where nobody but a proxy can connect.",
)
@click.option(
    "--workers",
    type=WholeNumber(1),
    help="Processes that play, for each league.  [default: as cores allow]",
)
@click.option(
    "--access-log",
    "log",
    type=click.File("a"),
    metavar="FILE",
    help="The file for a line of JSON about each request.  [default: standard output, unless it is "
    "a terminal]",
)
@sandbox_uid_option
@trust_option
def serve(
    leagues: tuple[Path, ...],
    host: str,
    port: int,
    behind_proxy: bool,
    workers: int | None,
    log: Any,
    sandbox_uid: int | None,
) -> None:
    """Keep leagues open: take bots in, play what is missing, and show the live table.

    It listens on this machine alone, unless --host says otherwise; docs/serve.md shows how to put
    it behind nginx or Caddy with TLS. Every other command works beside it; `arena run` says who
    plays. Ctrl-C finishes the matches being played; a second Ctrl-C stops at once. What is missing
    then is played by `arena run`, or by the next server.

    \b
    arena author add cup ada
    arena serve cup
    arena serve spring autumn --host 0.0.0.0 --port 80
    """
    try:
        from arena.serve.server import Hosting
    except ModuleNotFoundError as error:
        raise ArenaError(
            f"`arena serve` needs a web server ({error.name} is missing): {installing('serve')}."
        ) from None

    for folder in leagues:
        plan = with_game(read_asked(folder))
        warn_unprotected(plan.limits.sandbox)

    if log is None and not sys.stdout.isatty():
        log = sys.stdout

    def tell(line: str) -> None:
        if log is not None:
            log.write(f"{line}\n")
            log.flush()

    hosting = Hosting(
        leagues,
        host,
        port,
        workers=workers,
        uid=sandbox_uid,
        behind_proxy=behind_proxy,
        log=tell,
        say=lambda words: say(*words.splitlines()),
    )

    hosting.serve(lambda: _announce(hosting, leagues, behind_proxy=behind_proxy))


def _announce(hosting: "Hosting", leagues: Sequence[Path], *, behind_proxy: bool) -> None:
    """Say where the server listens, who can connect, and how an author enters each league."""
    shown = f"[{hosting.host}]" if ":" in hosting.host else hosting.host
    address = f"http://{shown}:{hosting.port}/"
    say(f"Listening on {address}")
    if hosting.host in _LOCAL:
        say("Only this machine can connect. For others, put a proxy with TLS before it.")
    elif not behind_proxy:
        say(
            "Warning: everybody who can reach this address can connect, and tokens are not "
            "encrypted on the way. Put a proxy with TLS before it."
        )
    for name, folder in zip(hosting.leagues, leagues, strict=True):
        word = quoted(folder)
        url = address.rstrip("/")
        say(f"{folder}: {address}{name}/")
        say("  An author enters by the link of", f"    arena author add {word} NAME --url {url}")
