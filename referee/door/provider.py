"""The client that makes requests: it resolves names, looks at the addresses, and connects to those.

Whether a provider that all bots share is there, is asked by a request of our own. Only so is an
outage nobody's: a bot could let its own host fail when it suits it. It needs the extra `door`.
"""

import asyncio
import os
import socket
import ssl
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

from protocol.errors import ArenaError
from referee.allowed import AllowedRequest, Origin
from referee.door.addresses import reachable
from referee.door.connection import ProviderAnswer, ProviderConnection, ProviderRequest

_RESOLVERS = 8
_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 30.0
_KNOWN_SECONDS = 5.0  # for which what was found out holds
PASSING = (408, 409, 429)
"""Answers that are outages, as 5xx are: the libraries of providers try again."""
REFUSING = (401, 403)
"""Answers to a key that is not right."""

_Idle: TypeAlias = dict[ProviderConnection, asyncio.TimerHandle]
"""Connections that wait for another request, the last one used last, and what closes each."""


class Network:
    """Resolves names as the system does; a test may have another."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_RESOLVERS, "door-names")

    async def resolve(self, host: str) -> list[str]:
        """Return the addresses of a name, none if it has none or nobody answers."""
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                self._threads,
                lambda: socket.getaddrinfo(host, None, type=socket.SOCK_STREAM),
            )
        except OSError:
            return []
        return [*dict.fromkeys(str(address[0]) for *_, address in found)]

    def route(self, address: str, port: int) -> tuple[str, int]:
        """Return where the connection to an address that was checked goes: there."""
        return address, port

    def close(self) -> None:
        """Resolve no more names."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class ProviderClient:
    """Makes requests to the origins of a door, by connections that are kept open.

    Each bot has its own: who makes a provider send a second answer to a request gets it himself.

    Args:
        network: resolves names.
        timeout: of one request, in seconds.
        most: the longest body that is taken, in bytes.

    """

    def __init__(self, network: Network, timeout: float, most: int) -> None:
        self._network = network
        self._timeout = timeout
        self._most = most
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.load_default_certs()
        self._tls.set_alpn_protocols(["http/1.1"])
        self._idle: defaultdict[tuple[Origin, str], _Idle] = defaultdict(dict)

    async def send(
        self,
        origin: Origin,
        request: ProviderRequest,
        sending: Callable[[], None] = lambda: None,
        bot: str = "",
    ) -> ProviderAnswer:
        """Return the answer to a bot's request; `sending` is called before its first bytes go out.

        Raises ConnectionError, with the reason, if there is none.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._send(origin, request, sending, bot)
        except TimeoutError:
            raise ConnectionError(f"no whole answer within {self._timeout:g} s") from None
        except OSError as error:
            raise ConnectionError(_why(error)) from None

    def close(self) -> None:
        """Close the connections."""
        for idle in self._idle.values():
            for connection, timer in idle.items():
                timer.cancel()
                connection.abort()
        self._idle.clear()

    async def _send(
        self, origin: Origin, request: ProviderRequest, sending: Callable[[], None], bot: str
    ) -> ProviderAnswer:
        idle = self._idle[origin, bot]
        connection = self._kept(idle)
        is_new = connection is None
        if connection is None:
            connection = await self._connect(origin)
        sending()
        try:
            reply = await connection.exchange(request, self._most)
        except ConnectionResetError:
            if is_new:
                raise
            # It had been closed while nobody used it: no fault of anybody.
            connection = await self._connect(origin)
            reply = await connection.exchange(request, self._most)
        if connection.is_open:
            idle[connection] = asyncio.get_running_loop().call_later(
                _IDLE_SECONDS, self._expire, idle, connection
            )
        return reply

    def _kept(self, idle: _Idle) -> ProviderConnection | None:
        """Return an open connection, the one that was used last."""
        while idle:
            connection, timer = idle.popitem()
            timer.cancel()
            if connection.is_open:
                return connection
        return None

    def _expire(self, idle: _Idle, connection: ProviderConnection) -> None:
        del idle[connection]
        connection.abort()

    async def _connect(self, origin: Origin) -> ProviderConnection:
        """Return a connection to one of its host's addresses, each of which was looked at."""
        answers = [] if origin.is_written_out else await self._network.resolve(origin.host)
        addresses = reachable(origin, answers)
        if not addresses:
            raise ConnectionError(
                "its name has no address of the internet" if answers else "its name has no address"
            )
        trouble = OSError()
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    return await self._connect_to(origin, address)
            except TimeoutError:
                trouble = ConnectionError(f"no connection within {_CONNECT_SECONDS:g} s")
            except OSError as error:
                trouble = error
        raise trouble

    async def _connect_to(self, origin: Origin, address: str) -> ProviderConnection:
        is_secret = origin.scheme == "https"
        host, port = self._network.route(address, origin.port)
        _, connection = await asyncio.get_running_loop().create_connection(
            ProviderConnection,
            host,
            port,
            ssl=self._tls if is_secret else None,
            server_hostname=origin.host if is_secret else None,
        )
        return connection


def _why(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate was refused: {error.verify_message.rstrip('.')}"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {(error.reason or 'there is none').replace('_', ' ').lower()}"
    return os.strerror(error.errno) if error.errno else str(error) or "the connection broke off"


def is_outage(status: int) -> bool:
    """Return whether an answer says that the provider cannot do what it is asked just now."""
    return status in PASSING or status >= 500


class SharedProvider:
    """One provider, and what our own request to it has shown last; used on the door's thread.

    Args:
        client: makes the request.
        request: ours.
        headers: with the organizer's key, if there is one.
        variable: which holds that key; empty if there is none.
        tell: called with a sentence when it is found to be away.

    """

    def __init__(
        self,
        client: ProviderClient,
        request: AllowedRequest,
        headers: Mapping[str, str],
        variable: str,
        tell: Callable[[str], None],
    ) -> None:
        self._client = client
        self._request = request
        self._headers = {**headers, **({"content-length": "0"} if request.method == "POST" else {})}
        self._variable = variable
        self._tell = tell
        self._lock = asyncio.Lock()
        self._asked = float("-inf")
        self._trouble = ""

    async def trouble(self) -> str:
        """Return why it is away for everybody, in a clause; empty if it is there.

        Raises ArenaError if it refuses the key.
        """
        clock = asyncio.get_running_loop().time
        async with self._lock:  # those who come together ask once
            if clock() - self._asked > _KNOWN_SECONDS:
                before, self._trouble = self._trouble, await self._found()
                self._asked = clock()
                if self._trouble and not before:
                    self._tell(
                        f"{self._request.origin} does not answer our own request "
                        f"({self._trouble}): the matches that ask it wait."
                    )
            return self._trouble

    async def _found(self) -> str:
        request = self._request
        path = request.target(request.segments)
        try:
            reply: ProviderAnswer = await self._client.send(
                request.origin, ProviderRequest(request.method, path, self._headers, b"")
            )
        except ConnectionError as error:
            return str(error)
        if reply.status in REFUSING and self._variable:
            raise ArenaError(
                f"{request.origin} answered {reply.status} to our own request: it refuses the key "
                f"in {self._variable}. Set that right, and run again."
            )
        return f"it answered {reply.status}" if is_outage(reply.status) else ""
