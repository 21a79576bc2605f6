"""One request of a bot, followed from when it is heard."""

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING

from referee.allowed import AllowedRequest
from referee.door.exchanges import MadeRequest, SeenAnswer
from referee.door.turn_usage import OutageTime, Span

if TYPE_CHECKING:
    from referee.door.client import DoorClient

Outcome = SeenAnswer | str
"""An answer, or an error in a sentence."""


class OpenRequest:
    """One request of a bot, from when it is heard until it is answered, or longer if it was sent.

    All of it happens on the door's thread, but what it counts is read elsewhere: under the lock.
    """

    __slots__ = (
        "asked",
        "away",
        "away_since",
        "client",
        "deliver",
        "entry",
        "failing_since",
        "is_cut",
        "is_sent",
        "opened",
        "task",
        "turn",
    )

    def __init__(
        self,
        client: "DoorClient",
        asked: MadeRequest,
        entry: AllowedRequest,
        turn: int,
        deliver: Callable[[Outcome], None],
    ) -> None:
        self.client = client
        self.asked = asked
        self.entry = entry
        self.turn = turn
        self.deliver = deliver
        self.is_cut = False
        self.is_sent = False
        self.opened = monotonic()
        self.away: list[Span] = []
        """From when to when it was at a provider that did not fail."""
        self.away_since: float | None = None
        self.failing_since: float | None = None
        """When the provider began to fail it, if it does."""
        self.task: asyncio.Task[None] | None = None

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables that hold the keys it is sent with, by origin."""
        return self.client.variables

    def sending(self, size: int) -> None:
        """Note that it goes out."""
        self.is_sent = True
        with self.client.lock:
            self.client.tally.requests += 1
            self.client.tally.sent += size

    def sent(self, got: int) -> None:
        """Note that a try is over."""
        self.is_sent = False
        with self.client.lock:
            self.client.tally.got += got

    @property
    def bot(self) -> str:
        """The key of the bot whose it is."""
        return self.client.bot

    @property
    def outage(self) -> OutageTime:
        """The time in which requests of the bot may fail."""
        return self.client.outage

    def goes(self) -> None:
        """Note that it is at the provider from now on."""
        with self.client.lock:
            self.away_since = monotonic()

    def comes(self, *, failed: bool) -> None:
        """Note that it is there no longer; where it has failed, it was held up all the time."""
        with self.client.lock:
            began, self.away_since = self.away_since, None
            if failed:
                self.failing_since = self.failing_since or began
            elif began is not None:
                self.away.append((began, monotonic()))
