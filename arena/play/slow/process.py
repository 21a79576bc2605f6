"""A process that plays slow matches: a task for each, of which one works at a time.

It says and hears what a worker does, with the number of the slot before each message.
"""

import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from arena.play.executor import SERVICE_SIGNALS, Executor
from arena.play.messages import (
    Broken,
    Finish,
    Leave,
    News,
    Setup,
    Underway,
    Up,
    Word,
    Work,
    decode_order_to,
    encode,
)
from arena.play.slow.doors import Doorkeeper, opened
from arena.play.slow.keeping import Keeping
from arena.play.slow.loop import Loop, Turns
from arena.play.watchdog import LOOK_SECONDS, STUCK_SECONDS, Standstill
from arena.play.worker import end_without_server, game_of, launchers_of, played_for
from arena.store.under_way import MatchesUnderWay
from protocol.errors import ArenaError

ALL = 0
"""In place of a slot's number: what concerns the whole process."""

_LOOK_SECONDS = 10.0  # between looks at a bot that has not answered: there are many


def main(
    link: Any,
    setup: Setup,
    parent: int,
    slots: int,
    working: Any,
    folder: Path,
    keeper: Doorkeeper | None,
    home: Path | None,
) -> None:
    """Carry out orders from `link`, a connection, until the last one or the end of the runner.

    `working` is a number in memory that is shared with the runner: of the slot that works now.
    `folder` is that of the league, where answers are kept, and `home` that with the socket by which
    remote bots are reached, if any.
    """
    lock = threading.Lock()

    def say(number: int, word: Word) -> None:
        with lock:  # the door says something too
            link.send_bytes(encode((number, word)))

    def tell(text: str) -> None:
        say(ALL, News(text))

    def tell_how_far(playing: int, answers: int) -> None:
        say(ALL, Underway(playing, answers))

    def note(number: int) -> None:
        working.value = number

    with played_for(parent), ExitStack() as stack:
        try:
            game = game_of(setup)
            launchers = launchers_of(setup, stack, slots * setup.schedule.seats)
            under_way = stack.enter_context(MatchesUnderWay(folder))
            doors = stack.enter_context(opened(setup, keeper, folder, tell))
        except ArenaError as error:
            say(ALL, Broken(str(error)))
            return
        keeping = Keeping(setup, game, under_way, doors, home, tell_how_far)
        loop = Loop(note)

        def new_executor() -> Executor:
            turns = Turns(loop, _LOOK_SECONDS)
            return Executor(setup, game, launchers, turns, keeping)

        slots_here = _Slots(link, say, loop, new_executor)
        try:
            slots_here.serve()
        except ConnectionError:
            end_without_server()
        except EOFError:
            os._exit(0)  # the runner is gone; tasks are to stay where they are, as everywhere here
        except Exception:  # noqa: BLE001 - another process takes the place of this one
            traceback.print_exc()
            os._exit(1)
        if slots_here.has_left:
            os._exit(0)


class _Slots:
    """The slots of this process: each plays one match at a time, with an executor of its own."""

    def __init__(
        self,
        link: Any,
        say: Callable[[int, Word], None],
        loop: Loop,
        new_executor: Callable[[], Executor],
    ) -> None:
        self.has_left = False
        """Whether matches were left on their way."""
        self._link = link
        self._say = say
        self._loop = loop
        self._new_executor = new_executor
        self._executors: dict[int, Executor] = {}
        self._orders: dict[int, deque[Work]] = {}  # of the slots that are at work on any
        self._standstill = Standstill()  # of the loop's turns

    def serve(self) -> None:
        """Carry out orders until the last one."""
        signal.signal(signal.SIGVTALRM, lambda *_: self._look())
        signal.setitimer(signal.ITIMER_VIRTUAL, LOOK_SECONDS, LOOK_SECONDS)
        for each in SERVICE_SIGNALS:
            signal.signal(each, lambda *_: self._interrupt())
        self._loop.begin(ALL, self._hear)
        self._say(ALL, Up())
        self._loop.run()

    def _hear(self) -> None:
        """Take orders until there are no more."""
        while True:
            self._loop.wait(self._link.fileno(), inf)
            number, order = decode_order_to(self._link.recv_bytes())
            match order:
                case Finish():
                    for slot, executor in self._executors.items():
                        self._loop.begin(slot, executor.close)
                    return
                case Leave():
                    self.has_left = True
                    self._loop.leave()
                    return
                case _ if number in self._orders:
                    self._orders[number].append(order)
                case _:
                    self._orders[number] = deque([order])
                    self._loop.begin(number, partial(self._work, number))

    def _work(self, number: int) -> None:
        """Carry out the orders of a slot, as long as there are any."""
        if number not in self._executors:
            self._executors[number] = self._new_executor()
        orders = self._orders[number]
        while orders:
            for word in self._executors[number].carry_out(orders.popleft()):
                self._say(number, word)
        del self._orders[number]

    def _interrupt(self) -> None:
        for executor in self._executors.values():
            executor.interrupt()

    def _look(self) -> None:
        """Stop the match of a task that does not come to its next wait; called by a signal."""
        if self._standstill.lasts(self._loop.turns) and self._loop.is_working:
            raise RuntimeError(
                f"the game has used {STUCK_SECONDS:g} s of CPU time: an endless loop?"
            )
