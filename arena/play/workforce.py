"""The workers of a runner, as it sees them: what comes from them, and their ends."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from arena.play.messages import (
    Away,
    Broken,
    Check,
    Done,
    Failed,
    Key,
    Left,
    News,
    Order,
    Play,
    Results,
    Task,
    Underway,
    Up,
    Word,
)
from arena.schedule.deal import BotIndex
from arena.store.timing import Timing


@dataclass
class Given:
    """An order that a worker was given, and what is left of it."""

    order: Order
    rest: dict[Key, Task]
    """What is still to be played of each deal."""

    def tasks(self) -> list[Task]:
        """Return what is still to be played."""
        return [*self.rest.values()]


class Worker(ABC):
    """The runner's side of one worker, which plays one match at a time."""

    is_up = True
    """Whether it has said that it can play."""
    unfit: Mapping[BotIndex, str] = {}
    """The bots that cannot be run there, and why."""

    def __init__(self) -> None:
        self.unchecked: list[BotIndex] = []
        """The bots that it has yet to start, to see whether they get ready."""
        self.given: list[Given] = []
        """The orders that it has not carried out yet, oldest first."""

    @property
    def is_ready(self) -> bool:
        """Whether it may be given matches."""
        return self.is_up and not self.unchecked

    def give(self, order: Order) -> None:
        """Send an order, and remember it."""
        tasks = order.tasks if isinstance(order, Play) else []
        rest = {task.key: task for task in tasks}
        self.given.append(Given(order, rest))
        self._send(order)

    def check(self) -> None:
        """Let it start each of its bots once."""
        for bot in self.unchecked:
            self.give(Check(bot))

    def note(self, word: Word) -> int:
        """Cross off what was played, so that nothing is played twice if the worker dies.

        Returns how many deals are over with it.
        """
        rest = self.given[0].rest if self.given else {}
        before = len(rest)
        match word:
            case Up():
                self.is_up = True
            case Results():
                for played in word.matches:
                    result = played.result
                    key = (tuple(sorted(result.bots)), result.number)
                    left = [each for each in rest[key].rotations if each != result.rotation]
                    rest[key] = rest[key].of(tuple(left))
                    if not left:
                        del rest[key]
            case Failed():
                del rest[word.task.key]
            case Away():
                del rest[word.task.key]
                return 0
            case Done() | Left() | Broken():
                self._end_oldest()
        return before - len(rest)

    def _end_oldest(self) -> None:
        """Cross off the oldest order; one that is not up may be broken before it has any."""
        if self.given:
            order = self.given.pop(0).order
            if isinstance(order, Check):
                self.unchecked.remove(order.bot)

    @abstractmethod
    def _send(self, order: Order) -> None:
        """Send an order; nothing happens if the worker has died."""


class Heard(NamedTuple):
    """A worker has said something."""

    worker: Worker
    word: Word


class Died(NamedTuple):
    """A worker has ended by itself, and `how`, as what follows «a worker»."""

    worker: Worker
    how: str
    where: str = ""
    """What its machine is called; empty if it is this one."""


class Lost(NamedTuple):
    """A worker can no longer be reached: no bot may be blamed for what it played."""

    worker: Worker
    has_begun: bool
    """Whether it may have been playing what it had."""


Event: TypeAlias = Heard | Died | Lost | News | Underway | Timing | Broken


class Workforce(ABC):
    """The workers of one run."""

    workers: Sequence[Worker]
    """The workers there are now. Some may join or leave while events are waited for."""

    @abstractmethod
    def running(self) -> AbstractContextManager[None]:
        """Return a context in which there are workers, which start no bot before `begin`.

        Entering raises ArenaError or RunError if nobody can play.
        """

    def begin(self) -> None:
        """Let the workers start each of their bots once."""
        for each in self.workers:
            each.check()

    @abstractmethod
    def events(self, patience: float) -> Sequence[Event]:
        """Wait for so many seconds at the most; return what has happened, in order."""

    @abstractmethod
    def replace(self, worker: Worker) -> None:
        """Replace a worker that has died; the new one checks what the dead one had not."""

    @abstractmethod
    def leave(self) -> None:
        """Let the matches that are being played be the last."""

    @abstractmethod
    def release_idle(self) -> None:
        """Let workers end that have nothing to do."""

    ahead = 2
    """Batches that a worker has before it: the one that it plays, and the next."""
    shares_deals = False
    """Whether the rotations of a deal may be played by several workers."""

    @property
    def batch_seconds(self) -> float:
        """How many seconds of work are given to a worker at once."""
        return 0.5

    @property
    def expects_more(self) -> bool:
        """Whether a worker may still come, though there is none."""
        return False

    @property
    def is_settling(self) -> bool:
        """Whether a worker is about to come."""
        return False
