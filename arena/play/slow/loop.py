"""Many tasks on one thread: each works until it waits, and meanwhile others work.

A task is a greenlet: plain code with a stack of its own, which hands over where it waits and
nowhere else. So a match is played by the same code here as where it is alone on its process; what
tasks share needs no locks; and a game's code runs as it does there.
"""

import os
import select
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from heapq import heappop, heappush
from itertools import count
from math import inf
from time import monotonic
from typing import TypeVar

from greenlet import GreenletExit, getcurrent, greenlet

from referee.process.polling import Poll, Polling

NOBODY = -1
"""The number of no task."""

_QUICK_SECONDS = 0.002  # of work, all in all: nobody minds what came before it and what after it
_MOST_EVENTS = 8  # at a time, of what one task waits for: it has three descriptors or fewer
_TIME = -1  # in place of a descriptor: what is waited for is time alone

_T = TypeVar("_T")


class _Task(greenlet):
    """What works under a number."""

    number = NOBODY


class _Wait:
    """What one task waits for."""

    __slots__ = ("is_over", "task")

    def __init__(self, task: greenlet) -> None:
        self.task = task
        self.is_over = False


class Loop:
    """Lets tasks work in turn, on the thread that runs it.

    Args:
        working: called with the number of each task before it works, and with NOBODY after it.

    """

    def __init__(self, working: Callable[[int], None]) -> None:
        self.turns = 0
        """How often a task began to work, or went on."""
        self._working = working
        self._hub = getcurrent()
        self._tasks = 0
        self._is_left = False
        self._ready: deque[tuple[greenlet, float]] = deque()  # with when its wait was over
        self._epoll = select.epoll()
        self._looked = monotonic()  # for what came
        self._waits: dict[int, _Wait] = {}  # by descriptor
        self._timers: list[tuple[float, int, _Wait]] = []  # those that are over are left in it
        self._order = count()

    @property
    def is_working(self) -> bool:
        """Whether a task is at work now: to be asked on the same thread, as by a signal handler."""
        return getcurrent() is not self._hub

    def begin(self, number: int, work: Callable[[], None]) -> None:
        """Let a new task work under a number as soon as it is its turn."""
        task = _Task(lambda _: work(), self._hub)
        task.number = number
        self._tasks += 1
        self._ready.append((task, 0.0))

    def leave(self) -> None:
        """Let `run` return once the task that works now waits or ends; the others stay as they are.

        They never go on, and must be kept from being collected: they would end as by an error.
        """
        self._is_left = True

    def run(self) -> None:
        """Let the tasks work until all have ended; raise what ends any of them but its work."""
        self._hub = getcurrent()
        while self._tasks and not self._is_left:
            is_quick = monotonic() - self._looked < _QUICK_SECONDS
            if not (is_quick and self._ready):
                self._look(is_quick=is_quick)
                continue
            task, moment = self._ready.popleft()
            assert isinstance(task, _Task)
            self.turns += 1
            self._working(task.number)
            ended = task.switch(moment)
            if isinstance(ended, GreenletExit):  # which ends a greenlet in silence
                raise ended
            self._working(NOBODY)
            self._tasks -= task.dead

    def _look(self, *, is_quick: bool) -> None:
        """Find out whose waits are over; if nobody has worked for long, wait for any.

        What came while others worked for long is taken to have come when they began: nobody is to
        lose time to the work of others, and when it came in truth is not known. And a time that was
        up meanwhile was up when it was: nobody is to gain time either.
        """
        while self._timers and self._timers[0][2].is_over:
            heappop(self._timers)  # or it would wake us for nothing
        patience = 0.0
        if is_quick and not self._ready:
            patience = max(0.0, self._timers[0][0] - monotonic()) if self._timers else -1
        events = self._epoll.poll(patience)
        before, now = self._looked, monotonic()
        self._looked = now
        for descriptor, _ in events:
            self._end(self._waits[descriptor], now if is_quick else before)
        while self._timers and self._timers[0][0] <= now:
            due, _, wait = heappop(self._timers)
            self._end(wait, now if is_quick else due)

    def _end(self, wait: _Wait, moment: float) -> None:
        if not wait.is_over:
            wait.is_over = True
            self._ready.append((wait.task, moment))

    def wait(self, descriptor: int, seconds: float) -> float:
        """Let others work until a descriptor can be read, or so many seconds have passed.

        Returns when that was, by `time.monotonic`: others may have kept the task from going on.
        """
        began = monotonic()
        wait = _Wait(getcurrent())
        if descriptor != _TIME:
            self._waits[descriptor] = wait
            try:  # it is known mostly, and sleeps since it was ready last
                self._epoll.modify(descriptor, select.EPOLLIN | select.EPOLLONESHOT)
            except FileNotFoundError:
                self._epoll.register(descriptor, select.EPOLLIN | select.EPOLLONESHOT)
        if seconds < inf:
            heappush(self._timers, (began + seconds, next(self._order), wait))
        try:
            moment: float = self._hub.switch()
        finally:
            wait.is_over = True
        return max(moment, began)


class Turns(Polling):
    """The waits of one task of a loop."""

    def __init__(self, loop: Loop, look_seconds: float) -> None:
        """Take the loop, and how long there is between looks at a bot that has not answered."""
        self.look_seconds = look_seconds
        self.woke = lambda: self._moment
        self._loop = loop
        self._moment = monotonic()

    def poll(self) -> Poll:
        """Return what waits for descriptors."""
        return _Poll(self)

    def wait(self, descriptor: int, seconds: float) -> None:
        """Wait until a descriptor can be read, but no longer than so many seconds."""
        self._moment = self._loop.wait(descriptor, seconds)

    def note_sight(self) -> None:
        """Note that nothing had to be waited for."""
        self._moment = monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for a time to pass."""
        self.wait(_TIME, seconds)

    def result(self, future: Future[_T]) -> _T:
        """Wait for what another thread does; return or raise what comes of it."""
        over = os.eventfd(0, os.EFD_CLOEXEC)
        try:
            future.add_done_callback(lambda _: os.eventfd_write(over, 1))
            self.wait(over, inf)
        finally:
            os.close(over)
        return future.result()


class _Poll:
    """As `select.poll` returns it, but others of the loop work while it waits."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._epoll = select.epoll()  # which is itself something that can be waited for
        self.register = self._epoll.register
        self.unregister = self._epoll.unregister

    def poll(self, milliseconds: float) -> list[tuple[int, int]]:
        """Wait for events, at most so long; return the descriptors with their events."""
        if found := self._epoll.poll(0, _MOST_EVENTS):
            self._turns.note_sight()
            return found
        self._turns.wait(self._epoll.fileno(), milliseconds / 1000)
        return self._epoll.poll(0, _MOST_EVENTS)
