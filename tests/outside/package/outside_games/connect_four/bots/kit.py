"""The loop of a bot, for authors: copy this file beside your program, nothing else is needed.

A bot is a function from a decision to a move. This one plays every game::

    import kit

    def choose(ask):
        return ask.rng.choice(ask.legal or ask.samples)

    kit.run(choose)

`ask.decision` names what is asked, `ask.view` is all that your seat may know. `ask.legal` lists
the legal moves; where there would be too many it is empty, `ask.limits` holds what is needed to
make one, and `ask.samples` a few of them at random: as many as `kit.run(choose, samples=4)` says.
`arena games GAME --rules` shows what a bot sees, `arena schema GAME` its moves.

Set `ask.note` to keep a few words with the match. `print` goes to standard error, which is kept
too. An exception ends the bot, with its traceback there.

One process plays many matches. `ask.memory` is a dictionary that begins empty in each of them,
and `ask.rng` begins anew from the match's seed. A bot that keeps to these two, instead of global
variables and the clock, plays every match the same however often it is repeated.
"""

from __future__ import annotations

import json
import os
import random
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # not imported when a bot runs: it would start 3 ms later
    from collections.abc import Callable
    from typing import Any

    Move = dict[str, Any]
else:
    Move = dict

_encode = json.JSONEncoder(separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


class Match:
    """What holds for a whole match."""

    __slots__ = ("clock", "game", "memory", "options", "rng", "seat", "seats", "seed", "table")

    def __init__(self, start: dict[str, Any]) -> None:
        self.game: str = start["game"]
        self.seat: int = start["seat"]
        self.seats: int = start["seats"]
        self.options: dict[str, Any] = start.get("options", {})
        self.table: dict[str, Any] = start.get("table", {})
        self.clock: dict[str, Any] = start.get("clock", {})
        self.seed: int = start.get("seed", 0)
        self.rng = random.Random(self.seed)
        self.memory: dict[str, Any] = {}


class Ask:
    """One decision asked of the bot, with the facts of its match at hand."""

    __slots__ = (
        *("clock", "decision", "legal", "limits", "match", "memory", "note", "rng", "samples"),
        "view",
    )

    def __init__(self, match: Match, message: dict[str, Any]) -> None:
        self.match = match
        self.rng = match.rng
        self.memory = match.memory
        self.decision: str = message["decision"]
        self.view: dict[str, Any] = message["view"]
        self.legal: list[Move] = message.get("legal") or []
        self.limits: dict[str, Any] = message.get("limits") or {}
        self.samples: list[Move] = message.get("samples") or []
        self.clock: dict[str, Any] = message.get("clock") or {}
        self.note = ""

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.match.game

    @property
    def seat(self) -> int:
        """The bot's own seat, from 0."""
        return self.match.seat

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return self.match.seats

    @property
    def options(self) -> dict[str, Any]:
        """The game's options in this match."""
        return self.match.options

    @property
    def table(self) -> dict[str, Any]:
        """The constants of the game."""
        return self.match.table

    @property
    def seed(self) -> int:
        """The seed that `rng` began from."""
        return self.match.seed


def run(
    choose: Callable[[Ask], Move],
    on_start: Callable[[Match], None] | None = None,
    on_end: Callable[[Match, dict[str, Any]], None] | None = None,
    samples: int = 4,
) -> None:
    """Play until the input ends; `on_end` receives the `end` message with the places.

    It may run as late as the next match's beginning, or not at all if there is none.
    """
    wire = _take_stdout() if _wire is None else _wire
    match = Match({"game": "", "seat": 0, "seats": 0})
    for line in sys.stdin.buffer:
        message = _decode(line.decode())
        kind = message["type"]
        if kind == "ask":
            _send(wire, _answer(choose, Ask(match, message), message["id"]))
        elif kind == "start":
            match = Match(message)
            if on_start:
                on_start(match)
        elif kind == "end":
            if on_end:
                on_end(match, message)
        elif kind == "hello":
            _send(wire, {"type": "ready", "samples": samples})


def _take_stdout() -> int:
    """Keep the pipe to the referee for replies alone; all else printed goes to standard error."""
    wire = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return wire


def _is_piped() -> bool:
    """Return whether this is a bot between two pipes, whose every word is taken for a reply."""
    try:
        return all(stat.S_ISFIFO(os.fstat(end).st_mode) for end in (0, 1))
    except OSError:
        return False


def _answer(choose: Callable[[Ask], Move], ask: Ask, number: int) -> dict[str, Any]:
    reply: dict[str, Any] = {"id": number, "move": choose(ask)}
    if ask.note:
        reply["note"] = str(ask.note)
    return reply


def _send(wire: int, message: dict[str, Any]) -> None:
    os.write(wire, (_encode(message) + "\n").encode())


_wire = _take_stdout() if _is_piped() else None
