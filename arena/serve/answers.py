"""Answers: JSON for programs, pages for people, and what was refused as either."""

from collections.abc import Awaitable, Callable
from math import ceil
from typing import Any, TypeVar

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response
from starlette.websockets import WebSocket

from arena.serve.api import ProblemAnswer, WebProblem
from arena.serve.pages import WebVisit, error_page
from protocol.errors import ArenaError, Refusal

_Asked = TypeVar("_Asked", bound=HTTPConnection)


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
    if isinstance(error, Refusal):
        return error
    what = "the server could not do this; what is wrong stands in its log."
    return Refusal(500, what, "Tell the organizer.")


def _headers(request: HTTPConnection, refusal: Refusal) -> dict[str, str]:
    headers = {}
    if request.scope.get("method") == "POST":
        headers["Connection"] = "close"  # what is still being sent is not read
    if refusal.after:
        headers["Retry-After"] = str(ceil(refusal.after))
    if refusal.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return headers


def answering(
    endpoint: Callable[[_Asked], Awaitable[Any]],
    refuse: Callable[[_Asked, Refusal], Awaitable[Any]],
    say: Callable[[str], None],
) -> Callable[[_Asked], Awaitable[Any]]:
    """Return an endpoint that answers errors, and says what the organizer has to know of them."""

    async def answered(request: _Asked) -> Any:
        try:
            return await endpoint(request)
        except ArenaError as error:
            refusal = refusal_of(error)
            if refusal.status in _LOGGED:
                say(str(error))
            return await refuse(request, refusal)

    return answered


async def refused_in_json(request: HTTPConnection, refusal: Refusal) -> Response:
    """Return the answer of the API to what is refused."""
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


async def denied(socket: WebSocket, refusal: Refusal) -> None:
    """Answer, before it is a websocket, that it is refused."""
    await socket.send_denial_response(await refused_in_json(socket, refusal))


async def refused_on_page(request: Request, refusal: Refusal) -> Response:
    """Return the page for people who are refused something."""
    league = request.path_params.get("league", "") if refusal.status != 404 else ""
    page = error_page(WebVisit(league=league), refusal.what, refusal.remedy)
    answer = html(page, refusal.status)
    answer.headers.update(_headers(request, refusal))
    return answer
