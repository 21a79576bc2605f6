"""What was measured and kept of a match, beside its replay; no result depends on it."""

from typing import Annotated

import msgspec

from protocol.messages import SAMPLES_LIMIT
from referee.match.replay import Replay

Microseconds = Annotated[int, msgspec.Meta(ge=0)]


class Exchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a bot asked through its door, and was answered; no key stands in it."""

    seat: int
    ask: int
    """The id of the ask that it was to answer."""
    at: int
    """Which of its requests to the door it was in the match, from 0; those asked again aside."""
    origin: str
    """Whom it asked: `https://api.example.org`."""
    method: str
    path: str
    request: str
    """The body; one that is no text, in base64 after `base64:`."""
    status: int
    headers: dict[str, str] = {}
    """Of the answer."""
    answer: str
    """Likewise."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In the unit of the league's prices."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was measured and kept of a match; nothing of it enters a result."""

    cpu: list[Microseconds]
    """The bot's CPU time for each entry of the replay."""
    wall: list[Microseconds]
    """The time on the wall from the ask to its answer, for each entry; 0 if no seat was asked."""
    lag: list[Microseconds]
    """The referee's own time before each ask: since the answer before it."""
    stderr: list[str]
    """By seat, what was kept of the standard error."""
    conversations: list[list[str]]
    """By seat, the last lines exchanged before the first fault."""
    burners: list[int]
    """The seats whose process used too much CPU off turn and was frozen between its turns."""
    charged: dict[int, Microseconds] = {}
    """By seat, the CPU time used off turn that its decisions were charged, if any."""
    unfrozen: dict[int, Microseconds] = {}
    """By seat, the CPU time that it used while it was frozen, if any."""
    waited: dict[int, int] = {}
    """By entry, how much of `wall` was not held against the bot, as it waited for a core; where the
    bot was charged for what it used before, it may be negative. Long turns only."""
    samples: dict[int, Annotated[int, msgspec.Meta(ge=1, le=SAMPLES_LIMIT)]] = {}
    """By seat, how many samples of legal moves the bot wanted, if any."""
    trips: dict[int, Microseconds] = {}
    """By seat, the round trip to the machine of a remote bot, as measured while it played."""
    memory_peak: dict[int, Annotated[int, msgspec.Meta(ge=0)]] = {}
    """By seat, the most memory in bytes that the bot's cgroup has had until the match ended, since
    its process began; none without cgroups."""
    exchanges: list[Exchange] = []
    """What bots asked through their doors."""


class Played(msgspec.Struct, frozen=True):
    """A match that was played, as the referee returns it: what happened, and what was measured."""

    replay: Replay
    evidence: Evidence
