"""What can happen on a cluster, as `link` reports it to `client`."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from arena.play.cluster.host import Opened
from arena.play.messages import Broken, News, Word


@dataclass(eq=False)
class Machine:
    """A Dask worker that plays for us."""

    address: str
    label: str
    """What it is called in sentences."""
    opened: Opened
    """What it said of itself when it joined."""
    slots_used: set["Slot"] = field(default_factory=set)
    """The slots that were given orders."""
    waits: bool = False
    """Whether other tasks of Dask had threads for which ours wait, when it was last asked."""


class Slot:
    """One of the matches that a Dask worker plays at a time, and the orders on their way to it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.pending: list[Any] = []
        """Futures of Dask, in the order of the orders."""
        self.follower: asyncio.Task[None] | None = None


class Joined(NamedTuple):
    """A Dask worker plays for us."""

    machine: Machine


class Refused(NamedTuple):
    """A Dask worker does not play for us, and why, as what follows a colon."""

    label: str
    why: str
    again: bool
    """Whether it is asked again."""


class Waiting(NamedTuple):
    """A Dask worker has tasks of others before ours."""

    machine: Machine


class Gone(NamedTuple):
    """A Dask worker plays for us no more, and why, as what follows a colon; empty if not shown."""

    machine: Machine
    why: str
    has_begun: bool
    """Whether it may have been playing what it had."""


class Answered(NamedTuple):
    """What came of a slot's oldest order: what was said, and how its worker ended if it did."""

    slot: "Slot"
    words: list[Word]
    died: str


class Unreached(NamedTuple):
    """An order was for a slot of a Dask worker that has gone."""

    slot: "Slot"


ClusterEvent: TypeAlias = Joined | Refused | Waiting | Gone | Answered | Unreached | News | Broken
