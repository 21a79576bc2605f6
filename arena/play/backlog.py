"""What is still to be played, in its order, and who can play it now: which worker, which bots."""

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from arena.play.messages import Away, Setup, Task
from arena.play.remotes import ConnectedBots, RemoteQueue
from arena.play.workforce import Worker
from arena.schedule.deal import BotIndex

_PASSED_LIMIT = 10_000  # deals that are kept for a worker that can play them


class Backlog:
    """The tasks of a run; those of bots that are suspended leave it."""

    def __init__(
        self,
        setup: Setup,
        tasks: Iterable[Task],
        connected: ConnectedBots | None,
        begun: Iterable[str],
        *,
        is_closed: bool,
        is_shared: bool,
    ) -> None:
        """Take what is known, and the matches that go on, by their ids.

        Without a `connected`, remote bots are never there. `is_closed` is as of the `RemoteQueue`.
        `is_shared` says whether the rotations of a deal may be played by several workers.
        """
        self.suspended: set[BotIndex] = set()
        self._setup = setup
        entrants = setup.schedule.entrants
        remotes = {
            bot: (entrants[bot].key, digest)
            for bot, digest in setup.remotes.items()
            if bot not in setup.out
        }
        connected = connected or ConnectedBots()
        self.queue = RemoteQueue(remotes, connected, self._has_begun, is_closed=is_closed)
        """The tasks whose remote bots have no room."""
        self._unreached = {} if connected.home else remotes
        self._calls = False  # whether the queue has its turn
        self._begun = {*begun}
        self._is_shared = is_shared
        self._again: list[Task] = []  # from dead workers; played one at a time
        self._passed: deque[Task] = deque()  # before others, for any worker that can play them
        self.add(tasks)

    def add(self, tasks: Iterable[Task]) -> None:
        """Take what is to be played now that nothing is left of what was."""
        parts = (part for task in tasks for part in self._parts(task))
        self._tasks = (kept for part in parts for kept in self._kept(part))

    def _parts(self, task: Task) -> list[Task]:
        """Return what of a deal may be played at once: of one with the same cards, only all of it.

        Otherwise its rotations would not be played in the order that was drawn.
        """
        if self._is_shared and not (task.is_mirrored and self._setup.has_chance):
            return task.parts
        return [task]

    def suspend(self, bot: BotIndex) -> None:
        """Forget what a bot was to play."""
        self.suspended.add(bot)
        self._passed = deque(kept for task in self._passed for kept in self._kept(task))
        self._again = [kept for task in self._again for kept in self._kept(task)]
        self.queue.remove(bot)

    def put_back(self, task: Task, *, alone: bool = False) -> None:
        """Keep a task to be played again before others, unless a bot of it was suspended.

        What may have killed its worker is to be played `alone`.
        """
        (self._again if alone else self._passed).extend(self._kept(task))

    def put_off(self, away: Away) -> list[BotIndex]:
        """Keep a task whose remote bot was not there; return as `RemoteQueue.note_absence`."""
        note = self._begun.add if away.has_begun else self._begun.discard
        note(self._match_of(away.task))
        self.put_back(away.task)
        return self.queue.note_absence(away.task)

    def _match_of(self, task: Task) -> str:
        """Return the id of the match that a task begins with, or goes on with."""
        return self._setup.schedule.match_id(task.deal, task.rotations[0])

    def _has_begun(self, task: Task) -> bool:
        """Return whether a task goes on with a match, or a deal, of bots that could be reached."""
        if not self._is_last(task) and not (self._begun and self._match_of(task) in self._begun):
            return False
        return not any(bot in self._unreached for bot in task.lineup)

    def _is_last(self, task: Task) -> bool:
        """Return whether a version that was replaced finishes a deal that it had begun."""
        return any(bot in task.lineup for bot in self._setup.replaced)

    def _kept(self, task: Task) -> list[Task]:
        """Return what of a task is played although its bots may be suspended.

        That is a match that has begun: who could be suspended would be so where it is losing.
        """
        if self.suspended.isdisjoint(task.lineup):
            return [task]
        if not self._has_begun(task):
            return []
        return [task if self._is_last(task) else task.of(task.rotations[:1])]

    def next_for(self, worker: Worker, most: int) -> list[Task]:
        """Return what a worker is to play next; nothing if there is nothing that it can."""
        while again := next((task for task in self._again if self._can_play(worker, task)), None):
            self._again.remove(again)
            if self.queue.readmits(again):
                return [again]
        return list(itertools.islice(self._wanted(worker), most))

    def _wanted(self, worker: Worker) -> Iterator[Task]:
        """Yield what a worker can play; what it passes over is kept for others.

        Those that waited for remote bots and the others have turns: neither holds up the other.
        """
        for _ in range(len(self._passed)):
            if not self._can_play(worker, task := self._passed.popleft()):
                self._passed.append(task)
            elif self.queue.readmits(task):
                yield task
        others = self._others(worker)
        if not self.queue:  # as nearly always
            yield from others
            return
        called = self._called(worker)
        while True:
            self._calls = not self._calls
            first, second = (called, others) if self._calls else (others, called)
            found = next(first, None) or next(second, None)
            if found is None:
                return
            yield found

    def _called(self, worker: Worker) -> Iterator[Task]:
        while found := self.queue.call():
            if self._can_play(worker, found):
                yield found
            else:
                self._passed.append(found)

    def _others(self, worker: Worker) -> Iterator[Task]:
        while len(self._passed) < _PASSED_LIMIT and (found := next(self._tasks, None)):
            if not self._can_play(worker, found):
                self._passed.append(found)
            elif self.queue.admits(found):
                yield found

    def _can_play(self, worker: Worker, task: Task) -> bool:
        return worker.unfit.keys().isdisjoint(task.lineup) or self._has_begun(task)

    def has_more(self) -> bool:
        """Return whether anything is left to be played."""
        if not self._passed:
            self._passed += itertools.islice(self._tasks, 1)
        return bool(self._again or self._passed or self.queue)

    @property
    def ready(self) -> Sequence[Task]:
        """What waits for a worker that can play it, and for no bot."""
        return [*self._again, *self._passed]

    def forget_ready(self) -> None:
        """Forget what waits for a worker."""
        self._again.clear()
        self._passed.clear()
