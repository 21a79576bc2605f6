"""The conversation with a Dask cluster: who is in it, who plays for us, what they send.

It lives in one asyncio loop, which a thread of `client` runs; what comes of it goes to `put`.
"""

import asyncio
import itertools
import math
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from arena.league.bot import Bot
from arena.play.cluster import host
from arena.play.cluster.connection import (
    connection,
    first_connection,
    quietly,
    result_of,
    within,
)
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
from arena.play.cluster.greeting import Greeter
from arena.play.cluster.pool import OrderAnswer
from arena.play.messages import Broken, News, Setup, decode_word

_LOOK_SECONDS = 1.0  # between looks at who is in the cluster
_LOOKED_AT = 200  # Dask workers a second, as reading the state of each takes a while
_KEEP_SECONDS = 15.0  # between messages to all that the run goes on
_SILENT_SECONDS = 30.0  # without a heartbeat, after which a Dask worker is taken for lost
_ANSWER_SECONDS = 30.0  # for the scheduler to say who is there
_AGAIN_SECONDS = 3.0  # until one that was busy, or did not answer, is asked again
_WAIT_SECONDS = 600.0  # for a scheduler that has gone
_FAREWELL_SECONDS = 5.0

_answer = msgspec.msgpack.Decoder(OrderAnswer).decode


class Link:
    """A run's side of a cluster; all of it is for the loop's thread alone."""

    def __init__(
        self,
        address: str,
        run: str,
        setup: Setup,
        bots: Sequence[Bot],
        put: Callable[[ClusterEvent], None],
    ) -> None:
        self._address = address
        self._run = run
        self._greeter = Greeter(run, setup, bots)
        self._put = put
        self._client: Any = None
        self._machines: dict[str, Machine] = {}
        self._joined: set[str] = set()  # all that ever were among them
        self._greetings: dict[str, asyncio.Task[None]] = {}
        self._seen: dict[str, tuple[object, float]] = {}  # heartbeats, and when they came
        self._not_before: dict[str, float] = {}  # whom to ask again, or for the first time
        self._is_alone = self._may_return = self._has_failed = False
        self._kept = 0.0
        self._scheduler = ""  # its id, which is another once it was started again
        self._numbers = itertools.count()
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def is_settling(self) -> bool:
        """Whether a Dask worker is about to join, or nobody has looked yet."""
        soon = any(time.monotonic() < when < math.inf for when in [*self._not_before.values()])
        return soon or bool(self._greetings) or not self._seen

    async def connect(self) -> None:
        """Find the scheduler; raise as `first_connection`."""
        self._client = await first_connection(self._address)

    async def play(self, end: asyncio.Event) -> None:
        """Let Dask workers join and play until the `end`, whatever happens to the connection."""
        while not end.is_set() and not self._has_failed:
            try:
                await self._attend(end)
            except (OSError, RuntimeError) as error:  # Dask has both for what is closed
                await self._lose_all(error)
                if not await self._is_back(end):
                    return

    async def _is_back(self, end: asyncio.Event) -> bool:
        """Wait for the scheduler; report and return whether it answers again."""
        since = time.monotonic()
        while not end.is_set():
            try:
                self._client = await connection(self._address)
            except Exception:  # noqa: BLE001 - whatever it is, it is not back
                await within(end.wait(), _LOOK_SECONDS)
            else:
                self._put(News(f"The scheduler at {self._address} answers again."))
                return True
            if time.monotonic() - since > _WAIT_SECONDS:
                self._put(
                    Broken(
                        f"the scheduler at {self._address} has not answered for "
                        f"{_WAIT_SECONDS:.0f} s. Run again when it does."
                    )
                )
                return False
        return False

    async def _attend(self, end: asyncio.Event) -> None:
        """Look again and again which Dask workers are there; raise if the connection fails."""
        while not end.is_set() and not self._has_failed:
            if self._client.status != "running":
                raise ConnectionError("it closed the connection")
            asked = self._client.scheduler.identity(n_workers=-1)
            try:
                found = await asyncio.wait_for(asked, _ANSWER_SECONDS)
            except TimeoutError:
                raise TimeoutError(f"no answer within {_ANSWER_SECONDS:.0f} s") from None
            before, self._scheduler = self._scheduler, found["id"]
            if before not in ("", self._scheduler):
                raise ConnectionError("it was started again")
            self._look(found["workers"])
            if time.monotonic() - self._kept > _KEEP_SECONDS:
                self._kept = time.monotonic()
                if self._machines:
                    self._in_background(self._keep(self._client, list(self._machines)))
            await within(end.wait(), max(_LOOK_SECONDS, len(found["workers"]) / _LOOKED_AT))

    async def _keep(self, client: Any, addresses: list[str]) -> None:
        """Inform Dask workers that the run goes on, and note where it waits for others' tasks."""
        answers = await client.run(host.keep, self._run, workers=addresses, on_error="ignore")
        for address, waits in answers.items():
            machine = self._machines.get(address)
            if machine is not None and machine.waits != waits:
                machine.waits = waits
                if waits:
                    self._put(Waiting(machine))

    async def _lose_all(self, error: Exception) -> None:
        """Give up all Dask workers, as the scheduler is out of reach."""
        why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        self._put(
            News(
                f"The connection to the scheduler at {self._address} is lost ({why}); "
                f"trying again. No result is lost."
            )
        )
        client, self._client = self._client, None
        self._forget_all()
        with suppress(Exception):  # it is of no more use, however it ends
            await asyncio.wait_for(client.close(), _FAREWELL_SECONDS)

    def _forget_all(self) -> None:
        for greeting in self._greetings.values():
            greeting.cancel()
        for machine in list(self._machines.values()):
            self._lose(machine, "")
        self._seen.clear()
        self._not_before.clear()
        self._scheduler = ""

    def _look(self, workers: dict[str, dict[str, Any]]) -> None:
        """Greet the Dask workers that are new, and lose those that have gone."""
        now = time.monotonic()
        for address, found in workers.items():
            if self._seen.get(address, (None, 0.0))[0] != found["last_seen"]:
                self._seen[address] = found["last_seen"], now
            silence = now - self._seen[address][1]
            machine = self._machines.get(address)
            if machine is not None and silence > _SILENT_SECONDS:
                self._lose(machine, f"no sign of life for {silence:.0f} s")
            elif (
                machine is None
                and address not in self._greetings
                and silence < _SILENT_SECONDS
                and now >= self._not_before.get(address, 0.0)
            ):
                greeting = self._begun(self._greet(address, str(found["name"])))
                self._greetings[address] = greeting
                greeting.add_done_callback(partial(self._greeted, address))
        for address in self._machines.keys() - workers.keys():
            self._lose(self._machines[address], "left the cluster")
        for address in self._seen.keys() - workers.keys():
            del self._seen[address]
            self._not_before.pop(address, None)
        able = [each for each in workers if self._not_before.get(each) != math.inf]
        if not able and not self._is_alone:
            self._put(self._alone(bool(workers)))
        self._is_alone = not able

    def _alone(self, others: bool) -> ClusterEvent:
        """Return what to say when nobody is there to play, whether or not there are `others`."""
        if others and not self._may_return:
            return Broken("none of the cluster's workers can play; the reasons are above.")
        if others:
            return News("None of the cluster's workers can play now; waiting for others.")
        if self._may_return:
            return News("The cluster has no workers any more; waiting for new ones.")
        return News("The cluster has no workers yet; waiting for some.")

    def _begun(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Start some work; if an error of ours ends it, that ends the run."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[None]") -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Report an error of ours, once, and expect nothing more of anybody."""
        if self._has_failed:
            return
        self._has_failed = True
        self._forget_all()
        text = "".join(traceback.format_exception(error))
        self._put(Broken(f"an error ended the conversation with the cluster:\n{text}"))

    def _greeted(self, address: str, _: "asyncio.Task[None]") -> None:
        del self._greetings[address]

    async def _greet(self, address: str, name: str) -> None:
        """Let a Dask worker get ready to play."""
        try:
            machine = await self._greeter.opened(self._client, address, name)
        except Exception as error:  # noqa: BLE001 - one that is odd is not to end the run
            machine = Refused(address, f"it gave an unexpected answer: {error!r}", again=False)
        if isinstance(machine, Refused):
            wait = _AGAIN_SECONDS if machine.again else math.inf
            self._not_before[address] = time.monotonic() + wait
            self._put(machine)
            return
        self._machines[address] = machine
        self._joined.add(address)
        self._put(Joined(machine))

    def send(self, slot: Slot, order: bytes) -> None:
        """Give an order to a slot; what comes of it is put in the order of the orders."""
        machine = slot.machine
        if self._machines.get(machine.address) is not machine:
            self._put(Unreached(slot))
            return
        try:
            future = self._client.submit(
                host.play,
                self._run,
                order,
                key=f"{host.key_of(self._run)}{next(self._numbers)}",
                workers=[machine.address],
                allow_other_workers=False,
                retries=0,
                pure=False,
            )
        except Exception:  # noqa: BLE001 - Dask's client is closed, as a look will show
            self._put(Unreached(slot))
            return
        slot.pending.append(future)
        if slot.follower is None:
            slot.follower = self._begun(self._follow(slot))
            machine.slots_used.add(slot)

    async def _follow(self, slot: Slot) -> None:
        """Put what comes of a slot's orders while there are any."""
        machine = slot.machine
        while slot.pending:
            try:
                answer = _answer(await result_of(slot.pending[0]))
            except Exception as error:  # noqa: BLE001 - Dask's, or what it brings from there
                slot.follower = None
                if self._client is not None and self._client.status == "running":
                    self._lose(machine, f"gave back an order unplayed ({type(error).__name__})")
                return  # or else all are lost with the scheduler
            if answer.is_unknown:
                slot.follower = None
                why = "no longer knows this run, as it was started again or had been idle"
                self._lose(machine, why, has_begun=False)
                return
            words = [decode_word(data) for data in answer.words]
            self._put(Answered(slot, words, answer.died))
            del slot.pending[0]
            if answer.broken:
                slot.follower = None
                self._not_before[machine.address] = math.inf
                self._lose(machine, f"cannot go on: {' '.join(answer.broken.split()).rstrip('.')}")
                return
            if answer.died:
                machine.slots_used.discard(slot)
                self._in_background(self._client.cancel([*slot.pending]))
                slot.pending.clear()
        slot.follower = None

    def _lose(self, machine: Machine, why: str, *, has_begun: bool = True) -> None:
        """Expect nothing more of a Dask worker; others will be asked for what it had.

        `why` is shown unless it is empty.
        """
        if self._machines.get(machine.address) is not machine:
            return
        del self._machines[machine.address]
        for slot in machine.slots_used:
            if slot.follower is not None:
                slot.follower.cancel()
            if slot.pending and self._client is not None:
                self._in_background(self._client.cancel(slot.pending))
        soon = time.monotonic() + _AGAIN_SECONDS
        not_before = max(soon, self._not_before.get(machine.address, 0.0))
        self._not_before[machine.address] = not_before
        self._may_return |= not_before < math.inf  # or another in its place
        self._put(Gone(machine, why, has_begun))

    def leave(self) -> None:
        """Let the matches that are being played be the last, and take back what is not begun."""
        if self._client is not None and self._machines:
            self._in_background(self._left(self._client, list(self._machines)))

    async def _left(self, client: Any, addresses: list[str]) -> None:
        going_on = await client.run(host.leave, self._run, workers=addresses, on_error="ignore")
        for address, keys in going_on.items():
            machine = self._machines.get(address)
            for slot in list(machine.slots_used) if machine else ():
                if slot.pending and not any(future.key in keys for future in slot.pending):
                    assert slot.follower is not None
                    slot.follower.cancel()
                    slot.follower = None
                    self._in_background(client.cancel([*slot.pending]))
                    slot.pending.clear()
                    self._put(Unreached(slot))

    def _in_background(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(quietly(work))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def close(self) -> None:
        """Play no more, and leave the cluster as it was."""
        known = self._joined | self._greetings.keys()  # also those that were lost and live
        here = [*known & self._seen.keys()]
        if self._client is not None and here:
            told = self._client.run(host.close, self._run, workers=here, on_error="ignore")
            self._in_background(told)
        for greeting in self._greetings.values():
            greeting.cancel()
        await within(asyncio.gather(*self._background), _FAREWELL_SECONDS)
        if self._client is not None:
            await quietly(within(self._client.close(), _FAREWELL_SECONDS))
