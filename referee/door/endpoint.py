"""The endpoint of HTTP, for libraries that insist: a path is `/HOST/rest`.

All else is as by the pipe. It needs the extra `door`.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import h11
import msgspec

from protocol.errors import ProtocolError, Refusal
from referee.door.requests import Outcome, by_http
from referee.door.session import Session

CONNECTIONS = 16
"""The most connections that a bot may have open; more wait."""
_HEAD_BYTES = 32 << 10
_READ = 64 << 10
_REFUSED, _FAILED = 403, 502


class Endpoint:
    """Serves one bot's connections, on the door's thread."""

    def __init__(self, session: Session, listener: int) -> None:
        self._session = session
        self._loop = session.loop
        self._most = session.request_bytes
        self._socket = socket.socket(fileno=listener)
        self._socket.setblocking(False)
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_accepting = False
        self._accept_again()

    async def close(self) -> None:
        """Close the connections; the socket that listens stays its owner's."""
        self._pause()
        self._socket.detach()
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _accept_again(self) -> None:
        if not self._is_accepting and self._socket.fileno() >= 0:
            self._is_accepting = True
            self._loop.add_reader(self._socket.fileno(), self._accept)

    def _pause(self) -> None:
        if self._is_accepting:
            self._is_accepting = False
            self._loop.remove_reader(self._socket.fileno())

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except (BlockingIOError, ConnectionError):
            return
        except OSError:  # no descriptor is left, or there is no network any more
            self._pause()
            self._loop.call_later(1.0, self._accept_again)
            return
        connection.setblocking(False)
        task = self._loop.create_task(self._serve(connection))
        self._tasks.add(task)
        task.add_done_callback(self._end)
        if len(self._tasks) >= CONNECTIONS:
            self._pause()

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._accept_again()

    async def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            talk = _Talk(connection, self._loop, self._most)
            while await self._serve_one(talk):
                pass

    async def _serve_one(self, talk: "_Talk") -> bool:
        """Answer one request; return whether there may be another."""
        try:
            head = await talk.head()
            if head is None:
                return False
            path, method, headers = head
            body = await talk.body()
            await self._session.its_turn()
            wanted = by_http(self._session.allow, method, path, headers, body, self._most)
        except h11.RemoteProtocolError as error:
            await talk.refuse(error.error_status_hint, f"this is no request of HTTP/1.1: {error}.")
            return False
        except Refusal as error:
            await talk.refuse(error.status, str(error))
            return False
        except ProtocolError as error:
            return await talk.refuse(_REFUSED, str(error))
        future: asyncio.Future[Outcome] = self._loop.create_future()
        self._session.begin(
            wanted, lambda outcome: None if future.done() else future.set_result(outcome)
        )
        outcome = await future
        if isinstance(outcome, str):
            return await talk.refuse(_FAILED, outcome)
        return await talk.answer(outcome.status, dict(outcome.headers), outcome.body)


class _Talk:
    """One connection: requests come in, one after another, and answers go out."""

    def __init__(
        self, connection: socket.socket, loop: asyncio.AbstractEventLoop, most: int
    ) -> None:
        self._connection = connection
        self._loop = loop
        self._most = most
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)

    async def head(self) -> tuple[str, str, dict[str, str]] | None:
        """Return path, method and headers of the next request; None after the last one."""
        event = await self._next()
        if not isinstance(event, h11.Request):
            return None
        headers: dict[str, str] = {}
        for raw, value in event.headers:
            name = raw.decode("ascii")
            if name == "upgrade":
                raise Refusal(400, "no other protocol than HTTP/1.1 is spoken here.")
            if name in headers:
                raise Refusal(400, f"the header {name[:40]!r} is there twice.")
            headers[name] = value.decode("latin-1")
        if "content-length" in headers and "transfer-encoding" in headers:
            raise Refusal(400, "send either content-length or transfer-encoding.")
        return event.target.decode("ascii"), event.method.decode("ascii"), headers

    async def body(self) -> bytes:
        """Return the body of the request."""
        return b"".join([piece async for piece in self._pieces()])

    async def answer(self, status: int, headers: dict[str, str], body: bytes) -> bool:
        """Answer the request; return whether there may be another."""
        if self._http.states[h11.SERVER] not in (h11.SEND_RESPONSE, h11.IDLE):
            return False
        own = {**headers, "content-length": str(len(body))}
        lines = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in own.items()]
        is_bare = status in (204, 304)
        event = h11.Response(status_code=status, headers=[] if is_bare else lines)
        data = self._http.send(event) or b""
        if not is_bare:
            data += self._http.send(h11.Data(data=body)) or b""
        data += self._http.send(h11.EndOfMessage()) or b""
        await self._loop.sock_sendall(self._connection, data)
        if {*self._http.states.values()} == {h11.DONE}:
            self._http.start_next_cycle()
            return True
        return False

    async def refuse(self, status: int, reason: str) -> bool:
        """Answer the request with an error; return whether there may be another."""
        body = msgspec.json.encode({"error": {"message": reason, "type": "door"}})
        headers = {"content-type": "application/json", "x-should-retry": "false"}
        return await self.answer(status, headers, body)

    async def _pieces(self) -> AsyncIterator[bytes]:
        room = self._most
        while True:
            if self._http.they_are_waiting_for_100_continue:
                going = h11.InformationalResponse(status_code=100, headers=[])
                await self._loop.sock_sendall(self._connection, self._http.send(going) or b"")
            event = await self._next()
            if not isinstance(event, h11.Data):
                return
            room -= len(event.data)
            if room < 0:
                raise Refusal(413, f"the body has more than {self._most >> 10} KiB.")
            yield bytes(event.data)

    async def _next(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._loop.sock_recv(self._connection, _READ))
        return event
