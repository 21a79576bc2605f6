"""How a request is made: paced, tried again while the provider fails, and measured."""

import asyncio
import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol

from protocol.errors import ArenaError, ProtocolError
from referee.allowed import all_allowed
from referee.door.connection import OutageError, ProviderAnswer, ProviderRequest
from referee.door.exchanges import MadeRequest, SeenAnswer
from referee.door.headers import shown
from referee.door.hiding import Eraser
from referee.door.network import Network
from referee.door.pacing import Pacing
from referee.door.provider import ProviderClient
from referee.door.shared import REFUSING, SharedProvider, is_outage
from referee.door.terms import DoorTerms, TokenPrice
from referee.door.turn_usage import OutageTime
from referee.door.usage import Metering, Usage

_FIRST_PAUSE = 0.25  # seconds before a second try
_LONGEST_PAUSE = 10.0
_LEAST_LEFT = 0.05  # seconds in which nothing is tried again


class Follower(Protocol):
    """Follows one request."""

    is_cut: bool
    """Whether nobody waits for its answer any more."""

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables that hold the keys it is sent with, by origin."""

    def sending(self, size: int) -> None:
        """Note that a body of so many bytes goes out: from here on it may cost something."""

    def sent(self, got: int) -> None:
        """Note that a try is over, in which so many bytes came back."""

    def goes(self) -> None:
        """Note that the request is at the provider from now on; before, it was held up."""

    def comes(self, *, failed: bool) -> None:
        """Note that it is there no longer."""

    @property
    def bot(self) -> str:
        """Whose request it is, by the bot's key."""

    @property
    def outage(self) -> OutageTime:
        """The time in which requests of the bot may fail."""


class Asking:
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
        self._pacings: dict[tuple[str, str], Pacing] = {}

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

    async def ask(
        self, asked: MadeRequest, price: TokenPrice | None, course: Follower
    ) -> tuple[SeenAnswer | None, Usage]:
        """Return the answer to a request, without the key, and what it took.

        There is no answer if it is one that a bot must not see. Raises OutageError.
        """
        reply = await self._reply(asked, course)
        usage = self.metering.measure(price, len(asked.body), reply.status, reply.body)
        if not reply.is_whole or _is_compressed(reply):
            return None, usage
        headers = self._eraser.headers(shown(reply.headers))
        return SeenAnswer(reply.status, headers, self._eraser.bytes(reply.body)), usage

    def why_unseen(self) -> ProtocolError:
        """Return what a bot is told of an answer that it must not see."""
        return ProtocolError(
            f"the answer has more than {self._terms.answer_kb} KiB, or is compressed though it "
            "was asked for plain: ask for less."
        )

    async def _reply(self, asked: MadeRequest, course: Follower) -> ProviderAnswer:
        clock = asyncio.get_running_loop().time
        variable = course.variables.get(asked.origin)
        headers = self._headers(asked, variable)
        tries = 0
        payer: OutageTime | None = None
        try:
            while True:
                async with self._pacing(asked.origin, course.bot).admitted():
                    course.goes()
                    found = None
                    try:
                        found = await self._try(asked, variable, headers, course)
                    finally:
                        course.comes(failed=isinstance(found, tuple))
                if isinstance(found, ProviderAnswer):
                    return found
                trouble, pause = found
                tries += 1
                payer, before = await self._payer(asked.origin, course), payer
                if payer is not before:
                    if before is not None:
                        before.end(clock())
                    payer.begin(clock())
                left = payer.left(clock())
                if pause is None:  # the last try is at the end of what is left
                    pause = min(_FIRST_PAUSE * 2 ** (tries - 1), _LONGEST_PAUSE, max(left, 0.0))
                    pause *= random.uniform(0.75, 1.0)  # noqa: S311 - so that bots spread
                if left < max(pause, _LEAST_LEFT) or course.is_cut:
                    if payer is self._absence and not course.is_cut:
                        raise ArenaError(
                            f"{asked.origin} was away for the {self._terms.absence:g} s of "
                            f"`absence`, for our own request too. Matches that ask it are left as "
                            f"they are, and go on in the next run."
                        )
                    why = f"{asked.origin}: {trouble}{_times(tries)}."
                    raise OutageError(self._eraser.text(why))
                await asyncio.sleep(pause)
        finally:
            if payer is not None:
                payer.end(clock())

    def _pacing(self, origin: str, bot: str) -> Pacing:
        terms = self._terms
        if (origin, bot) not in self._pacings:
            pacing = Pacing(terms.requests_per_minute, terms.at_once, self._bots)
            self._pacings[origin, bot] = pacing
        return self._pacings[origin, bot]

    async def _payer(self, origin: str, course: Follower) -> OutageTime:
        """Return of whose time it is taken that a provider has failed: the bot's, or all bots'."""
        shared = self._shared.get(origin)
        return self._absence if shared and await shared.trouble() else course.outage

    async def _try(
        self,
        asked: MadeRequest,
        variable: str | None,
        headers: Mapping[str, str],
        course: Follower,
    ) -> ProviderAnswer | tuple[str, float | None]:
        """Return the answer, or what went wrong and when to try again; raise OutageError."""
        size = len(asked.body)
        origin = self._origins[asked.origin]
        got = 0
        try:
            request = ProviderRequest(asked.method, asked.path, headers, asked.body)
            reply = await self._client.send(
                origin, request, lambda: course.sending(size), course.bot
            )
            got = len(reply.body)
        except OutageError as error:
            return str(error), None
        finally:
            course.sent(got)
        status = reply.status
        if status in REFUSING and variable is not None:
            if shared := self._shared.get(asked.origin):
                await shared.trouble()
            raise OutageError(
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
