"""The intake as a process that a test reads, wakes, ends or kills; and what must hold after it."""

import json
import os
import select
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from arena.handin import entries
from arena.handin.database import FILE, HandIns
from arena.handin.people import Person
from arena.handin.submissions import Submission, all_of, get
from arena.handin.taking_in import Intake
from arena.league.file import read_asked
from tests.arena.handin.conftest import receive
from tests.referee.process_watch import children, gone, until

ROOT = Path(__file__).parents[3]
EVERY = 1 << 30  # more submissions than there are
PATIENCE = 30.0

GOOD = b"""\
import kit
kit.run(lambda ask: ask.rng.choice(ask.legal or ask.samples))
"""
"""A bot of one file that plays any game."""
UNFIT = b"raise SystemExit('no, thank you')\n"
NEXT = {
    "received": {"building", "replaced", "refused"},
    "building": {"checking", "received", "refused"},
    "checking": {"playing", "checked", "received", "refused"},
    "playing": {"replaced"},
    "checked": set[str](),
    "refused": set[str](),
    "replaced": set[str](),
}
"""The states that may follow each."""


class IntakeProcess:
    def __init__(self, league: Path, temporary: Path | None = None) -> None:
        self._said = league / "said"
        with self._said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena.handin.intake", league],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                cwd=ROOT,
                env={**os.environ, **({"TMPDIR": str(temporary)} if temporary else {})},
            )
        # Nothing else would end a test that waits for an event that does not come.
        self._timer = threading.Timer(PATIENCE, self.process.kill)
        self._timer.start()
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()

    def read_until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read events until one is as wanted; return that."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))
            if wanted(self.events[-1]):
                return self.events[-1]
        raise AssertionError(f"it ended after {self.events[-9:]}: {self._said.read_text()}")

    def read_for(self, seconds: float) -> None:
        assert self.process.stdout is not None
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.process.stdout], [], [], left)[0]:
                break
            os.read(self.process.stdout.fileno(), 1 << 16)

    def until_idle(self) -> None:
        self.read_until(lambda event: event["event"] == "idle")

    def wake(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write('{"wake": true}\n')
        self.process.stdin.flush()

    def kill(self) -> None:
        """Kill it, as a power cut would; all that it started must end by itself."""
        started = children(self.process.pid)
        self._timer.cancel()
        self.process.kill()
        self.process.communicate()
        until(lambda: gone(*started), PATIENCE)

    def end(self) -> str:
        """End its input; return what it said on standard error, once it has ended well."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None
        self.process.communicate(timeout=PATIENCE)
        said = self._said.read_text()
        assert self.process.returncode == 0, said
        return said


def hand_in(
    db: HandIns,
    author: Person,
    data: bytes = GOOD,
    filename: str = "bot.py",
    bot: str = "",
    *,
    only_check: bool = False,
) -> Submission:
    plan = read_asked(db.league, "read")
    return receive(db, plan, author, bot, data, filename, only_check=only_check)


def take_in(
    db: HandIns, one: Submission, note: Callable[[dict[str, Any]], None] = lambda _: None
) -> Submission:
    """Take in one submission, in this process; return what became of it."""
    with Intake(db.league, note) as intake:
        return intake.take_in(one.number)


def check_whole(db: HandIns) -> None:
    """Check that nothing is lost, stuck or doubled, after all was taken in."""
    league = db.league
    found = [get(db, one.number) for one in all_of(db, EVERY)]
    for one in found:
        states = [state for state, _ in one.history]
        assert states[0] == "received", one
        assert states[-1] == one.state, one
        assert one.state in ("playing", "checked", "refused", "replaced"), one
        assert all(after in NEXT[before] for before, after in pairwise(states))
        assert [at for _, at in one.history] == sorted(at for _, at in one.history)
        assert bool(one.reason) == (one.state not in ("playing", "checked")), one
    playing = {one.bot: one.folder for one in found if one.state == "playing"}
    assert len(playing) == sum(one.state == "playing" for one in found)
    entered = entries.folders(league)
    assert entered == playing, [each for each in found if each.folder in entered.values()]
    for folder in playing.values():
        assert (league / folder / "bot.toml").is_file()
    assert list(db.arrivals.iterdir()) == []
    sources = {
        str(path.parent.relative_to(league)) for path in league.rglob("handed-in/*/*/bot.toml")
    }
    assert sources == {one.folder for one in found if one.folder}
    assert [path.name for path in db.sources.iterdir() if path.name.startswith(".new-")] == []
    read_asked(league, "read")
    with closing(sqlite3.connect(league / FILE)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
