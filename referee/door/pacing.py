"""How many requests may go to one name, in any minute and at a time."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_MINUTE = 60.0


class Pacing:
    """Lets requests to one name through, in the order in which they came."""

    def __init__(self, per_minute: int, at_once: int) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._turn = asyncio.Lock()
        self._begun: deque[float] = deque(maxlen=per_minute)

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
        """Wait for a place, and have it until the end."""
        async with self._slots:
            async with self._turn:
                await self._pace()
            yield

    async def _pace(self) -> None:
        clock = asyncio.get_running_loop().time
        if len(self._begun) == self._begun.maxlen:
            await asyncio.sleep(max(self._begun[0] + _MINUTE - clock(), 0))
        self._begun.append(clock())
