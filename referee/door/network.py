"""The network as the door sees it: names and their addresses."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

_RESOLVERS = 8


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
