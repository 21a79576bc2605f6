"""A table for programs: plays whole matches without a clock, over pipes or in this process."""

import json
import os
import select
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from arena.league.finding import bundled_bot
from referee.games import GAMES
from referee.rules.chance import Chance
from referee.rules.game import Game, plain
from tests.arena.inline import function_of

BOTS = Path(__file__).parents[2] / "bots"
KIT = BOTS / "templates" / "python"
"""The folder of the kit."""
NAUGHTY = BOTS / "naughty"
CLOCK = {"judge": "cpu", "move_time": 1.0, "bank": 0.0, "increment": 0.0}

Message = dict[str, Any]


def shipped(game: str = "*") -> list[Path]:
    """Return the files of the bundled bots, of one game or of all."""
    names = GAMES if game == "*" else [game]
    return sorted(path for name in names for path in (BOTS / name).glob("*.py"))


def bundled(name: str) -> Path:
    """Return the file of a bundled bot, which is called by its game and its name."""
    return next(BOTS.glob(f"*/{name}.py"))


def python(path: Path, *arguments: object) -> list[str]:
    """Return the command that runs a Python program."""
    return [sys.executable, str(path), *map(str, arguments)]


class Program:
    """A bot's process."""

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed on exit
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": str(KIT)},  # the kit is not beside a bundled bot
        )
        self._unread = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            assert stream
            stream.close()

    def tell(self, message: Message) -> None:
        """Send one message."""
        assert self.process.stdin
        line = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        self.process.stdin.write(line.encode() + b"\n")

    def read(self, seconds: float) -> bytes:
        """Return what comes next, a piece of any length; empty at the end of the output."""
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise TimeoutError(f"nothing within {seconds} s")
        return os.read(self.process.stdout.fileno(), 65536)

    def hear(self, seconds: float = 10.0) -> Any:
        """Return the next line, decoded."""
        while b"\n" not in self._unread:
            piece = self.read(seconds)
            if not piece:
                raise EOFError(self.errors())
            self._unread += piece
        line, self._unread = self._unread.split(b"\n", 1)
        return json.loads(line)

    def greet(self) -> None:
        """Say hello and wait until the program is ready."""
        self.tell({"type": "hello", "protocol": 1, "name": "test"})
        assert self.hear()["type"] == "ready"

    def leave(self, seconds: float = 10.0) -> int:
        """End the input; return the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(seconds)

    def errors(self) -> str:
        """Return all that was written to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode()


class Called:
    """A bundled bot of a game that is called in this process, and hears what its own would."""

    def __init__(self, game: str, name: str) -> None:
        bot = bundled_bot(game, name)
        assert bot is not None
        answering = function_of(bot.program)
        assert answering is not None
        self._answering = answering
        self._said: deque[bytes] = deque()

    def tell(self, message: Message) -> None:
        """Send one message."""
        if line := self._answering(msgspec.json.decode(msgspec.json.encode(message))):
            self._said.append(line)

    def hear(self) -> Any:
        """Return the next line, decoded."""
        return json.loads(self._said.popleft())


def called(game: str, *names: str) -> list[Called]:
    """Return bundled bots of a game, by their names in it."""
    return [Called(game, name) for name in names]


def start_of(game: Game, seat: int) -> Message:
    """Return what a seat is told at the beginning."""
    return {
        "type": "start",
        "match": "3f9a-0",
        "game": game.name,
        "seat": seat,
        "seats": game.seats,
        "options": msgspec.to_builtins(game.options),
        "table": game.table(),
        "clock": CLOCK,
        "seed": 7,
    }


def decided(name: str, game: Game) -> Any:
    """Return what a bundled bot does where a game stands, asked for the first time; it is legal."""
    (seat,) = game.deciders()
    (bot,) = called(game.name, name)
    bot.tell(start_of(game, seat))
    bot.tell(ask_of(game, seat, 1))
    move = bot.hear()["move"]
    assert game.refusal(seat, move) is None
    return move


def ask_of(game: Game, seat: int, number: int) -> Message:
    """Return what a seat is asked now."""
    decision = game.decision(seat)
    message = {"type": "ask", "id": number, "decision": decision.name}
    message["view"] = plain(game.view(seat))
    lists = {"legal": decision.legal, "limits": decision.limits}
    message |= {key: value for key, value in lists.items() if value is not None}
    return message | {"clock": {"move_time": 1.0, "bank": 0.0}}


Transcript = list[tuple[Message, Any]]
"""What one seat was told, each message with the reply it got, None where none is due."""


class Match:
    """One match between programs; any illegal move is a failure."""

    def __init__(
        self, game: str, programs: Sequence[Program | Called], seed: int, **options: Any
    ) -> None:
        settings = msgspec.convert(options, GAMES[game].options_type)
        self.programs = programs
        self.game: Game = GAMES[game](
            seats=len(programs), options=settings, chance=Chance(f"deal {seed}")
        )
        self.seed = seed
        self.decisions = 0
        self.transcripts: list[Transcript] = [[] for _ in programs]

    def play(self) -> list[int]:
        """Play to the end; return the places."""
        game = self.game
        for seat in range(game.seats):
            self._tell(seat, self._start(seat))
        while seats := game.deciders():
            game.apply({seat: self._move(seat) for seat in seats})
        for seat in range(game.seats):
            self._tell(seat, {"type": "end", "places": game.places(), "reason": game.reason})
        return game.places()

    def _start(self, seat: int) -> Message:
        own = {"match": f"{self.seed:04x}-0", "seed": self.seed * 16 + seat}
        return start_of(self.game, seat) | own

    def _move(self, seat: int) -> Message:
        message = ask_of(self.game, seat, self.decisions)
        self._tell(seat, message)
        reply = self.programs[seat].hear()
        self.transcripts[seat][-1] = (message, reply)
        assert reply["id"] == self.decisions
        reason = self.game.refusal(seat, reply["move"])
        assert reason is None, f"{reply['move']}: {reason}"
        self.decisions += 1
        return dict(reply["move"])

    def _tell(self, seat: int, message: Message) -> None:
        self.programs[seat].tell(message)
        self.transcripts[seat].append((message, None))


def replay(program: Program | Called, transcript: Transcript) -> list[Any]:
    """Tell a program what was told before; return its replies."""
    replies = []
    for message, reply in transcript:
        program.tell(message)
        replies.append(program.hear() if reply is not None else None)
    return replies
