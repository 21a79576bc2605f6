"""The commands for the people of a league that is served: who may hand in, and their tokens."""

import dataclasses
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from arena.cli import main
from arena.cli.invite import invite_authors, link, minute, revoke_invitation, url_option
from arena.cli.options import league_argument, output_format
from arena.cli.saying import say, show
from arena.cli.similar import show_similar
from arena.handin.database import HandIns
from arena.handin.entries import bots_of
from arena.handin.invitations import invitations, invited
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


for _command in (invite_authors, revoke_invitation, show_similar):
    author.add_command(_command)


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
        f"{counted(each.most, 'author')}; it ends {minute(each.until)}."
        for each in links
    ]
    show(Table("people", columns, rows, facts, notes), form)


def _show_tokens(
    league: Path, wanted: Sequence[Newcomer], tokens: Sequence[str], url: str, form: str
) -> None:
    """Show tokens: in words for one person, as a table for many."""
    rows = [
        {
            "name": each.name,
            "role": each.role,
            "token": token,
            "link": link(url, league, "enter", token),
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
