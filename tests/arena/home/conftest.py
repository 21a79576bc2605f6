"""A bot at home, `arena connect` as a real process, and a league's side for it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.conftest import ROOT
from tests.arena.home.league_side import TOKEN, Served, served
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

_QUICK = (
    "from arena.home import line, session\n"
    "line.FIRST_PAUSE, line.LONGEST_PAUSE = 0.01, 0.2\n"
    "line.SILENCE_SECONDS = session.SILENCE_SECONDS = {silence}\n"
    "from arena.__main__ import run\n"
    "run()\n"
)


class Home:
    """`arena connect` as a process, with what it says."""

    def __init__(self, *words: object, silence: float, token: str = TOKEN) -> None:
        code = _QUICK.format(silence=silence)
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "connect", *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**os.environ, "ARENA_TOKEN": token},
            start_new_session=True,
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            self._lines.extend(iter(stream.readline, ""))

    @property
    def said(self) -> str:
        return "".join(self._lines)

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
        self._reader.join()
        assert "Traceback" not in self.said
        return self.said

    def bots(self) -> list[int]:
        session = str(self.process.pid)
        found = []
        for pid in process_watch.processes():
            fields = process_watch.fields(pid)
            words = process_watch.command_line(pid)
            if fields and fields[0] not in "ZX" and "bot.py" in words and fields[3] != session:
                found.append(pid)
        return [pid for pid in found if self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        while pid > 1 and pid != self.process.pid:
            fields = process_watch.fields(pid)
            if not fields:
                return False
            pid = int(fields[1])
        return pid == self.process.pid

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join()


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

    def close(self) -> None:
        for each in self._all:
            each.close()


@pytest.fixture
def homes(tmp_path: Path, league: Served) -> Iterator[Homes]:
    made = Homes(tmp_path, league)
    yield made
    made.close()
