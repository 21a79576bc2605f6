"""A table for real processes: start bots by a word, and play a match between them."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from referee.limits import Limits
from referee.match.evidence import Played
from referee.match.match import Match, Watch, starts
from referee.match.seat import ProcessSeat, Seat
from referee.match.seat import play_match as drive
from referee.rules.game import Game
from referee.sandbox import PYTHON, Launcher, Program
from referee.turn.bot_process import BotProcess
from referee.turn.starting import start_bot

_ANSWERS = """
import json, os, sys, threading, time
BEGIN
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        hello = message
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "ask":
        THINK
        answer = {"id": message["id"], "move": {"take": 1}}
        print(json.dumps({**answer, "note": NOTE}), flush=True)
"""
_BUSY = "import os\nos.setsid()\nwhile True: pass"
NAUGHTY = Path(__file__).parents[2] / "bots" / "naughty"


class Table:
    """Where bots are started and play, each with limits of its own making."""

    def __init__(self, launcher: Launcher, folder: Path, sandbox: str = "none") -> None:
        self.launcher = launcher
        self.folder = folder
        self.sandbox: Any = sandbox
        self._running: list[BotProcess] = []

    def naughty(self, name: str, *arguments: object) -> Program:
        """Return the command of a fixture among the bots."""
        words = (sys.executable, "-S", str(NAUGHTY / f"{name}.py"), *map(str, arguments))
        return Program(words, str(self.folder))

    def python(self, text: str) -> Program:
        """Return a program of Python that may import the fixtures' common part, `polite`."""
        source = f"import sys; sys.path.insert(0, {str(NAUGHTY)!r})\n{dedent(text)}"
        return Program((sys.executable, "-S", "-c", source), str(self.folder))

    def sandboxed(self, text: str, *arguments: str, **limits: Any) -> BotProcess:
        """Start a program of Python in a sandbox, which can import nothing of ours."""
        folder = Path(tempfile.mkdtemp(prefix="arena-test-", dir=self.folder))
        (folder / "bot.py").write_text(text)
        return self.start(
            Program((PYTHON, "bot.py", *arguments), str(folder), ("bot.py",)), **limits
        )

    def start(self, program: Program | str, *arguments: object, **limits: Any) -> BotProcess:
        """Start a program or a naughty fixture, and wait until it is ready."""
        if isinstance(program, str):
            program = self.naughty(program, *arguments)
        process = start_bot(
            self.launcher, program, Limits(sandbox=self.sandbox, **limits), "bot", self._running
        )
        self._running.append(process)
        return process

    def play(
        self,
        game: Game,
        holders: Sequence[BotProcess | Seat],
        watch: Watch | None = None,
        **limits: Any,
    ) -> Played:
        """Play a match."""
        allowed = Limits(sandbox=self.sandbox, **limits)
        seats = [
            ProcessSeat(holder) if isinstance(holder, BotProcess) else holder for holder in holders
        ]
        told = starts(game, "m", allowed.time_control, range(len(seats)))
        return drive(Match(game, allowed.faults_allowed, watch=watch), seats, told)

    def close(self) -> None:
        """Stop what was started."""
        for process in self._running:
            process.stop()


@contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Keep this process, and what it starts meanwhile, on so many cores, as a worker does."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def on_one_core() -> AbstractContextManager[None]:
    """Keep this process, and what it starts meanwhile, on one core."""
    return on_cores(1)


def answering(think: str, note: str = "''", begin: str = "") -> str:
    """Return a bot, of Python alone, that does something as it begins and at each ask."""
    text = _ANSWERS.replace("NOTE", note).replace("BEGIN", dedent(begin))
    return text.replace("THINK", indent(dedent(think).strip(), " " * 8).strip())


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep our cores busy by so many processes, each with a session and a share of its own."""
    running = [subprocess.Popen([sys.executable, "-S", "-c", _BUSY]) for _ in range(loops)]
    time.sleep(0.2)
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def pid_of(process: BotProcess) -> int:
    """Return the pid of a bot."""
    return process._child.pid
