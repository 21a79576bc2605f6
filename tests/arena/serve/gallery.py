"""Serves pages as a server would, under their policy, and keeps what browsers send."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from arena.serve.pages import POLICY, assets
from tests.referee.process_watch import until

HEADERS = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True)
class Posted:
    """What a script of a page sent."""

    path: str
    query: str
    token: str | None
    """The header against forgeries."""
    fields: dict[str, str]
    files: dict[str, tuple[str, bytes]]
    """Name and content, by the name of the field."""


@dataclass
class Gallery:
    """The pages by their paths."""

    pages: dict[str, str] = field(default_factory=dict)
    answers: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    """What is answered to what is posted to a path: JSON."""
    posted: list[Posted] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    """When each of them came, in seconds."""
    url: str = ""
    listeners: list["asyncio.Queue[str]"] = field(default_factory=list)
    listening: int = 0
    """How many browsers listen to events."""
    loop: asyncio.AbstractEventLoop | None = None

    def hang_up(self) -> None:
        assert self.loop is not None
        listeners, self.listeners = self.listeners, []
        for queue in listeners:
            self.loop.call_soon_threadsafe(queue.put_nowait, "end")

    def tell(self, event: str, data: Any = None) -> None:
        text = f"event: {event}\ndata: {json.dumps(data)}\n\n"
        assert self.loop is not None
        for queue in list(self.listeners):
            self.loop.call_soon_threadsafe(queue.put_nowait, text)

    async def answer(self, request: Request) -> Response:
        path = request.scope["path"]
        self.requests.append(path)
        self.moments.append(monotonic())
        if path.startswith("/static/"):
            asset = assets()[path.removeprefix("/static/")]
            return Response(asset.content, media_type=asset.kind, headers=HEADERS)
        if path.endswith("/events"):
            return StreamingResponse(self._events(), media_type="text/event-stream")
        if request.method == "POST":
            return await self._post(request)
        page = self.pages.get(path)
        if page is None:
            return Response(f"no page {path}", 404)
        return HTMLResponse(page, headers=HEADERS)

    async def _events(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue()
        self.listeners.append(queue)
        self.listening += 1
        try:
            yield "retry: 200\n\n"
            while (text := await queue.get()) != "end":
                yield text
        finally:
            self.listening -= 1

    async def _post(self, request: Request) -> Response:
        async with request.form() as form:
            files = {
                key: (value.filename or "", await value.read())
                for key, value in form.items()
                if isinstance(value, UploadFile)
            }
            fields = {key: value for key, value in form.items() if isinstance(value, str)}
        path = request.scope["path"]
        token = request.headers.get("x-csrf-token")
        self.posted.append(Posted(path, request.url.query, token, fields, files))
        status, said = self.answers[path]
        return Response(status_code=204) if status == 204 else JSONResponse(said, status)


@contextmanager
def opened() -> Iterator[Gallery]:
    gallery = Gallery()
    routes = [Route("/{path:path}", gallery.answer, methods=["GET", "POST"])]
    config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)

    async def serve() -> None:
        gallery.loop = asyncio.get_running_loop()
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        until(lambda: server.started, 10)
        port = server.servers[0].sockets[0].getsockname()[1]
        gallery.url = f"http://127.0.0.1:{port}"
        yield gallery
    finally:
        server.should_exit = True
        gallery.hang_up()
        thread.join(10)
