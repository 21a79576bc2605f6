"""One request of a bot, followed from when it is heard."""

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING

from referee.allowed import AllowedRequest
from referee.door.exchanges import MadeRequest, SeenAnswer

if TYPE_CHECKING:
    from referee.door.visitor import Visitor

Outcome = SeenAnswer | str
"""An answer, or an error in a sentence."""


class Matter:
    """One request of a bot, from when it is heard until it is answered, or longer if it was sent.

    All of it happens on the door's thread, but what it counts is read elsewhere: under the lock.
    """

    __slots__ = (
        "asked",
        "deliver",
        "entry",
        "held_since",
        "is_cut",
        "is_sent",
        "spells",
        "task",
        "turn",
        "visitor",
    )

    def __init__(
        self,
        visitor: "Visitor",
        asked: MadeRequest,
        entry: AllowedRequest,
        turn: int,
        deliver: Callable[[Outcome], None],
    ) -> None:
        self.visitor = visitor
        self.asked = asked
        self.entry = entry
        self.turn = turn
        self.deliver = deliver
        self.is_cut = False
        self.is_sent = False
        self.held_since: float | None = None
        self.spells: list[tuple[float, float]] = []
        """From when to when it was held up before; they count once it is answered."""
        self.task: asyncio.Task[None] | None = None

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables that hold the keys it is sent with, by origin."""
        return self.visitor.variables

    def sending(self, size: int) -> None:
        """Note that it goes out."""
        self.is_sent = True
        with self.visitor.lock:
            self.visitor.tally.requests += 1
            self.visitor.tally.sent += size

    def sent(self, got: int) -> None:
        """Note that a try is over."""
        self.is_sent = False
        with self.visitor.lock:
            self.visitor.tally.got += got

    def hold(self, since: float) -> None:
        """Note that it is held up since a time of the loop, which is `monotonic`."""
        with self.visitor.lock:
            if self.is_cut:
                return
            self.held_since = since if self.held_since is None else min(since, self.held_since)

    def go_on(self) -> None:
        """Note that it is held up no longer."""
        with self.visitor.lock:
            if self.held_since is not None and not self.is_cut:
                self.spells.append((self.held_since, monotonic()))
            self.held_since = None
