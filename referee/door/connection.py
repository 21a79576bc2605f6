"""One connection to a provider, by HTTP/1.1; it needs the extra `door`.

What a provider sends is an answer only while one is awaited: whatever comes after it, or before the
next request, ends the connection, so that nobody is given what was sent for another.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import NamedTuple

import h11
import msgspec

_HEAD_BYTES = 64 << 10


class ProviderRequest(NamedTuple):
    """A request as it goes out."""

    method: str
    path: str
    """With its query."""
    headers: Mapping[str, str]
    body: bytes


class ProviderAnswer(msgspec.Struct, frozen=True):
    """What a provider answered, as it did."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    is_whole: bool
    """Whether this is all, and it was not too long."""


class ProviderConnection(asyncio.Protocol):
    """A connection that makes one request after another; used on the door's thread."""

    def __init__(self) -> None:
        self.is_open = False
        """Whether it can take a request."""
        self._transport: asyncio.Transport | None = None
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES)
        self._is_awaiting = False
        self._has_come = False
        self._has_ended = False
        self._more: asyncio.Future[None] | None = None

    async def exchange(self, asked: ProviderRequest, most: int) -> ProviderAnswer:
        """Return the answer to a request, of whose body so many bytes are taken.

        Raises ConnectionError with what the provider did, or ConnectionResetError if it closed the
        connection before anything came.
        """
        assert self._transport is not None
        self.is_open, self._is_awaiting, self._has_come = False, True, False
        try:
            lines = [
                (name.encode(), text.encode("latin-1")) for name, text in asked.headers.items()
            ]
            request = h11.Request(method=asked.method, target=asked.path, headers=lines)
            data = self._http.send(request) or b""
            data += self._http.send(h11.Data(data=asked.body)) or b"" if asked.body else b""
            data += self._http.send(h11.EndOfMessage()) or b""
            self._transport.write(data)
            reply = await self._reply(most)
            self._is_awaiting = False
            if reply.is_whole and not self._has_ended and self._is_at_rest():
                self._http.start_next_cycle()
                self.is_open = True
            return reply
        except h11.RemoteProtocolError as error:
            if self._has_ended and not self._has_come:
                raise ConnectionResetError("the connection was closed before an answer") from None
            why = f"what it answers is no HTTP/1.1: {error}"
            raise ConnectionError(why[:200].rstrip(".")) from None
        finally:
            if not self.is_open:
                self.abort()

    def abort(self) -> None:
        """Close it at once."""
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be open."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        """Take what came, if anything was to come."""
        if not self._is_awaiting:
            self.abort()
            return
        self._has_come = True
        self._http.receive_data(data)
        self._wake()

    def eof_received(self) -> None:
        """Take it that no more comes."""
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Likewise."""
        self._end()

    def _end(self) -> None:
        self.is_open = False
        if not self._has_ended:
            self._has_ended = True
            with contextlib.suppress(h11.RemoteProtocolError):
                self._http.receive_data(b"")
        self._wake()

    def _wake(self) -> None:
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def _is_at_rest(self) -> bool:
        rest, _ = self._http.trailing_data
        return {*self._http.states.values()} == {h11.DONE} and not rest

    async def _reply(self, most: int) -> ProviderAnswer:
        while isinstance(event := await self._next(), h11.InformationalResponse):
            if event.status_code == 101:
                raise ConnectionError("it answered 101, which nobody asked for")
        if not isinstance(event, h11.Response):
            raise ConnectionError("the connection was closed before an answer")
        status, headers = event.status_code, [*event.headers]
        pieces: list[bytes] = []
        room = most
        while isinstance(event := await self._next(), h11.Data):
            room -= len(event.data)
            if room < 0:
                return ProviderAnswer(status, headers, b"".join(pieces), is_whole=False)
            pieces.append(bytes(event.data))
        if not isinstance(event, h11.EndOfMessage):
            raise ConnectionError("the connection was closed within the answer")
        return ProviderAnswer(status, headers, b"".join(pieces), is_whole=True)

    async def _next(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._more = asyncio.get_running_loop().create_future()
            await self._more
        return event
