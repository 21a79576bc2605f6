"""Plays what is missing on several workers, and survives the death of any of them.

It stores nothing: it hands on what comes back.
"""

import gc
import itertools
import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import msgspec

from arena import worker
from arena.result import PlayedMatch
from arena.spawning import kill_all, spawn, wait
from arena.worker import Batch, Report, Setup, Task
from protocol.errors import ArenaError
from referee.fault import Kind

FORFEITS_IN_A_ROW = 10
"""After so many forfeits in a row for want of time a bot is set aside for the rest of the run.

Who crashes costs nobody's time: all its matches are played, whenever a run is interrupted.
"""

_BATCH_SECONDS = 0.5  # of work in a batch
_LARGEST_BATCH = 500
_AHEAD = 2  # batches a worker has before it: the one it plays and the next
_DEATHS_ALLOWED = 2  # of workers over one deal
_PATIENCE = 0.25  # seconds between looks at whether to stop
_SLOW: frozenset[Kind] = frozenset({"late", "startup"})
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Key = tuple[tuple[int, ...], int]
"""What tells one deal from another: its line-up and its number."""

_report = msgspec.msgpack.Decoder(Report)
_encode = msgspec.msgpack.Encoder().encode


@dataclass
class Progress:
    """What happened since the last one: matches to be stored, and what went wrong."""

    played: list[PlayedMatch] = field(default_factory=list)
    set_aside: dict[int, str] = field(default_factory=dict)
    """Bots, as indices of the setup, that take no further part in this run, and why."""
    forfeiting: dict[int, str] = field(default_factory=dict)
    """Bots that have just forfeited so many matches in a row, and the last one's id."""
    deaths: list[str] = field(default_factory=list)
    """A sentence for each worker that died and was replaced."""
    problems: list[str] = field(default_factory=list)
    """Errors that are not any bot's; a run that had one has failed."""


class _Worker:
    """The runner's side of one worker."""

    def __init__(self, setup: Setup, core: int | None, check: list[int]) -> None:
        self.process, self.link = spawn(  # Ctrl-C reaches it too; it ignores it before it listens
            worker.main, setup, core, os.getpid(), blocked=_SIGNALS
        )
        self.core = core
        self.up = False
        self.dismissed = False
        self.unchecked = check
        self.sent: list[dict[Key, Task]] = [{}]
        """What is left of each batch not yet answered; that it is up counts as an answer too."""

    def check(self) -> None:
        """Let it start each of its bots once."""
        for bot in self.unchecked:
            self.send(Batch(check=[bot]))

    def send(self, batch: Batch) -> None:
        with suppress(OSError):  # it has died, as its sentinel will tell
            self.link.send_bytes(_encode(batch))
        self.sent.append({(task.lineup, task.number): task for task in batch.tasks})
        self.dismissed = batch.last

    def note(self, report: Report) -> None:
        """Cross off what was played, so that nothing is played twice if the worker dies."""
        batch = self.sent[0]
        for played in report.played:
            key = (tuple(sorted(played.result.bots)), played.result.number)
            batch[key].rotations.remove(played.result.rotation)
        for task in itertools.chain(report.finished, (task for task, _ in report.failed)):
            del batch[task.lineup, task.number]
        if report.done:
            del self.sent[0]
            if self.up and self.unchecked:
                del self.unchecked[0]
            self.up = True


class Runner:
    """One run over a league; `stop` may be called at any time, by a signal handler too."""

    def __init__(self, setup: Setup, tasks: Iterable[Task], cores: list[int | None]) -> None:
        self._setup = setup
        self._tasks = iter(tasks)
        self._cores = cores
        self._again: list[Task] = []  # from dead workers; played one at a time
        self._deaths: Counter[Key] = Counter()
        self._in_a_row: Counter[int] = Counter()  # forfeits
        self._slow_in_a_row: Counter[int] = Counter()
        self._aside: set[int] = set()
        self._workers: list[_Worker] = []
        self._stopping = False
        self._broken = False  # the machine, so that all stop, and it is told once
        self._started = monotonic()
        self._finished = 0

    def stop(self) -> None:
        """Let the matches that are being played be the last."""
        self._stopping = True

    @contextmanager
    def staffed(self) -> Iterator[None]:
        """Have workers, which get ready beside the caller and start no bot before `run`."""
        bots = range(len(self._setup.names))
        count = len(self._cores)
        try:
            for number, core in enumerate(self._cores):
                self._workers.append(_Worker(self._setup, core, list(bots[number::count])))
            yield
        finally:
            kill_all()

    def run(self) -> Iterator[Progress]:
        """Play with its workers; yield what is to be stored and told, until nothing is left."""
        told = False
        gc.freeze()  # what is there by now: the collector is not to walk it for every report
        try:
            for each in self._workers:
                each.check()
            while self._workers:
                if self._stopping and not told:
                    told = True
                    self._tell_to_leave()
                if ready := wait(self._waited_for(), _PATIENCE):
                    progress = Progress()  # of all at once: the busier, the fewer to be stored
                    for end in ready:
                        self._hear(end, progress)
                    yield progress
                self._hand_out()
        finally:
            gc.unfreeze()

    def _waited_for(self) -> list[Any]:
        return [end for each in self._workers for end in (each.link, each.process.sentinel)]

    def _hear(self, ready: Any, progress: Progress) -> None:
        """Take in what a worker sent, or its death."""
        for each in self._workers:
            if ready is each.link:
                try:
                    self._take(each, _report.decode(each.link.recv_bytes()), progress)
                except (EOFError, OSError):
                    self._bury(each, progress)
                return
            if ready == each.process.sentinel:
                if not each.link.poll():
                    self._bury(each, progress)
                return

    def _take(self, each: _Worker, report: Report, progress: Progress) -> None:
        each.note(report)
        self._finished += len(report.finished) + len(report.failed)
        progress.played += report.played
        for task, error in report.failed:
            progress.problems.append(
                f"{self._name(task)} was stopped by an error of the referee and not stored:\n"
                f"{error}"
            )
        if report.broken and not self._broken:
            progress.problems.append(report.broken)
            self._broken = self._stopping = True
        for bot, reason in report.unfit:
            self._set_aside(bot, f"failed its start-up check: {reason}", progress)
        for played in report.played:
            self._count_forfeits(played, progress)

    def _count_forfeits(self, played: PlayedMatch, progress: Progress) -> None:
        result = played.result
        for seat, bot in enumerate(result.bots):
            forfeit = seat in result.forfeits
            slow = forfeit and not _SLOW.isdisjoint(result.faults[seat])
            self._in_a_row[bot] = self._in_a_row[bot] + 1 if forfeit else 0
            self._slow_in_a_row[bot] = self._slow_in_a_row[bot] + 1 if slow else 0
            if self._slow_in_a_row[bot] >= FORFEITS_IN_A_ROW:
                why = f"forfeited {FORFEITS_IN_A_ROW} matches in a row for want of time"
                self._set_aside(bot, why, progress)
            if self._in_a_row[bot] == FORFEITS_IN_A_ROW:
                progress.forfeiting[bot] = result.match

    def _set_aside(self, bot: int, reason: str, progress: Progress) -> None:
        if bot not in self._aside:
            self._aside.add(bot)
            progress.set_aside[bot] = reason

    def _bury(self, each: _Worker, progress: Progress) -> None:
        """Take leave of a dead worker: what it left is played by another, each deal by itself.

        Only the batch it was at can have killed it.
        """
        each.process.join()
        self._workers.remove(each)
        how = _how_ended(each.process.exitcode)
        if each.dismissed or self._stopping:
            return
        if not each.up and self._is_deadly(((), -1)):
            progress.problems.append(
                f"two workers died before they could play: the last {how}. Run again."
            )
            self._stopping = True
            return
        progress.deaths.append(f"A worker {how}; another plays what it had. No result is lost.")
        unchecked = each.unchecked
        if each.up and unchecked and self._is_deadly(((unchecked[0],), -1)):
            self._set_aside(unchecked.pop(0), "twice killed its worker when it started", progress)
        for batch in each.sent[:1]:
            for key, task in batch.items():
                if not self._is_deadly(key):
                    self._again.append(task)
                    continue
                progress.problems.append(
                    f"{self._name(task)} twice killed its worker, which {how}; it was not stored."
                )
        for batch in each.sent[1:]:
            self._again += batch.values()
        self._workers.append(_Worker(self._setup, each.core, unchecked))
        self._workers[-1].check()

    def _is_deadly(self, key: Key) -> bool:
        """Count a worker's death over a deal or a bot's start; return whether it is too many."""
        self._deaths[key] += 1
        return self._deaths[key] >= _DEATHS_ALLOWED

    def _hand_out(self) -> None:
        """Give every worker what it needs to stay busy; let those go that have no more to do.

        Nothing is played before every bot is checked.
        """
        if not all(each.up and not each.unchecked for each in self._workers):
            return
        for each in self._workers:
            while len(each.sent) < _AHEAD and (batch := self._next_batch()):
                each.send(batch)
            if not each.sent:
                each.send(Batch(last=True))

    def _next_batch(self) -> Batch | None:
        if self._stopping:
            return None
        if self._again:
            tasks = [self._again.pop()]
        else:
            tasks = list(itertools.islice(self._wanted(), self._batch_size()))
        return Batch(tasks=tasks) if tasks else None

    def _wanted(self) -> Iterator[Task]:
        for task in self._tasks:
            if self._aside.isdisjoint(task.lineup):
                yield task

    def _batch_size(self) -> int:
        """Return how many tasks fill a batch, by the pace so far."""
        if not self._finished:
            return 1
        each = (monotonic() - self._started) * len(self._cores) / self._finished
        return max(1, min(int(_BATCH_SECONDS / each), _LARGEST_BATCH))

    def _tell_to_leave(self) -> None:
        for each in self._workers:
            if each.process.is_alive():
                os.kill(each.process.pid, signal.SIGUSR1)

    def _name(self, task: Task) -> str:
        names = ", ".join(self._setup.names[bot] for bot in task.lineup)
        return f"deal {task.number} of {names}"


def _how_ended(code: int) -> str:
    if code == worker.SERVER_GONE:
        return "lost the process that starts its bots, which was killed"
    if code == -signal.SIGKILL:
        return "was killed by SIGKILL, which the kernel sends where memory is short"
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def usable_cores(workers: int | None) -> list[int | None]:
    """Return a core for each worker; by default there is one worker for each core.

    Raises ArenaError for a number of workers that makes no sense.
    """
    cores = sorted(os.sched_getaffinity(0))
    if workers is None:
        return list(cores)
    if workers < 1:
        raise ArenaError("there must be at least one worker.")
    return [cores[number % len(cores)] for number in range(workers)]
