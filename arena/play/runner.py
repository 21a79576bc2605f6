"""Plays what is missing with a workforce, and survives the death of any of its workers.

It stores nothing: it hands on what comes back.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from time import monotonic

from arena.play.backlog import Backlog
from arena.play.events import Forfeiting, Notice, Problem, Started, Suspended
from arena.play.forfeits import TOO_SLOW, ForfeitRows
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
from arena.play.remotes import ConnectedBots
from arena.play.workforce import Died, Event, Heard, Lost, Worker, Workforce
from arena.schedule.deal import BotIndex
from arena.store.result import PlayedMatch
from arena.store.timing import Timing
from arena.text import counted
from referee.match.judging import BY_FORFEIT

_LARGEST_BATCH = 500
_DEATHS_ALLOWED = 2  # of workers over one deal
_LOSSES_ALLOWED = 5  # of workers that were lost together with a deal, as it is unknown what killed
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
        is_shared = workforce.shares_deals
        self._backlog = Backlog(
            setup, tasks, connected, begun, is_closed=is_closed, is_shared=is_shared
        )
        self._more = more
        self._force = workforce
        self._early_deaths = 0  # of workers that could not play yet
        self._deaths: Counter[Key] = Counter()
        self._deaths_at_start: Counter[BotIndex] = Counter()  # of a bot
        self._losses: Counter[Key] = Counter()
        self._forfeits = ForfeitRows()
        self._forfeiting: set[BotIndex] = set()
        self._stopping = False
        self._is_broken = False  # the machine, so that all stop, and it is reported once
        self._errors: dict[str, list[str]] = {}  # the matches that each has stopped
        self._seconds = 0.0  # that there were workers for, each counted
        self._finished = 0

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
                self._backlog.queue.note_played(word.matches)
            case Failed():
                yield from self._failed(word)
            case Fit():
                yield Started(self._setup.names[word.bot], word.memory)
            case Unfit():
                yield from self._suspend(word.bot, f"failed its start-up check: {word.why}")
            case Away():
                for bot in self._backlog.put_off(word):
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
                if bot in self._setup.out or bot in self._setup.replaced:
                    continue
                gone = seat in result.forfeits
                left = not gone and result.reason == BY_FORFEIT
                why = self._forfeits.note(bot, result.faults[seat], forfeited=gone, was_left=left)
                if why == TOO_SLOW:
                    yield from self._suspend(bot, why)
                elif why and bot not in self._forfeiting | self._backlog.suspended:
                    self._forfeiting.add(bot)
                    stderr = played.record.open_evidence().stderr[seat]
                    yield Forfeiting(self._setup.names[bot], result.match, stderr)
            has_rows = bool(self._forfeits)

    def _suspend(self, bot: BotIndex, reason: str) -> Iterator[Notice]:
        if bot not in self._backlog.suspended:
            self._backlog.suspend(bot)
            name = self._setup.names[bot]
            if bot not in self._setup.replaced:
                yield Suspended(name, reason)
            else:
                yield News(f"The version of {name} that was replaced {reason}.")

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
                    self._backlog.put_back(task, alone=True)
                    continue
                yield Problem(
                    f"{self._name(task)} twice killed its worker, which {how}; it was not stored."
                )
        self._force.replace(each)

    def _requeue_lost(self, lost: Lost) -> Iterator[Problem]:
        """Let others play what an unreachable worker had; it may be wholly innocent."""
        for number, given in enumerate(lost.worker.given):
            for task in given.tasks():
                self._losses[task.key] += lost.has_begun and number == 0
                if self._losses[task.key] < _LOSSES_ALLOWED:
                    self._backlog.put_back(task)
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
        while self._more is not None and not (self._stopping or self._backlog.has_more()):
            if not workers or self._force.is_settling:
                return  # who is to come has to say which bots can be played with
            yield from self._suspend_stuck()
            more = self._more(self._backlog.suspended)
            if more is None:
                self._more = None
            else:
                self._backlog.add(more)
        if self._stopping or not self._backlog.has_more():
            self._force.release_idle()
            return
        self._fill()
        if workers and not self._force.is_settling and not any(each.given for each in workers):
            if self._backlog.ready:
                yield from self._give_up()
            elif absent := self._backlog.queue.absent:
                self.absent, self._more = absent, None  # the next round may depend on them
                self._backlog.queue.clear()

    def _fill(self) -> None:
        """Give every worker enough to stay busy, as long as there is anything that it can play."""
        if self._stopping:
            return
        if self._setup.remotes:
            orders = (given for each in self._force.workers for given in each.given)
            self._backlog.queue.look(lineup for given in orders for lineup, _ in given.rest)
        sated: set[int] = set()  # of workers that can run the same bots, one look is enough
        for each in self._force.workers:
            while len(each.given) < self._force.ahead and id(each.unfit) not in sated:
                tasks = self._backlog.next_for(each, self._batch_size())
                if not tasks:
                    sated.add(id(each.unfit))
                    break
                each.give(Play(tasks))

    def _give_up(self) -> Iterator[Notice]:
        """Suspend those bots that no worker can run, as nothing is left without them."""
        backlog, before = self._backlog, len(self._backlog.suspended)
        yield from self._suspend_stuck()
        if len(backlog.suspended) == before:  # some can run one of a deal's bots, and some another
            left = Counter(task.lineup for task in backlog.ready)
            backlog.forget_ready()
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
