"""The application of a server: which address leads where."""

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketClose

from arena.serve.answers import answering, denied, refused_in_json, refused_on_page
from arena.serve.beginning import Beginning
from arena.serve.endpoints import Api
from arena.serve.guard import Guard
from arena.serve.joining import Joining
from arena.serve.organizing import Organizing
from arena.serve.remote.endpoint import connect
from arena.serve.remote.line import GOING_AWAY
from arena.serve.served import Served
from arena.serve.site import WebSite
from arena.serve.tables import KeptTables
from arena.serve.visits import Admission
from protocol.errors import Refusal


def _routes(leagues: dict[str, Served], say: Callable[[str], None]) -> list[BaseRoute]:
    """Return all addresses of some leagues, by name, and what answers there."""
    admission = Admission(leagues)
    api = Api(leagues, admission)
    site = WebSite(leagues, admission, api)
    beginning, tables = Beginning(admission), KeptTables(admission, api)
    joining, organizing = Joining(admission), Organizing(admission)
    one = "/api/leagues/{league}"
    programs = [
        ("/api/schema", api.get_schema, "GET"),
        ("/api/leagues", api.get_leagues, "GET"),
        (one, api.get_league, "GET"),
        (f"{one}/table", api.get_table, "GET"),
        (f"{one}/cross-table", tables.get_cross_table, "GET"),
        (f"{one}/final", api.get_final, "GET"),
        (f"{one}/game", beginning.get_game, "GET"),
        (f"{one}/events", api.get_events, "GET"),
        (f"{one}/bots/", api.get_bot, "GET"),
        (f"{one}/bots/{{bot:path}}", api.get_bot, "GET"),
        (f"{one}/matches", api.get_matches, "GET"),
        (f"{one}/matches/{{match}}", api.get_match, "GET"),
        (f"{one}/queue", api.get_queue, "GET"),
        (f"{one}/submissions", api.get_submissions, "GET"),
        (f"{one}/submissions", api.post_submission, "POST"),
        (f"{one}/submissions/{{number}}", api.get_submission, "GET"),
    ]
    people = [
        ("/", site.leagues, "GET"),
        ("/static/{name}", site.static, "GET"),
        ("/{league}", site.to_table, "GET"),
        ("/{league}/", site.table, "GET"),
        ("/{league}/table.csv", tables.table_csv, "GET"),
        ("/{league}/cross-table", tables.cross_table, "GET"),
        ("/{league}/cross-table.csv", tables.cross_csv, "GET"),
        ("/{league}/final", site.final, "GET"),
        ("/{league}/game", beginning.game, "GET"),
        ("/{league}/begin", beginning.begin, "GET"),
        ("/{league}/starters/{language}", beginning.starter, "GET"),
        ("/{league}/kits/{language}", beginning.kit, "GET"),
        ("/{league}/bots/", site.bot, "GET"),
        ("/{league}/bots/{bot:path}", site.bot, "GET"),
        ("/{league}/matches", site.matches, "GET"),
        ("/{league}/matches/{match}", site.match, "GET"),
        ("/{league}/queue", site.queue, "GET"),
        ("/{league}/calendar", site.calendar, "GET"),
        ("/{league}/submissions", site.submissions, "GET"),
        ("/{league}/submissions/{number}", site.submission, "GET"),
        ("/{league}/hand-in", site.hand_in, "GET"),
        ("/{league}/hand-in", site.hand_in, "POST"),
        ("/{league}/enter", site.enter, "GET"),
        ("/{league}/enter", site.enter, "POST"),
        ("/{league}/leave", site.leave, "POST"),
        ("/{league}/organize", organizing.show, "GET"),
        ("/{league}/organize/{deed}", organizing.ask, "GET"),
        ("/{league}/organize/{deed}", organizing.act, "POST"),
        ("/{league}/similar", organizing.similar, "GET"),
        ("/{league}/join", joining.show, "GET"),
        ("/{league}/join", joining.join, "POST"),
    ]

    async def no_websocket(_: WebSocket) -> None:
        raise Refusal(404, "there is no websocket.", f"Remote bots connect at {one}/remote.")

    return [
        WebSocketRoute(f"{one}/remote", answering(partial(connect, admission), denied, say)),
        WebSocketRoute("/{path:path}", answering(no_websocket, denied, say)),
        *(
            Route(path, answering(end, refuse, say), methods=[how])
            for ends, refuse in ((programs, refused_in_json), (people, refused_on_page))
            for path, end, how in ends
        ),
    ]


def application(
    leagues: dict[str, Served],
    *,
    behind_proxy: bool,
    log: Callable[[str], None],
    say: Callable[[str], None],
) -> Guard:
    """Return the application for some leagues, by name."""

    async def refuse(request: Request, refusal: Refusal) -> Response:
        is_api = request.url.path.startswith("/api/")
        return await (refused_in_json if is_api else refused_on_page)(request, refusal)

    async def unknown(request: Request, error: Exception) -> Any:
        status = error.status_code if isinstance(error, HTTPException) else 404
        what = "this address takes no such request." if status == 405 else "there is no such page."
        return await refuse(request, Refusal(status, what, "Look at the list of leagues: /"))

    async def stopped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await WebSocketClose(GOING_AWAY)(scope, receive, send)
            return
        remedy = "Try again when it is there again."
        answer = await refuse(Request(scope), Refusal(503, "this server stops.", remedy, after=60))
        answer.headers["Connection"] = "close"
        await answer(scope, receive, send)

    app = Starlette(routes=_routes(leagues, say), exception_handlers={HTTPException: unknown})
    app.router.redirect_slashes = False
    return Guard(app, behind_proxy=behind_proxy, log=log, stopped=stopped)
