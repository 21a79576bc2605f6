"""Questions to the process that reads a league, and its answers, kept for as long as they hold."""

import asyncio
import contextlib
import itertools
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TypeAlias

import msgspec

from arena.folders import stamp_of
from arena.handin.final import FINAL
from arena.league.file import FILE
from arena.league.plan import DATABASE
from arena.serve.child import Companion
from arena.serve.messages import Query, ReaderAnswer, line
from protocol.errors import ArenaError, Refusal

_LEAST_SECONDS = 2.0  # that an answer holds while matches are played ...
_TIMES = 5  # ... or so many times as long as it took to make
_OLD_SECONDS = 30.0  # that it is shown while another is made, so that few people wait for that
_PATIENCE = 120.0  # seconds after which a process that does not answer is killed
_TRIES = 2  # of a question, if the process ends before it answers
_PAUSE = 0.1  # seconds between looks at whether it is there
_MOST_KEPT = 32 << 20  # bytes of answers
_MOST_WAITING = 64  # questions

_read_answer = msgspec.json.Decoder(ReaderAnswer).decode


def _busy() -> Refusal:
    """Return the refusal of a question that is not answered soon."""
    return Refusal(503, "too much is asked of this league.", "Try again.", after=2.0)


@dataclass
class _Kept:
    value: bytes
    stamp: object
    made: float
    cost: float


_Waiting: TypeAlias = tuple[bool, int, Query, "asyncio.Future[bytes]"]
"""Whether a question is about no table, as those come first, and its place among the others."""


class LeagueReader:
    """Asks one question at a time, and no question twice at once."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._child = Companion("arena.serve.reader", folder, (), self._hear, say)
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self._size = 0
        self._asked: dict[bytes, asyncio.Future[bytes]] = {}
        self._queue: asyncio.PriorityQueue[_Waiting] = asyncio.PriorityQueue()
        self._numbers = itertools.count(1)
        self._open: tuple[int, asyncio.Future[ReaderAnswer]] | None = None

    async def run(self) -> None:
        """Keep the process alive, and ask it what is to be known."""
        async with asyncio.TaskGroup() as tasks:
            child = tasks.create_task(self._child.run())
            asking = tasks.create_task(self._ask_all())
            await child
            asking.cancel()

    def end(self) -> None:
        """Let the process end."""
        self._child.end()

    def kill(self) -> None:
        """End the process at once."""
        self._child.kill()

    def stamp(self) -> object:
        """Return what is another value once anything was stored, or the league was changed."""
        files = (FILE, DATABASE, f"{DATABASE}-wal")
        names = [*files, *(f"{FINAL}/{name}" for name in files)]
        return tuple(map(stamp_of, (self._folder / name for name in names)))

    def file_stamp(self) -> object:
        """Return what is another value once the league's file was changed."""
        return stamp_of(self._folder / FILE)

    def _stamp_for(self, ask: Query) -> object:
        """Return what is another value once an answer may be another."""
        return self.file_stamp() if ask.what in ("game", "starter") else self.stamp()

    async def get(self, ask: Query, *, fresh: bool = False) -> bytes:
        """Return the JSON of a view: one that was kept, if it is new enough, or another.

        One that is a little older is returned too, unless `fresh`, while another is made. Raises
        ArenaError if the league cannot be read, and Refusal if there is none, or none soon.
        """
        key = msgspec.json.encode(ask)
        kept = self._kept.get(key)
        stamp = self._stamp_for(ask)
        if kept is not None:
            age = monotonic() - kept.made
            is_young = age < max(_LEAST_SECONDS, _TIMES * kept.cost)
            if kept.stamp == stamp or (is_young and not fresh):
                self._kept.move_to_end(key)
                return kept.value
            if age < _OLD_SECONDS and not fresh:
                with contextlib.suppress(Refusal):
                    self._ask(key, ask)
                return kept.value
        return await asyncio.shield(self._ask(key, ask))

    def _ask(self, key: bytes, ask: Query) -> "asyncio.Future[bytes]":
        """Have a question asked unless it is already; return where its answer will be."""
        if key not in self._asked:
            is_other = ask.what not in ("table", "final")
            if self._queue.qsize() >= _MOST_WAITING and is_other:
                raise _busy()
            answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            answer.add_done_callback(lambda done: self._note(key, done))
            self._asked[key] = answer
            self._queue.put_nowait((is_other, next(self._numbers), ask, answer))
        return self._asked[key]

    def _note(self, key: bytes, done: "asyncio.Future[bytes]") -> None:
        self._asked.pop(key, None)
        if not done.cancelled():
            done.exception()  # or it would be told as one that nobody looked at

    async def _ask_all(self) -> None:
        while True:
            *_, ask, answer = await self._queue.get()
            try:
                answer.set_result(await self._made(ask))
            except ArenaError as error:
                answer.set_exception(error)

    async def _made(self, ask: Query) -> bytes:
        """Return the JSON of a view as it is now, and keep it; raise ArenaError as `get` does."""
        began, stamp = monotonic(), self._stamp_for(ask)
        key, answer = msgspec.json.encode(ask), await self._answer(ask)
        if not answer.problem:
            value = bytes(answer.value)
            self._keep(key, _Kept(value, stamp, began, monotonic() - began))
            return value
        if ask.what == "table" and key in self._kept:  # the league cannot be read now
            return self._kept[key].value
        if answer.absent:
            what = "there is no such thing to show, or not now."
            raise Refusal(404, what, "Look at the table.")
        raise ArenaError(answer.problem)

    async def _answer(self, ask: Query) -> ReaderAnswer:
        """Return the process's answer; raise Refusal if that takes too long, or it ends twice."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                for _ in range(_TRIES):
                    if (answer := await self._try(ask)) is not None:
                        return answer
        self._child.again()
        raise _busy()

    async def _try(self, ask: Query) -> ReaderAnswer | None:
        """Return the answer of the process; None if it ends before it gives one."""
        answer: asyncio.Future[ReaderAnswer] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        self._open = number, answer
        while not self._child.tell(line(msgspec.structs.replace(ask, number=number))):
            await asyncio.sleep(_PAUSE)
        pid = self._child.pid
        while self._child.pid == pid:
            done, _ = await asyncio.wait({answer}, timeout=_PAUSE)
            if done:
                return answer.result()
        return None

    def _hear(self, words: bytes) -> None:
        answer = _read_answer(words)
        if self._open is None:
            return
        number, expected = self._open
        if number == answer.number and not expected.done():
            expected.set_result(answer)

    def _keep(self, key: bytes, kept: _Kept) -> None:
        if before := self._kept.pop(key, None):
            self._size -= len(before.value)
        self._kept[key] = kept
        self._size += len(kept.value)
        while self._size > _MOST_KEPT and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest.value)
