"""Several bots checked at once, each in a thread: what takes time runs in processes of theirs."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Thread

from arena.author.step import Step
from arena.league.bot import Bot

Check = Callable[[Bot, Callable[[str], None]], list[Step]]
"""Checks a bot; calls what it is given with its progress."""

_GRACE = 1.0  # seconds for the checks that are given up; what they started ends with this process


@contextmanager
def checking(
    bots: Mapping[str, Bot], check: Check, workers: int, told: dict[str, str]
) -> Iterator[Mapping[str, Future[list[Step]]]]:
    """Begin to check bots, in order, so many at once; yield the steps to come, by name.

    In `told` stands how each that has begun and not ended is getting on. At the end, what has not
    ended is given up.
    """
    futures: dict[str, Future[list[Step]]] = {name: Future() for name in bots}
    waiting: SimpleQueue[str] = SimpleQueue()
    for name in bots:
        waiting.put(name)
    over = Event()

    def tell(name: str, words: str) -> None:
        if over.is_set():
            raise CancelledError
        told[name] = words

    def work() -> None:
        while not over.is_set():
            try:
                name = waiting.get_nowait()
            except Empty:
                return
            try:
                futures[name].set_result(check(bots[name], partial(tell, name)))
            except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
                futures[name].set_exception(error)
            told.pop(name, None)

    threads = [Thread(target=work, daemon=True) for _ in range(min(workers, len(bots)))]
    for thread in threads:
        thread.start()
    try:
        yield futures
    finally:
        over.set()
        for thread in threads:
            thread.join(_GRACE)
