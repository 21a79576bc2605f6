"""The runner's side of slow matches: each slot is a worker of its own, and all are one process."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.league.bot import Bot
from arena.play.executor import STOP_SIGNALS
from arena.play.messages import (
    Broken,
    Finish,
    Leave,
    Left,
    News,
    Order,
    Setup,
    Underway,
    Up,
    decode_word_of,
    encode,
)
from arena.play.sandbox import check_sandbox
from arena.play.slow import process
from arena.play.slow.doors import Doorkeeper
from arena.play.slow.loop import NOBODY
from arena.play.slow.room import check_room
from arena.play.spawning import kill_all, shared_number, spawn, wait
from arena.play.worker import how_ended
from arena.play.workforce import Died, Event, Heard, Lost, Worker, Workforce
from arena.schedule.deal import BotIndex, first_bots

_EARLY_DEATHS_ALLOWED = 2  # of processes that could not play yet


class SlotWorker(Worker):
    """A place for one match at a time; `number` is from 1 on."""

    def __init__(self, force: "SlotWorkforce", number: int, check: Sequence[BotIndex]) -> None:
        super().__init__()
        self.number = number
        self.is_up = False
        self.unchecked = list(check)
        self._force = force

    def _send(self, order: Order) -> None:
        self._force.send(self.number, order)


class SlotWorkforce(Workforce):
    """So many slots of one process; if that dies, another goes on with its matches."""

    ahead = 1
    shares_deals = True
    batch_seconds = 0.0
    """Nothing is given to a slot that others could begin."""

    def __init__(
        self,
        setup: Setup,
        bots: Sequence[Bot],
        slots: int,
        folder: Path,
        keeper: Doorkeeper | None,
        home: Path | None,
    ) -> None:
        """Take what to play in a league's folder, and what its door needs, if it has one.

        `home` is the folder with the socket by which remote bots are reached, if they are. Raises
        as `check_room`.
        """
        self._home = home
        self._keeper = keeper
        if slots:
            seats, has_door = setup.schedule.seats, keeper is not None
            check_room(slots, seats, setup.sandboxes, setup.sandbox_uid, has_door=has_door)
        self._setup = setup
        self._bots = bots
        self._count = slots
        self._folder = folder
        self._working = shared_number(NOBODY)  # of the slot that works now
        self._early_deaths = 0
        self._is_over = False  # it was told that there is no more to do, or to leave
        self.workers: list[SlotWorker] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start the process, and prove the sandbox meanwhile; it ends with the context.

        Raises as `check_sandbox` does.
        """
        found = first_bots(len(self._setup.names))
        bots = [bot for bot in found if bot not in self._setup.elsewhere]
        try:
            self._start()
            self.workers = [
                SlotWorker(self, number, bots[number - 1 :: self._count])
                for number in range(1, self._count + 1)
            ]
            check_sandbox(self._setup.sandboxes, self._bots, self._setup.sandbox_uid)
            yield
        finally:
            kill_all()

    def _start(self) -> None:
        self._process, self._link = spawn(
            process.main,
            *(self._setup, os.getpid(), self._count, self._working),
            *(self._folder, self._keeper, self._home),
            blocked=STOP_SIGNALS,
        )
        self._is_up = False

    def send(self, number: int, order: Order) -> None:
        """Send the process an order for a slot; nothing happens if it has died."""
        with suppress(OSError):  # as its sentinel will show
            self._link.send_bytes(encode((number, order)))

    def events(self, patience: float) -> list[Event]:
        """Return what the slots have said, and what is to be done for the death of all."""
        found: list[Event] = []
        ready = wait([self._link, self._process.sentinel], patience)
        while self._link in ready:
            try:
                found += self._heard(self._link.recv_bytes())
            except (EOFError, OSError):
                return found + self._end()
            if not self._link.poll():
                return found
        return found + self._end() if ready else found

    def _heard(self, message: bytes) -> list[Event]:
        number, word = decode_word_of(message)
        match word:
            case Up():
                self._is_up = True
                for each in self.workers:
                    each.is_up = True
                return []
            case Underway() | News() | Broken() if number == process.ALL:
                return [word]
            case Left() if not self._is_over:  # not told by us: another is to go on
                self._process.kill()
                return []
            case _:
                each = next(each for each in self.workers if each.number == number)
                return [Heard(each, word)]

    def _end(self) -> list[Event]:
        """Start another process in place of one that has died, and say what it had.

        Who worked when it died may have killed it; the others may go on where they were.
        """
        how = how_ended(self._process)
        before, self.workers = self.workers, []
        if self._is_over:
            return []
        self._early_deaths += not self._is_up
        if self._early_deaths >= _EARLY_DEATHS_ALLOWED:
            why = f"two processes died before they could play: the last {how}. Run again."
            return [Broken(why)]
        killer = self._working.value
        self._start()
        events: list[Event] = [
            News(f"The process that plays {how}; another goes on with its matches.")
        ]
        for each in before:
            if each.number == killer and each.given:
                events.append(Died(each, how))
            else:
                events.append(Lost(each, has_begun=False))
                self.replace(each)
        return events

    def replace(self, worker: Worker) -> None:
        """Let a slot of the new process do what one of the old has not."""
        assert isinstance(worker, SlotWorker)
        slot = SlotWorker(self, worker.number, worker.unchecked)
        slot.is_up = self._is_up
        self.workers.append(slot)
        slot.check()

    def leave(self) -> None:
        """Leave the matches as they are: they go on in the next run."""
        self._is_over = True
        self.send(process.ALL, Leave())

    def release_idle(self) -> None:
        """Let the process end, as nothing is left to be played."""
        if not self._is_over and not any(each.given for each in self.workers):
            self._is_over = True
            self.send(process.ALL, Finish())
