"""What a bot asked for through its door in a turn, and how long it was held up."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from referee.door.usage import Usage


class TurnUsage(msgspec.Struct, frozen=True):
    """What was counted from one end of a turn to the next; times are in seconds."""

    requests: int = 0
    """How often a provider was asked, with every try."""
    repeated: int = 0
    """Requests that were answered with what was kept."""
    sent: int = 0
    """Bytes of the bodies of requests."""
    got: int = 0
    """Bytes of the bodies of answers."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In the unit of the prices."""
    held: float = 0.0
    """How long the bot was held up in the turn, by our rates or by the provider's failing, while
    none of its requests was at a provider."""
    outage: str = ""
    """How a request failed by the provider's doing, in a sentence; empty if none did."""


NOTHING = TurnUsage()
"""That of a bot that asked for nothing."""


Span: TypeAlias = tuple[float, float]


class Tally:
    """Counts what a bot asks for; its owner sees to it that one thread at a time does."""

    def __init__(self) -> None:
        self.requests = self.repeated = self.sent = self.got = 0
        self.tokens = [0, 0]
        self.cost = 0.0
        self.outage = ""
        self.open: list[Span] = []
        """From when to when each request was open, for those that are over."""
        self.away: list[Span] = []
        """From when to when they were at a provider that did not fail."""
        self.failing: list[Span] = []
        """From when to when it did."""

    def add(self, usage: Usage) -> None:
        """Count the tokens and the cost of a request."""
        self.tokens[0] += usage.tokens_in
        self.tokens[1] += usage.tokens_out
        self.cost += usage.cost

    def usage(self, held: float) -> TurnUsage:
        """Return what was counted."""
        return TurnUsage(
            self.requests,
            self.repeated,
            self.sent,
            self.got,
            self.tokens[0],
            self.tokens[1],
            self.cost,
            held,
            self.outage,
        )


class OutageTime:
    """How long a bot's requests have failed in one match, of the time in which they may.

    Those that fail at the same time count once. It is used on the door's thread; seconds as
    `time.monotonic` shows them.
    """

    __slots__ = ("_failing", "_since", "_used", "most")

    def __init__(self, most: float) -> None:
        self.most = most
        """How long they may fail in all."""
        self._failing = 0
        self._since = self._used = 0.0

    def begin(self, moment: float) -> None:
        """Note that one more fails."""
        if not self._failing:
            self._since = moment
        self._failing += 1

    def end(self, moment: float) -> None:
        """Note that one less does."""
        self._failing -= 1
        if not self._failing:
            self._used += moment - self._since

    def left(self, moment: float) -> float:
        """Return for how long they may still fail; less than 0 for no longer."""
        now = moment - self._since if self._failing else 0.0
        return self.most - self._used - now


class Held(NamedTuple):
    """How long a bot was held up, none of its requests being at a provider that does its work."""

    by_rates: float
    by_outages: float


def held_up(
    opened: Sequence[Span],
    away: Sequence[Span],
    failing: Sequence[Span],
    since: float,
    until: float,
) -> Held:
    """Return how long all requests that were open were held up; pure.

    Those that are away are at a provider, and who has one of many there does not wait for us. What
    is held up while another one fails is so by the outage.
    """
    worked = _covered(away, since, until)
    failed = _covered([*away, *failing], since, until) - worked
    return Held(_covered(opened, since, until) - worked - failed, failed)


def _covered(spans: Sequence[Span], since: float, until: float) -> float:
    """Return how much of a time is in at least one of the spans."""
    total, reached = 0.0, since
    for begin, end in sorted(spans):
        begin, end = max(begin, reached), min(end, until)
        if end > begin:
            total += end - begin
            reached = end
    return total
