"""The door of every kit: a real bot in its sandbox, and a loop that answers in the referee's place.

What a kit for the shell gets, it leaves in JSON's spelling; all others read what they are sent.
"""

import base64
import json
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.league.bot import make_bot
from protocol.door import DoorAnswer, DoorRequest, read_request
from protocol.lines import LineBuffer, encode
from referee.games import GAMES
from referee.limits import Limits
from referee.sandbox import Child, Launcher
from tests.bots.template_cases import HERE, LANGUAGES, laid_out
from tests.bots.test_templates import ECHO, beginning, hello, home
from tests.referee.raw_programs import read_all
from tests.referee.sandbox.sandboxed import need

__all__ = ["home"]
SOURCES = Path(__file__).parent / "doors"
URL = "https://api.example.org/v1/chat/completions?a=b"
READING = [name for name in HERE if name != "shell"]
every_language = pytest.mark.parametrize("language", HERE)
every_reader = pytest.mark.parametrize("language", READING)
NO_DOOR = (
    "there is no door: whoever organizes a league grants one, with the names that a bot may ask"
)


class Bot:
    """A bot that is asked, and whose requests are answered meanwhile."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.requests: list[DoorRequest] = []
        self.asked = 0
        self._lines = {end: LineBuffer(1 << 24) for end in (child.stdout, *(child.door or ())[:1])}
        os.set_blocking(child.stdin, True)
        self._tell(hello())
        assert json.loads(self._next([child.stdout])[1])["type"] == "ready"
        self._tell(beginning())

    def move(self, *answers: dict[str, Any] | None, **view: Any) -> Any:
        """Return its move to an ask; the answers are for its requests, None is to close the door.

        What an answer lacks is filled in: the id of its request, and a type of text.
        """
        self.asked += 1
        ask = {"type": "ask", "id": self.asked, "decision": "any", "view": {"url": URL, **view}}
        self._tell({**ask, "legal": [{}], "clock": {"move_time": 1.0, "bank": 0.0}})
        left = list(answers)
        while True:
            end, line = self._next([*self._lines])
            if end == self.child.stdout:
                return json.loads(line)["move"]
            self.requests.append(read_request(line))
            self._answer(left.pop(0))

    def _answer(self, words: dict[str, Any] | None) -> None:
        assert self.child.door is not None
        reads, writes = self.child.door
        if words is None:
            os.close(writes)
            os.close(reads)
            del self._lines[reads]
            self.child.door = None
            return
        number = self.requests[-1].id
        usual = {} if "error" in words else {"status": 200, "headers": {"content-type": "text"}}
        answer = msgspec.convert({"id": number, **usual, **words}, DoorAnswer)
        os.set_blocking(writes, True)
        data = encode(answer)
        while data:
            data = data[os.write(writes, data) :]

    def _tell(self, message: Any) -> None:
        data = encode(message)
        while data:
            data = data[self._sent(data) :]

    def _sent(self, data: bytes) -> int:
        return os.write(self.child.stdin, data[:60000])

    def _next(self, ends: list[int]) -> tuple[int, bytes]:
        """Return the next line with the end that it came from."""
        while True:
            for end in ends:
                if (line := self._lines[end].pop()) is not None:
                    return end, line
            ready, _, _ = select.select(ends, [], [], 20)
            assert ready, "nothing came"
            for end in ready:
                piece = os.read(end, 1 << 16)
                assert piece, read_all(self.child.stderr)
                self._lines[end].push(piece)


@contextmanager
def started(language: str, home: Path, *, door: bool = True) -> Iterator[Bot]:
    """Start a bot of this language behind Landlock."""
    need("landlock")
    kind = LANGUAGES[language]
    source = (SOURCES / kind.bot).read_text()
    made = laid_out(language, home / f"door-{language}", GAMES[ECHO], source)
    bot = make_bot(language, made.folder, kind.command, kind.files or ["."])
    memory = 4096 if language in ("go", "javascript", "java") else 512
    names = ("POST https://api.example.org/v1",) if door else ()
    with Launcher("landlock") as launcher:
        child = launcher.start(bot.program, Limits(memory_mb=memory, door=names))
        yield Bot(child)
        launcher.stop(child)


@every_language
def test_a_kit_asks_through_the_door(language: str, home: Path) -> None:
    with started(language, home) as bot:
        body = 'a "quoted" \\ text,\nwith lines'
        first = bot.move({"status": 503, "body": "text"}, body=body)
        second = bot.move({"body": "more"})
    assert (first["status"], second["status"]) == (503, 200)
    asked, again = bot.requests
    assert (asked.url, asked.method, asked.body) == (URL, None, body)
    assert (again.url, again.method, again.body) == (URL, None, None)
    assert again.id > asked.id
    if language == "shell":
        assert (first["body"], second["body"]) == ("text", "more")
        assert asked.headers == {"content-type": "text/plain"}
    else:
        assert first == {"status": 503, "size": 4, "kind": "text"}
        assert asked.headers == {"x-one": 'a "b"'}


@every_language
def test_a_kit_says_why_a_request_was_refused(language: str, home: Path) -> None:
    why = 'b.example.org is not among the names that this bot may ask: "a" ä.'
    with started(language, home) as bot:
        assert bot.move({"error": why}) == {"error": why}
        assert bot.move({"body": "x"})["status"] == 200


@every_language
def test_a_kit_says_that_there_is_no_door(language: str, home: Path) -> None:
    with started(language, home, door=False) as bot:
        assert bot.move() == {"error": NO_DOOR}


@pytest.mark.slow
@every_language
def test_a_kit_says_that_the_door_is_closed(language: str, home: Path) -> None:
    """It goes on: the bot may play without."""
    with started(language, home) as bot:
        for _ in range(2):
            said = bot.move(None)
            assert said["error"].startswith("the door is closed")


@pytest.mark.slow
@every_language
def test_an_answer_to_an_earlier_request_is_dropped(language: str, home: Path) -> None:
    with started(language, home) as bot:
        bot.move({"body": "one"})
        assert bot.child.door is not None
        os.write(bot.child.door[1], encode(DoorAnswer(id=bot.requests[0].id, error="late")))
        assert bot.move({"body": "two"})["status"] == 200


@pytest.mark.slow
@every_reader
def test_a_kit_reads_long_bodies_of_any_bytes(language: str, home: Path) -> None:
    raw = bytes(range(256)) * 1000
    long = json.dumps({"says": "ä€😀" * 40_000, "more": "x"})
    json_ = {"headers": {"content-type": "application/json"}, "body": long}
    with started(language, home) as bot:
        coded = bot.move({"body64": base64.b64encode(raw).decode()}, body="ö" * 100_000)
        assert coded == {"status": 200, "size": len(raw), "kind": "text"}
        assert bot.requests[0].body == "ö" * 100_000
        said = bot.move(json_)
        assert said["says"] == "ä€😀" * 40_000
        assert said["size"] == len(long.encode())


def test_the_kit_for_python_sends_json_and_bytes(home: Path) -> None:
    with started("python", home) as bot:
        bot.move({"body": "x"}, body={"model": "x"})
        bot.move({"body": "x"}, body=[1])
    one, two = bot.requests
    assert (one.body, two.body) == ('{"model":"x"}', "[1]")
    assert one.headers == {"content-type": "application/json", "x-one": 'a "b"'}
