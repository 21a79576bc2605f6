"""The loop of a bot, for authors: copy this file beside your program, nothing else is needed.

A bot is a function from a decision to a move. This one plays every game::

    import kit

    def choose(ask):
        return ask.rng.choice(ask.legal or ask.samples)

    kit.run(choose)

`ask.decision` names what is asked, `ask.view` is all that your seat may know. `ask.legal` lists
the legal moves; where there would be too many it is empty, `ask.limits` holds what is needed to
make one, and `ask.samples` a few of them at random: as many as `kit.run(choose, samples=4)` says.
`arena games GAME --rules` shows what a bot sees, `--schema` its moves.

Set `ask.note` to keep a few words with the match. `print` goes to standard error, which is kept
too. An exception ends the bot, with its traceback there.

One process plays many matches. `ask.memory` is a dictionary that begins empty in each of them,
and `ask.rng` begins anew from the match's seed. A bot that keeps to these two, instead of global
variables and the clock, plays every match the same however often it is repeated.

Where the league grants the bot a door, it asks elsewhere, while it is its turn::

    answer = kit.fetch("https://api.example.org/v1/chat/completions", {"model": "x", ...})
    print(answer.status, answer.headers, answer.text, answer.json())

A body that is no text and no bytes is sent as JSON. What is refused or fails is a kit.DoorError.
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


class DoorError(Exception):
    """A request that was refused or has failed; the text says why, and what to do."""


class Answer:
    """What a request was answered: the status of HTTP, headers by small letters, and the body."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        """Return the body read as JSON; raise ValueError if it is none."""
        return _decode(self.text)


def fetch(
    url: str, body: Any = None, headers: dict[str, str] | None = None, method: str | None = None
) -> Answer:
    """Ask `url` through the door and wait for the answer: by POST if there is a body, else by GET.

    Raises DoorError if there is no door, and for what is refused or fails.
    """
    if "ARENA_DOOR" not in os.environ:
        raise DoorError(
            "there is no door: whoever organizes a league grants one, with the names that a bot "
            "may ask"
        )
    _door.asked += 1
    request: dict[str, Any] = {"id": _door.asked, "url": url}
    if method is not None:
        request["method"] = method
    if isinstance(body, bytes):
        request["body64"] = _base64().b64encode(body).decode()
    elif isinstance(body, str):
        request["body"] = body
    elif body is not None:
        request["body"] = _encode(body)
        headers = {"content-type": "application/json", **(headers or {})}
    if headers:
        request["headers"] = headers
    reading, writing = map(int, os.environ["ARENA_DOOR"].split(","))
    try:
        left = memoryview((_encode(request) + "\n").encode())
        while left:
            left = left[os.write(writing, left) :]
        answer = _door.answer(reading)
    except OSError as error:
        raise DoorError(f"the door is closed: {error.strerror}") from None
    if "error" in answer:
        raise DoorError(answer["error"])
    if "body64" in answer:
        content = _base64().b64decode(answer["body64"])
    else:
        content = answer.get("body", "").encode()
    return Answer(answer["status"], answer.get("headers", {}), content)


class _Door:
    """How many requests there were, and what has come of an answer that is not yet whole."""

    def __init__(self) -> None:
        self.asked = 0
        self.unread = b""

    def answer(self, reading: int) -> dict[str, Any]:
        """Return the answer to the last request; those to earlier ones are for nobody."""
        while True:
            answer: dict[str, Any] = _decode(self.line(reading).decode())
            if answer["id"] == self.asked:
                return answer

    def line(self, reading: int) -> bytes:
        """Return the next line."""
        pieces = [self.unread]
        while b"\n" not in pieces[-1]:
            pieces.append(os.read(reading, 65536))
            if not pieces[-1]:
                raise DoorError("the door is closed: the referee has closed it")
        line, _, self.unread = b"".join(pieces).partition(b"\n")
        return line


def _base64() -> Any:
    """Return the module, which few bots need."""
    import base64

    return base64


_door = _Door()


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
