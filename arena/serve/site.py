"""The pages of a server: what people see, with the forms by which they enter and hand in."""

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.serve.answers import html, refusal_of
from arena.serve.endpoints import Api, Which, bot_of, choice_of, number_of
from arena.serve.forms import fields
from arena.serve.pages import (
    LeagueCard,
    WebVisit,
    assets,
    bot_page,
    calendar_page,
    enter_page,
    hand_in_page,
    league_address,
    leagues_page,
    matches_page,
    queue_page,
    replay_page,
    submission_page,
    submissions_page,
    table_page,
)
from arena.serve.receiving import receive
from arena.serve.served import Served
from arena.serve.sessions import SESSION_SECONDS
from arena.serve.shown import connected, queue_view
from arena.serve.views import TableView
from arena.serve.visits import (
    Admission,
    WebVisitor,
    check_csrf,
    check_origin,
    is_secure,
    may_see_all,
    own_bots,
    visit_of,
)
from protocol.errors import ArenaError, Refusal

_CLOSED = {
    "before": "Bots are not taken yet; the calendar says from when.",
    "closed": "No bots are taken any more.",
    "open": "",
}


class WebSite:
    """The pages, made of what the API answers.

    Args:
        leagues: by name.
        admission: who may see what.
        api: what it is made of.

    """

    def __init__(self, leagues: dict[str, Served], admission: Admission, api: Api) -> None:
        self._leagues = leagues
        self._admission = admission
        self._api = api
        self._tables: dict[str, tuple[object, str]] = {}  # of strangers, as they were made last

    async def leagues(self, _request: Request) -> Response:
        """Show the leagues that strangers may see."""
        cards = [
            LeagueCard(
                name=league.name,
                game=league.plan.game.name,
                bots=len(league.plan.bots),
                matches=await self._matches(league),
                calendar=league.timetable.calendar,
                state=league.state(to_organizer=False),
            )
            for league in self._leagues.values()
            if league.plan.hand_in.readers
        ]
        return html(leagues_page(WebVisit(), cards))

    async def _matches(self, league: Served) -> int:
        """Return how many matches strangers see; none where there is no table."""
        try:
            return (await self._api.table(league, WebVisitor(None))).matches
        except ArenaError:
            return 0

    async def table(self, request: Request) -> Response:
        """Show the live table."""
        league, visitor = await self._admission.reader(request)
        data = await league.table(to_organizer=visitor.is_organizer)
        state = league.state(to_organizer=visitor.is_organizer)
        visit = visit_of(league, visitor)
        waiting, calendar = len(league.queue), league.timetable.calendar
        left = league.left(to_organizer=visitor.is_organizer)
        remote = connected(league.homes.rows(to_organizer=visitor.is_organizer))
        key = data, state, waiting, calendar, visit, left, remote
        kept = self._tables.get(league.name)
        if kept is not None and kept[0] == key:
            return html(kept[1])
        text = table_page(
            visit,
            _as_of_now(msgspec.json.decode(data, type=TableView), left),
            calendar,
            state=state,
            waiting=waiting,
            remote=remote,
        )
        if visitor.person is None:
            self._tables[league.name] = key, text
        return html(text)

    async def final(self, request: Request) -> Response:
        """Show the table of the final."""
        league, visitor = await self._admission.reader(request)
        table = await self._api.final(league, visitor)
        visit = visit_of(league, visitor)
        return html(table_page(visit, table, league.timetable.calendar, is_final=True))

    async def to_table(self, request: Request) -> Response:
        """Lead to the table's own address."""
        league = self._admission.league(request)
        return RedirectResponse(league_address("", league.name), 308)

    async def bot(self, request: Request) -> Response:
        """Show a bot."""
        league, visitor = await self._admission.reader(request)
        bot = bot_of(request)
        view, own = await self._api.bot(request, league, visitor, bot)
        matches = None
        if may_see_all(league, visitor) or own is not None:
            matches = await self._api.matches(request, league, visitor, Which(bot))
        return html(bot_page(visit_of(league, visitor), view, own=own, matches=matches))

    async def matches(self, request: Request) -> Response:
        """Show matches."""
        league, visitor = await self._admission.reader(request)
        found = await self._api.matches(request, league, visitor, choice_of(request))
        return html(matches_page(visit_of(league, visitor), found))

    async def match(self, request: Request) -> Response:
        """Show a match."""
        league, visitor = await self._admission.reader(request)
        found = await self._api.replay(request, league, visitor, request.path_params["match"])
        return html(replay_page(visit_of(league, visitor), found))

    async def queue(self, request: Request) -> Response:
        """Show what waits."""
        league, visitor = await self._admission.reader(request)
        visit, queue = visit_of(league, visitor), queue_view(league.queue)
        trouble = league.timetable.hook_trouble if visitor.is_organizer else ""
        return html(queue_page(visit, queue, hook_trouble=trouble))

    async def calendar(self, request: Request) -> Response:
        """Show the calendar."""
        league, visitor = await self._admission.reader(request)
        return html(calendar_page(visit_of(league, visitor), league.timetable.calendar))

    async def submissions(self, request: Request) -> Response:
        """Show one's submissions."""
        league, visitor = await self._admission.author(request)
        found = await self._api.submissions(league, visitor)
        return html(submissions_page(visit_of(league, visitor), found))

    async def submission(self, request: Request) -> Response:
        """Show a submission."""
        league, visitor = await self._admission.author(request)
        found = await self._api.submission(league, visitor, number_of(request))
        return html(submission_page(visit_of(league, visitor), found))

    async def hand_in(self, request: Request) -> Response:
        """Show the form, or take what was sent with it."""
        league, visitor = await self._admission.author(request)
        if request.method != "POST":
            return html(await self._form(league, visitor))
        try:
            found = await receive(self._admission, request, league)
        except ArenaError as error:
            refusal = refusal_of(error)
            if refusal.status in (401, 403, 500) and not refusal.step:
                raise
            text = await self._form(league, visitor, refusal)
            return html(text, refusal.status)
        address = league_address("", league.name, "submissions", found.number)
        return RedirectResponse(address, 303)

    async def _form(self, league: Served, visitor: WebVisitor, why: Refusal | None = None) -> str:
        what = why.what if why else ""
        return hand_in_page(
            visit_of(league, visitor),
            league.timetable.calendar,
            game=league.plan.game.name,
            own=await own_bots(league, visitor),
            problem=what[:1].upper() + what[1:],
            remedy=why.remedy if why else "",
            closed="" if visitor.is_organizer else _CLOSED[league.timetable.phase],
        )

    async def enter(self, request: Request) -> Response:
        """Show the form for a token, or begin a session with one."""
        league = self._admission.league(request)
        if request.method != "POST":
            return html(
                enter_page(visit_of(league, await self._admission.visitor(request, league)))
            )
        check_origin(request)
        token = (await fields(request)).get("token", "").strip()
        try:
            person = await self._admission.person(request, league, token)
        except Refusal as refusal:
            what = refusal.what
            page = enter_page(
                WebVisit(league=league.name),
                problem=what[:1].upper() + what[1:],
                remedy=refusal.remedy,
            )
            return html(page, refusal.status)
        answer = RedirectResponse(league_address("", league.name), 303)
        secure = is_secure(request)
        answer.set_cookie(
            league.sessions.cookie_name(secure=secure),
            league.sessions.begin(person),
            max_age=SESSION_SECONDS,
            secure=secure,
            httponly=True,
            samesite="strict",
        )
        return answer

    async def leave(self, request: Request) -> Response:
        """End a session in this browser."""
        league = self._admission.league(request)
        visitor = await self._admission.visitor(request, league)
        check_csrf(request, visitor, (await fields(request)).get("csrf", ""))
        answer = RedirectResponse(league_address("", league.name), 303)
        secure = is_secure(request)
        answer.delete_cookie(
            league.sessions.cookie_name(secure=secure),
            secure=secure,
            httponly=True,
            samesite="strict",
        )
        return answer

    async def static(self, request: Request) -> Response:
        """Answer with a file of the pages; its address changes with its content."""
        asset = assets().get(request.path_params["name"])
        if asset is None:
            raise Refusal(404, "there is no such file.")
        caching = "public, max-age=31536000, immutable"
        if request.url.query != asset.tag:
            caching = "no-cache"
        return Response(
            asset.content,
            media_type=asset.kind,
            headers={"Cache-Control": caching, "ETag": f'"{asset.tag}"'},
        )


def _as_of_now(table: TableView, left: tuple[int, int] | None) -> TableView:
    """Return a table that says how many matches are missing now, if it is of the same league."""
    if left is None or left[0] != table.asked:  # as bots came, or one is suspended
        return table
    return msgspec.structs.replace(table, missing=left[1])
