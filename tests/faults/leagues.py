"""Small leagues of deterministic bots: made, played by whoever is to, and all that they say."""

import fcntl
import json
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.league.finding import BUNDLED, KIT
from arena.store.rows import deal_name
from arena.store.under_way import MatchesUnderWay
from referee.sandbox import SANDBOXES
from tests.arena.conftest import League
from tests.attacks.users import USER_ID, sandboxes_of, users
from tests.faults.workshop import Workshop
from tests.referee import process_watch
from tests.referee.process_watch import state

PATIENCE = 10.0
"""Seconds within which all of a killed run must be gone."""

GAMES = {
    "guerra": (("ada", "bob", "cyd"), 8, "options.max_turns = 8"),
    "cold_war": (("ada", "bob", "cyd", "dan"), 12, "options.max_rounds = 8"),
}
"""Bots, deals, and how the game is shortened: 48 matches each."""

_HEAD = """\
game = "{game}"
seed = 6
deals = {deals}
{options}
limits = {{ sandbox = "{sandbox}", move_time = {move_time}, startup = 60.0, pace = "{pace}" }}
"""
_BOT = """\
import time, kit, {game}_random
kit.run({game}_random.choose, on_start=lambda match: time.sleep({pause}))
"""
_ASKING_BOT = """\
import json, time, kit, {game}_random
def choose(ask):
    text = json.dumps({{"move": {game}_random.choose(ask)}})
    said = {{"model": "model-x", "messages": [{{"role": "user", "content": text}}]}}
    answer = kit.fetch("{url}/v1/chat/completions", said).json()
    text = answer["choices"][0]["message"]["content"]
    return json.loads(text.split("```json\\n")[1].split("\\n```")[0])["move"]
kit.run(choose, on_start=lambda match: time.sleep({pause}))
"""
"""A bot that has a provider repeat what it plays."""
_DOOR = """
[door]
allow = ["{asked}"]
keys = {{ "{url}" = "CHAT_KEY" }}
requests_per_minute = 100000
prices = {{ model-x = {{ input = 2.5, output = 10.0 }} }}
"""
_FILES = {"league.db", "league.db-journal", "league.toml"}
_AGED = 3600.0  # seconds; a stage this old and without an owner is swept by the next run


_WAYS: tuple[tuple[Literal["fast", "slow"], Literal["", "door"]], ...] = (
    ("fast", ""),
    ("fast", ""),
    ("slow", ""),
    ("slow", "door"),
)


class Arrangement(NamedTuple):
    """What is played, in which sandbox, as whom, and whether its matches are gone on with."""

    game: str
    sandbox: str
    user: str
    pace: Literal["fast", "slow"] = "fast"
    door: Literal["", "door"] = ""
    """Whether a bot asks a provider for each of its moves."""

    def __str__(self) -> str:
        return "-".join(filter(None, self))


def arrangements() -> list[Arrangement]:
    """Return all that this machine's user can try, those that differ most first to each other."""
    every = [
        (sandbox, user)
        for sandbox in SANDBOXES
        for user in users()
        if sandbox in sandboxes_of(user)
    ]
    games = list(GAMES)
    return [
        Arrangement(games[(number + turn) % 2], sandbox, user, *how)
        for turn, how in enumerate(_WAYS)
        for number, (sandbox, user) in enumerate(every)
    ]


def one_for_each_sandbox() -> list[Arrangement]:
    """Return an arrangement of each, in which both games and all users occur."""
    every = [each for each in arrangements() if each.pace == "fast"]
    by_sandbox = [[each for each in every if each.sandbox == name] for name in SANDBOXES]
    tried = [of_one for of_one in by_sandbox if of_one]
    return [of_one[number % len(of_one)] for number, of_one in enumerate(tried)]


@dataclass(frozen=True)
class Evidence:
    """All that a finished league says, byte for byte."""

    rank: str
    matches: str
    replays: dict[str, bytes]
    """By match id."""


def is_locked(folder: Path) -> bool:
    """Return whether somebody holds the lock on a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


class FaultyLeague(League):
    """A league whose commands are run by a given user, with temporary files of their own."""

    def __init__(self, workshop: Workshop, arrangement: Arrangement) -> None:
        super().__init__(workshop.home(str(arrangement)))
        self.scratch = self.home / "tmp"
        self.scratch.mkdir()
        self.swept_late = 0
        """Scratch folders that were left to the next run."""
        self.token = workshop.token
        self.arrangement = arrangement
        self._workshop = workshop
        self._earned: dict[str, float] = {}
        self._who = workshop.runs_as(arrangement.user)
        self._python = workshop.python(arrangement.user)

    def fill(self, arrangement: Arrangement, *, pause: float = 0.02, move_time: float = 10) -> None:
        """Write the league, with its bots; a match takes no less than `pause` seconds."""
        names, deals, options = GAMES[arrangement.game]
        entries = [self._entry(arrangement.game, name, pause) for name in names[:-1]]
        door = ""
        if arrangement.door:
            provider = self._workshop.provider
            provider.forget()
            self._earned = provider.count
            door = _DOOR.format(asked=provider.asked, url=provider.url)
            asking = _ASKING_BOT.format(game=arrangement.game, pause=pause, url=provider.url)
            (self.home / names[0] / "bot.py").write_text(asking)
            shutil.copy(KIT, self.home / names[0])  # which can ask
            entries[0] += f'door = ["{provider.asked}"]\n'
        native = self._workshop.native_bot
        if native is None:
            entries.append(self._entry(arrangement.game, names[-1], pause))
        else:
            (self.home / names[-1]).mkdir()
            shutil.copy(native, self.home / names[-1])
            entries.append(self._words(names[-1], f"./{native.name}"))
        facts = {"deals": deals, "options": options, "move_time": move_time}
        head = _HEAD.format(**facts, **arrangement._asdict())
        self.write(head + door + "".join(entries))
        self.give_away()

    def give_away(self) -> None:
        """Let everything belong to who runs the arena."""
        if self._who:
            for here, _, files in os.walk(self.home):
                for path in (here, *(f"{here}/{name}" for name in files)):
                    os.chown(path, USER_ID, USER_ID)

    def _entry(self, game: str, name: str, pause: float) -> str:
        folder = self.home / name
        folder.mkdir()
        for helper in ("templates/python/kit.py", f"{game}/{game}_random.py"):
            shutil.copy(BUNDLED / helper, folder)
        (folder / "bot.py").write_text(_BOT.format(game=game, pause=pause))
        return self._words(name, "{python}", "bot.py")

    def _words(self, name: str, *command: str) -> str:
        words = ", ".join(f'"{word}"' for word in (*command, self.token))
        return (
            f'\n[[bot]]\nname = "{name}"\nfolder = "../{name}"\ncommand = [{words}]\n'
            f'files = ["."]\n'
        )

    def start(
        self, *words: str, module: str = "arena", before: Sequence[str] = (), **settings: Any
    ) -> "subprocess.Popen[str]":
        """Start a command on the league, in a session of its own."""
        environment = self._workshop.environment(self.home) | settings.pop("env", {})
        process = subprocess.Popen(
            [*before, self._python, "-m", module, words[0], str(self.folder), *words[1:]],
            text=True,
            cwd=self.home,
            env=environment,
            start_new_session=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **self._who, **settings},
        )
        self._sessions.append(process)
        return process

    def processes(self) -> dict[int, str]:
        """Return the command lines, by pid, of all that our commands started, bots included."""
        sessions = {process.pid for process in self._sessions}
        marks = (self.token, str(self.home))
        parents: dict[int, int] = {}
        words: dict[int, str] = {}
        ours: set[int] = set()
        for pid in process_watch.processes():
            fields = process_watch.fields(pid)
            if not fields or fields[0] in "ZX":
                continue
            parents[pid], words[pid] = int(fields[1]), process_watch.command_line(pid)
            marked = any(mark in words[pid] for mark in marks)
            if int(fields[3]) in sessions or marked or self._is_home_of(pid):
                ours.add(pid)
        while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
            ours |= more
        return {pid: words[pid] for pid in sorted(ours)}

    def end(self, process: "subprocess.Popen[str]") -> "subprocess.CompletedProcess[str]":
        """Wait for a command that was started, however it ends."""
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def settle(self) -> None:
        """Fail unless nothing is left of the commands that have ended.

        A scratch folder may be left to the next run if nobody lived to remove it; it is aged,
        so that the next run must. So may a journal, which SQLite plays back.
        """
        self._wait_for_the_end()
        assert not is_locked(self.folder)
        assert {name for name in self.files() if not name.startswith("slow.db")} <= _FILES
        left = list(self.scratch.iterdir())
        assert all(path.name.startswith("arena-stage-") for path in left), left
        long_ago = time.time() - _AGED
        for path in left:
            os.utime(path, (long_ago, long_ago))
        self.swept_late += len(left)

    def _wait_for_the_end(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while left := self.processes():
            told = [f"{pid} {state(pid)} {words}" for pid, words in left.items()]
            assert time.monotonic() < deadline, "\n".join(["still there:", *told])
            time.sleep(0.01)

    def is_left_clean(self) -> bool:
        """Return whether after the last run nothing is left but the league's two files."""
        self.settle()
        left = ["slow.db"] * bool(self.arrangement.door)  # what was spent stays there
        is_clean = self.files() == ["league.db", "league.toml", *left]
        return is_clean and not any(self.scratch.iterdir())

    def paid_in_vain(self) -> int:
        """Return how many answers of the provider were paid for and are in no match.

        Fail unless bots asked, and have spent what the provider has earned.
        """
        if not self.arrangement.door:
            return 0
        exported = CliRunner().invoke(main, ["export", str(self.folder)], catch_exceptions=False)
        rows = map(json.loads, exported.output.splitlines()[1:])
        kept = sum(len(row["evidence"].get("exchanges", ())) for row in rows)
        assert kept
        with MatchesUnderWay(self.folder) as under_way:
            spent = sum(under_way.spent().values())
        earned = {
            name: count - self._earned[name]
            for name, count in self._workshop.provider.count.items()
        }
        assert spent == pytest.approx(earned["cost"])
        return round(earned["completions"]) - kept

    def await_writing(self, seconds: float) -> None:
        """Wait, busily and no longer than that, until the database is being written."""
        deadline = time.monotonic() + seconds
        while not (self.folder / "league.db-journal").exists() and time.monotonic() < deadline:
            pass

    def copy_database(self, target: Path) -> Path:
        """Copy the database, with its journal if it is being written, as a power cut leaves it."""
        target.mkdir()
        for name in ("league.db", "league.db-journal"):
            if (self.folder / name).exists():
                shutil.copy(self.folder / name, target)
        return target / "league.db"

    def kept(self) -> dict[str, bytes]:
        """Return the replays that are stored; what a run has left is looked at in a copy."""
        copy = self.home / "copy"
        try:
            return replays(self.copy_database(copy))
        finally:
            shutil.rmtree(copy)

    def evidence(self) -> Evidence:
        """Return all that the league says."""
        return Evidence(self.rank(), self.say("matches", "--most", "0"), self.kept())

    def told(self, match: str) -> str:
        """Return what `arena show` tells of a match."""
        return CliRunner().invoke(main, ["show", str(self.folder), match]).output

    def say(self, command: str, *words: str) -> str:
        """Return what a command prints as JSON."""
        line = [command, str(self.folder), *words, "--format", "json"]
        result = CliRunner().invoke(main, line, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout


def replays(database: Path) -> dict[str, bytes]:
    """Return the stored replays by match id; fail unless the database is whole."""
    if not database.exists():
        return {}
    with closing(sqlite3.connect(database)) as db:
        assert _all(db, "PRAGMA integrity_check") == [("ok",)]
        assert _all(db, "PRAGMA foreign_key_check") == []
        if not _all(db, "SELECT 1 FROM sqlite_schema WHERE name = 'match'"):
            return {}
        rows = _all(
            db,
            "SELECT name, rotation, replay FROM match JOIN deal ON deal.id = match.deal "
            "LEFT JOIN record ON record.id = match.record",
        )
        (records,) = _all(db, "SELECT count(*) FROM record")[0]
    found = {f"{deal_name(name)}-{rotation}": replay for name, rotation, replay in rows}
    assert len(found) == len(rows) == records, "a match without a record, or the other way round"
    return found


def _all(db: sqlite3.Connection, statement: str) -> list[Any]:
    return db.execute(statement).fetchall()
