"""Plays what is missing with a workforce, and survives the death of any of its workers.

It stores nothing: it hands on what comes back.
"""

import itertools
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from time import monotonic

from arena.play.events import Forfeiting, Notice, Problem, Started, Suspended
from arena.play.forfeits import ForfeitRows
from arena.play.messages import (
    Away,
    Broken,
    Failed,
    Fit,
    Key,
    News,
    Play,
    Results,
    Setup,
    Task,
    Underway,
    Unfit,
    Word,
)
from arena.play.remotes import ConnectedBots, RemoteQueue
from arena.play.workforce import Died, Event, Heard, Lost, Worker, Workforce
from arena.schedule.deal import BotIndex
from arena.store.result import PlayedMatch
from arena.store.suspensions import TOO_SLOW
from arena.store.timing import Timing
from arena.text import counted
from referee.match.judging import BY_FORFEIT

_LARGEST_BATCH = 500
_DEATHS_ALLOWED = 2  # of workers over one deal
_LOSSES_ALLOWED = 5  # of workers that were lost together with a deal, as it is unknown what killed
_PASSED_LIMIT = 10_000  # deals that are kept for a worker that can play them
_PATIENCE = 0.25  # seconds between looks at whether to stop


class Runner:
    """One run over a league; `stop` may be called at any time, by a signal handler too."""

    def __init__(
        self,
        setup: Setup,
        tasks: Iterable[Task],
        workforce: Workforce,
        more: Callable[[Collection[BotIndex]], Iterable[Task] | None] | None = None,
        connected: ConnectedBots | None = None,
        begun: Iterable[str] = (),
        *,
        is_closed: bool = False,
    ) -> None:
        """Take what is to be played, and whom to ask for more, if anybody knows of more.

        `more` is called with the suspended bots whenever all was played that could be, and stored,
        and there are workers that have checked the bots; it returns None at the end. Without a
        `connected`, remote bots are never there. `begun` are the matches that go on, by their ids.
        `is_closed` is as of the `RemoteQueue`.
        """
        self._setup = setup
        self.absent: list[BotIndex] = []
        """The remote bots without which the rest could not be played; known at the end."""
        entrants = setup.schedule.entrants
        remotes = {
            bot: (entrants[bot].key, digest)
            for bot, digest in setup.remotes.items()
            if bot not in setup.out
        }
        self._begun = {*begun}
        self._replaced = frozenset(setup.replaced)
        connected = connected or ConnectedBots()
        self._unreached = {} if connected.home else remotes
        self._queue = RemoteQueue(remotes, connected, self._has_begun, is_closed=is_closed)
        self._calls = False  # whether the queue has its turn
        self._is_shared = workforce.shares_deals
        self._suspended: set[BotIndex] = set()
        self._tasks = self._unsuspended(tasks)
        self._more = more
        self._force = workforce
        self._again: list[Task] = []  # from dead workers; played one at a time
        self._passed: deque[Task] = deque()  # before others, for any worker that can play them
        self._early_deaths = 0  # of workers that could not play yet
        self._deaths: Counter[Key] = Counter()
        self._deaths_at_start: Counter[BotIndex] = Counter()  # of a bot
        self._losses: Counter[Key] = Counter()
        self._forfeits: ForfeitRows[BotIndex] = ForfeitRows()
        self._forfeiting: set[BotIndex] = set()
        self._stopping = False
        self._is_broken = False  # the machine, so that all stop, and it is reported once
        self._errors: dict[str, list[str]] = {}  # the matches that each has stopped
        self._seconds = 0.0  # that there were workers for, each counted
        self._finished = 0

    def _unsuspended(self, tasks: Iterable[Task]) -> Iterator[Task]:
        parts = (part for task in tasks for part in self._parts(task))
        return (kept for part in parts for kept in self._kept(part))

    def _parts(self, task: Task) -> list[Task]:
        """Return what of a deal may be played at once: of one with the same cards, only all of it.

        Otherwise its rotations would not be played in the order that was drawn.
        """
        if self._is_shared and not (task.is_mirrored and self._setup.has_chance):
            return task.parts
        return [task]

    def stop(self) -> None:
        """Let the matches that are being played be the last."""
        self._stopping = True

    def staffed(self) -> AbstractContextManager[None]:
        """Start workers, which get ready beside the caller and start no bot before `run`."""
        return self._force.running()

    def run(self) -> Iterator[Sequence[Results | Timing | Notice]]:
        """Play with its workers; yield what happened, as often as it looks, until nothing is left.

        What is to be stored of one look comes together, so that none of it waits for a reader.
        """
        told = False
        looked = monotonic()
        for bot, why in self._setup.unbuilt.items():
            yield [*self._suspend(bot, why)]
        self._force.begin()
        while self._force.workers or (self._force.expects_more and not self._stopping):
            if self._stopping and not told:
                told = True
                self._force.leave()
            events = self._force.events(_PATIENCE)
            before, looked = looked, monotonic()
            self._seconds += (looked - before) * len(self._force.workers)
            notices = [notice for event in events for notice in self._take(event)]
            if happened := [*_results(events), *notices]:
                yield happened
            if left := [*self._hand_out()]:
                yield left
        if alike := [*self._failed_alike()]:
            yield alike

    def _take(self, event: Event) -> Iterator[Timing | Notice]:
        """Take in what has happened, but for the results themselves."""
        match event:
            case Heard():
                yield from self._hear(event.worker, event.word)
            case Died():
                yield from self._replace_dead(event)
            case Lost():
                yield from self._requeue_lost(event)
            case News() | Underway() | Timing():
                yield event
            case Broken():
                self._stopping = True
                yield Problem(event.why)

    def _hear(self, each: Worker, word: Word) -> Iterator[Notice]:
        self._finished += each.note(word)
        match word:
            case Results():
                yield from self._count_forfeits(word.matches)
                self._queue.note_played(word.matches)
            case Failed():
                yield from self._failed(word)
            case Fit():
                yield Started(self._setup.names[word.bot], word.memory)
            case Unfit():
                yield from self._suspend(word.bot, f"failed its start-up check: {word.why}")
            case Away():
                self._note_begun(word)
                self._put_back(self._passed, word.task)
                for bot in self._queue.note_absence(word.task):
                    yield News(
                        f"{self._setup.names[bot]} is said to be connected, and yet its matches "
                        f"cannot begin: {word.why}. They are tried again."
                    )
            case News():
                yield word
            case Broken() if not self._is_broken:
                self._is_broken = self._stopping = True
                yield Problem(word.why)

    def _count_forfeits(self, matches: Iterable[PlayedMatch]) -> Iterator[Notice]:
        has_rows = bool(self._forfeits)
        for played in matches:
            result = played.result
            if not result.forfeits and not has_rows:
                continue  # as nearly always
            for seat, bot in enumerate(result.bots):
                if bot in self._setup.out or bot in self._replaced:
                    continue
                gone = seat in result.forfeits
                left = not gone and result.reason == BY_FORFEIT
                why = self._forfeits.note(bot, result.faults[seat], forfeited=gone, was_left=left)
                if why == TOO_SLOW:
                    yield from self._suspend(bot, why)
                elif why and bot not in self._forfeiting | self._suspended:
                    self._forfeiting.add(bot)
                    stderr = played.record.open_evidence().stderr[seat]
                    yield Forfeiting(self._setup.names[bot], result.match, stderr)
            has_rows = bool(self._forfeits)

    def _suspend(self, bot: BotIndex, reason: str) -> Iterator[Notice]:
        if bot not in self._suspended:
            self._suspended.add(bot)
            self._passed = deque(kept for task in self._passed for kept in self._kept(task))
            self._again = [kept for task in self._again for kept in self._kept(task)]
            self._queue.remove(bot)
            name = self._setup.names[bot]
            if bot not in self._replaced:
                yield Suspended(name, reason)
            else:
                yield News(f"The version of {name} that was replaced {reason}.")

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
        return not self._replaced.isdisjoint(task.lineup)

    def _kept(self, task: Task) -> list[Task]:
        """Return what of a task is played although its bots may be suspended.

        That is a match that has begun: who could be suspended would be so where it is losing.
        """
        if self._suspended.isdisjoint(task.lineup):
            return [task]
        if not self._has_begun(task):
            return []
        return [task if self._is_last(task) else task.of(task.rotations[:1])]

    def _note_begun(self, away: Away) -> None:
        """Note whether a match has begun that could not go on."""
        note = self._begun.add if away.has_begun else self._begun.discard
        note(self._match_of(away.task))

    def _replace_dead(self, death: Died) -> Iterator[Notice]:
        """Remove a dead worker: another plays what it left, each deal by itself.

        Only the batch it was at can have killed it.
        """
        if self._stopping:
            return
        each, how, where = death
        self._early_deaths += not each.is_up
        if not each.is_up and self._early_deaths >= _DEATHS_ALLOWED:
            self._stopping = True
            yield Problem(f"two workers died before they could play: the last {how}. Run again.")
            return
        who = f"A worker of {where}" if where else "A worker"
        yield News(f"{who} {how}; another plays its matches. No result is lost.")
        if each.is_up and each.unchecked:
            bot = each.unchecked[0]
            self._deaths_at_start[bot] += 1
            if self._deaths_at_start[bot] >= _DEATHS_ALLOWED:
                del each.unchecked[0]
                yield from self._suspend(bot, "twice killed its worker when it started")
        for number, given in enumerate(each.given):
            for task in given.tasks():
                self._deaths[task.key] += number == 0
                if self._deaths[task.key] < _DEATHS_ALLOWED:
                    self._put_back(self._again, task)
                    continue
                yield Problem(
                    f"{self._name(task)} twice killed its worker, which {how}; it was not stored."
                )
        self._force.replace(each)

    def _put_back(self, where: list[Task] | deque[Task], task: Task) -> None:
        """Keep a task to be played again, unless a bot of it was suspended meanwhile."""
        where.extend(self._kept(task))

    def _requeue_lost(self, lost: Lost) -> Iterator[Problem]:
        """Let others play what an unreachable worker had; it may be wholly innocent."""
        for number, given in enumerate(lost.worker.given):
            for task in given.tasks():
                self._losses[task.key] += lost.has_begun and number == 0
                if self._losses[task.key] < _LOSSES_ALLOWED:
                    self._put_back(self._passed, task)
                    continue
                yield Problem(
                    f"{self._name(task)} was lost {_LOSSES_ALLOWED} times together with the worker "
                    f"that played it; it was not stored."
                )

    def _hand_out(self) -> Iterator[Notice]:
        """Give every worker what it needs to stay busy; let all go when there is no more to do.

        Nothing is played before every bot is checked. Yields what cannot be played, if that is all
        that is left.
        """
        workers = self._force.workers
        if not all(each.is_ready for each in workers):
            return
        self._fill()
        if any(each.given for each in workers):
            return
        while self._more is not None and not (self._stopping or self._has_more()):
            if not workers or self._force.is_settling:
                return  # who is to come has to say which bots can be played with
            yield from self._suspend_stuck()
            more = self._more(self._suspended)
            if more is None:
                self._more = None
            else:
                self._tasks = self._unsuspended(more)
        if self._stopping or not self._has_more():
            self._force.release_idle()
            return
        self._fill()
        if workers and not self._force.is_settling and not any(each.given for each in workers):
            if self._again or self._passed:
                yield from self._give_up()
            elif absent := self._queue.absent:
                self.absent, self._more = absent, None  # the next round may depend on them
                self._queue.clear()

    def _fill(self) -> None:
        """Give every worker enough to stay busy, as long as there is anything that it can play."""
        if self._setup.remotes:
            orders = (given for each in self._force.workers for given in each.given)
            self._queue.look(lineup for given in orders for lineup, _ in given.rest)
        sated: set[int] = set()  # of workers that can run the same bots, one look is enough
        for each in self._force.workers:
            while len(each.given) < self._force.ahead and id(each.unfit) not in sated:
                tasks = self._next_tasks(each)
                if not tasks:
                    sated.add(id(each.unfit))
                    break
                each.give(Play(tasks))

    def _next_tasks(self, each: Worker) -> list[Task]:
        """Return what a worker is to play next; nothing if there is nothing that it can."""
        if self._stopping:
            return []
        while again := next((task for task in self._again if self._can_play(each, task)), None):
            self._again.remove(again)
            if self._queue.readmits(again):
                return [again]
        return list(itertools.islice(self._wanted(each), self._batch_size()))

    def _wanted(self, each: Worker) -> Iterator[Task]:
        """Yield what a worker can play; what it passes over is kept for others.

        Those that waited for remote bots and the others have turns: neither holds up the other.
        """
        for _ in range(len(self._passed)):
            if not self._can_play(each, task := self._passed.popleft()):
                self._passed.append(task)
            elif self._queue.readmits(task):
                yield task
        others = self._others(each)
        if not self._queue:  # as nearly always
            yield from others
            return
        called = self._called(each)
        while True:
            self._calls = not self._calls
            first, second = (called, others) if self._calls else (others, called)
            found = next(first, None) or next(second, None)
            if found is None:
                return
            yield found

    def _called(self, each: Worker) -> Iterator[Task]:
        while found := self._queue.call():
            if self._can_play(each, found):
                yield found
            else:
                self._passed.append(found)

    def _others(self, each: Worker) -> Iterator[Task]:
        while len(self._passed) < _PASSED_LIMIT and (found := next(self._tasks, None)):
            if not self._can_play(each, found):
                self._passed.append(found)
            elif self._queue.admits(found):
                yield found

    def _can_play(self, each: Worker, task: Task) -> bool:
        return each.unfit.keys().isdisjoint(task.lineup) or self._has_begun(task)

    def _has_more(self) -> bool:
        """Return whether anything is left to be played."""
        if not self._passed:
            self._passed += itertools.islice(self._tasks, 1)
        return bool(self._again or self._passed or self._queue)

    def _give_up(self) -> Iterator[Notice]:
        """Suspend those bots that no worker can run, as nothing is left without them."""
        before = len(self._suspended)
        yield from self._suspend_stuck()
        if len(self._suspended) == before:  # some can run one of a deal's bots, and some another
            left = Counter(task.lineup for task in (*self._again, *self._passed))
            self._again.clear()
            self._passed.clear()
            for lineup, deals in left.items():
                names = ", ".join(self._setup.names[bot] for bot in lineup)
                yield Problem(f"{deals} deals of {names}: no worker can run them all.")

    def _suspend_stuck(self) -> Iterator[Notice]:
        """Suspend the bots that no worker can run."""
        first, *others = (each.unfit for each in self._force.workers)
        for bot in first:
            if all(bot in unfit for unfit in others):
                yield from self._suspend(bot, f"cannot be run by any worker: {first[bot]}")

    def _batch_size(self) -> int:
        """Return how many tasks fill a batch, by the pace so far."""
        if not self._finished:
            return 1
        each = self._seconds / self._finished
        return max(1, min(int(self._force.batch_seconds / each), _LARGEST_BATCH))

    def _failed(self, failed: Failed) -> Iterator[Problem]:
        """Name the first match that an error has stopped; others are counted at the end."""
        task = failed.task
        match = self._setup.schedule.match_id(task.deal, failed.rotation)
        stopped = self._errors.setdefault(failed.error, [])
        stopped.append(match)
        if len(stopped) == 1:
            what = f"match {match} ({self._name(task)}) was stopped by an error and not stored"
            yield Problem(f"{what}:\n{failed.error}")

    def _failed_alike(self) -> Iterator[News]:
        """Say how many matches were stopped by errors that were told of others."""
        for first, *others in self._errors.values():
            if others:
                more = counted(len(others), "more match", "more matches")
                yield News(f"The error of match {first} has stopped {more}.")

    def _name(self, task: Task) -> str:
        names = ", ".join(self._setup.names[bot] for bot in task.lineup)
        return f"deal {task.number} of {names}"


def _results(events: Sequence[Event]) -> Iterator[Results]:
    """Yield all results that came in as one: the busier, the fewer are to be stored."""
    heard = (event.word for event in events if isinstance(event, Heard))
    words = [word for word in heard if isinstance(word, Results)]
    if len(words) == 1:
        yield words[0]
    elif words:
        matches = [played for word in words for played in word.matches]
        yield Results(matches, sum(word.lag for word in words))
