"""Sentences for the organizer, but not more than a few a minute about one thing."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from functools import partial
from time import monotonic

_MOST = 6  # sentences about one thing ...
_SECONDS = 60.0  # ... within so many seconds


class Sparing:
    """Says sentences; those that are too many are counted, and the number is said later."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: defaultdict[str, deque[float]] = defaultdict(partial(deque, maxlen=_MOST))
        self._unsaid: Counter[str] = Counter()

    def say(self, about: str, words: str) -> None:
        """Say something about a thing, or count it."""
        if self._has_room(about):
            self._own_up(about)
            self._said[about].append(monotonic())
            self._say(words)
        else:
            self._unsaid[about] += 1

    def catch_up(self) -> None:
        """Say how much was not said, where that can be said by now, and forget what is long ago."""
        for about in [*self._said]:
            if self._has_room(about):
                self._own_up(about)
            if monotonic() - self._said[about][-1] > _SECONDS:
                del self._said[about]

    def _has_room(self, about: str) -> bool:
        times = self._said[about]
        return len(times) < _MOST or monotonic() - times[0] > _SECONDS

    def _own_up(self, about: str) -> None:
        if number := self._unsaid.pop(about, 0):
            self._said[about].append(monotonic())
            self._say(f"{about}: {number} more of such lines were left out.")
