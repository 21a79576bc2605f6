"""The commands for the people of a league that is served: who may hand in, and their tokens."""

import dataclasses
import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import click
import msgspec

from arena.cli import main
from arena.cli.options import WholeNumber, league_argument, output_format
from arena.cli.saying import say, show
from arena.handin.compared import similar_in
from arena.handin.database import HandIns
from arena.handin.entries import bots_of
from arena.handin.invitations import MOST, invitations, invite, invited, revoke
from arena.handin.names import read_names
from arena.handin.people import (
    Newcomer,
    Role,
    add_all,
    bots_of_people,
    people,
    remove,
    renew,
    who_needs_a_name,
)
from arena.league.file import file_of, read_asked
from arena.organize.similar import LEAST_SHARE
from arena.store.opening import read_played
from arena.tables.table import NAME_WIDTH, Column, Table
from arena.text import composed, counted, league_words, quoted, safe
from protocol.errors import ArenaError

_CAN: dict[Role, str] = {
    "author": "may hand in bots to",
    "organizer": "may see everything, and hand in bots, in",
    "reader": "may look at",
}


@main.group()
def author() -> None:
    """Say who may hand in bots to a league that `arena serve` keeps open.

    Each has a token, which is shown once: only a hash of it is stored. Whoever has the token can
    hand in as its owner.

    \b
    arena author add cup ada --url https://bots.example.org
    arena author add cup --from names.csv --format csv > tokens.csv
    arena author invite cup --places 30 --url https://bots.example.org
    arena author renew cup ada
    arena author list cup
    arena author similar cup
    """


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


@author.command("add")
@league_argument
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--organizer", "role", flag_value="organizer", help="Add those who see everything.")
@click.option("--reader", "role", flag_value="reader", help="Add those who only look.")
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="CSV",
    help="Add everybody in a file: a name in each line, and perhaps a role.",
)
@url_option
@output_format
def add_authors(
    league: Path,
    names: tuple[str, ...],
    role: Role | None,
    file: Path | None,
    url: str,
    form: str,
) -> None:
    """Add authors by name or from a file, and show their tokens.

    A token is shown this one time. One who was removed comes back by the same name. With a mistake
    in a name or in a line of the file, nobody is added. Who stands in the file and is here already
    stays as before, so that the same file can be given again when it has more names.

    \b
    arena author add cup ada
    arena author add cup eva ben --url https://bots.example.org
    arena author add cup --from names.csv --format csv > tokens.csv
    """
    if bool(names) == (file is not None):
        raise ArenaError("name persons, or a file of many: --from names.csv.")
    if file is not None and role is not None:
        raise ArenaError(f"the roles of many stand in {file}, in a second column.")
    plan = read_asked(league)
    if file is not None:
        wanted = read_names(file)
    else:
        wanted = [Newcomer(composed(name), role or "author") for name in dict.fromkeys(names)]
    with HandIns(league, create=True) as db:
        tokens = add_all(db, wanted, once_more=file is not None)
        new = [each for each, token in zip(wanted, tokens, strict=True) if token]
        nameless = who_needs_a_name(db, plan, [each.name for each in new])
    if new or form != "simple":
        _show_tokens(league, new, list(filter(None, tokens)), url, form)
    if left := len(wanted) - len(new):
        were = counted(left, "person was", "persons were")
        say(f"{were} there already, with the tokens that they have.")
    for name in nameless:
        say(
            f"{name} cannot hand in a bot called {name!r}, as another has that name. `arena "
            f"submit --bot NAME`, or the page, gives it another one; `arena remove` frees the "
            f"name of a bot that you entered."
        )


def _moment(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime:
    """Return the moment of a date, or of its time: here, unless it has a zone; or in a week."""
    if value is None:
        return datetime.now(UTC) + timedelta(days=7)
    try:
        return datetime.fromisoformat(value).astimezone()
    except (ValueError, OverflowError):
        raise ArenaError(f"--until {value} is no time such as 2026-12-24T12:00.") from None


@author.command("invite")
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
            f"until {_minute(made.until)}. What makes one, shown only now, is"
        )
    )
    click.echo(f"\n    {secret}\n")
    if url:
        click.echo(
            f"and this link leads to its page:\n\n    {_link(url, league, 'join', secret)}\n"
        )
    else:
        say("Open the page /join of the league on its server, and type it there; or give --url.")


@author.command("revoke")
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


def _minute(at: str) -> str:
    return f"{at[:16].replace('T', ' ')} UTC"


@author.command("renew")
@league_argument
@click.argument("name")
@url_option
@output_format
def renew_author(league: Path, name: str, url: str, form: str) -> None:
    """Give somebody a new token; the old one ends at once, and the connections of remote bots.

    \b
    arena author renew cup ada
    """
    file_of(league)
    with HandIns(league) as db:
        token = renew(db, name)
        [person] = [person for person in people(db) if person.name == composed(name)]
    _show_tokens(league, [Newcomer(person.name, person.role)], [token], url, form)


@author.command("remove")
@league_argument
@click.argument("name")
def remove_author(league: Path, name: str) -> None:
    """Remove somebody: the token ends at once.

    What waits is refused. Bots that play go on playing, but for remote ones, which nobody can
    connect any more; `arena remove` takes both out.

    \b
    arena author remove cup ada
    """
    file_of(league)
    with HandIns(league) as db:
        remove(db, name)
        said = [f"{name} may not hand in to {league_words(league)} any more."]
        try:
            said += _what_stays(league, bots_of(db, name))
        except ArenaError as error:
            said.append(f"Which bots stay is not known: {error}")
    click.echo(safe(" ".join(said)))


def _what_stays(league: Path, bots: Sequence[str]) -> Iterator[str]:
    """Yield sentences on the bots, in a league, of an author who is gone."""
    plan = read_asked(league, "read")
    excluded = {bot.name for bot in plan.disqualified}
    stay = [bot for bot in bots if bot not in excluded]
    if not stay:
        return
    yield f"Still in the league: {', '.join(stay)}."
    if remote := [bot for bot in stay if plan.grant_of(bot).remote]:
        are, them = ("is", "it") if len(remote) == 1 else ("are", "them")
        yield (
            f"{', '.join(remote)} {are} remote: nobody can connect {them} any more, and what is "
            f"missing of {them} is never played."
        )
    them = "it" if len(stay) == 1 else "them"
    yield f"`arena remove {quoted(league)} {shlex.join(stay)}` takes {them} out."


@author.command("list")
@league_argument
@output_format
def list_authors(league: Path, form: str) -> None:
    """List everybody who has a token, and their bots; below them, the invitations.

    \b
    arena author list cup
    """
    file_of(league)
    with HandIns(league) as db:
        bots, came_by, links = bots_of_people(db), invited(db), invitations(db)
        rows = [
            {
                "name": person.name,
                "role": person.role,
                "since": person.since,
                "bots": bots.get(person.name, []),
                "invitation": came_by.get(person.name),
            }
            for person in people(db)
        ]
    columns = (
        Column("Name", "name", width=NAME_WIDTH),
        Column("Role", "role"),
        Column("Token since", lambda row: row["since"][:16].replace("T", " ")),
        Column("Invitation", lambda row: str(row["invitation"] or "")),
        Column("Bots", lambda row: ", ".join(row["bots"])),
    )
    facts = {
        "league": str(league),
        "invitations": [dataclasses.asdict(each) | {"state": each.state} for each in links],
    }
    notes = [
        f"Invitation {each.number} ({each.state}) has made {each.used} of at most "
        f"{counted(each.most, 'author')}; it ends {_minute(each.until)}."
        for each in links
    ]
    show(Table("people", columns, rows, facts, notes), form)


@author.command("similar")
@league_argument
@output_format
def show_similar(league: Path, form: str) -> None:
    """Show which bots of different authors are the same, or share much of a program.

    Names, numbers, texts and comments make no difference, nor do the kits, starters and bundled
    bots that all are given. A share is the part of a program's fingerprints that the other one has
    too. It shows, and judges nobody: look at both programs, and ask their authors.

    \b
    arena author similar cup
    """
    found = similar_in(read_played(league))
    rows = [msgspec.to_builtins(pair) for pair in found.pairs]
    columns = (
        Column("Bot", lambda row: _said(row["one"]), width=NAME_WIDTH),
        Column("And", lambda row: _said(row["other"]), width=NAME_WIDTH),
        Column("Alike", "how"),
        Column("Share", lambda row: f"{row['one']['share']:.0%}", "right"),
        Column("Of the other", lambda row: f"{row['other']['share']:.0%}", "right"),
    )
    notes = [
        f"{counted(found.programs, 'version')} of {counted(found.authors, 'author')} were compared."
    ]
    if not rows:
        notes.append(f"No two of different authors share {LEAST_SHARE:.0%} or more.")
    if found.more:
        notes.append(f"{counted(found.more, 'more pair')} like these.")
    show(Table("pairs", columns, rows, {"league": str(league)}, notes), form)


def _said(side: dict[str, Any]) -> str:
    """Return whose version a side is."""
    of = f" of {side['author']}, {side['number']}" if side["number"] else ""
    left = f" ({counted(side['left'], 'file')} not compared)" if side["left"] else ""
    return safe(f"{side['bot']}{of}{left}")


def _show_tokens(
    league: Path, wanted: Sequence[Newcomer], tokens: Sequence[str], url: str, form: str
) -> None:
    """Show tokens: in words for one person, as a table for many."""
    rows = [
        {
            "name": each.name,
            "role": each.role,
            "token": token,
            "link": _link(url, league, "enter", token),
        }
        for each, token in zip(wanted, tokens, strict=True)
    ]
    if form == "simple" and len(rows) == 1:
        [row] = rows
        can = _CAN[wanted[0].role]
        click.echo(
            safe(f"{row['name']} {can} {league_words(league)}. The token, shown only now, is")
        )
        click.echo(f"\n    {row['token']}\n")
        if row["link"]:
            click.echo(f"and this link enters with it:\n\n    {row['link']}\n")
        return
    columns = [Column("Name", "name"), Column("Role", "role"), Column("Token", "token")]
    if url:
        columns.append(Column("Link", "link"))
    show(Table("people", tuple(columns), rows, {"league": str(league)}), form)
    if rows:
        say(f"{counted(len(rows), 'token')}, shown only now.")


def _link(url: str, league: Path, page: str, token: str) -> str:
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
