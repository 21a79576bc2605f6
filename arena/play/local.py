"""The workers of a run on this machine: a process for each match that is played at once.

They may be kept between the runs of one league, with the processes of their bots.
"""

import os
import signal
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import msgspec

from arena.league.bot import Bot
from arena.play import worker
from arena.play.executor import STOP_SIGNALS
from arena.play.messages import (
    Broken,
    Finish,
    Fit,
    Left,
    Order,
    Renew,
    Setup,
    decode_word,
    encode,
)
from arena.play.sandbox import check_sandbox
from arena.play.spawning import kill_all, spawn, wait
from arena.play.workforce import Died, Event, Heard, Worker, Workforce
from arena.schedule.deal import BotIndex, Entrant, first_bots
from protocol.errors import ArenaError
from referee.sandbox import Program, check_cores, own_cores

_MOST_RUNS = 100  # of kept workers: copies of bots that have left are gone with the old ones


class LocalWorker(Worker):
    """A worker that is a process of ours, and our end of the connection to it."""

    def __init__(self, setup: Setup, cores: Sequence[int], check: Sequence[BotIndex] = ()) -> None:
        super().__init__()
        self.process, self.link = spawn(  # Ctrl-C reaches it too; it ignores it before it listens
            worker.main, setup, cores, os.getpid(), blocked=STOP_SIGNALS
        )
        self.cores = cores
        self.is_up = False
        self.is_dismissed = self.was_told_to_end = False
        self.unchecked = list(check)

    def _send(self, order: Order) -> None:
        with suppress(OSError):  # it has died, as its sentinel will show
            self.link.send_bytes(encode(order))
        self.is_dismissed = isinstance(order, Finish)

    def renew(self, setup: Setup, check: Sequence[BotIndex]) -> None:
        """Let it go on with another run, in which it is to check some bots."""
        self.unchecked = list(check)
        self.give(Renew(setup))

    def leave(self) -> None:
        """Let it finish the match that it plays, and leave the rest."""
        if self.process.is_alive():
            os.kill(self.process.pid, signal.SIGUSR1)

    def end(self) -> str:
        """Wait for its end, which is near; return how it came, as what follows «a worker»."""
        how = worker.how_ended(self.process)
        return "was told to end" if self.was_told_to_end else how


class IdleWorkers:
    """Workers without work; a run takes them over if its bots alone differ from those before."""

    def __init__(self) -> None:
        self.workers: list[LocalWorker] = []
        self._setup: Setup | None = None
        self._fit: set[tuple[Entrant, str, Program]] = set()
        self._runs = 0

    def prepare(self, setup: Setup) -> None:
        """End the workers unless they can go on with another run."""
        if (
            self._setup is None
            or self._runs >= _MOST_RUNS
            or _conditions(setup) != _conditions(self._setup)
        ):
            self.clear()

    def take(self) -> LocalWorker | None:
        """Return a worker, which is the run's from now on; None if there is none left."""
        return self.workers.pop(0) if self.workers else None

    def unknown(self, setup: Setup) -> Sequence[BotIndex]:
        """Return the bots of a run of which it is not known that they get ready."""
        entered = setup.entered
        return [bot for bot in first_bots(len(entered)) if entered[bot] not in self._fit]

    def keep(self, workers: Sequence[LocalWorker], setup: Setup, fit: Collection[BotIndex]) -> None:
        """Take in the workers of a run that is over, in which some bots got ready."""
        entered = setup.entered
        self.workers += workers
        self._setup = setup
        self._fit = {*(entered[bot] for bot in fit), *self._fit.intersection(entered)}
        self._runs += 1

    def clear(self) -> None:
        """End the workers, and all others that this process has started."""
        kill_all()
        self.workers.clear()
        self._setup = None
        self._fit.clear()
        self._runs = 0


def _conditions(setup: Setup) -> tuple[Setup, int, list[tuple[object, ...]]]:
    """Return what is the same in two runs of which the bots alone may differ."""
    schedule = replace(setup.schedule, entrants=())
    common = msgspec.structs.replace(
        setup,
        schedule=schedule,
        names=[],
        programs=[],
        grants={},
        unbuilt={},
        out={},
        remotes={},
        wheels={},
    )
    return common, setup.cores, sorted(limits.enclosure for limits in setup.sandboxes)


class LocalWorkforce(Workforce):
    """A worker on each of some groups of cores; one that dies is replaced."""

    def __init__(
        self,
        setup: Setup,
        bots: Sequence[Bot],
        places: Sequence[Sequence[int]],
        idle: IdleWorkers | None = None,
    ) -> None:
        """Take what to play, and perhaps workers of a run before, to be kept for a run after.

        Each of `places` is the cores of a worker.
        """
        self._setup = setup
        self._bots = bots
        self._places = places
        self._idle = idle
        self._fit: set[BotIndex] = set()
        self._is_sound = True
        self._leaving = False
        self.workers: list[LocalWorker] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start workers, and prove the sandbox while they get ready; all end with the context.

        Raises as `check_sandbox` does.
        """
        found: Sequence[BotIndex] = first_bots(len(self._setup.names))
        if self._idle is not None:
            self._idle.prepare(self._setup)
            found = self._idle.unknown(self._setup)
        bots = [bot for bot in found if bot not in self._setup.elsewhere]
        count = len(self._places)
        is_kept = False
        try:
            for number, cores in enumerate(self._places):
                # the first line-ups are of the first bots
                check = bots[len(bots) * number // count : len(bots) * (number + 1) // count]
                self.workers.append(self._worker(cores, check))
            if not all(each.is_up for each in self.workers):
                check_sandbox(self._setup.sandboxes, self._bots, self._setup.sandbox_uid)
            yield
            is_kept = self._is_sound and not self.workers
        finally:
            if self._idle is None:
                kill_all()
            elif not is_kept:
                self._idle.clear()

    def _worker(self, cores: Sequence[int], check: Sequence[BotIndex]) -> LocalWorker:
        """Return a worker on some cores: one that was kept, or a new one."""
        kept = self._idle.take() if self._idle is not None else None
        if kept is not None:
            kept.renew(self._setup, check)
            return kept
        return LocalWorker(self._setup, cores, check)

    def events(self, patience: float) -> list[Event]:
        """Return what the workers have sent, and their deaths, but for those that were to end."""
        ends = {end: each for each in self.workers for end in (each.link, each.process.sentinel)}
        ready = wait(list(ends), patience)
        found = [self._event(ends[end], end) for end in ready if ends[end] in self.workers]
        return [event for event in found if event is not None]

    def _event(self, each: LocalWorker, end: Any) -> Event | None:
        if end is each.link:
            with suppress(EOFError, OSError):
                word = decode_word(each.link.recv_bytes())
                if isinstance(word, Fit):
                    self._fit.add(word.bot)
                self._is_sound &= not isinstance(word, Broken)
                if not isinstance(word, Left) or self._leaving:
                    return Heard(each, word)
                each.was_told_to_end = True  # not by us: another is to play what it left
                each.process.kill()
                return None
        elif each.link.poll():
            return None  # first what it said
        self.workers.remove(each)
        how = each.end()
        return None if each.is_dismissed else Died(each, how)

    def replace(self, worker: Worker) -> None:
        """Start another worker on the cores of one that has died."""
        assert isinstance(worker, LocalWorker)
        self.workers.append(LocalWorker(self._setup, worker.cores, worker.unchecked))
        self.workers[-1].check()

    def leave(self) -> None:
        """Make the workers leave what they have not begun."""
        self._leaving = True
        for each in self.workers:
            each.leave()

    def release_idle(self) -> None:
        """Let the workers end, which takes a moment if their bots do, or be kept."""
        if self._idle is not None:
            self._idle.keep(self.workers, self._setup, self._fit)
            self.workers = []
            return
        for each in self.workers:
            if not each.is_dismissed:
                each.give(Finish())


def check_workers(workers: int | None) -> None:
    """Raise ArenaError for a number of workers that makes no sense."""
    if workers is not None and workers < 1:
        raise ArenaError("there must be at least one worker.")


def usable_cores(workers: int | None, each: int) -> list[tuple[int, ...]]:
    """Return the cores of each worker, of which it needs so many for `each`.

    By default there are as many workers as have cores of their own; what is left over is not used.
    If there are to be more, they share them in turn. Raises SandboxError if there are not cores
    enough for one.
    """
    check_cores(each)
    cores = own_cores()
    places = [tuple(cores[at : at + each]) for at in range(0, len(cores) - each + 1, each)]
    if workers is None:
        return places
    return [places[number % len(places)] for number in range(workers)]
