"""Those who play for a runner, as it sees them: workers, what comes from them, and their ends."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, TypeAlias

from arena.play.worker import Batch, Report, Task

Key: TypeAlias = tuple[tuple[int, ...], int]
"""What tells one deal from another: its line-up and its number."""


class Worker(ABC):
    """The runner's side of one worker, which plays one match at a time."""

    is_up = True
    """Whether it has said that it can play."""
    unfit: Mapping[int, str] = {}
    """The bots that cannot be run there, and why."""

    def __init__(self) -> None:
        self.unchecked: list[int] = []
        """The bots that it has yet to start, to see whether they get ready."""
        self.sent: list[dict[Key, Task]] = []
        """What is left of each batch not yet answered."""

    @property
    def is_ready(self) -> bool:
        """Whether it may be given matches."""
        return self.is_up and not self.unchecked

    def give(self, batch: Batch) -> None:
        """Send a batch, and remember it."""
        self.sent.append({(task.lineup, task.number): task for task in batch.tasks})
        self._send(batch)

    def note(self, report: Report) -> int:
        """Cross off what was played, so that nothing is played twice if the worker dies.

        Returns how many deals are over with it.
        """
        batch = self.sent[0]
        before = len(batch)
        for played in report.played:
            result = played.result
            key = (tuple(sorted(result.bots)), result.number)
            rotations = batch[key].rotations
            rotations.remove(result.rotation)
            if not rotations:
                del batch[key]
        for task, _ in report.failed:
            del batch[task.lineup, task.number]
        over = before - len(batch)
        if report.done:
            del self.sent[0]
            if self.is_up and self.unchecked:
                del self.unchecked[0]
            self.is_up = True
        return over

    @abstractmethod
    def _send(self, batch: Batch) -> None:
        """Send a batch; nothing happens if the worker has died."""


class Heard(NamedTuple):
    """A worker has sent a report."""

    worker: Worker
    report: Report


class Died(NamedTuple):
    """A worker has ended by itself, and `how`, as what follows «a worker»."""

    worker: Worker
    how: str
    where: str = ""
    """What its machine is called; empty if it is this one."""


class Lost(NamedTuple):
    """A worker can no longer be reached: what it played may be blamed on nobody."""

    worker: Worker
    has_begun: bool
    """Whether it may have been playing what it had."""


class Told(NamedTuple):
    """Something that the organizer is to know, as a sentence."""

    text: str


class Stopped(NamedTuple):
    """Nothing more can be played, and why, as a sentence."""

    why: str


Event: TypeAlias = Heard | Died | Lost | Told | Stopped


class Workforce(ABC):
    """The workers of one run."""

    workers: Sequence[Worker]
    """Those there are now. Some may join or leave while events are waited for, or none be left."""

    @abstractmethod
    def hired(self) -> AbstractContextManager[None]:
        """Return a context in which there are workers, who start no bot before `begin`.

        Entering raises ArenaError or RunError if nobody can play.
        """

    @abstractmethod
    def begin(self) -> None:
        """Let the workers start each of their bots once."""

    @abstractmethod
    def events(self, patience: float) -> Sequence[Event]:
        """Wait for so many seconds at the most; return what has happened, in order."""

    @abstractmethod
    def replace(self, worker: Worker) -> None:
        """Have another worker where one has died, who checks what that one had not."""

    @abstractmethod
    def leave(self) -> None:
        """Let the matches that are being played be the last."""

    @abstractmethod
    def dismiss(self) -> None:
        """Let those go who have nothing to do."""

    @property
    def batch_seconds(self) -> float:
        """How much work is given to a worker at once."""
        return 0.5

    @property
    def expects_more(self) -> bool:
        """Whether a worker may still come, though there is none."""
        return False

    @property
    def is_settling(self) -> bool:
        """Whether a worker is about to come."""
        return False
