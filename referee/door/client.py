"""A bot at the door: heard during its turns, answered through its pipe, counted."""

import asyncio
import base64
import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

from protocol.door import DoorAnswer
from referee.allowed import AllowList
from referee.door.exchanges import Exchanges, MadeRequest
from referee.door.line_pipes import LinePipes
from referee.door.open_request import OpenRequest, Outcome
from referee.door.reading import WantedRequest, digest_of
from referee.door.turn_usage import NOTHING, Held, OutageTime, Tally, TurnUsage, held_up
from referee.door.usage import Usage
from referee.process.polling import ALONE, Polling

if TYPE_CHECKING:
    from referee.door.endpoint import Endpoint

OPEN = 16
"""The most requests that a bot may have open; it is not heard before one of them is answered."""
_CUT = "the turn ended before the answer came: ask, and wait for the answer, within one turn."


class Gateway(Protocol):
    """What a client needs of the door; all but `loop` is used on the door's thread."""

    loop: asyncio.AbstractEventLoop
    request_bytes: int
    outage_wait: float
    held_seconds: float

    async def obtain(self, request: OpenRequest, exchanges: Exchanges) -> Outcome:
        """Return what came of a request."""


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


class DoorClient:
    """A bot at the door.

    The referee's threads call `begin_turn` and `end_turn`, and read `held`; the rest
    happens on the door's thread. The pipes' ends stay those of whoever opened them, and are closed
    by them after `close`.
    """

    __slots__ = (
        "_began",
        "_endpoint",
        "_exchanges",
        "_failure",
        "_gateway",
        "_has_answered",
        "_held_by_rates",
        "_idle",
        "_is_deaf",
        "_is_in_turn",
        "_key",
        "_open",
        "_pipes",
        "_times",
        "_turn",
        "_waiting",
        "allow",
        "bot",
        "lock",
        "on_close",
        "outage",
        "tally",
        "variables",
    )

    def __init__(
        self,
        gateway: Gateway,
        terms: ClientTerms,
        allow: AllowList,
        variables: Mapping[str, str],
        ends: tuple[int, int],
    ) -> None:
        self.bot = terms.bot
        self.lock = threading.Lock()
        self.tally = Tally()
        self._gateway = gateway
        self.allow = allow
        self.variables = variables
        """The variables that hold the keys it is sent with, by origin."""
        self._exchanges = terms.exchanges
        self._key = terms.key
        self._times: Counter[bytes] = Counter()
        self.outage = OutageTime(gateway.outage_wait)
        self._held_by_rates = 0.0  # in the turns of this match that are over
        self._open: dict[OpenRequest, None] = {}
        self._turn = 0
        self._began = 0.0
        self._is_in_turn = False
        self._has_answered = False
        self._is_deaf = False  # whether somebody must be woken when a turn begins
        self._waiting: list[asyncio.Future[None]] = []
        self._idle: asyncio.Event | None = None
        self._failure: Exception | None = None
        self._endpoint: Endpoint | None = None
        self.on_close: Callable[[], object] = bool
        """Called when it has left."""
        self._pipes = LinePipes(self, gateway.loop, ends, gateway.request_bytes)

    # For the referee's threads

    def enter(self, exchanges: Exchanges, key: str) -> None:
        """Go on with another match; `key` names it, and the seat."""
        with self.lock:
            self._exchanges = exchanges
            self._key = key
            self._times = Counter()
            self.outage = OutageTime(self.outage.most)
            self._held_by_rates = 0.0

    def begin_turn(self) -> None:
        """Hear the bot from now on."""
        with self.lock:
            self._turn += 1
            self._began = monotonic()
            self._is_in_turn = True
            self._has_answered = False
            is_deaf, self._is_deaf = self._is_deaf, False
        if is_deaf:
            self._gateway.loop.call_soon_threadsafe(self._wake)

    def answer_came(self) -> None:
        """Count no more as held up by requests that are open: the bot has not waited for them.

        It could ask for what is refused in order to think meanwhile.
        """
        with self.lock:
            self._has_answered = True

    def end_turn(self) -> TurnUsage:
        """Hear the bot no longer, and return what was counted since the last turn ended.

        Requests that are open are answered with an error. One that has gone out may cost
        something: it is read to its end, kept, and counted in a later turn.
        Raises what kept a request from being made that was neither the bot's nor a provider's
        doing, as of `Exchanges`.
        """
        with self.lock:
            self._is_in_turn = False
            try:  # before the cut: what is cut counts no more as held up
                return self._taken()
            finally:
                if self._open:
                    self._gateway.loop.call_soon_threadsafe(self._cut, self._turn)

    @property
    def held(self) -> float:
        """How long its clock has stood still in this turn so far, in seconds."""
        with self.lock:
            return self._stood(self._held(monotonic()))

    def close(self, patience: float = 0.0, polling: Polling = ALONE) -> TurnUsage:
        """Leave, and return what was counted since the last turn ended.

        Answers that may cost something are waited for, so many seconds at most. After it the pipes
        may be closed. Raises what `end_turn` does.
        """
        future = asyncio.run_coroutine_threadsafe(self._leave(patience), self._gateway.loop)
        polling.result(future)
        self.on_close()
        with self.lock:
            return self._taken()

    def _taken(self) -> TurnUsage:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return self._counted()

    def _counted(self) -> TurnUsage:
        tally = self.tally
        is_asking = tally.requests or tally.repeated or tally.outage or tally.open
        if not is_asking and not self._open and not tally.got and not tally.cost:
            return NOTHING
        held = self._held(monotonic())
        usage = tally.usage(self._stood(held))
        self._held_by_rates += held.by_rates
        self.tally = Tally()
        return usage

    def _stood(self, held: Held) -> float:
        """Return how long its clock stands still for this; for rates, it is bounded in a match."""
        left = max(self._gateway.held_seconds - self._held_by_rates, 0.0)
        return held.by_outages + min(held.by_rates, left)

    def _held(self, now: float) -> Held:
        tally = self.tally
        opened, away, failing = tally.open.copy(), tally.away.copy(), tally.failing.copy()
        for each in () if self._has_answered else self._open:
            if not each.is_cut:
                opened.append((each.opened, now))
                away += each.away
                if each.failing_since is not None:
                    failing.append((each.failing_since, now))
                if each.away_since is not None:
                    away.append((each.away_since, now))
        return held_up(opened, away, failing, self._began, now)

    # For the door's thread

    def start(self, listener: int | None) -> None:
        """Watch the pipes, and a socket that listens."""
        if listener is not None:
            from referee.door.endpoint import Endpoint

            loop, most = self._gateway.loop, self._gateway.request_bytes
            self._endpoint = Endpoint(self, loop, listener, most)
        self._pipes.hear()

    def hears(self) -> bool:
        """Return whether a request would be heard now; if not, `_wake` is called when it is time.

        The lock is held by the caller.
        """
        is_open = self._is_in_turn and len(self._open) < OPEN
        if not is_open:
            self._is_deaf = True
        return is_open

    async def turn(self) -> None:
        """Wait until a request would be heard."""
        while True:
            with self.lock:
                if self.hears():
                    return
                future = self._gateway.loop.create_future()
                self._waiting.append(future)
            await future

    def asked(self, wanted: WantedRequest) -> MadeRequest:
        """Return a request as one of this match, and count how often it was asked."""
        request = digest_of(self._key, wanted)
        time = self._times[request]
        self._times[request] += 1
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

    def begin(self, wanted: WantedRequest, deliver: Callable[[Outcome], None]) -> None:
        """Make a request, and deliver what comes of it; the turn is looked at under the lock."""
        asked = self.asked(wanted)
        with self.lock:
            request = OpenRequest(self, asked, wanted.entry, self._turn, deliver)
            self._open[request] = None
            is_late = not self._is_in_turn
        request.task = self._gateway.loop.create_task(self._attend(request, self._exchanges))
        request.task.add_done_callback(lambda _: self._finish(request))
        if is_late:
            self._gateway.loop.call_soon(self._cut, request.turn)

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

    def answer_line(self, number: int, outcome: Outcome) -> None:
        """Answer a request of the pipe."""
        if isinstance(outcome, str):
            self._pipes.write(DoorAnswer(id=number, error=outcome))
            return
        body, body64 = None, None
        try:
            body = outcome.body.decode("utf-8")
        except UnicodeDecodeError:
            body64 = base64.b64encode(outcome.body).decode("ascii")
        headers = dict(outcome.headers)
        self._pipes.write(
            DoorAnswer(id=number, status=outcome.status, headers=headers, body=body, body64=body64)
        )

    async def _attend(self, request: OpenRequest, exchanges: Exchanges) -> None:
        try:
            outcome = await self._gateway.obtain(request, exchanges)
        except Exception as failure:  # noqa: BLE001 - raised in the referee's thread
            with self.lock:
                self._failure = self._failure or failure
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
            self._open.pop(request, None)
            is_wanted = self._is_deaf and self._is_in_turn
            self._is_deaf = self._is_deaf and not is_wanted
            is_idle = not self._open
        if is_idle and self._idle is not None:
            self._idle.set()
        if is_wanted:
            self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
        self._pipes.hear()

    def _cut(self, turn: int) -> None:
        for request in [*self._open]:
            if request.turn > turn or request.is_cut:
                continue
            request.is_cut = True
            request.deliver(_CUT)
            if not request.is_sent and request.task is not None:
                request.task.cancel()

    async def _leave(self, patience: float) -> None:
        with self.lock:
            self._is_in_turn = False
            turn = self._turn
        self._cut(turn)
        if self._open and patience:
            self._idle = asyncio.Event()
            try:
                async with asyncio.timeout(patience):
                    await self._idle.wait()
            except TimeoutError:
                pass
        tasks = [request.task for request in self._open if request.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._pipes.close()
        if self._endpoint is not None:
            await self._endpoint.close()
            self._endpoint = None
