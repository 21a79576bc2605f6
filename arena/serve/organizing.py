"""The pages of organizers: who plays, who waits, who is here; what is alike; and what they do."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.handin.database import HandIns
from arena.handin.entries import authors_of
from arena.handin.invitations import Invitation, invitations, invited
from arena.handin.people import bots_of_people, people
from arena.organize.similar import Similar
from arena.serve.answers import html
from arena.serve.beginning import server_url
from arena.serve.deeds import DEEDS, Deed
from arena.serve.forms import fields
from arena.serve.messages import Query
from arena.serve.pages import ask_page, league_address, organize_page, similar_page
from arena.serve.roster import PersonRow, RosterRow
from arena.serve.visits import Admission, WebVisitor, check_csrf
from protocol.errors import ArenaError, Refusal


class Organizing:
    """The pages of organizers, and what their forms do.

    Args:
        admission: who may see and do it.

    """

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    async def show(self, request: Request) -> Response:
        """Show the league to its organizer."""
        visitor = await self._admission.organizer(request)
        league = visitor.league
        found = await league.reader.get(Query("roster"), fresh=True)
        persons, links = await league.db(_people)
        put_back = league.timetable.put_back
        told = put_back.words(league.name)
        words = [f"{put_back.at[:16]} UTC: {told}"] if told else []
        words += [visitor.hook_trouble] if visitor.hook_trouble else []
        page = organize_page(
            visitor.visit,
            bots=msgspec.json.decode(found, type=list[RosterRow]),
            authors=await league.db(authors_of),
            people=persons,
            invitations=links,
            queue=league.queue,
            words=[league.state(to_organizer=True), *words],
        )
        return html(page)

    async def similar(self, request: Request) -> Response:
        """Show which programs are alike."""
        visitor = await self._admission.organizer(request)
        with self._admission.one_more(request):
            found = await visitor.league.reader.get(Query("similar"))
        return html(similar_page(visitor.visit, msgspec.json.decode(found, type=Similar)))

    async def ask(self, request: Request) -> Response:
        """Ask whether something is to be done."""
        visitor = await self._admission.organizer(request)
        deed = _deed(request)
        return html(ask_page(visitor.visit, deed, request.query_params.get("of", "")))

    async def act(self, request: Request) -> Response:
        """Do it, and say what was done, or why not."""
        visitor = await self._admission.organizer(request)
        deed, sent = _deed(request), await fields(request)
        check_csrf(request, visitor, sent.get("csrf", ""))
        league, of = visitor.league, sent.get("of", "")
        try:
            _check_other(visitor, deed, of)
            done = await league.db(deed.do, of, sent)
        except ArenaError as error:
            if isinstance(error, Refusal) and error.status >= 500:
                raise
            problem = str(error).replace(str(league.folder), league.name)
            return html(ask_page(visitor.visit, deed, of, problem=problem), 409)
        link = ""
        if deed.name == "invite":
            join = league_address("", league.name, "join")
            link = f"{server_url(request, join) or join}#{done}"
            done = "There is a new invitation. Its link, shown only now:"
        by = f"{visitor.author.name}, an organizer, on the web: {deed.title} {of}".strip()
        league.say(f"{by}.")
        await league.refresh()
        return html(ask_page(visitor.visit, deed, of, done=done, link=link))


def _deed(request: Request) -> Deed:
    found = DEEDS.get(request.path_params["deed"])
    if found is None:
        raise Refusal(404, "there is no such page.", "Look at the organizers' page.")
    return found


def _check_other(visitor: WebVisitor, deed: Deed, of: str) -> None:
    """Raise ArenaError for an organizer who is about to shut herself out."""
    if deed.name == "remove-author" and of == visitor.author.name:
        raise ArenaError("you cannot remove yourself here; another organizer can.")


def _people(db: HandIns) -> tuple[list[PersonRow], list[Invitation]]:
    bots, came_by = bots_of_people(db), invited(db)
    rows = [
        PersonRow(
            name=each.name,
            role=each.role,
            since=each.since,
            bots=bots.get(each.name, []),
            invitation=came_by.get(each.name),
        )
        for each in people(db)
    ]
    return rows, invitations(db)
