"""One connection of a browser or a remote bot: how long it may take, and how many there may be."""

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from protocol.errors import Refusal

HEADER_SECONDS = 10.0
"""In which the head of a request must be there."""
MOST = 4000
"""Connections at a time ..."""
MOST_OF_ONE = 500
"""... and those of one address, unless a proxy is before us."""
_BAD_HEAD = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_READ = 4096  # bytes that are taken in at once: short frames are many, and hold up others
_PIECES = 1000  # of one message
_UNREAD = 1 << 16  # bytes of answers to pings that nobody reads


class Connection(H11Protocol):
    """uvicorn's, which waits for the head of a request for ever."""

    is_behind_proxy = False
    """Whether all connections are a proxy's."""

    def __init__(self, *words: Any, **settings: Any) -> None:
        super().__init__(*words, **settings)
        self._late: asyncio.TimerHandle | None = None
        self._network = ""
        self.app_state = {**self.app_state, "abort": self._abort}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many."""
        super().connection_made(transport)
        of_one = 0
        if not self.is_behind_proxy and self.client is not None:
            self._network = network_of(self.client[0])
            of_one = sum(
                isinstance(each, Connection | Upgraded) and each._network == self._network
                for each in self.connections
            )
        if len(self.connections) > MOST or of_one > MOST_OF_ONE:
            transport.abort()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take in what came; the head of a request is not waited for longer because of it."""
        super().data_received(data)
        self._await_head()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        is_awaited = self.conn.their_state is h11.IDLE
        if not is_awaited and self._late is not None:
            self._late.cancel()
            self._late = None
        elif is_awaited and self._late is None:
            self._late = self.loop.call_later(HEADER_SECONDS, self._abort)

    def _abort(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()


class Upgraded(WebSocketsSansIOProtocol):
    """uvicorn's websocket, with bounds on what costs memory and is no message.

    It was a `Connection`, and counts as one.
    """

    def __init__(self, *words: Any, **settings: Any) -> None:
        super().__init__(*words, **settings)
        self._network = ""
        self._heard = monotonic()
        self._pieces = 0
        self.app_state = {**self.app_state, "abort": self._abort, "heard": lambda: self._heard}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Go on, in small steps."""
        super().connection_made(transport)
        transport.max_size = _READ  # type: ignore[attr-defined]  # asyncio's, of what it reads
        if not Connection.is_behind_proxy and self.client is not None:
            self._network = network_of(self.client[0])

    def data_received(self, data: bytes) -> None:
        """Take in what came, and when it did; the first is a whole head, if perhaps a bad one."""
        self._heard = monotonic()
        super().data_received(data)
        if not self.handshake_initiated and not self.transport.is_closing():
            self.transport.write(_BAD_HEAD)
            self.transport.close()

    def handle_text(self, event: Frame) -> None:
        """Take in a message, or the first piece of one."""
        self._pieces = 1
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Take in a message, or the first piece of one."""
        self._pieces = 1
        super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        """Take in another piece of a message: not without end, as empty ones have no size."""
        self._pieces += 1
        if self._pieces > _PIECES:
            self._abort()
        else:
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer a ping, if the answers to those before it are read."""
        if self.transport.get_write_buffer_size() > _UNREAD:
            self._abort()
        else:
            super().handle_ping()

    def handle_parser_exception(self) -> None:
        """End what is no websocket."""
        if self.conn.close_sent is None:
            self._abort()
        else:
            super().handle_parser_exception()

    def _abort(self) -> None:
        self.transport.abort()


class AtOnce:
    """What goes on at once, of which each may have only so much."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts = Counter[Hashable]()

    @contextmanager
    def one_more(self, whose: Hashable, refusal: Refusal) -> Iterator[None]:
        """Count one more until its end; raise the refusal if somebody has as much as may be."""
        if self._counts[whose] >= self._most:
            raise refusal
        self._counts[whose] += 1
        try:
            yield
        finally:
            self._counts[whose] -= 1
            if not self._counts[whose]:
                del self._counts[whose]


def network_of(address: str) -> str:
    """Return the part of an address that is one customer's: in IPv6, that is a network."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False))
