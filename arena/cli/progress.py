"""The line that shows how a run is getting on, on standard error."""

import sys
from collections import Counter
from collections.abc import Sequence
from time import monotonic
from typing import Any, Self

import click

from arena.cli.common import counted
from arena.result import PlayedMatch

_SECONDS_BETWEEN_LINES = 30.0  # where standard error is no terminal


class ProgressLine:
    """A progress bar on a terminal; elsewhere a plain line now and then."""

    def __init__(self, matches: int) -> None:
        self._matches = matches
        self._done = 0
        self._faults: Counter[str] = Counter()
        self._started = self._told = monotonic()
        self._terminal = sys.stderr.isatty()
        self._bar: Any = None

    def __enter__(self) -> Self:
        if self._terminal:
            self._bar = click.progressbar(
                length=self._matches,
                file=sys.stderr,
                show_pos=True,
                width=20,
                bar_template="%(bar)s %(info)s %(label)s",
            )
            self._bar.render_progress()
        return self

    def __exit__(self, *error: object) -> None:
        if self._terminal:
            self._bar.render_finish()
        else:
            click.echo(self._line(), err=True)

    def advance(self, played: Sequence[PlayedMatch]) -> None:
        """Count matches that were played."""
        self._done += len(played)
        for each in played:
            for kinds in each.result.faults:
                self._faults.update(kinds)
        if self._terminal:
            self._bar.label = self._pace()
            self._bar.update(len(played))
        elif monotonic() - self._told > _SECONDS_BETWEEN_LINES:
            self._told = monotonic()
            click.echo(self._line(), err=True)

    def say(self, text: str) -> None:
        """Show a message that stays."""
        click.echo(f"\n{text}" if self._terminal else text, err=True)

    def _line(self) -> str:
        return f"{self._done} of {self._matches} matches, {self._pace()}"

    def _pace(self) -> str:
        pace = self._done / max(monotonic() - self._started, 1e-9)
        return f"{pace:.0f}/s, {counted(self._faults.total(), 'fault')}"
