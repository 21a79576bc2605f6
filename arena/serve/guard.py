"""What is around every request: who asks, by which address, which headers go back, and the log."""

import asyncio
import ipaddress
import json
from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.serve.pages import POLICY

_HEAD = 32 << 10  # bytes of a request's head
_SEND_SECONDS = 60.0  # in which a reader must take what is sent

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Of every answer that does not say otherwise."""


class Guard:
    """The application with what is around it.

    Args:
        app: the application.
        behind_proxy: whether a proxy before us says whose request it is, and by which scheme.
        log: called with a line for each request; without queries, in which secrets could be.
        stopped: answers what is still open when the server ends.

    """

    def __init__(
        self, app: ASGIApp, *, behind_proxy: bool, log: Callable[[str], None], stopped: ASGIApp
    ) -> None:
        self._app = app
        self._behind_proxy = behind_proxy
        self._log = log
        self._stopped = stopped
        self._open: set[asyncio.Task[Any]] = set()
        self._is_over = False

    def end(self) -> None:
        """Answer what is still open that the server stops, and all that comes from now on."""
        self._is_over = True
        for each in self._open:
            each.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or serve a websocket to its end."""
        if scope["type"] not in ("http", "websocket"):
            return
        if self._behind_proxy:
            _believe(scope)
        app = self._stopped if self._is_over else self._app
        words = (len(name) + len(value) for name, value in scope["headers"])
        if len(scope["raw_path"]) + sum(words) > _HEAD:
            app = Response("The head of this request is too long.", 431)
        began, status, sent = monotonic(), 0, 0
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)

        async def sending(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "websocket.accept":
                status = 101
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            sent += len(message.get("body") or message.get("text") or "")
            async with asyncio.timeout(_SEND_SECONDS):
                await send(message)

        try:
            await app(scope, receive, sending)
        except TimeoutError:
            scope["state"]["abort"]()
        except asyncio.CancelledError:  # which ends here, as this is all that the task does
            task.uncancel()
            if status or not self._is_over:  # the answer has begun, or all ends at once
                scope["state"]["abort"]()
            else:
                await self._stopped(scope, receive, sending)
        finally:
            self._open.discard(task)
            self._log(
                json.dumps(
                    {
                        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                        "from": scope["client"][0] if scope["client"] else "",
                        "who": scope["state"].get("who", ""),
                        "method": scope.get("method", "GET"),
                        "path": scope["path"][:500],
                        "status": status or 500,
                        "ms": round(1000 * (monotonic() - began), 1),
                        "bytes": sent,
                    }
                )
            )


def _believe(scope: Scope) -> None:
    """Take over what a proxy says: the last address in its list is the one that it has seen."""
    headers = Headers(scope=scope)
    last = ", ".join(headers.getlist("x-forwarded-for")).rpartition(",")[2].strip()
    try:
        ipaddress.ip_address(last)
    except ValueError:
        pass
    else:
        scope["client"] = (last, 0)
    scheme = headers.get("x-forwarded-proto", "").strip()
    if scheme in ("http", "https"):
        is_socket = scope["type"] == "websocket"
        scope["scheme"] = scheme.replace("http", "ws") if is_socket else scheme
