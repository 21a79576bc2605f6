"""The workers of one run inside a Dask worker, and the orders that its threads bring them."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

import msgspec

from arena.play.cluster.cores import Cores
from arena.play.local import LocalWorker
from arena.play.messages import Broken, Check, Done, Left, Setup, Unfit, Up, decode_word, encode
from arena.play.spawning import wait
from arena.schedule.deal import BotIndex
from referee.limits import wall_cap
from referee.sandbox import MachineError

_LOOK_SECONDS = 0.5  # between looks at whether an order is still wanted and its worker alive
_DEATHS_ALLOWED = 5  # for each core, one after another: then the machine is to blame
_EARLY_DEATHS_ALLOWED = 2  # the same of those that could not play yet
_GRACE_SECONDS = 30.0  # without a sign of life, beyond what a bot may take


class OrderAnswer(msgspec.Struct, frozen=True):
    """What came back for an order."""

    words: list[bytes]
    died: str = ""
    """How the worker of the order ended, as what follows «a worker»; empty if it lives."""
    broken: str = ""
    """What is wrong with the machine; empty if nothing is."""
    is_unknown: bool = False
    """Whether it is of a run that is not, or no longer, played for there."""


class _Kind(msgspec.Struct):
    """Which word it is, and why if the machine is broken: results are not decoded here."""

    type: str
    why: str = ""


_kind = msgspec.msgpack.Decoder(_Kind).decode


class _Place:
    """The cores of a match, and the worker on them while there is one."""

    def __init__(self, cores: tuple[int, ...]) -> None:
        self.cores = cores
        self.worker: LocalWorker | None = None


class WorkerPool:
    """A worker for each match that some cores are enough for, one run's; threads bring it orders.

    A worker dies with the thread that started it, so that all are started by one that stays.
    """

    def __init__(self, setup: Setup, cores: Cores) -> None:
        self._setup = setup
        self._cores = cores
        self._keeper = ThreadPoolExecutor(1, "arena-keeper")
        self._places = [_Place(each) for each in cores.places]
        self._free: SimpleQueue[_Place] = SimpleQueue()
        self._leaving = self._closed = False
        self._busy = self._deaths_in_a_row = 0
        self._lock = threading.Lock()
        self._rested = self._kept = time.monotonic()
        self._patience = _GRACE_SECONDS + max(
            max(wall_cap(limits.move_time + limits.bank), limits.startup_cap)
            for limits in [setup.limits, *map(setup.limits_of, setup.grants)]
        )
        for place in self._places:
            self._hire(place)
            self._free.put(place)

    @property
    def count(self) -> int:
        """How many matches can be played at once."""
        return len(self._places)

    @property
    def rested(self) -> float:
        """For how many seconds nothing was played or waited for."""
        return 0.0 if self._busy else time.monotonic() - self._rested

    @property
    def forgotten(self) -> float:
        """For how many seconds no order came, nor word that the run goes on."""
        return min(self.rested, time.monotonic() - self._kept)

    def keep(self) -> None:
        """Note that the run goes on, though it has nothing to be played just now."""
        self._kept = time.monotonic()

    def _hire(self, place: _Place) -> LocalWorker:
        place.worker = self._keeper.submit(LocalWorker, self._setup, place.cores).result()
        return place.worker

    def play(self, order: bytes, is_wanted: Callable[[], bool]) -> OrderAnswer:
        """Give an order to the first worker that is free; it is left once it is unwanted."""
        with self._lock:
            self._busy += 1
        place = self._free.get()
        try:
            if self._closed or not is_wanted():
                return OrderAnswer([], is_unknown=True)
            return self._carried_out(place, order, is_wanted)
        finally:
            self._free.put(place)
            with self._lock:
                self._busy -= 1
                self._rested = time.monotonic()

    def _carried_out(
        self, place: _Place, order: bytes, is_wanted: Callable[[], bool]
    ) -> OrderAnswer:
        each = place.worker or self._hire(place)
        pulse = _Pulse(each.process.pid, self._patience)
        words: list[bytes] = []
        with suppress(OSError):  # it has died, as will show
            each.link.send_bytes(order)
        while True:
            wait([each.link, each.process.sentinel], _LOOK_SECONDS)
            if each.link.poll():
                try:
                    data = each.link.recv_bytes()
                except (EOFError, OSError):
                    return self._buried(place, words)
                word = _kind(data)
                if word.type == Up.__name__:
                    each.is_up = True
                    continue
                if word.type == Broken.__name__:
                    self._kill(place)
                    return OrderAnswer(words, broken=word.why)
                if word.type == Left.__name__ and not self._leaving:
                    self._kill(place)
                    return OrderAnswer(words, died="was told to end")
                words.append(data)
                self._deaths_in_a_row = 0
                if word.type in (Done.__name__, Left.__name__):
                    return OrderAnswer(words)
            elif not each.process.is_alive():
                return self._buried(place, words)
            elif self._closed or not is_wanted():
                self._kill(place)
                return OrderAnswer([], is_unknown=True)
            elif pulse.is_gone():
                self._kill(place)
                return OrderAnswer(words, died=f"hung for {self._patience:.0f} s and was killed")

    def check(self, bots: Sequence[BotIndex]) -> dict[BotIndex, str]:
        """Start each of some bots once; return those that do not get ready, and why.

        Raises MachineError if nothing can be started here.
        """
        with ThreadPoolExecutor(self.count, "arena-check") as threads:
            answers = threads.map(self._checked, bots)
            unfit = {}
            for bot, answer in zip(bots, answers, strict=True):
                if answer.broken:
                    raise MachineError(answer.broken)
                if answer.died:
                    unfit[bot] = f"its worker twice {answer.died} when it started"
                for word in map(decode_word, answer.words):
                    if isinstance(word, Unfit):
                        unfit[word.bot] = word.why
        return unfit

    def _checked(self, bot: BotIndex) -> OrderAnswer:
        """Start a bot; once more if its worker dies, which may be an accident."""
        order = encode(Check(bot))
        answer = self.play(order, lambda: True)
        return self.play(order, lambda: True) if answer.died else answer

    def _buried(self, place: _Place, words: list[bytes]) -> OrderAnswer:
        assert place.worker is not None
        was_up, how = place.worker.is_up, place.worker.end()
        place.worker = None
        self._deaths_in_a_row += 1
        allowed = _DEATHS_ALLOWED if was_up else _EARLY_DEATHS_ALLOWED
        if self._deaths_in_a_row < allowed * len(self._places):
            return OrderAnswer(words, died=how)
        many = f"{self._deaths_in_a_row} workers died one after another"
        return OrderAnswer(words, broken=f"{many}: the last {how}")

    def _kill(self, place: _Place) -> None:
        worker, place.worker = place.worker, None
        if worker is not None:
            worker.process.kill()
            worker.process.join()

    def leave(self) -> None:
        """Let the matches that are being played be the last."""
        self._leaving = True
        for place in self._places:
            if place.worker is not None:
                place.worker.leave()

    def close(self) -> None:
        """End all workers at once and give back the cores; orders that wait are unwanted."""
        self._closed = True
        places = [self._free.get() for _ in self._places]  # each is let go within a look
        for place in places:
            self._kill(place)
            self._free.put(place)
        self._keeper.shutdown()
        self._cores.give_back()


class _Pulse:
    """Whether a process still does anything, now and then: whether it is ever switched to."""

    def __init__(self, pid: int, patience: float) -> None:
        self._path = Path(f"/proc/{pid}/status")
        self._patience = patience
        self._seen: list[str] = []
        self._at = time.monotonic()

    def is_gone(self) -> bool:
        """Return whether it has done nothing for longer than it may."""
        try:
            lines = self._path.read_text().splitlines()
        except OSError:
            return False  # it has ended, as will show
        seen = [line for line in lines if "ctxt_switches" in line]
        if seen != self._seen:
            self._seen, self._at = seen, time.monotonic()
        return time.monotonic() - self._at > self._patience
