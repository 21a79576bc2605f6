"""Leagues on disk, bots beside them, and the commands that are run on them."""

import fcntl
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Browser, sync_playwright

from arena.cli import main
from arena.league.finding import BUNDLED
from arena.store.opening import read_league
from arena.store.rows import StoredMatch
from arena.store.store import Store
from referee.match.replay import Replay
from tests.arena.inline import inline_runs
from tests.referee import process_watch
from tests.referee.process_watch import until

ROOT = Path(__file__).parents[2]
ARENA = (sys.executable, "-m", "arena")
NOBODY = 65534

TWO_BOTS = """
[[bot]]
name = "one"
shipped = "random"

[[bot]]
name = "two"
shipped = "rusher"
"""

STEADY = """
import time, kit, guerra_random
kit.run(guerra_random.choose, on_start=lambda match: time.sleep({pause}))
"""
"""A bot that plays at random, a match in no less than `pause` seconds."""


def naughty(name: str) -> str:
    """Return the entry of a bot that misbehaves."""
    return (
        f'\n[[bot]]\nname = "{name}"\nfolder = "{ROOT / "bots" / "naughty"}"\n'
        f'command = ["{{python}}", "{name}.py"]\nfiles = ["{name}.py", "polite.py"]\n'
    )


PLAYED = f"""\
game = "guerra"
seed = 1
deals = 2

[options]
max_turns = 20

[limits]
sandbox = "none"
{TWO_BOTS}
[[bot]]
name = "illegal"
folder = "{BUNDLED / "naughty"}"
command = ["{{python}}", "illegal.py"]
files = ["illegal.py", "polite.py"]
"""
"""The league of the fixture `played`: two bundled bots, and one that makes faults."""


def matches_stored(league: Path) -> int:
    """Return how many matches the folder of a league holds, whoever is writing more of them.

    It takes a millisecond, where a command takes half a second: matches that are to be
    interrupted might be over.
    """
    database = league / "league.db"
    if not database.exists():
        return 0
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as db:
        if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'match'").fetchone():
            return 0
        return int(db.execute("SELECT count(*) FROM match").fetchone()[0])


class League:
    """A league in a folder of its own, with its bots' folders beside it."""

    is_inline = False
    """Whether commands are called in this process; else they are processes of their own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "league"
        self.folder.mkdir(parents=True)
        self._sessions: list[subprocess.Popen[str]] = []

    def write(self, text: str) -> None:
        """Write the file."""
        (self.folder / "league.toml").write_text(text)

    def bot(self, name: str, source: str) -> str:
        """Make a bot of a Python source that may import kit; return its entry in the file."""
        folder = self.home / name
        folder.mkdir()
        for helper in ("templates/python/kit.py", "guerra/guerra_random.py"):
            shutil.copy(BUNDLED / helper, folder)
        (folder / "bot.py").write_text(source)
        return (
            f'\n[[bot]]\nname = "{name}"\nfolder = "../{name}"\n'
            'command = ["{python}", "bot.py"]\n'
            'files = ["."]\n'
        )

    def start(self, *words: str, **settings: Any) -> "subprocess.Popen[str]":
        """Start a command on the league, such as `run`, in a session of its own."""
        process = subprocess.Popen(
            [*ARENA, words[0], str(self.folder), *words[1:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
            **settings,
        )
        self._sessions.append(process)
        return process

    def call(
        self, *words: str, code: int = 0, **settings: Any
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command on the league to its end, which must be with exit code `code`."""
        if self.is_inline:
            assert not settings, "a command in this process has no settings of its own"
            return self._called([words[0], str(self.folder), *words[1:]], code)
        process = self.start(*words, **settings)
        return self.finish(process, code)

    @staticmethod
    def _called(words: list[str], code: int) -> "subprocess.CompletedProcess[str]":
        result = CliRunner().invoke(main, words, catch_exceptions=False)
        assert result.exit_code == code, f"exit code {result.exit_code}\n{result.output}"
        return subprocess.CompletedProcess(words, code, result.stdout, result.stderr)

    def finish(
        self, process: "subprocess.Popen[str]", code: int = 0
    ) -> "subprocess.CompletedProcess[str]":
        """Wait for a command that was started; it must end with exit code `code`."""
        out, err = process.communicate(timeout=60)
        assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(process.args, code, out, err)

    def rank(self) -> str:
        """Return what `arena rank --by rating --format json` prints."""
        result = CliRunner().invoke(
            main,
            ["rank", str(self.folder), "--by", "rating", "--format", "json"],
            catch_exceptions=False,
        )
        assert result.exit_code == 0, result.output
        return result.stdout

    def stored(self) -> list[tuple[StoredMatch, Replay]]:
        """Return every match that is stored, with its replay."""
        with Store(read_league(self.folder).database) as store:
            return [(match, store.whole(match).replay) for match in store.matches()]

    def exported(self) -> list[dict[str, Any]]:
        """Return the matches that are stored, with all that is kept of them."""
        lines = self.call("export").stdout.splitlines()
        return [json.loads(line) for line in lines[1:]]

    def count(self) -> int:
        """Return how many matches are stored, whoever is writing more of them."""
        return matches_stored(self.folder)

    def files(self) -> list[str]:
        """Return the names in the league's folder."""
        return sorted(path.name for path in self.folder.iterdir())

    def processes(self) -> dict[int, str]:
        """Return the command lines, by pid, of all processes that our commands started.

        Arena, workers and fork servers stay in the session of the command; bots leave it, but
        work in their folder.
        """
        sessions = {process.pid for process in self._sessions}
        found = {}
        for pid in process_watch.processes():
            fields = process_watch.fields(pid)
            if not fields or fields[0] in "ZX":
                continue
            if int(fields[3]) in sessions or self._is_home_of(pid):
                found[pid] = process_watch.command_line(pid)
        return found

    def _is_home_of(self, pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(self.home.resolve())
        except OSError:
            return False

    def workers(self) -> list[int]:
        """Return the pids of the workers."""
        return [pid for pid, words in self.processes().items() if "spawn_main" in words]

    def is_left_clean(self) -> bool:
        """Wait until no process is left; return whether the folder holds what it should."""
        until(lambda: not self.processes(), 5)
        return self.files() == ["league.db", "league.toml"]

    def close(self) -> None:
        """End whatever a failed test left running."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for process in self._sessions:
            process.communicate(timeout=10)


@pytest.fixture
def inline() -> Iterator[None]:
    """Play leagues in this process: for tests whose subject is not a process."""
    with inline_runs():
        yield


@pytest.fixture
def league(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[League]:
    """An empty league folder; with the fixture `inline`, commands are called in this process."""
    made = League(tmp_path)
    made.is_inline = "inline" in request.fixturenames
    yield made
    made.close()


Once = Callable[[str, Callable[[Path], None]], Path]
"""Makes a folder by a name, and returns it; whoever asks for the name again gets the same one."""


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Make what many tests read once for all processes of the suite; it is not to be changed."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder = shared / f"once-{name}"
        with (shared / f"once-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished = Path(tempfile.mkdtemp(dir=shared))
                fill(unfinished)
                unfinished.rename(folder)
        return folder

    return make


def play_shared(folder: Path) -> None:
    """Play the league of the fixture `played`, which other processes read too."""
    league = League(folder)
    league.is_inline = True
    league.write(PLAYED)
    with inline_runs():
        league.call("run", "--workers", "1")  # so that rows have the same numbers each time


@pytest.fixture(scope="session")
def played(once: Once) -> Path:
    """The folder of a league that was played; not to be changed."""
    return once("played", play_shared) / "league"


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    """A copy of the played league, to be changed."""
    return shutil.copytree(played, tmp_path / "copy")


Arena = Callable[..., Result]
"""How commands are called: with their words, and perhaps `env` and what is `typed`."""


@pytest.fixture
def arena() -> Arena:
    """Call a command inside this process; a traceback is the test's failure."""

    def call(
        *words: object, env: Mapping[str, str] | None = None, typed: str | None = None
    ) -> Result:
        runner = CliRunner(env=env)
        return runner.invoke(main, list(map(str, words)), input=typed, catch_exceptions=False)

    return call


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user may read: unlike `tmp_path`, whose parents are its owner's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Be somebody to whom the modes of files apply, also when the tests run as root."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if me == 0:
            os.seteuid(me)


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Let this process write no file beyond a size, as a full disk would not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def lazy_bot(league: League) -> str:
    """Make a bot whose process starts once and never again; return its entry in the file."""
    gone = league.home / "gone"
    return league.bot(
        "lazy",
        f"""
import os, sys, kit, guerra_random
if os.path.exists({str(gone)!r}):
    sys.exit("no book")
open({str(gone)!r}, "w").close()
kit.run(guerra_random.choose)
""",
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a screen."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("PAGES ARE NOT TESTED HERE: chromium is not installed")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=quiet)
        yield chromium
        chromium.close()
