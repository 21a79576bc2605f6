"""What `arena rank --live` shows of a league while it is being played."""

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from arena.cli.rating import rated
from arena.tables.leaderboard import ranks_text
from arena.tables.table import Row, Style, Table, render
from arena.text import counted, duration, fold, letters, quoted, safe, width
from arena.watch import Sight, Watcher

_EVERY = 2.0
_SECONDS_BETWEEN_LINES = 30.0  # where standard output is no terminal
_NAME_WIDTH = 12  # down to which a bot's name is folded
_LEAST_COLUMNS = 3
_LEAST_LINES = 3  # of a table: its head and one bot
_COLORS = re.compile("\x1b\\[[0-9]*m")


def follow(league: Path, every: float | None, show_whole: Callable[[], None]) -> None:
    """Show how a league is being played until the run ends, or nothing is missing; then the whole.

    On a terminal it is a picture, drawn anew in its place; elsewhere a line now and then.
    """
    pause = _EVERY if every is None else every
    watcher = Watcher(league, rated, pause)
    live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    output: _Screen | _Lines
    output = _Screen() if live else _Lines(_SECONDS_BETWEEN_LINES if every is None else every)
    try:
        with _resizes_kept():
            while True:
                began = monotonic()
                sight = watcher.look()
                if sight.over:
                    break
                output.show(sight)
                _wait(began + pause, partial(output.show, sight))
    except KeyboardInterrupt:
        output.leave()
        return
    output.clear()
    click.echo("\n".join(_head(sight)))
    if sight.table is not None:
        click.echo()
        show_whole()


@contextmanager
def _resizes_kept() -> Iterator[None]:
    """Make `sigtimedwait` report changes of the terminal's size."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGWINCH})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _wait(until: float, resized: Callable[[], None]) -> None:
    """Wait until a time; act whenever the terminal has another size."""
    while (left := until - monotonic()) > 0:
        if signal.sigtimedwait({signal.SIGWINCH}, left) is not None:
            resized()


class _Lines:
    """A line now and then, if anything has changed."""

    def __init__(self, gap: float) -> None:
        self._gap = gap
        self._next = 0.0
        self._told: object = None

    def show(self, sight: Sight) -> None:
        state = replace(sight, pace=None)
        if state == self._told or monotonic() < self._next:
            return
        self._told, self._next = state, monotonic() + self._gap
        click.echo(" ".join(_head(sight)))

    def leave(self) -> None:
        """Let what is shown stay, and end."""

    def clear(self) -> None:
        """Make room for the last words."""
        if self._told is not None:
            click.echo()


class _Screen:
    """A picture on a terminal, drawn in the place of the one before."""

    def __init__(self) -> None:
        self._color = not os.environ.get("NO_COLOR")
        self._drawn = False

    def show(self, sight: Sight) -> None:
        columns, lines = shutil.get_terminal_size()
        text = "".join(
            f"\x1b[K{_cut(line, columns)}\n"
            for line in _picture(sight, columns, lines - 1, color=self._color)
        )
        self._put(text, lines)

    def clear(self) -> None:
        if self._drawn:
            self._put("", 0)

    def leave(self) -> None:
        click.echo()  # below the ^C

    def _put(self, text: str, lines: int) -> None:
        """Draw from the top in one go; what was on the screen at first is scrolled away."""
        room = "" if self._drawn else "\n" * (lines - 1)
        self._drawn = True
        click.echo(f"{room}\x1b[H{text}\x1b[J", nl=False)


def _picture(sight: Sight, columns: int, lines: int, *, color: bool) -> list[str]:
    """Return the lines of a picture that is at most so large."""
    said = (*_head(sight), *sight.disqualified, *filter(None, [sight.sandboxes]))
    head = [part for line in said for part in fold(line, columns)]
    room = lines - len(head) - 1
    if sight.table is None or room < _LEAST_LINES:
        return head[:lines]
    return [*head, "", *_rows(_marked(sight.table, sight), columns, room, color=color)]


def _rows(table: Table, columns: int, lines: int, *, color: bool) -> list[str]:
    """Return the lines of a table with those columns that fit beside each other, and those bots."""
    shown = min(len(table.rows), lines)
    while True:
        rows = table.rows[:shown]
        for count in range(len(table.columns), _LEAST_COLUMNS - 1, -1):
            part = replace(table, columns=table.columns[:count], rows=rows, notes=())
            text = render(part, "simple", width=columns, color=color)
            if "\n\n" not in text:  # all columns are in one block
                break
        left = len(table.rows) - shown
        found = text.splitlines() + ([f"… {counted(left, 'more bot')}"] if left else [])
        excess = len(found) - lines
        if excess <= 0 or not shown:
            return found[:lines]
        shown -= max(1, excess // 4)  # some rows may be of several lines


def _marked(table: Table, sight: Sight) -> Table:
    """Return the leaderboard with what has changed since the one before."""

    def rank(row: Row) -> str:
        places = sight.moved.get(row["bot"], 0)
        mark = f"{'▲' if places > 0 else '▼'}{abs(places)} " if places else ""
        return mark + ranks_text(row)

    def style(row: Row) -> Style | None:
        places = sight.moved.get(row["bot"], 0)
        return None if not places else "good" if places > 0 else "bad"

    def matches(row: Row) -> str:
        new = sight.new.get(row["bot"], 0)
        return f"+{new} {row['matches']}" if new > 0 else str(row["matches"])

    changes: Mapping[str, Mapping[str, Any]] = {
        "Rank": {"cell": rank, "style": style},
        "Bot": {"cell": lambda row: safe(row["bot"]), "width": _NAME_WIDTH},
        "Matches": {"cell": matches},
    }
    columns = [replace(column, **changes.get(column.title, {})) for column in table.columns]
    return replace(table, columns=columns)


def _head(sight: Sight) -> Sequence[str]:
    """Return what is said above the table, in sentences."""
    played = sight.asked - sight.missing
    if not sight.asked:
        said = [f"{sight.name} has no matches to play: raise its deals or its share."]
    else:
        facts = [
            f"{played:,} of {sight.asked:,} matches of {sight.game} "
            f"({100 * played // sight.asked} %)",
            *_under_way(sight),
            *_speed(sight),
            counted(sight.faults, "fault"),
        ]
        said = [f"{sight.name}: {', '.join(facts)}."]
    said.append(_who_plays(sight))
    if sight.table is None:
        said.append("No match has been played yet.")
    if sight.every and sight.run is not None:
        said.append(f"The table takes long to make: a new one comes every {duration(sight.every)}.")
    if sight.problem:
        said.append(f"This is the state before a problem: {sight.problem}")
    return said


def _under_way(sight: Sight) -> Iterator[str]:
    if sight.under_way is None:
        yield "how many are under way cannot be read"
    elif sight.under_way.matches:
        left = "" if sight.run is not None else "left "
        answers = counted(sight.under_way.answers, "answer")
        yield f"{sight.under_way.matches:,} {left}under way with {answers}"


def _speed(sight: Sight) -> Iterator[str]:
    if not sight.pace:
        return
    if sight.pace >= 10:
        yield f"{sight.pace:,.0f}/s"
    elif sight.pace >= 0.1:
        yield f"{sight.pace:.1f}/s"
    else:
        yield f"{60 * sight.pace:.1f}/min"
    if sight.missing:
        yield f"about {duration(sight.missing / sight.pace)} left"


def _who_plays(sight: Sight) -> str:
    if sight.run is not None:
        return f"A run is going on (process {sight.run})."
    if sight.arriving:
        return "No run is going on that can be seen from here, but matches arrive."
    if sight.missing:
        remedy = f"`arena run {quoted(sight.name)}` plays what is missing"
        return f"No run is going on; {sight.remedy or remedy}."
    return "No run is going on, and nothing is missing."


def _cut(line: str, columns: int) -> str:
    """Return a line that is no wider than the screen; its colours go if it has to be cut."""
    plain = _COLORS.sub("", line)
    if width(plain) <= columns:
        return line
    kept, room = "", columns
    for letter in letters(plain):
        room -= width(letter)
        if room < 0:
            break
        kept += letter
    return kept
