"""The lines that show how work is getting on, on standard error."""

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Self

import click

from arena.cli.saying import say
from arena.play.pace import Pace
from arena.store.result import PlayedMatch
from arena.text import counted, duration, safe

_SECONDS_BEFORE_FIRST_LINE = 5.0  # as the next
_SECONDS_BETWEEN_LINES = 30.0  # where standard error is no terminal
_SECONDS_BETWEEN_DRAWINGS = 0.1  # where it is one
_BAR = 20  # columns


class StatusLine:
    """Words that say how things stand: redrawn on a terminal, elsewhere a plain line now and then.

    Nothing is said in the first `patience` seconds; `between` stand those of two plain lines.
    """

    def __init__(self, *, patience: float = 0.0, between: float | None = None) -> None:
        self._terminal = sys.stderr.isatty()
        self._between = _SECONDS_BETWEEN_LINES if between is None else between
        self._next = monotonic() + max(patience, 0 if self._terminal else self._between)
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the line away, so that something else can be said in its place."""
        if self._drawn:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._drawn = False

    def show(self, words: str | Callable[[], str]) -> None:
        """Show how things stand, or what a function says of it, if it is time."""
        if monotonic() < self._next:
            return
        text = words if isinstance(words, str) else words()
        if self._terminal:
            self._next = monotonic() + _SECONDS_BETWEEN_DRAWINGS
            columns = shutil.get_terminal_size().columns - 1
            click.echo(f"\r{text[:columns]}\x1b[K", nl=False, err=True)
            self._drawn = True
        else:
            self._next = monotonic() + self._between
            click.echo(text, err=True)

    def say(self, text: str) -> None:
        """Show a message that stays."""
        self.clear()
        say(*text.splitlines())


class ProgressLine(StatusLine):
    """How many of the matches are played, with a bar on a terminal."""

    def __init__(self, matches: int, pace: Pace) -> None:
        super().__init__()
        self._matches = matches
        self._estimate = pace
        self._done = 0
        self._faults: Counter[str] = Counter()
        self._started = monotonic()
        self._next = self._started + (0 if self._terminal else _SECONDS_BEFORE_FIRST_LINE)
        self._underway = ""

    def __enter__(self) -> Self:
        self._show()
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()
        self._underway = ""
        click.echo(self._line(), err=True)

    def advance(self, played: Sequence[PlayedMatch]) -> None:
        """Count matches that were played."""
        self._done += len(played)
        self._estimate.take(played)
        for each in played:
            for kinds in filter(None, each.result.faults):
                self._faults.update(kinds)
        self._show()
        if said := self._estimate.holdup(self._matches - self._done):
            self.say(safe(said))

    def underway(self, matches: int, answers: int) -> None:
        """Show how far slow matches are: how many are played, and the answers so far."""
        self._estimate.hear(answers)
        self._underway = f"{matches:,} under way, {counted(answers, 'answer')}, "
        self._show()

    def _show(self) -> None:
        is_news = (self._underway or self._done) and self._done < self._matches
        if self._terminal or is_news:
            self.show(lambda: self._line() + self._left())

    def expect(self, missing: int) -> None:
        """Take note that so many matches are still to be played, as a round has begun."""
        self._matches = self._done + missing

    def say(self, text: str) -> None:
        """Show a message that stays, and the bar again below it."""
        super().say(text)
        if self._terminal:
            self._next = 0.0
            self._show()

    def _left(self) -> str:
        seconds = self._estimate.left(self._matches - self._done)
        return f", about {duration(seconds)} left" if seconds else ""

    def _line(self) -> str:
        seconds = max(monotonic() - self._started, 1e-9)
        faults = counted(self._faults.total(), "fault")
        pace = f"{self._underway}{_rate(self._done, seconds)}, {faults}"
        if not self._terminal:
            return f"{self._done} of {self._matches} matches, {pace}"
        bar = "#" * (_BAR * self._done // max(self._matches, 1))
        return f"{bar:-<{_BAR}} {self._done}/{self._matches} {pace}"


def _rate(count: int, seconds: float) -> str:
    """Return how many there are in a second, or in a minute or an hour where that is too few."""
    units = {"s": 1, "min": 60, "h": 3600}
    unit = next((unit for unit in units if count / seconds * units[unit] >= 1), "s")
    return f"{count / seconds * units[unit]:.0f}/{unit}"
