"""How a request is made: paced, tried again while the provider fails, and measured."""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from protocol.errors import ArenaError
from referee.allowed import all_allowed
from referee.door.connection import ProviderAnswer, ProviderRequest
from referee.door.hiding import Eraser
from referee.door.provider import REFUSING, Network, ProviderClient, SharedProvider, is_outage
from referee.door.requests import MadeRequest, Outcome, SeenAnswer, shown
from referee.door.session import OpenRequest, Session
from referee.door.terms import DoorTerms, TokenPrice
from referee.door.turn_usage import OutageTime
from referee.door.usage import Metering, Usage

_FIRST_PAUSE = 0.25  # seconds before a second try
_LONGEST_PAUSE = 10.0
_LEAST_LEFT = 0.05  # seconds in which nothing is tried again
_MINUTE = 60.0


class RateLimit:
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


class Forwarder:
    """Makes the requests of all bots of a door, on its loop."""

    def __init__(
        self,
        terms: DoorTerms,
        keys: Mapping[str, str],
        network: Network,
        bots: int,
        tell: Callable[[str], None],
    ) -> None:
        self._terms = terms
        self._keys = keys
        self.metering = Metering(terms.prices, strict=terms.spend is not None)
        self._eraser = Eraser(keys.values())
        self._client = ProviderClient(network, terms.timeout, terms.answer_kb << 10)
        self._origins = {
            str(entry.origin): entry.origin for entry in all_allowed(terms.allow).values()
        }
        self._bots = bots
        self._rates: dict[tuple[str, str], RateLimit] = {}
        self._absence = OutageTime(terms.absence)
        self._shared = {
            str(request.origin): SharedProvider(
                self._client,
                request,
                self._with_key(str(request.origin), {"host": request.origin.authority}, terms.keys),
                terms.keys.get(str(request.origin), ""),
                tell,
            )
            for request in all_allowed(terms.shared).values()
        }

    async def close(self) -> None:
        """Close the connections."""
        self._client.close()
        await asyncio.sleep(0)  # in which their transports see it

    async def ask(self, request: OpenRequest, price: TokenPrice | None) -> tuple[Outcome, Usage]:
        """Return the answer to a request, without the key, and what it took.

        It is an error if it is one that a bot must not see. Raises ConnectionError for a request
        that failed by the provider's doing, in a sentence.
        """
        reply = await self._reply(request)
        usage = self.metering.measure(price, len(request.asked.body), reply.status, reply.body)
        if not reply.is_whole or _is_compressed(reply):
            return (
                f"the answer has more than {self._terms.answer_kb} KiB, or is compressed though it "
                "was asked for plain: ask for less."
            ), usage
        headers = self._eraser.headers(shown(reply.headers))
        return SeenAnswer(reply.status, headers, self._eraser.bytes(reply.body)), usage

    async def _reply(self, request: OpenRequest) -> ProviderAnswer:
        clock = asyncio.get_running_loop().time
        asked, session = request.asked, request.session
        variable = session.variables.get(asked.origin)
        headers = self._headers(asked, variable)
        tries = 0
        payer: OutageTime | None = None
        try:
            while True:
                async with self._rate(asked.origin, session.bot).admitted():
                    request.goes()
                    found = None
                    try:
                        found = await self._try(request, variable, headers)
                    finally:
                        request.comes(failed=isinstance(found, tuple))
                if isinstance(found, ProviderAnswer):
                    return found
                trouble, pause = found
                tries += 1
                payer, before = await self._payer(asked.origin, session), payer
                if payer is not before:
                    if before is not None:
                        before.end(clock())
                    payer.begin(clock())
                left = payer.left(clock())
                if pause is None:  # the last try is at the end of what is left
                    pause = min(_FIRST_PAUSE * 2 ** (tries - 1), _LONGEST_PAUSE, max(left, 0.0))
                    pause *= random.uniform(0.75, 1.0)  # noqa: S311 - so that bots spread
                if left < max(pause, _LEAST_LEFT) or request.is_cut:
                    if payer is self._absence and not request.is_cut:
                        raise ArenaError(
                            f"{asked.origin} was away for the {self._terms.absence:g} s of "
                            f"`absence`, for our own request too. Matches that ask it are left as "
                            f"they are, and go on in the next run."
                        )
                    why = f"{asked.origin}: {trouble}{_times(tries)}."
                    raise ConnectionError(self._eraser.text(why))
                await asyncio.sleep(pause)
        finally:
            if payer is not None:
                payer.end(clock())

    def _rate(self, origin: str, bot: str) -> RateLimit:
        terms = self._terms
        if (origin, bot) not in self._rates:
            rate = RateLimit(terms.requests_per_minute, terms.at_once, self._bots)
            self._rates[origin, bot] = rate
        return self._rates[origin, bot]

    async def _payer(self, origin: str, session: Session) -> OutageTime:
        """Return of whose time it is taken that a provider has failed: the bot's, or all bots'."""
        shared = self._shared.get(origin)
        return self._absence if shared and await shared.trouble() else session.outage

    async def _try(
        self, request: OpenRequest, variable: str | None, headers: Mapping[str, str]
    ) -> ProviderAnswer | tuple[str, float | None]:
        """Return the answer, or what went wrong and when to try again; raise ConnectionError."""
        asked = request.asked
        got = 0
        try:
            reply = await self._client.send(
                self._origins[asked.origin],
                ProviderRequest(asked.method, asked.path, headers, asked.body),
                lambda: request.sending(len(asked.body)),
                request.session.bot,
            )
            got = len(reply.body)
        except ConnectionError as error:
            return str(error), None
        finally:
            request.sent(got)
        status = reply.status
        if status in REFUSING and variable is not None:
            if shared := self._shared.get(asked.origin):
                await shared.trouble()
            raise ConnectionError(
                f"{asked.origin} answered {status}: it refuses the key in {variable}, or what was "
                f"asked with it ({asked.method} {asked.path[:100]})."
            )
        if is_outage(status):
            return f"it answered {status}", _retry_after(reply)
        return reply

    def _headers(self, asked: MadeRequest, variable: str | None) -> dict[str, str]:
        headers = {
            "host": self._origins[asked.origin].authority,
            **asked.headers,
        }
        headers["idempotency-key"] = asked.idempotency_key
        if asked.method == "POST":
            headers["content-length"] = str(len(asked.body))
            if self._terms.spend is not None:  # it was read as this
                headers["content-type"] = "application/json"
        return self._with_key(asked.origin, headers, {asked.origin: variable} if variable else {})

    def _with_key(
        self, origin: str, headers: Mapping[str, str], variables: Mapping[str, str]
    ) -> dict[str, str]:
        """Return headers with the key that these variables have for an origin, if any."""
        found = {"user-agent": "bot-arena", **headers, "accept-encoding": "identity"}
        if origin in variables:
            name, value = self._terms.header_of(origin)
            found[name] = value.replace("{key}", self._keys[variables[origin]])
        return found


def _is_compressed(reply: ProviderAnswer) -> bool:
    codings = [value for name, value in reply.headers if name.lower() == b"content-encoding"]
    return any(value.strip().lower() not in (b"", b"identity") for value in codings)


def _retry_after(reply: ProviderAnswer) -> float | None:
    for name, value in reply.headers:
        if name.lower() == b"retry-after":
            text = value.decode("latin-1").strip()
            if text.isascii() and text.isdigit():
                return float(text[:9])
            try:
                until = parsedate_to_datetime(text)
            except ValueError:
                return None
            if until.tzinfo is None:
                until = until.replace(tzinfo=UTC)
            return max((until - datetime.now(UTC)).total_seconds(), 0.0)
    return None


def _times(tries: int) -> str:
    return "" if tries == 1 else f", {tries} times"
