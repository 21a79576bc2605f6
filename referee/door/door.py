"""The door itself: one thread that makes the requests of all bots of this process."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from protocol.errors import ArenaError, ProtocolError, installing
from referee.allowed import AllowList, all_allowed
from referee.door.client import DoorClient
from referee.door.requests import Exchanges, Outcome, SeenAnswer
from referee.door.session import ClientTerms, OpenRequest
from referee.door.terms import DoorTerms
from referee.door.usage import Usage

if TYPE_CHECKING:
    from referee.door.forwarder import Forwarder
    from referee.door.provider import Network

_A_FAULT = "This decision has the fault `outage`."
_SPENT = 402
_T = TypeVar("_T")


class Door:
    """Makes the requests of bots; a context manager, for all bots of a process.

    Args:
        terms: of the league.
        keys: by variable, as `keys_of` returns them.
        spent: by bot, what it has cost in the league so far, in the unit of the prices.
        network: resolves names; the system's, if there is none.
        bots: how many bots have the door, each of which has a share of its rates.
        tell: called on the door's thread with a sentence for the organizer.

    Raises ArenaError, when it is entered, if the extra `door` is not installed.

    """

    def __init__(
        self,
        terms: DoorTerms,
        keys: Mapping[str, str],
        spent: Mapping[str, float],
        *,
        network: "Network | None" = None,
        bots: int = 1,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._terms = terms
        self._keys = keys
        self._spent = dict(spent)
        self._network = network
        self._bots = bots
        self._tell = tell
        self._told: set[str] = set()  # the bots of which it was said that they have spent all
        self._allowed = [*all_allowed(terms.allow).values()]
        self._allow_of = cache(
            lambda entries: AllowList([*all_allowed(entries).values()])  # of bots alike
        )
        self._clients: dict[DoorClient, None] = {}
        self._forwarder: Forwarder | None = None
        self.loop: asyncio.AbstractEventLoop = None  # type: ignore[assignment]
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "Door":
        """Start the thread."""
        try:
            from referee.door.forwarder import Forwarder
            from referee.door.provider import Network
        except ModuleNotFoundError as error:
            raise ArenaError(
                f"the door needs {error.name}, which is not installed: {installing('door')}."
            ) from None
        network = self._network = self._network or Network()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="door", daemon=True)
        self._thread.start()

        async def make() -> Forwarder:
            return Forwarder(self._terms, self._keys, network, self._bots, self._tell)

        self._forwarder = self._on_loop(make())
        return self

    def __exit__(self, *_: object) -> None:
        """Let all clients leave, and end the thread."""
        assert self._thread is not None
        assert self._forwarder is not None
        assert self._network is not None
        for client in [*self._clients]:
            client.close()
        self._on_loop(self._forwarder.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()
        self._network.close()

    def admit(
        self,
        terms: ClientTerms,
        ends: tuple[int, int],
        listener: int | None,
    ) -> DoorClient:
        """Let a bot's process ask, from its first turn until its client is closed.

        Args:
            terms: which bot it is, what it may ask, and where that is kept.
            ends: the referee's ends of its two pipes: requests are read from the first, answers
                written to the second. They are used until the client is closed, and then are
                for the caller to close.
            listener: a socket that listens for it, for the endpoint of HTTP; likewise.

        Raises ArenaError for a request that is not allowed.

        """
        allow = self._allow_of(tuple(terms.entries))
        for entry in allow.entries:
            if not any(each.covers(entry) for each in self._allowed):
                raise ArenaError(
                    f"{terms.bot} may ask {str(entry)!r}, which [door] of league.toml does not "
                    f"allow: add it to allow there, or take it out of the bot's door."
                )
        for end in ends:
            os.set_blocking(end, False)
        client = DoorClient(self.loop, self._terms, self._obtain, terms, allow, ends)
        client.on_close = lambda: self._clients.pop(client, None)
        self._clients[client] = None
        self.loop.call_soon_threadsafe(client.start, listener)
        return client

    @property
    def spent(self) -> dict[str, float]:
        """What each bot has cost in the league so far, in the unit of the prices."""
        return dict(self._spent)

    async def _obtain(self, request: OpenRequest, exchanges: Exchanges) -> Outcome:
        """Return what came of a request: an answer, or an error in a sentence."""
        assert self._forwarder is not None
        session, asked = request.session, request.asked
        if (found := exchanges.find(asked)) is not None:
            session.count_repeated()
            return found
        if (over := self._over(session.bot)) is not None:
            exchanges.keep(asked, over, Usage())
            return over
        try:
            price = self._forwarder.metering.price_of(request.entry, asked.path, asked.body)
            answered, usage = await self._forwarder.ask(request, price)
        except ProtocolError as error:
            return str(error)
        except ConnectionError as error:
            if request.is_cut:
                return str(error)
            session.note_outage(str(error))
            return f"{error} {_A_FAULT}"
        session.count(usage)
        self._spent[session.bot] = self._spent.get(session.bot, 0.0) + usage.cost
        if isinstance(answered, SeenAnswer):
            exchanges.keep(asked, answered, usage)
        return answered

    def _over(self, bot: str) -> SeenAnswer | None:
        """Return what a bot is answered that has spent all that it may; None to all others."""
        spend, spent = self._terms.spend, self._spent.get(bot, 0.0)
        if spend is None or spent < spend:
            return None
        said = f"{bot} has cost {spent:.4g} in this league, of the {spend:g} that [door] allows."
        if bot not in self._told:
            self._told.add(bot)
            self._tell(f"{said} Its requests are answered 402 from now on.")
        body = msgspec.json.encode({"error": {"message": said, "type": "door"}})
        return SeenAnswer(_SPENT, {"content-type": "application/json"}, body)

    def _on_loop(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        with contextlib.suppress(RuntimeError):
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
