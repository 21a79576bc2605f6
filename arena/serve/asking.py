"""Questions to the process that reads a league, and its answers, kept for as long as they hold."""

import asyncio
import contextlib
import itertools
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from arena.handin.final import FINAL
from arena.league.file import FILE
from arena.league.plan import DATABASE
from arena.serve.child import Companion
from arena.serve.messages import Query, ReaderAnswer, decoder, line
from protocol.errors import ArenaError, Refusal

_LEAST_SECONDS = 2.0  # that an answer holds while matches are played ...
_TIMES = 5  # ... or so many times as long as it took to make
_OLD_SECONDS = 30.0  # that it is shown while another is made, so that few people wait for that
_PATIENCE = 120.0  # seconds after which a process that does not answer is killed
_TRIES = 2  # of a question, if the process ends before it answers
_PAUSE = 0.1  # seconds between looks at whether it is there
_MOST_KEPT = 32 << 20  # bytes of answers
_MOST_WAITING = 64  # questions

_read_answer = decoder(ReaderAnswer).decode


_NONE = "there is no such thing to show, or not now.", "Look at the table."


def _busy() -> Refusal:
    """Return the refusal of a question that is not answered soon."""
    return Refusal(503, "too much is asked of this league.", "Try again.", after=2.0)


@dataclass
class _Kept:
    value: bytes
    stamp: object
    made: float
    cost: float


@dataclass(order=True)
class _Waiting:
    place: tuple[int, int]
    """Tables come before all else."""
    ask: Query = field(compare=False)
    answer: "asyncio.Future[bytes]" = field(compare=False)


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
        return tuple(map(_look, (self._folder / name for name in names)))

    def file_stamp(self) -> object:
        """Return what is another value once the league's file was changed."""
        return _look(self._folder / FILE)

    async def get(self, ask: Query, *, fresh: bool = False) -> bytes:
        """Return the JSON of a view: one that was kept, if it is new enough, or another.

        One that is a little older is returned too, unless `fresh`, while another is made. Raises
        ArenaError if the league cannot be read, and Refusal if there is none, or none soon.
        """
        key = msgspec.json.encode(ask)
        kept = self._kept.get(key)
        stamp = self.stamp()
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
            if self._queue.qsize() >= _MOST_WAITING and ask.what not in ("table", "final"):
                raise _busy()
            number = next(self._numbers)
            answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            answer.add_done_callback(lambda done: self._note(key, done))
            self._asked[key] = answer
            place = (ask.what not in ("table", "final"), number)
            numbered = msgspec.structs.replace(ask, number=number)
            self._queue.put_nowait(_Waiting(place, numbered, answer))
        return self._asked[key]

    def _note(self, key: bytes, done: "asyncio.Future[bytes]") -> None:
        self._asked.pop(key, None)
        if not done.cancelled():
            done.exception()  # or it would be told as one that nobody looked at

    async def _ask_all(self) -> None:
        while True:
            waiting = await self._queue.get()
            began, stamp = monotonic(), self.stamp()
            answer = await self._answer(waiting.ask)
            if answer is None:
                waiting.answer.set_exception(_busy())
                continue
            key = msgspec.json.encode(msgspec.structs.replace(waiting.ask, number=0))
            if answer.problem:
                kept = self._kept.get(key) if waiting.ask.what == "table" else None
                if kept is not None:  # the league cannot be read now
                    waiting.answer.set_result(kept.value)
                else:
                    waiting.answer.set_exception(
                        Refusal(404, *_NONE) if answer.absent else ArenaError(answer.problem)
                    )
                continue
            value = bytes(answer.value)
            self._keep(key, _Kept(value, stamp, began, monotonic() - began))
            waiting.answer.set_result(value)

    async def _answer(self, ask: Query) -> ReaderAnswer | None:
        """Return the answer of the process; None if it takes too long, or twice ends over it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                for _ in range(_TRIES):
                    if (answer := await self._try(ask)) is not None:
                        return answer
        self._child.again()
        return None

    async def _try(self, ask: Query) -> ReaderAnswer | None:
        """Return the answer of the process; None if it ends before it gives one."""
        answer: asyncio.Future[ReaderAnswer] = asyncio.get_running_loop().create_future()
        self._open = ask.number, answer
        while not self._child.tell(line(ask)):
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


def _look(path: Path) -> Any:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
