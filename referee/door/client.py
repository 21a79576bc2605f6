"""A bot at the door as the referee's threads see it: its turns, and what was counted in them."""

import asyncio
from collections import Counter
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from referee.allowed import AllowList
from referee.door.line_pipes import LinePipes
from referee.door.requests import Exchanges
from referee.door.session import ClientTerms, Obtain, Session
from referee.door.terms import DoorTerms
from referee.door.turn_usage import NOTHING, Held, OutageTime, Tally, TurnUsage, held_up
from referee.process.polling import ALONE, Polling

if TYPE_CHECKING:
    from referee.door.endpoint import Endpoint


class DoorClient:
    """A bot at the door, for the referee's threads; what it asks is its `Session`.

    The pipes' ends stay those of whoever opened them, and are closed by them after `close`.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        terms: DoorTerms,
        obtain: Obtain,
        of: ClientTerms,
        allow: AllowList,
        ends: tuple[int, int],
    ) -> None:
        self._session = Session(loop, terms, obtain, of, allow)
        self._held_seconds = inf if terms.held_seconds is None else terms.held_seconds
        self._held_by_rates = 0.0  # in the turns of this match that are over
        self._began = 0.0
        self._has_answered = False
        self.on_close: Callable[[], object] = bool
        """Called when it has left."""
        self._pipes = LinePipes(self._session, ends)
        self._session.on_wake = self._pipes.hear
        self._endpoint: Endpoint | None = None

    def start(self, listener: int | None) -> None:
        """Watch the pipes, and a socket that listens; called on the door's thread."""
        if listener is not None:
            from referee.door.endpoint import Endpoint  # it needs the extra

            self._endpoint = Endpoint(self._session, listener)
        self._pipes.hear()

    def enter(self, exchanges: Exchanges, key: str) -> None:
        """Go on with another match; `key` names it, and the seat."""
        session = self._session
        with session.lock:
            session.exchanges = exchanges
            session.key = key
            session.times = Counter()
            session.outage = OutageTime(session.outage.most)
            self._held_by_rates = 0.0

    def begin_turn(self) -> None:
        """Hear the bot from now on."""
        session = self._session
        with session.lock:
            session.turn += 1
            self._began = monotonic()
            session.is_in_turn = True
            self._has_answered = False
            is_deaf, session.is_deaf = session.is_deaf, False
        if is_deaf:
            session.loop.call_soon_threadsafe(session.wake)

    def answer_came(self) -> None:
        """Count no more as held up by requests that are open: the bot has not waited for them.

        It could ask for what is refused in order to think meanwhile.
        """
        with self._session.lock:
            self._has_answered = True

    def end_turn(self) -> TurnUsage:
        """Hear the bot no longer, and return what was counted since the last turn ended.

        Requests that are open are answered with an error. One that has gone out may cost
        something: it is read to its end, kept, and counted in a later turn.
        Raises what kept a request from being made that was neither the bot's nor a provider's
        doing, as of `Exchanges`.
        """
        session = self._session
        with session.lock:
            session.is_in_turn = False
            try:  # before the cut: what is cut counts no more as held up
                return self._taken()
            finally:
                if session.open:
                    session.loop.call_soon_threadsafe(session.cut, session.turn)

    @property
    def held(self) -> float:
        """How long its clock has stood still in this turn so far, in seconds."""
        with self._session.lock:
            return self._stood(self._held(monotonic()))

    def close(self, patience: float = 0.0, polling: Polling = ALONE) -> TurnUsage:
        """Leave, and return what was counted since the last turn ended.

        Answers that may cost something are waited for, so many seconds at most. After it the pipes
        may be closed. Raises what `end_turn` does.
        """
        future = asyncio.run_coroutine_threadsafe(self._leave(patience), self._session.loop)
        polling.result(future)
        self.on_close()
        with self._session.lock:
            return self._taken()

    async def _leave(self, patience: float) -> None:
        await self._session.end(patience)
        self._pipes.close()
        if self._endpoint is not None:
            await self._endpoint.close()
            self._endpoint = None

    def _taken(self) -> TurnUsage:
        session = self._session
        if session.failure is not None:
            failure, session.failure = session.failure, None
            raise failure
        tally = session.tally
        is_asking = tally.requests or tally.repeated or tally.outage or tally.open
        if not is_asking and not session.open and not tally.got and not tally.cost:
            return NOTHING
        held = self._held(monotonic())
        usage = tally.usage(self._stood(held))
        self._held_by_rates += held.by_rates
        session.tally = Tally()
        return usage

    def _stood(self, held: Held) -> float:
        """Return how long its clock stands still for this; for rates, it is bounded in a match."""
        left = max(self._held_seconds - self._held_by_rates, 0.0)
        return held.by_outages + min(held.by_rates, left)

    def _held(self, now: float) -> Held:
        tally = self._session.tally
        opened, away, failing = tally.open.copy(), tally.away.copy(), tally.failing.copy()
        for each in () if self._has_answered else self._session.open:
            if not each.is_cut:
                opened.append((each.opened, now))
                away += each.away
                if each.failing_since is not None:
                    failing.append((each.failing_since, now))
                if each.away_since is not None:
                    away.append((each.away_since, now))
        return held_up(opened, away, failing, self._began, now)
