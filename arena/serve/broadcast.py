"""Server-sent events: what happens in a league, told to everybody who listens."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from arena.handin.people import Person

HEARTBEAT = 15.0
"""Seconds after which a listener hears that the connection lives, if nothing happens."""
_BEHIND = 32  # events that a listener may be behind
_SEND_SECONDS = 20.0  # in which a listener must take what is sent
_RETRY = 3000  # milliseconds after which a browser connects again


class Listener:
    """Somebody who listens, and what he has not been sent yet; None is a stranger."""

    def __init__(self, person: Person | None) -> None:
        self.person = person
        self.events: asyncio.Queue[bytes | None] = asyncio.Queue(_BEHIND)
        self.is_dropped = False

    def put(self, event: bytes | None) -> None:
        """Let it be sent; one who is too far behind is dropped, and may connect again."""
        if self.is_dropped:
            return
        try:
            self.events.put_nowait(event)
        except asyncio.QueueFull:
            self.drop()

    def drop(self) -> None:
        """End it, after what it is being sent."""
        self.is_dropped = True
        with suppress(asyncio.QueueEmpty):
            while True:
                self.events.get_nowait()
        self.events.put_nowait(None)


class Broadcast:
    """The events of one league."""

    def __init__(self) -> None:
        self.listeners: set[Listener] = set()

    def __len__(self) -> int:
        return len(self.listeners)

    def tell(
        self, name: str, data: Any, author: str | None = None, *, organizers: bool = False
    ) -> None:
        """Tell everybody, or one author and the organizers, or `organizers` alone."""
        text = msgspec.json.encode(data).decode()
        event = f"event: {name}\ndata: {text}\n\n".encode()
        for each in list(self.listeners):
            person = each.person
            is_for_all = author is None and not organizers
            if is_for_all or (person and (person.role == "organizer" or person.name == author)):
                each.put(event)

    def keep(self, may_listen: Callable[[Person | None], bool]) -> None:
        """End the listeners who may not listen any more."""
        for each in list(self.listeners):
            if not may_listen(each.person):
                each.drop()

    def close(self) -> None:
        """End all."""
        for each in list(self.listeners):
            each.drop()


@dataclass(frozen=True)
class EventStream:
    """The answer to somebody who listens: it lasts until either side ends it."""

    broadcast: Broadcast
    listener: Listener
    ended: Callable[[], None]
    """Called in the end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events, as ASGI has it."""
        self.broadcast.listeners.add(self.listener)
        gone = asyncio.ensure_future(_disconnected(receive))
        gone.add_done_callback(lambda _: self.listener.drop())
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": 200,
                    "headers": [
                        (b"content-type", b"text/event-stream; charset=utf-8"),
                        (b"cache-control", b"no-store"),
                        (b"x-accel-buffering", b"no"),  # nginx would keep events back
                    ],
                }
            )
            await _put(send, f"retry: {_RETRY}\n\n".encode())
            await self._send_events(send)
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            scope["state"]["abort"]()  # what is not read would be kept for ever
        finally:
            gone.cancel()
            self.broadcast.listeners.discard(self.listener)
            self.ended()

    async def _send_events(self, send: Send) -> None:
        while True:
            event: bytes | None = b": alive\n\n"
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT):
                    event = await self.listener.events.get()
            if event is None:
                return
            await _put(send, event)


async def _put(send: Send, data: bytes) -> None:
    async with asyncio.timeout(_SEND_SECONDS):
        await send({"type": "http.response.body", "body": data, "more_body": True})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
