"""One request of a bot, followed from when it is heard."""

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING

from referee.allowed import AllowedRequest
from referee.door.exchanges import MadeRequest, SeenAnswer
from referee.door.turn_usage import OutageTime

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
        "client",
        "deliver",
        "entry",
        "held_since",
        "holds",
        "is_cut",
        "is_sent",
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
        self.held_since: float | None = None
        self.holds: list[tuple[float, float]] = []
        """From when to when it was held up before; they count once it is answered."""
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
    def outage(self) -> OutageTime:
        """The time in which requests of the bot may fail."""
        return self.client.outage

    def hold(self, since: float) -> None:
        """Note that it is held up since a time of the loop, which is `monotonic`."""
        with self.client.lock:
            if self.is_cut:
                return
            self.held_since = since if self.held_since is None else min(since, self.held_since)

    def go_on(self) -> None:
        """Note that it is held up no longer."""
        with self.client.lock:
            if self.held_since is not None and not self.is_cut:
                self.holds.append((self.held_since, monotonic()))
            self.held_since = None
