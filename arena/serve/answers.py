"""Answers: JSON for programs, pages for people, and what was refused as either."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from math import ceil
from typing import Any

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response
from starlette.websockets import WebSocket

from arena.handin.database import LockedError
from arena.handin.receiving import NotReceivedError
from arena.serve.api import ProblemAnswer, WebProblem
from arena.serve.asking import BusyError, UnansweredError, UnknownError
from arena.serve.pages import WebVisit, error_page
from arena.serve.refusal import Refusal
from protocol.errors import ArenaError

Endpoint = Callable[[Request], Awaitable[Any]]
"""Answers a request with a Response, or with an EventStream."""


def json(value: Any, status: int = 200) -> Response:
    """Return a value as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def html(text: str, status: int = 200) -> HTMLResponse:
    """Return a page; forms on it say where they come from."""
    return HTMLResponse(text, status, {"Referrer-Policy": "same-origin"})


def refusal_of(error: Exception) -> Refusal:
    """Return what is answered to an error."""
    match error:
        case Refusal():
            return error
        case NotReceivedError():
            again = error.again_at
            after = 0.0 if again is None else (again - datetime.now(UTC)).total_seconds()
            found = Refusal(error.status, error.what, error.remedy, after=max(0.0, after))
            found.problem = WebProblem(
                step=error.step,
                what=error.what,
                remedy=error.remedy,
                can_retry=error.can_retry,
                again_at=None if again is None else again.isoformat(),
            )
            return found
        case LockedError():
            what = "something else writes into the server's database for long."
            return Refusal(503, what, "Try again.", after=10.0)
        case BusyError():
            return Refusal(503, "too much is asked of this league.", "Try again.", after=2.0)
        case UnknownError():
            return Refusal(404, "there is no such thing to show, or not now.", "Look at the table.")
        case _:
            return Refusal(
                500,
                "the server could not do this; what is wrong stands in its log.",
                "Tell the organizer.",
            )


EXPECTED = (Refusal, BusyError, UnansweredError, ArenaError)
"""What endpoints raise."""


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
        except EXPECTED as error:
            refusal = refusal_of(error)
            if refusal.status == 500:
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
        except EXPECTED as error:
            refusal = refusal_of(error)
            if refusal.status == 500:
                say(str(error))
            await socket.send_denial_response(_problem(socket, refusal))

    return answered


def _problem(request: HTTPConnection, refusal: Refusal) -> Response:
    answer = json(ProblemAnswer(error=refusal.problem), refusal.status)
    answer.headers.update(_headers(request, refusal))
    return answer


def as_page(endpoint: Endpoint, say: Callable[[str], None]) -> Endpoint:
    """Return an endpoint for people, which answers errors in pages."""

    async def answered(request: Request) -> Any:
        try:
            return await endpoint(request)
        except EXPECTED as error:
            refusal = refusal_of(error)
            if refusal.status == 500:
                say(str(error))
            league = request.path_params.get("league", "") if refusal.status != 404 else ""
            page = error_page(
                WebVisit(league=league), _sentence(refusal.problem.what), refusal.problem.remedy
            )
            answer = html(page, refusal.status)
            answer.headers.update(_headers(request, refusal))
            return answer

    return answered


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
