"""A bot at home, `arena connect` as a real process, and a league's side for it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.arena.home.league_side import TOKEN, Served, served
from tests.arena.serve.serving import Running, family
from tests.referee import process_watch
from tests.referee.process_watch import until

BOT = """
import json, os, sys
seen = 0
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif told["type"] == "ask":
        seen += 1
        move = {"pid": os.getpid(), "seen": seen}
        print(json.dumps({"id": told["id"], "move": move}), flush=True)
"""
"""Answers each ask with its pid and how many it has seen."""

HELLO = json.dumps({"type": "hello", "protocol": 1, "name": "sage"})


def ask(number: int) -> str:
    return json.dumps({"type": "ask", "id": number})


def start(match: str) -> str:
    clock = {"judge": "wall", "move_time": 1.0, "bank": 0.0, "increment": 0.0}
    told = {"game": "nim", "seat": 0, "seats": 2, "options": {}, "table": {}, "seed": 1}
    return json.dumps({"type": "start", "match": match, "clock": clock, **told})


def move(line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line)["move"]
    return found


_QUICK = (
    "from arena.home import line, session\n"
    "line.FIRST_PAUSE, line.LONGEST_PAUSE = 0.01, 0.2\n"
    "line.SILENCE_SECONDS = session.SILENCE_SECONDS = {silence}\n"
    "from arena.__main__ import run\n"
    "run()\n"
)


class Home(Running):
    """`arena connect` as a process, with what it says."""

    def __init__(self, *words: object, silence: float, token: str = TOKEN) -> None:
        code = _QUICK.format(silence=silence)
        super().__init__(
            [sys.executable, "-c", code, "connect", *words],
            errors=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "ARENA_TOKEN": token},
        )

    @property
    def said(self) -> str:
        return "".join(self.out)

    def until(self, words: str, seconds: float = 20) -> None:
        try:
            until(lambda: words in self.said or self.process.poll() is not None, seconds)
            assert words in self.said
        except AssertionError:
            raise AssertionError(f"{words!r} is not in {self.said!r}") from None

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self, code: int, seconds: float = 20) -> str:
        """Wait for its end, which must be with this exit code; return what it has said."""
        assert self.process.wait(timeout=seconds) == code, self.said
        for reader in self._readers:
            reader.join()
        assert "Traceback" not in self.said
        return self.said

    def bots(self) -> list[int]:
        session = str(self.process.pid)
        return [
            pid
            for pid in family(self.process.pid)
            if "bot.py" in process_watch.command_line(pid)
            and (fields := process_watch.fields(pid))
            and fields[0] not in "ZX"
            and fields[3] != session
        ]


@pytest.fixture
def league() -> Iterator[Served]:
    with served() as found:
        yield found


class Homes:
    def __init__(self, folder: Path, league: Served) -> None:
        self.folder = folder / "sage"
        self.folder.mkdir()
        self._league = league
        self._all: list[Home] = []
        self.write(BOT)

    def write(self, source: str) -> None:
        (self.folder / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
        (self.folder / "bot.py").write_text(source)

    def start(
        self, *words: object, sandbox: str = "none", silence: float = 15.0, url: str = ""
    ) -> Home:
        where = url or self._league.url
        found = Home(where, self.folder, "--sandbox", sandbox, *words, silence=silence)
        self._all.append(found)
        return found

    def connected(self, *words: object, **settings: object) -> Home:
        """Connect the bot, and wait until it is welcome."""
        found = self.start(*words, **settings)  # type: ignore[arg-type]
        found.until("Connected to cup as sage")
        return found

    def playing(self, *words: object, **settings: object) -> Home:
        """Connect the bot, and begin a match with it."""
        found = self.connected(*words, **settings)
        self._league.side.begin(1)
        self._league.side.asked(1, HELLO)
        return found

    def close(self) -> None:
        for each in self._all:
            each.close()


@pytest.fixture
def homes(tmp_path: Path, league: Served) -> Iterator[Homes]:
    made = Homes(tmp_path, league)
    yield made
    made.close()
