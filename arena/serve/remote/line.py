"""One connection of an author's machine: its frames, its heartbeat, and how it ends."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal

from starlette.websockets import WebSocket, WebSocketDisconnect

from protocol.errors import ProtocolError, Refusal
from protocol.remote import (
    BEAT_SECONDS,
    SILENCE_SECONDS,
    Beat,
    Declined,
    FromAuthor,
    FromLeague,
    RemoteHello,
    encode_frame,
    read_from_author,
)

_HELLO_SECONDS = 10.0
_CLOSE_SECONDS = 5.0  # in which the last words are taken
_LINGER_SECONDS = 15.0  # after which nothing of a connection is left
_WHY = 500  # characters of what is wrong
ENDED = 1000
"""The code of a websocket's end: nothing more is to be said ..."""
GOING_AWAY = 1001
"""... the server ends ..."""
REFUSED = 1008
"""... or the other side was declined."""


@dataclass(frozen=True)
class LineEnd:
    """How a connection ends, and why."""

    why: str
    """For the organizer, after the bot's name."""
    declined: Declined | None = None
    """What the other side is told, if anything."""
    code: int = ENDED
    is_dead: bool = False
    """Whether nothing can be sent any more."""


BROKEN = LineEnd("the connection broke", is_dead=True)
"""The other side is not there any more."""
SILENT = LineEnd(f"nothing came for {SILENCE_SECONDS:g} s", is_dead=True)
"""It may be there, but is not heard."""


_KINDS: Final[dict[int, Literal["unknown", "busy", "replaced"]]] = {
    404: "unknown",
    409: "busy",
    410: "replaced",
}
"""The kinds of refusals that are not just wrong, by their status."""


def declined_as(refusal: Refusal) -> LineEnd:
    """Return the end of a connection that is declined."""
    declined = Declined(
        kind=_KINDS.get(refusal.status, "wrong"),
        what=refusal.what,
        remedy=refusal.remedy,
        after=refusal.after or None,
    )
    return LineEnd(declined.what, declined, REFUSED)


def unsound(error: ProtocolError) -> LineEnd:
    """Return the end of a connection on which something came that cannot be."""
    what = f"{str(error)[:_WHY]}."
    remedy = "It is a mistake of the program there, or of the league: report it."
    return declined_as(Refusal(400, what, remedy))


class HomeLine:
    """A websocket that was accepted."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._ended: asyncio.Future[LineEnd] = asyncio.get_running_loop().create_future()

    def put(self, frame: FromLeague | str) -> None:
        """Have a frame sent, after those before it; letters as they are kept."""
        self._outbox.put_nowait(frame if isinstance(frame, str) else encode_frame(frame))

    def end(self, end: LineEnd) -> None:
        """Let it end, unless it does so already."""
        if not self._ended.done():
            self._ended.set_result(end)

    async def hello(self) -> RemoteHello:
        """Return the first frame; raise ProtocolError if it is none or late."""
        try:
            async with asyncio.timeout(_HELLO_SECONDS):
                found = await self._next()
        except TimeoutError:
            raise ProtocolError(f"no hello came within {_HELLO_SECONDS:g} s") from None
        if not isinstance(found, RemoteHello):
            raise ProtocolError("what came first is no hello")
        return found

    async def run(self, beat: Callable[[], Beat], hear: Callable[[FromAuthor], None]) -> LineEnd:
        """Send and hear until it ends; return how.

        `beat` returns the next beat, `hear` raises ProtocolError for a frame that cannot be.
        """
        ways = self._read(hear), self._write(), self._beat(beat)
        tasks = [asyncio.ensure_future(way) for way in ways]
        try:
            return await self._ended
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled():
                    task.result()

    async def close(self, end: LineEnd) -> None:
        """Say the last words, and close it."""
        abort = self._socket.scope["state"]["abort"]
        try:
            if end.is_dead:
                abort()
                return
            async with asyncio.timeout(_CLOSE_SECONDS):
                if end.declined is not None:
                    await self._socket.send_text(encode_frame(end.declined))
                await self._socket.close(end.code)
        except (TimeoutError, WebSocketDisconnect, RuntimeError):
            abort()
        finally:
            asyncio.get_running_loop().call_later(_LINGER_SECONDS, abort)

    async def _next(self) -> FromAuthor:
        """Return the next frame; raise ProtocolError for what is none."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", ENDED))
        if (text := message.get("text")) is None:
            raise ProtocolError("a frame is text, and this one is not")
        return read_from_author(text)

    async def _read(self, hear: Callable[[FromAuthor], None]) -> None:
        try:
            while True:
                frame = await self._next()
                if self._ended.done():  # another connection has taken its place
                    return
                hear(frame)
                await asyncio.sleep(0)  # frames that came together hold up nobody else
        except WebSocketDisconnect:
            self.end(BROKEN)
        except ProtocolError as error:
            self.end(unsound(error))
        except BaseException:
            self.end(BROKEN)
            raise

    async def _write(self) -> None:
        try:
            while True:
                await self._socket.send_text(await self._outbox.get())
        except (TimeoutError, WebSocketDisconnect, RuntimeError):
            self.end(BROKEN)

    async def _beat(self, beat: Callable[[], Beat]) -> None:
        heard = self._socket.scope["state"]["heard"]
        while True:
            self.put(beat())
            until_silent = heard() + SILENCE_SECONDS - monotonic()
            await asyncio.sleep(min(BEAT_SECONDS, max(0.1, until_silent)))
            if monotonic() - heard() > SILENCE_SECONDS:
                self.end(SILENT)
                return
