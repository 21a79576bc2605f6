"""The client that makes requests: it resolves names, looks at the addresses, and connects to those.

It needs the extra `door`.
"""

import asyncio
import os
import ssl
from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias

from referee.allowed import Origin
from referee.door.addresses import reachable
from referee.door.connection import (
    BrokenError,
    OutageError,
    ProviderAnswer,
    ProviderConnection,
    ProviderRequest,
)
from referee.door.network import Network

_CONNECT_SECONDS = 10.0
_IDLE_SECONDS = 30.0

_Idle: TypeAlias = dict[ProviderConnection, asyncio.TimerHandle]
"""Connections that wait for another request, the last one used last, and what closes each."""


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

        Raises OutageError if there is none.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._send(origin, request, sending, bot)
        except TimeoutError:
            raise OutageError(f"no whole answer within {self._timeout:g} s") from None
        except (BrokenError, OSError) as error:
            raise OutageError(_why(error)) from None

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
        except (BrokenError, OSError) as error:
            if is_new or (isinstance(error, BrokenError) and not error.is_stale):
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
            raise BrokenError(
                "its name has no address of the internet" if answers else "its name has no address"
            )
        trouble: Exception | None = None
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    return await self._connect_to(origin, address)
            except TimeoutError:
                trouble = BrokenError(f"no connection within {_CONNECT_SECONDS:g} s")
            except OSError as error:
                trouble = error
        assert trouble is not None
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


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate was refused: {error.verify_message.rstrip('.')}"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {(error.reason or 'there is none').replace('_', ' ').lower()}"
    if isinstance(error, OSError):
        return os.strerror(error.errno) if error.errno else "the connection broke off"
    return str(error)[:200].rstrip(".")
