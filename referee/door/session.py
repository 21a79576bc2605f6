"""A bot's session at the door: the requests that it has open, on the door's thread."""

import asyncio
import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

from referee.allowed import AllowedRequest, AllowList
from referee.door.requests import Exchanges, MadeRequest, Outcome, WantedRequest, digest_of
from referee.door.terms import DoorTerms
from referee.door.turn_usage import OutageTime, Span, Tally
from referee.door.usage import Usage

OPEN = 16
"""The most requests that a bot may have open; it is not heard before one of them is answered."""
_CUT = "the turn ended before the answer came: ask, and wait for the answer, within one turn."


class ClientTerms(NamedTuple):
    """Which bot asks, for what, and where that is kept."""

    bot: str
    """The key of the bot, under which its costs are counted."""
    name: str
    """What it is called, by which it may have keys of its own."""
    entries: Sequence[str]
    """The requests that it may make, each of which `allow` of the league covers."""
    exchanges: Exchanges
    """Where its requests and answers are kept."""
    key: str
    """Names the match and the seat."""


class OpenRequest:
    """One request of a bot, from when it is heard until it is answered, or longer if it was sent.

    All of it happens on the door's thread, but what it counts is read elsewhere: under the lock.
    """

    def __init__(
        self,
        session: "Session",
        asked: MadeRequest,
        entry: AllowedRequest,
        deliver: Callable[[Outcome], None],
    ) -> None:
        self.session = session
        self.asked = asked
        self.entry = entry
        self.turn = session.turn
        self.deliver = deliver
        self.is_cut = False
        """Whether nobody waits for its answer any more."""
        self.is_sent = False
        self.opened = monotonic()
        self.away: list[Span] = []
        """From when to when it was at a provider that did not fail."""
        self.away_since: float | None = None
        self.failing_since: float | None = None
        """When the provider began to fail it, if it does."""
        self.task: asyncio.Task[None] | None = None

    def sending(self, size: int) -> None:
        """Note that a body of so many bytes goes out: from here on it may cost something."""
        self.is_sent = True
        with self.session.lock:
            self.session.tally.requests += 1
            self.session.tally.sent += size

    def sent(self, got: int) -> None:
        """Note that a try is over, in which so many bytes came back."""
        self.is_sent = False
        with self.session.lock:
            self.session.tally.got += got

    def goes(self) -> None:
        """Note that it is at the provider from now on; before, it was held up."""
        with self.session.lock:
            self.away_since = monotonic()

    def comes(self, *, failed: bool) -> None:
        """Note that it is there no longer; where it has failed, it was held up all the time."""
        with self.session.lock:
            began, self.away_since = self.away_since, None
            if failed:
                self.failing_since = self.failing_since or began
            elif began is not None:
                self.away.append((began, monotonic()))


Obtain: TypeAlias = Callable[[OpenRequest, Exchanges], Coroutine[Any, Any, Outcome]]
"""Returns what came of a request."""


class Session:
    """What a bot asks, from its first turn until it leaves; used on the door's thread.

    What the referee's threads share with it, by the bot's `DoorClient`, is under the lock.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        terms: DoorTerms,
        obtain: Obtain,
        of: ClientTerms,
        allow: AllowList,
    ) -> None:
        self.loop = loop
        self.request_bytes = terms.request_kb << 10
        self.bot = of.bot
        self.allow = allow
        self.variables = terms.variables_of(of.name)
        """The variables that hold the keys its requests are sent with, by origin."""
        self.on_wake: Callable[[], object] = bool
        """Called when requests are heard again."""
        self._obtain = obtain
        self._waiting: list[asyncio.Future[None]] = []
        self._idle: asyncio.Event | None = None
        self.lock = threading.Lock()
        self.exchanges = of.exchanges
        self.key = of.key
        self.times: Counter[bytes] = Counter()
        """How often each request was asked in this match."""
        self.outage = OutageTime(terms.outage_wait)
        """The time in which requests of the bot may fail."""
        self.tally = Tally()
        self.open: dict[OpenRequest, None] = {}
        self.turn = 0
        self.is_in_turn = False
        self.is_deaf = False
        """Whether somebody must be woken when a turn begins."""
        self.failure: Exception | None = None

    def hears(self) -> bool:
        """Return whether a request would be heard now; if not, `wake` is called when it is time.

        The lock is held by the caller.
        """
        is_open = self.is_in_turn and len(self.open) < OPEN
        if not is_open:
            self.is_deaf = True
        return is_open

    async def its_turn(self) -> None:
        """Wait until a request would be heard."""
        while True:
            with self.lock:
                if self.hears():
                    return
                future = self.loop.create_future()
                self._waiting.append(future)
            await future

    def begin(self, wanted: WantedRequest, deliver: Callable[[Outcome], None]) -> None:
        """Make a request, and deliver what comes of it; the turn is looked at under the lock."""
        asked = self._asked(wanted)
        with self.lock:
            request = OpenRequest(self, asked, wanted.entry, deliver)
            self.open[request] = None
            is_late = not self.is_in_turn
        request.task = self.loop.create_task(self._attend(request, self.exchanges))
        request.task.add_done_callback(lambda _: self._finish(request))
        if is_late:
            self.loop.call_soon(self.cut, request.turn)

    def _asked(self, wanted: WantedRequest) -> MadeRequest:
        """Return a request as one of this match, and count how often it was asked."""
        request = digest_of(self.key, wanted)
        time = self.times[request]
        self.times[request] += 1
        key = hashlib.sha256(request + b"#%d" % time).hexdigest()[:40]
        entry = wanted.entry
        return MadeRequest(
            idempotency_key=key,
            time=time,
            origin=str(entry.origin),
            method=entry.method,
            path=wanted.target,
            headers=wanted.headers,
            body=wanted.body,
        )

    def count(self, usage: Usage) -> None:
        """Count what a request took."""
        with self.lock:
            self.tally.add(usage)

    def count_repeated(self) -> None:
        """Count a request that was answered with what was kept."""
        with self.lock:
            self.tally.repeated += 1

    def note_outage(self, outage: str) -> None:
        """Let the referee know how a request failed, in a sentence."""
        with self.lock:
            self.tally.outage = self.tally.outage or outage

    async def _attend(self, request: OpenRequest, exchanges: Exchanges) -> None:
        try:
            outcome = await self._obtain(request, exchanges)
        except Exception as failure:  # noqa: BLE001 - raised in the referee's thread
            with self.lock:
                self.failure = self.failure or failure
            outcome = "the door failed: this is not your doing."
        if not request.is_cut:
            with self.lock:
                request.is_cut = True
                self.tally.open.append((request.opened, monotonic()))
                self.tally.away += request.away
                if request.failing_since is not None:
                    self.tally.failing.append((request.failing_since, monotonic()))
            request.deliver(outcome)

    def _finish(self, request: OpenRequest) -> None:
        with self.lock:
            self.open.pop(request, None)
            is_wanted = self.is_deaf and self.is_in_turn
            self.is_deaf = self.is_deaf and not is_wanted
            is_idle = not self.open
        if is_idle and self._idle is not None:
            self._idle.set()
        if is_wanted:
            self.wake()

    def wake(self) -> None:
        """Hear what waits to be heard."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
        self.on_wake()

    def cut(self, turn: int) -> None:
        """Answer what is open of a turn, and of those before it, with an error."""
        for request in [*self.open]:
            if request.turn > turn or request.is_cut:
                continue
            request.is_cut = True
            request.deliver(_CUT)
            if not request.is_sent and request.task is not None:
                request.task.cancel()

    async def end(self, patience: float) -> None:
        """Hear nothing more, and wait so many seconds for answers that may cost something."""
        with self.lock:
            self.is_in_turn = False
            turn = self.turn
        self.cut(turn)
        if self.open and patience:
            self._idle = asyncio.Event()
            try:
                async with asyncio.timeout(patience):
                    await self._idle.wait()
            except TimeoutError:
                pass
        tasks = [request.task for request in self.open if request.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
