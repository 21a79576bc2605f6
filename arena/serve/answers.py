"""Answers: JSON for programs, pages for people, and what was refused as either."""

from collections.abc import Awaitable, Callable
from math import ceil
from typing import Any

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response
from starlette.websockets import WebSocket

from arena.serve.api import ProblemAnswer, WebProblem
from arena.serve.pages import WebVisit, error_page
from protocol.errors import ArenaError, Refusal

Endpoint = Callable[[Request], Awaitable[Any]]
"""Answers a request with a Response, or with an EventStream."""


def json(value: Any, status: int = 200) -> Response:
    """Return a value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def html(text: str, status: int = 200) -> HTMLResponse:
    """Return a page; forms on it say where they come from."""
    return HTMLResponse(text, status, {"Referrer-Policy": "same-origin"})


_LOGGED = (500, 507)
"""Statuses that the organizer has to do something about."""


def refusal_of(error: Exception) -> Refusal:
    """Return what is answered to an error."""
    match error:
        case Refusal():
            return error
        case Refusal():
            what = "something else writes into the server's database for long."
            return Refusal(503, what, "Try again.", after=10.0)
        case _:
            return Refusal(
                500,
                "the server could not do this; what is wrong stands in its log.",
                "Tell the organizer.",
            )


def _headers(request: HTTPConnection, refusal: Refusal) -> dict[str, str]:
    headers = {}
    if request.scope.get("method") == "POST":
        headers["Connection"] = "close"  # what is still being sent is not read
    if refusal.after:
        headers["Retry-After"] = str(ceil(refusal.after))
    if refusal.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return headers


def as_json(endpoint: Endpoint, say: Callable[[str], None]) -> Endpoint:
    """Return an endpoint of the API, which answers errors in JSON."""

    async def answered(request: Request) -> Any:
        try:
            return await endpoint(request)
        except ArenaError as error:
            refusal = refusal_of(error)
            if refusal.status in _LOGGED:
                say(str(error))
            return _problem(request, refusal)

    return answered


def as_denial(
    endpoint: Callable[[WebSocket], Awaitable[None]], say: Callable[[str], None]
) -> Callable[[WebSocket], Awaitable[None]]:
    """Return an end that is a websocket, and answers errors before it is one in JSON."""

    async def answered(socket: WebSocket) -> None:
        try:
            await endpoint(socket)
        except ArenaError as error:
            refusal = refusal_of(error)
            if refusal.status in _LOGGED:
                say(str(error))
            await socket.send_denial_response(_problem(socket, refusal))

    return answered


def _problem(request: HTTPConnection, refusal: Refusal) -> Response:
    again = refusal.again_at
    problem = WebProblem(
        step=refusal.step,
        what=refusal.what,
        remedy=refusal.remedy,
        can_retry=refusal.can_retry,
        again_at=None if again is None else again.isoformat(),
    )
    answer = json(ProblemAnswer(error=problem), refusal.status)
    answer.headers.update(_headers(request, refusal))
    return answer


def as_page(endpoint: Endpoint, say: Callable[[str], None]) -> Endpoint:
    """Return an endpoint for people, which answers errors in pages."""

    async def answered(request: Request) -> Any:
        try:
            return await endpoint(request)
        except ArenaError as error:
            refusal = refusal_of(error)
            if refusal.status in _LOGGED:
                say(str(error))
            league = request.path_params.get("league", "") if refusal.status != 404 else ""
            page = error_page(WebVisit(league=league), _sentence(refusal.what), refusal.remedy)
            answer = html(page, refusal.status)
            answer.headers.update(_headers(request, refusal))
            return answer

    return answered


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
