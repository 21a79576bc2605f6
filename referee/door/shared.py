"""Providers that all bots share: whether one is there is asked by a request of our own.

Only so is an outage nobody's: a bot could let its own host fail when it suits it.
"""

import asyncio
from collections.abc import Callable, Mapping

from protocol.errors import ArenaError
from referee.allowed import AllowedRequest
from referee.door.connection import OutageError, ProviderAnswer, ProviderRequest
from referee.door.provider import ProviderClient

_KNOWN_SECONDS = 5.0  # for which what was found out holds
PASSING = (408, 409, 429)
"""Answers that are outages, as 5xx are: the libraries of providers try again."""
REFUSING = (401, 403)
"""Answers to a key that is not right."""


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
        except OutageError as error:
            return str(error)
        if reply.status in REFUSING and self._variable:
            raise ArenaError(
                f"{request.origin} answered {reply.status} to our own request: it refuses the key "
                f"in {self._variable}. Set that right, and run again."
            )
        return f"it answered {reply.status}" if is_outage(reply.status) else ""
