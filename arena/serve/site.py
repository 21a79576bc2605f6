"""The pages of a server: what people see, with the forms by which they enter and hand in."""

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.serve.answers import html, refusal_of
from arena.serve.beginning import starter_or_none
from arena.serve.brief import known_languages
from arena.serve.endpoints import Api, bot_of
from arena.serve.forms import fields
from arena.serve.messages import Query
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
from arena.serve.shown import connected, queue_view
from arena.serve.views import TableView
from arena.serve.visits import (
    Admission,
    WebVisitor,
    check_csrf,
    check_origin,
    is_secure,
    let_in,
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
            return (await self._api.table(WebVisitor(league))).matches
        except ArenaError:
            return 0

    async def table(self, request: Request) -> Response:
        """Show the live table."""
        visitor = await self._admission.reader(request)
        league, sees_all = visitor.league, visitor.is_organizer
        data = await league.reader.get(Query("table", since=visitor.since))
        state = league.state(to_organizer=sees_all)
        waiting, calendar = len(league.queue), league.timetable.calendar
        left = None if visitor.since else league.left
        remote = connected(league.homes.rows(to_organizer=sees_all))
        key = data, state, waiting, calendar, visitor.visit, left, remote
        kept = self._tables.get(league.name)
        if kept is not None and kept[0] == key:
            return html(kept[1])
        text = table_page(
            visitor.visit,
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
        visitor = await self._admission.reader(request)
        table, calendar = await self._api.final(visitor), visitor.league.timetable.calendar
        return html(table_page(visitor.visit, table, calendar, is_final=True))

    async def to_table(self, request: Request) -> Response:
        """Lead to the table's own address."""
        league = self._admission.league(request)
        return RedirectResponse(league_address("", league.name), 308)

    async def bot(self, request: Request) -> Response:
        """Show a bot."""
        visitor = await self._admission.reader(request)
        bot = bot_of(request)
        view, own = await self._api.bot(request, visitor, bot)
        matches = None
        if visitor.may_see_all or own is not None:
            matches = await self._api.matches(request, visitor, bot)
        return html(bot_page(visitor.visit, view, own=own, matches=matches))

    async def matches(self, request: Request) -> Response:
        """Show matches."""
        visitor = await self._admission.reader(request)
        found = await self._api.chosen_matches(request, visitor)
        return html(matches_page(visitor.visit, found))

    async def match(self, request: Request) -> Response:
        """Show a match."""
        visitor = await self._admission.reader(request)
        found = await self._api.replay(request, visitor)
        return html(replay_page(visitor.visit, found))

    async def queue(self, request: Request) -> Response:
        """Show what waits."""
        visitor = await self._admission.reader(request)
        queue = queue_view(visitor.league.queue)
        return html(queue_page(visitor.visit, queue, hook_trouble=visitor.hook_trouble))

    async def calendar(self, request: Request) -> Response:
        """Show the calendar."""
        visitor = await self._admission.reader(request)
        return html(calendar_page(visitor.visit, visitor.league.timetable.calendar))

    async def submissions(self, request: Request) -> Response:
        """Show one's submissions."""
        visitor = await self._admission.author(request)
        return html(submissions_page(visitor.visit, await self._api.submissions(visitor)))

    async def submission(self, request: Request) -> Response:
        """Show a submission."""
        visitor = await self._admission.author(request)
        found = await self._api.submission(request, visitor)
        return html(submission_page(visitor.visit, found))

    async def hand_in(self, request: Request) -> Response:
        """Show the form, or take what was sent with it."""
        visitor = await self._admission.author(request)
        if request.method != "POST":
            return html(await self._form(visitor, request.query_params.get("lang", "")))
        try:
            found = await receive(self._admission, request)
        except ArenaError as error:
            refusal = refusal_of(error)
            if refusal.status in (401, 403, 500) and not refusal.step:
                raise
            return html(await self._form(visitor, why=refusal), refusal.status)
        address = league_address("", visitor.league.name, "submissions", found.number)
        return RedirectResponse(address, 303)

    async def _form(
        self, visitor: WebVisitor, language: str = "", why: Refusal | None = None
    ) -> str:
        league = visitor.league
        return hand_in_page(
            visitor.visit,
            league.timetable.calendar,
            starter=await starter_or_none(visitor, language),
            languages=[each for each in known_languages() if not each.lacking],
            own=await visitor.own_bots(),
            problem=why.what if why else "",
            remedy=why.remedy if why else "",
            closed="" if visitor.is_organizer else _CLOSED[league.timetable.phase],
        )

    async def enter(self, request: Request) -> Response:
        """Show the form for a token, or begin a session with one."""
        league = self._admission.league(request)
        if request.method != "POST":
            return html(enter_page((await self._admission.visitor(request)).visit))
        check_origin(request)
        token = (await fields(request)).get("token", "").strip()
        try:
            person = await self._admission.person(request, league, token)
        except Refusal as refusal:
            visit = WebVisit(league=league.name)
            page = enter_page(visit, problem=refusal.what, remedy=refusal.remedy)
            return html(page, refusal.status)
        answer = RedirectResponse(league_address("", league.name), 303)
        let_in(answer, request, league, league.sessions.begin(person))
        return answer

    async def leave(self, request: Request) -> Response:
        """End a session in this browser."""
        visitor = await self._admission.visitor(request)
        check_csrf(request, visitor, (await fields(request)).get("csrf", ""))
        league = visitor.league
        answer = RedirectResponse(league_address("", league.name), 303)
        secure = is_secure(request)
        answer.delete_cookie(
            league.sessions.cookie_name(secure=secure),
            secure=secure,
            httponly=True,
            samesite="strict",
        )
        answer.headers["Clear-Site-Data"] = '"storage"'  # the drafts of programs
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
