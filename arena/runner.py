"""Plays what is missing on several workers, and survives the death of any of them.

The only module that knows multiprocess. It stores nothing: it hands on what comes back.
"""

import itertools
import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import msgspec
import multiprocess
from multiprocess.connection import wait

from arena import worker
from arena.result import PlayedMatch
from arena.worker import Batch, Report, Setup, Task
from protocol.errors import ArenaError

FORFEITS_IN_A_ROW = 10
"""After so many forfeited matches in a row a bot is set aside for the rest of the run."""

_BATCH_SECONDS = 0.5  # of work in a batch
_LARGEST_BATCH = 500
_AHEAD = 2  # batches a worker has before it: the one it plays and the next
_DEATHS_ALLOWED = 2  # of workers over one deal
_PATIENCE = 0.25  # seconds between looks at whether to stop

_report = msgspec.msgpack.Decoder(Report)
_encode = msgspec.msgpack.Encoder().encode


@dataclass
class Progress:
    """What happened since the last one: matches to be stored, and what went wrong."""

    played: list[PlayedMatch] = field(default_factory=list)
    set_aside: dict[int, str] = field(default_factory=dict)
    """Bots, as indices of the setup, that take no further part in this run, and why."""
    problems: list[str] = field(default_factory=list)
    """Errors that are not any bot's; a run that had one has failed."""


class _Worker:
    """The runner's side of one worker."""

    def __init__(self, setup: Setup, core: int | None, check: list[int]) -> None:
        context = multiprocess.get_context("spawn")
        self.link, theirs = context.Pipe()
        self.process = context.Process(
            target=worker.main, args=(theirs, setup, core, os.getpid()), daemon=True
        )
        self.process.start()
        theirs.close()
        self.core = core
        self.batches = 1  # its first report, that it is up, counts as the answer to one
        self.up = False
        self.tasks: list[Task] = []
        self.send(Batch(check=check))
        self.checked = False

    def send(self, batch: Batch) -> None:
        self.link.send_bytes(_encode(batch))
        self.batches += 1
        self.tasks += batch.tasks


class Runner:
    """One run over a league; `stop` may be called at any time, by a signal handler too."""

    def __init__(self, setup: Setup, tasks: Iterable[Task], cores: list[int | None]) -> None:
        self._setup = setup
        self._tasks = iter(tasks)
        self._cores = cores
        self._again: list[Task] = []  # from dead workers; played one at a time
        self._deaths: Counter[tuple[tuple[int, ...], int]] = Counter()
        self._in_a_row: Counter[int] = Counter()
        self._aside: set[int] = set()
        self._workers: list[_Worker] = []
        self._stopping = False
        self._started = monotonic()
        self._finished = 0

    def stop(self) -> None:
        """Let the matches that are being played be the last."""
        self._stopping = True

    def run(self) -> Iterator[Progress]:
        """Play; yield what is to be stored and told, until there is nothing left to do."""
        bots = range(len(self._setup.names))
        count = len(self._cores)
        self._workers = [
            _Worker(self._setup, core, list(bots[number::count]))
            for number, core in enumerate(self._cores)
        ]
        told = False
        try:
            while self._workers:
                if self._stopping and not told:
                    told = True
                    self._tell_to_leave()
                for ready in wait(self._waited_for(), _PATIENCE):
                    yield self._hear(ready)
                self._hand_out()
        finally:
            self._kill_all()

    def _waited_for(self) -> list[Any]:
        return [end for each in self._workers for end in (each.link, each.process.sentinel)]

    def _hear(self, ready: Any) -> Progress:
        """Take in what a worker sent, or its death."""
        for each in self._workers:
            if ready is each.link:
                try:
                    return self._take(each, _report.decode(each.link.recv_bytes()))
                except (EOFError, OSError):
                    return self._bury(each)
            if ready == each.process.sentinel and not each.link.poll():
                return self._bury(each)
        return Progress()

    def _take(self, each: _Worker, report: Report) -> Progress:
        each.checked = each.checked or (each.up and report.done)
        each.up = True
        each.batches -= report.done
        progress = Progress(played=report.played)
        for task in itertools.chain(report.finished, (task for task, _ in report.failed)):
            each.tasks.remove(task)
            self._finished += 1
        for task, error in report.failed:
            progress.problems.append(
                f"{self._name(task)} was stopped by an error of the referee and not stored:\n"
                f"{error}"
            )
        for bot, reason in report.unfit:
            self._set_aside(bot, f"failed its start-up check: {reason}", progress)
        for played in report.played:
            self._count_forfeits(played, progress)
        return progress

    def _count_forfeits(self, played: PlayedMatch, progress: Progress) -> None:
        result = played.result
        for seat, bot in enumerate(result.bots):
            if seat not in result.forfeits:
                self._in_a_row[bot] = 0
                continue
            self._in_a_row[bot] += 1
            if self._in_a_row[bot] >= FORFEITS_IN_A_ROW:
                self._set_aside(bot, f"forfeited {FORFEITS_IN_A_ROW} matches in a row", progress)

    def _set_aside(self, bot: int, reason: str, progress: Progress) -> None:
        if bot not in self._aside:
            self._aside.add(bot)
            progress.set_aside[bot] = reason

    def _bury(self, each: _Worker) -> Progress:
        """Take leave of a dead worker: its tasks are played again, each by itself."""
        each.process.join()
        self._workers.remove(each)
        progress = Progress()
        code = each.process.exitcode
        if code == 0 or self._stopping:
            return progress
        if not each.up:
            progress.problems.append(f"a worker died before it could play (exit code {code}).")
            self._stopping = True
            return progress
        for task in each.tasks:
            key = (task.lineup, task.number)
            self._deaths[key] += 1
            if self._deaths[key] < _DEATHS_ALLOWED:
                self._again.append(task)
            else:
                progress.problems.append(
                    f"{self._name(task)} twice killed its worker (exit code {code}); it was not "
                    f"stored."
                )
        self._workers.append(_Worker(self._setup, each.core, []))
        return progress

    def _hand_out(self) -> None:
        """Give every worker what it needs to stay busy; let those go that have no more to do.

        Nothing is played before every bot is checked.
        """
        if not all(each.checked for each in self._workers):
            return
        for each in list(self._workers):
            while each.batches < _AHEAD and (batch := self._next_batch()):
                each.send(batch)
            if not each.batches:
                each.send(Batch())

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

    def _kill_all(self) -> None:
        for each in self._workers:
            each.process.kill()
        for each in self._workers:
            each.process.join()

    def _name(self, task: Task) -> str:
        names = ", ".join(self._setup.names[bot] for bot in task.lineup)
        return f"deal {task.number} of {names}"


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
