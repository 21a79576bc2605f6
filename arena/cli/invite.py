"""The commands for invitations, and the links by which people come: author invite, revoke."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote, urlsplit

import click

from arena.cli.left_out import ArenaCommand
from arena.cli.options import WholeNumber, league_argument
from arena.cli.saying import say
from arena.handin.database import HandIns
from arena.handin.invitations import MOST, invite, revoke
from arena.league.file import file_of
from arena.text import counted, league_words, safe
from protocol.errors import ArenaError


def _url(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str:
    if value is None:
        return ""
    if not re.fullmatch(r"https?://[^\s#?]+", value):
        raise ArenaError(f"--url {value} is no address of a server, such as https://example.org.")
    return value


url_option = click.option(
    "--url",
    callback=_url,
    metavar="URL",
    help="The server's address, or the league's on it, for a link that enters with the token.",
)


def _moment(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime:
    """Return the moment of a date, or of its time: here, unless it has a zone; or in a week."""
    if value is None:
        return datetime.now(UTC) + timedelta(days=7)
    try:
        return datetime.fromisoformat(value).astimezone()
    except (ValueError, OverflowError):
        raise ArenaError(f"--until {value} is no time such as 2026-12-24T12:00.") from None


@click.command("invite", cls=ArenaCommand)
@league_argument
@click.option(
    "--places",
    "most",
    type=WholeNumber(1, MOST),
    default=30,
    show_default=True,
    help="How many authors it may make.",
)
@click.option(
    "--until",
    callback=_moment,
    metavar="TIME",
    help="When it ends, such as 2026-12-24T12:00.  [default: in a week]",
)
@url_option
def invite_authors(league: Path, most: int, until: datetime, url: str) -> None:
    """Make a link by which people make themselves authors, each under a name of their own.

    Whoever has the link can do so, and may pass it on. The name of somebody else, or of a bot, is
    refused, and so is one that looks like it. `arena author list` shows who came by which
    invitation, and how many places it still has; `arena author revoke` ends it.

    \b
    arena author invite cup --url https://bots.example.org
    arena author invite cup --places 12 --until 2099-12-24T12:00
    """
    file_of(league)
    with HandIns(league, create=True) as db:
        made, secret = invite(db, most, until)
    people_said = counted(made.most, "author")
    click.echo(
        safe(
            f"Invitation {made.number} makes at most {people_said} of {league_words(league)}, "
            f"until {minute(made.until)}. What makes one, shown only now, is"
        )
    )
    click.echo(f"\n    {secret}\n")
    if url:
        click.echo(f"and this link leads to its page:\n\n    {link(url, league, 'join', secret)}\n")
    else:
        say("Open the page /join of the league on its server, and type it there; or give --url.")


@click.command("revoke", cls=ArenaCommand)
@league_argument
@click.argument("number", type=WholeNumber(1))
def revoke_invitation(league: Path, number: int) -> None:
    """End an invitation at once; whom it made stays.

    \b
    arena author revoke cup 1
    """
    file_of(league)
    with HandIns(league) as db:
        ended = revoke(db, number)
    stay = counted(ended.used, "author")
    click.echo(
        safe(
            f"Invitation {number} of {league_words(league)} makes nobody any more; it made {stay}."
        )
    )


def minute(at: str) -> str:
    """Return a time in ISO 8601 as it is shown."""
    return f"{at[:16].replace('T', ' ')} UTC"


def link(url: str, league: Path, page: str, token: str) -> str:
    """Return a link to a page with a secret: it follows a #, which no browser sends to a server.

    The address may be that of the server, or of any page of the league.
    """
    if not url:
        return ""
    name = quote(league.resolve().name)
    parts = urlsplit(url)
    steps = [step for step in parts.path.split("/") if step]
    before = steps[: steps.index(name)] if name in steps else steps
    path = "/".join(["", *before, name, page])
    return f"{parts.scheme}://{parts.netloc}{path}#{token}"
