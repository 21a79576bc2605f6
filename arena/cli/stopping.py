"""What ends a run before all is played: a signal, or the time that it was given."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Protocol

from arena.play.run import Run
from arena.streams import say_at_once
from protocol.errors import RunError

GO_ON = "what was stored is safe. Run again to go on."
_ECHO_SECONDS = 0.5  # in which a second signal is no second wish: quicker than fingers are


@contextmanager
def stopped_by_time(run: Run, seconds: float | None) -> Iterator[Callable[[], bool]]:
    """Stop a run softly after so many seconds, if any are given; yield whether that was done."""
    is_over = threading.Event()

    def stop() -> None:
        is_over.set()
        run.stop()

    if seconds is None:
        yield is_over.is_set
        return
    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield is_over.is_set
    finally:
        timer.cancel()


class Stoppable(Protocol):
    """What plays until it is told to stop."""

    @property
    def on_stop(self) -> str:
        """What it does when it is told, in words without a full stop."""

    def stop(self) -> None:
        """Begin nothing new."""


@contextmanager
def stopped_by_signals(run: Stoppable, rest: str = GO_ON) -> Iterator[list[int]]:
    """Stop a run softly at the first SIGINT or SIGTERM, and hard at the second.

    One that comes at once after the first is the same one: `timeout` sends it to the process and
    then to its group. Yields the signals heard so far. After the second, `rest` is printed.
    """
    heard: list[int] = []
    last = -_ECHO_SECONDS

    def hear(number: int, _: FrameType | None) -> None:
        nonlocal last
        if monotonic() - last < _ECHO_SECONDS:
            return
        last = monotonic()
        heard.append(number)
        if len(heard) > 1:
            raise RunError(f"stopped at once; {rest}")
        say_at_once(f"\n{run.on_stop}; Ctrl-C once more stops at once.")
        run.stop()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, hear) for number in numbers]
    try:
        yield heard
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
