"""The workers of a run that are on a Dask cluster, as the runner sees them."""

import asyncio
import queue
import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from arena.league.bot import Bot
from arena.play.cluster.address import scheduler_address
from arena.play.cluster.connection import dask_kept_quiet
from arena.play.cluster.events import (
    Answered,
    ClusterEvent,
    Gone,
    Joined,
    Machine,
    Refused,
    Slot,
    Unreached,
    Waiting,
)
from arena.play.cluster.link import Link
from arena.play.cluster.standouts import MachineComparison
from arena.play.messages import Broken, News, Order, Results, Setup, encode
from arena.play.workforce import Died, Event, Heard, Lost, Worker, Workforce
from arena.schedule.deal import BotIndex, numbered
from protocol.errors import ArenaError
from referee.sandbox import Runtime, runtime_of

_AGAIN_SECONDS = 0.2  # after which what was cancelled is cancelled once more
_NAMED = 3  # Dask workers in a sentence; more are counted


class RemoteWorker(Worker):
    """One of the matches that a Dask worker plays at a time."""

    def __init__(self, force: "ClusterWorkforce", machine: Machine) -> None:
        super().__init__()
        self.slot = Slot(machine)
        self.unfit = machine.opened.unfit
        self._force = force

    def _send(self, order: Order) -> None:
        self._force.send(self.slot, encode(order))


class ClusterWorkforce(Workforce):
    """The workers on a cluster; Dask workers may join and leave at any time.

    A thread of its own talks to Dask. What happens there comes through a queue, so that the lists
    here are touched by the runner's thread alone.
    """

    def __init__(self, setup: Setup, bots: Sequence[Bot], address: str) -> None:
        scheduler_address(address)  # or it raises; a file is read again for each connection
        self.workers: list[RemoteWorker] = []
        self._queue: queue.SimpleQueue[ClusterEvent] = queue.SimpleQueue()
        self._link = Link(address, secrets.token_hex(8), setup, bots, self._queue.put)
        self._names = setup.names
        self._comparison = MachineComparison()
        self._runtimes = _runtimes_here(setup, bots)
        self._refusals: set[tuple[str, str]] = set()
        self._is_over = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Connect to the scheduler; raise RunError if there is none."""
        runner = asyncio.Runner()
        self._loop = runner.get_loop()
        self._loop.set_exception_handler(_ignore)
        self._begin, self._end = asyncio.Event(), asyncio.Event()
        self._connected: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()
        thread = threading.Thread(target=runner.run, args=(self._main(),))
        with dask_kept_quiet():
            try:
                thread.start()  # which Ctrl-C may interrupt
                problem = self._connected.get()
                if problem is not None:
                    raise problem
                yield
            finally:
                self._call(self._begin.set)
                self._call(self._end.set)
                if thread.ident is not None:  # or it has only just begun, and ends by itself
                    thread.join()
                    runner.close()  # also what Dask has left

    async def _main(self) -> None:
        connecting = asyncio.ensure_future(self._link.connect())
        ending = asyncio.ensure_future(self._end.wait())  # Ctrl-C may come meanwhile
        await asyncio.wait((connecting, ending), return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        while not connecting.done():  # Dask may take one for a failure, and try again
            connecting.cancel()
            await asyncio.wait((connecting,), timeout=_AGAIN_SECONDS)
        try:
            await connecting
        except asyncio.CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - it is raised where it can be reported
            self._connected.put(error)
            return
        self._connected.put(None)
        await self._begin.wait()
        try:
            await self._link.play(self._end)
        except BaseException as error:  # noqa: BLE001 - reported, or the runner would wait for ever
            self._link.fail(error)
        finally:
            await self._link.close()

    def _call(self, act: Callable[..., object], *words: object) -> None:
        """Run something in the thread that talks to Dask."""
        self._loop.call_soon_threadsafe(act, *words)

    def begin(self) -> None:
        """Let Dask workers join."""
        self._call(self._begin.set)

    def send(self, slot: Slot, order: bytes) -> None:
        """Give an order to a slot."""
        self._call(self._link.send, slot, order)

    def events(self, patience: float) -> list[Event]:
        """Return what has happened; one sentence covers all that joined or refused alike."""
        if self._is_over:
            self.workers.clear()
            return []
        found = []
        try:
            found.append(self._queue.get(timeout=patience))
            while True:
                found.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        events: list[Event] = []
        for each in found:
            events += self._taken(each)
        return [*events, *map(News, self._told(found)), *map(News, self._comparison.standouts())]

    def _taken(self, each: ClusterEvent) -> Iterator[Event]:
        """Update the list of workers; yield what the runner is to know."""
        match each:
            case Joined(machine):
                self.workers += [RemoteWorker(self, machine) for _ in range(machine.opened.slots)]
                if machine.opened.timing is not None:
                    yield machine.opened.timing
            case Gone(machine, _, has_begun):
                for gone in [one for one in self.workers if one.slot.machine is machine]:
                    self.workers.remove(gone)
                    yield Lost(gone, has_begun)
            case Unreached(slot) if worker := self._of(slot):
                self.workers.remove(worker)
                yield Lost(worker, has_begun=False)
            case Broken():
                yield each
            case Answered(slot, words, died) if worker := self._of(slot):
                for word in words:
                    if isinstance(word, Results):
                        self._comparison.add(slot.machine.label, word)
                    yield Heard(worker, word)
                if died:
                    self.workers.remove(worker)
                    yield Died(worker, died, slot.machine.label)

    def _of(self, slot: Slot) -> RemoteWorker | None:
        """Return the worker of a slot, unless it was lost."""
        return next((worker for worker in self.workers if worker.slot is slot), None)

    def _told(self, found: Iterable[ClusterEvent]) -> Iterator[str]:
        """Yield sentences on the cluster, one for those who are alike."""
        alike: dict[str, list[str]] = defaultdict(list)
        joined = [each.machine for each in found if isinstance(each, Joined)]
        for machine in joined:
            for note in machine.opened.notes:
                alike[f": {note}"].append(machine.label)
            for bot, why in machine.opened.unfit.items():
                alike[f" cannot run {self._names[bot]}: {why}"].append(machine.label)
            for what in self._unlike(machine):
                alike[what].append(machine.label)
        for each in found:
            if isinstance(each, News):
                yield each.text
            elif isinstance(each, Refused) and (each.label, each.why) not in self._refusals:
                self._refusals.add((each.label, each.why))
                words = (
                    f" yet: {each.why}; the run asks it again" if each.again else f": {each.why}"
                )
                alike[f" cannot play{words}"].append(each.label)
            elif isinstance(each, Waiting):
                what = (
                    ": tasks of others use its threads; this run waits behind them in Dask's queue"
                )
                alike[what].append(each.machine.label)
            elif isinstance(each, Gone) and each.why:
                what = f": {each.why}; others play its matches. No result is lost"
                alike[what].append(each.machine.label)
        if joined:
            slots = sum(machine.opened.slots for machine in joined)
            who = _listed([machine.label for machine in joined])
            yield f"{who} can play: {slots} at once, {len(self.workers)} in all."
        for what, labels in alike.items():
            yield f"{_listed(labels)}{what}."

    def _unlike(self, machine: Machine) -> Iterator[str]:
        """Yield what runs bots on a machine, where that is another program than here.

        What is not here is compared with the machine that joined first.
        """
        bots: defaultdict[tuple[Runtime, Runtime, str], list[str]] = defaultdict(list)
        for bot, runtime in machine.opened.runtimes.items():
            known, where = self._runtimes.setdefault(bot, (runtime, f"on {machine.label}"))
            if runtime.digest != known.digest:
                bots[runtime, known, where].append(self._names[bot])
        for (runtime, known, where), names in bots.items():
            yield (
                f": {runtime.path} ({runtime.digest[:8]}) runs {_listed(names)}; {where} it is "
                f"{known.path} ({known.digest[:8]}), so that matches may go otherwise"
            )

    def replace(self, worker: Worker) -> None:
        """Use the slot anew: the Dask worker starts another worker there."""
        assert isinstance(worker, RemoteWorker)
        self.workers.append(RemoteWorker(self, worker.slot.machine))

    def leave(self) -> None:
        """Let the matches that are being played be the last."""
        self._call(self._link.leave)

    def release_idle(self) -> None:
        """Release the cluster; what it says from now on is ignored."""
        self._is_over = True
        self.workers.clear()

    @property
    def batch_seconds(self) -> float:
        """How much work is given at once: the more workers, the more, as each batch costs CPU.

        It is 2 ms on either side, so that 500 batches a second would be all that can be done.
        """
        return max(2.0, len(self.workers) / 100)

    @property
    def expects_more(self) -> bool:
        """Whether Dask workers may still join: always, until the end."""
        return not self._is_over

    @property
    def is_settling(self) -> bool:
        """Whether a Dask worker is about to join."""
        return self._link.is_settling or not self._queue.empty()


def _ignore(_loop: asyncio.AbstractEventLoop, _context: object) -> None:
    """Ignore what Dask leaves behind in its loop."""


def _runtimes_here(setup: Setup, bots: Sequence[Bot]) -> dict[BotIndex, tuple[Runtime, str]]:
    """Return what runs the bots on this machine, as far as it has them, and what it is called."""
    found = {}
    for index, bot in numbered(bots):
        if index in setup.unbuilt:
            continue
        with suppress(ArenaError):  # it has no such program
            runtime = runtime_of(bot.program, setup.limits_of(index).sandbox, setup.sandbox_uid)
            if runtime is not None:
                found[index] = runtime, "here"
    return found


def _listed(labels: Sequence[str]) -> str:
    named = labels[:_NAMED]
    more = len(labels) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
