"""How many requests of one bot may go to one origin, in any minute and at a time."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_MINUTE = 60.0


class Pacing:
    """Lets the requests of one bot to one origin through, in the order in which they came.

    It has an equal share of what all bots may ask there together, so that none uses up another's.
    """

    def __init__(self, per_minute: int, at_once: int, bots: int) -> None:
        share = max(1, per_minute // bots)
        self._window = _MINUTE * share * bots / per_minute
        self._slots = asyncio.Semaphore(max(1, at_once // bots))
        self._turn = asyncio.Lock()
        self._begun: deque[float] = deque(maxlen=share)

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
            await asyncio.sleep(max(self._begun[0] + self._window - clock(), 0))
        self._begun.append(clock())
