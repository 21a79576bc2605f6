"""The client that makes requests: httpcore's, with names resolved, checked and connected by us.

It needs the extra `door`.
"""

import asyncio
import ssl
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import httpcore
import msgspec

from referee.door.addresses import reachable
from referee.door.names import Place
from referee.door.network import Network

_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 30.0
_KEPT = 100
"""Connections to one name that are kept open for the next request."""
_SENDING = "http11.send_request_headers.started"


class Reply(msgspec.Struct, frozen=True):
    """What a provider answered, as it did."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    is_whole: bool
    """Whether this is all, and it was not too long."""


class UnreachedError(Exception):
    """No answer, by the provider's doing; the text says why."""


class Client:
    """Makes requests to the places of a door, by connections that are kept open.

    Args:
        network: resolves names and connects.
        at_once: how many requests there may be to one place.
        timeout: of one request, in seconds.
        most: the longest body that is taken, in bytes.

    """

    def __init__(self, network: Network, at_once: int, timeout: float, most: int) -> None:
        self._network = network
        self._at_once = at_once
        self._timeout = timeout
        self._most = most
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.load_default_certs()
        self._pools: dict[Place, httpcore.AsyncConnectionPool] = {}

    async def send(
        self,
        place: Place,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        sending: Callable[[], None],
    ) -> Reply:
        """Return the answer to a request; `sending` is called when its first bytes go out.

        Raises UnreachedError if there is none.
        """

        async def trace(event: str, _info: Mapping[str, Any]) -> None:
            if event == _SENDING:
                sending()

        request = httpcore.Request(
            method,
            httpcore.URL(
                scheme=place.scheme.encode(),
                host=place.host.encode(),
                port=place.port,
                target=path.encode(),
            ),
            headers=[(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
            content=body,
            extensions={"timeout": {"connect": _CONNECT_SECONDS}, "trace": trace},
        )
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._pool(place).handle_async_request(request)
                try:
                    return await self._read(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise UnreachedError(f"no whole answer within {self._timeout:g} s") from None
        except (
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpcore.TimeoutException,
            OSError,
        ) as error:
            raise UnreachedError(_why(error)) from None

    async def close(self) -> None:
        """Close the connections."""
        for pool in self._pools.values():
            await pool.aclose()

    async def _read(self, response: httpcore.Response) -> Reply:
        if response.status < 200:
            raise UnreachedError(f"it answered {response.status}, which nobody asked for")
        pieces: list[bytes] = []
        room = self._most
        assert isinstance(response.stream, typing.AsyncIterable)
        async for piece in response.stream:
            room -= len(piece)
            if room < 0:
                return Reply(response.status, response.headers, b"".join(pieces), is_whole=False)
            pieces.append(piece)
        return Reply(response.status, response.headers, b"".join(pieces), is_whole=True)

    def _pool(self, place: Place) -> httpcore.AsyncConnectionPool:
        if place not in self._pools:
            self._pools[place] = httpcore.AsyncConnectionPool(
                ssl_context=self._tls,
                max_connections=self._at_once,
                max_keepalive_connections=min(self._at_once, _KEPT),
                keepalive_expiry=_IDLE_SECONDS,
                network_backend=_Backend(place, self._network),
            )
        return self._pools[place]


class _Backend(httpcore.AsyncNetworkBackend):
    """Connects to one place: to an address of its name that was looked at before."""

    def __init__(self, place: Place, network: Network) -> None:
        self._place = place
        self._network = network
        self._tcp = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connection to the place; what else is said here is the place's as well."""
        place = self._place
        if (host, port) != (place.host, place.port):
            raise httpcore.ConnectError(f"{host}:{port} is not {place.name}")
        answers = [] if place.is_written_out else await self._network.resolve(host)
        addresses = reachable(place, answers)
        if not addresses:
            raise httpcore.ConnectError(
                "its name has no address of the internet"
                if answers
                else "its name was not resolved"
            )
        trouble: Exception | None = None
        for address in addresses:
            try:
                goal = self._network.route(address, port)
                return await self._tcp.connect_tcp(*goal, timeout=timeout)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                trouble = error
        assert trouble is not None
        raise trouble


def _why(error: Exception) -> str:
    cause = error.__cause__ or error.__context__
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate was refused: {cause.verify_message.rstrip('.')}"
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed: {cause.reason or 'no TLS there'}"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    words = str(error) or {
        httpcore.ConnectTimeout: f"no connection within {_CONNECT_SECONDS:g} s",
        httpcore.ReadError: "the connection broke off",
    }.get(type(error), type(error).__name__)
    return words[:200].rstrip(".")
