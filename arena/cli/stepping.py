"""Shows a match while it is played: by its moves, or step by step with the table and pauses."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import click
import msgspec

from arena.archive.show import folded, move_line
from arena.cli.saying import screen_width
from arena.text import fold, safe, safe_lines
from protocol.errors import RunError
from referee.match.evidence import Evidence
from referee.match.replay import Entry
from referee.rules.game import Game
from referee.turn.bot_process import BotProcess

_FURTHER = " " * 6  # before what a bot goes on to note: nothing of the arena's own stands there
_PROMPT = "Enter: next   20: next 20   f: to a fault   g: to the end   q: stop > "

Pause = Callable[[Entry | None], object]
"""Called when something new was shown: a decision, or None for nothing but the table."""


class Telling:
    """Shows a match while it is played; this class shows nothing."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        """What is to be shown after the end."""
        self.pauses = Pauses([], lambda _: None)

    def before(self, game: Game) -> None:
        """Take note that a bot is about to be asked."""

    def __call__(self, game: Game, step: Sequence[Entry]) -> None:
        """Show one step; a `Watch`."""


class Moves(Telling):
    """Shows the moves as they are made; with `log`, nothing but faults, on standard error.

    Where people play, their tables show what they may know; a fault may show more, and is kept.
    """

    def __init__(self, names: Sequence[str], *, people: bool, log: bool) -> None:
        super().__init__()
        self._names = names
        self._people = people
        self._log = log

    def __call__(self, game: Game, step: Sequence[Entry]) -> None:
        """Show one step."""
        for entry in step:
            lines = entry_lines(game, entry, self._names)
            if not (self._people or self._log):
                _echo(lines)
            elif entry.fault is not None and self._log:
                _echo(lines, err=True)
            elif entry.fault is not None:
                self.kept += lines


class Steps(Telling):
    """Draws the table before each step and shows its decisions, with a pause after each.

    With `seat`, the table is drawn as that seat sees it, whenever it sees something else than
    before, and only its own decisions are shown: those of others may be what it must not know,
    and the next table shows what it may. Their faults are kept for the same reason.
    """

    def __init__(self, names: Sequence[str], seat: int | None, pauses: "Pauses") -> None:
        super().__init__()
        self._names = names
        self._seat = seat
        self.pauses = pauses
        self._seen = ""
        self._is_new = False  # whether there was no pause since the table was drawn

    def before(self, game: Game) -> None:
        """Draw the table before the bot thinks."""
        self.pauses.over()
        self._draw(game)

    def _draw(self, game: Game) -> None:
        text = game.text(self._seat)
        if text != self._seen:
            click.echo(f"\n{safe_lines(text)}\n")
            self._seen = text
            self._is_new = True

    def __call__(self, game: Game, step: Sequence[Entry]) -> None:
        """Show one step."""
        self._draw(game)
        for entry in step:
            lines = entry_lines(game, entry, self._names)
            if self._seat in (None, entry.seat):
                _echo(lines)
                self._rest(entry)
            elif entry.fault is not None:
                self.kept += lines
        if self._is_new:
            self._rest(None)

    def _rest(self, entry: Entry | None) -> None:
        self._is_new = False
        self.pauses(entry)


class Keys:
    """Pauses until somebody at the terminal says how to go on."""

    def __init__(self) -> None:
        self._left: int | Literal["fault", "end"] = 0
        """How many pauses are left out, or until when all are."""

    def __call__(self, entry: Entry | None) -> None:
        """Pause, unless it was said to go on; raise RunError if the match is to stop."""
        if isinstance(self._left, int) and self._left > 0:
            self._left -= 1
        elif self._left == 0 or (self._left == "fault" and entry and entry.fault):
            self._left = 0
            self._ask()

    def _ask(self) -> None:
        while True:
            try:
                word = input(_PROMPT).strip().lower()
            except EOFError:
                click.echo()
                word = "g"
            match word:
                case "":
                    return
                case "g":
                    self._left = "end"
                    return
                case "f":
                    self._left = "fault"
                    return
                case "q":
                    raise RunError("the match was stopped before its end.")
                case _ if word.isascii() and word.isdecimal() and int(word[:9]) > 0:
                    self._left = int(word[:9]) - 1
                    return
            click.echo(
                f"{safe(word)!r} does nothing here: press Enter, or type a number, f, g or q."
            )


class Pauses:
    """Pauses in which the bots are frozen, and which no seat pays for."""

    def __init__(self, processes: Iterable[BotProcess], pause: Pause) -> None:
        self._processes = list(processes)
        self._pause = pause
        self._since = 0.0
        self._before: list[float] = []  # by answer, how long the pauses before it were

    def __call__(self, entry: Entry | None) -> None:
        """Freeze the bots, which are thawed when they are asked, and pause."""
        for process in self._processes:
            process.freeze()
        began = time.monotonic()
        self._pause(entry)
        self._since += time.monotonic() - began

    def over(self) -> None:
        """Take note that somebody is asked now."""
        self._before.append(self._since)
        self._since = 0.0

    def taken_from(self, evidence: Evidence) -> Evidence:
        """Return the evidence with the pauses taken from the referee's own times."""
        pauses = iter(self._before)
        lag = [
            max(0, lag - int(next(pauses, 0.0) * 1e6)) if wall else lag
            for lag, wall in zip(evidence.lag, evidence.wall, strict=True)
        ]
        return msgspec.structs.replace(evidence, lag=lag)

    @property
    def seconds(self) -> float:
        """How long all pauses were."""
        return sum(self._before) + self._since


def entry_lines(game: Game, entry: Entry, names: Sequence[str]) -> Iterator[str]:
    """Yield one decision in words, and the fault it stands in for."""
    width = screen_width()
    first, *rest = fold(safe(move_line(game, entry, names)), width - len(_FURTHER))
    yield first
    yield from (_FURTHER + part for part in rest)
    if entry.fault is not None:
        end = "; it forfeits the match" if entry.fault.forfeit else ""
        text = f"FAULT: {entry.fault.kind}: {entry.fault.reason}{end}"
        yield from folded(text, "  ", width)


def _echo(lines: Iterable[str], *, err: bool = False) -> None:
    for line in lines:
        click.echo(line, err=err)
