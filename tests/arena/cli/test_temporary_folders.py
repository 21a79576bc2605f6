"""Commands whose temporary folder is full, cannot run programs, or is none: no bot is charged."""

import errno
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest

from arena.league.finding import BUNDLED
from referee.sandbox import MachineError
from referee.sandbox.temporary import room_for
from tests.arena.conftest import ARENA, ROOT, Arena, League
from tests.faults.workshop import small_disk
from tests.referee.sandbox.sandboxed import need

SCRIPT = "#!/bin/sh\nexec /usr/bin/python3 bot.py\n"
LEAGUE = 'game = "guerra"\nseed = 1\ndeals = 1\n\n[limits]\nsandbox = "landlock"\n'
STARTERS = (
    "run league",
    "check scripted --game guerra",
    "play guerra ./scripted random",
    "compare ./scripted random --game guerra --deals 1",
    "show match.json --feed ./scripted --seat 0",
)
"""The commands that run bots, `demo` and `doctor` aside, which tells all it finds."""


@pytest.fixture
def desk(league: League, public: Path, arena: Arena) -> Path:
    """A folder with a bot that is a program, a league of it, a match, and a temporary folder."""
    need("landlock")
    bot = league.home / "scripted"
    bot.mkdir()
    for name in ("kit.py", "guerra/guerra_random.py"):
        shutil.copy(BUNDLED / name, bot)
    shutil.copy(BUNDLED / "guerra" / "guerra_random.py", bot / "bot.py")
    (bot / "bot").write_text(SCRIPT)
    (bot / "bot").chmod(0o755)
    (bot / "bot.toml").write_text('command = ["./bot"]\n')
    scripted = '\n[[bot]]\nname = "a"\nfolder = "../scripted"\n'
    league.write(f'{LEAGUE}{scripted}\n[[bot]]\nname = "b"\nshipped = "random"\n')
    match = "play guerra random random --option max_turns=5 --sandbox none --save"
    assert arena(*match.split(), league.home / "match.json").exit_code == 0
    (public / "tmp").mkdir(mode=0o777)
    return league.home


def call(folder: Path, line: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder."""
    return subprocess.run(
        [*ARENA, *line.split()],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | settings,
        timeout=120,
    )


def refused(desk: Path, line: str, temporary: Path, told: str) -> None:
    """Run a command that must name the temporary folder, and neither a bot nor a line of ours."""
    if line.startswith("show"):  # the match was without a sandbox, and so would the feeding be
        text = (desk / "match.json").read_text()
        (desk / "match.json").write_text(text.replace('"sandbox":"none"', '"sandbox":"landlock"'))
    done = call(desk, line, TMPDIR=str(temporary))
    assert done.returncode == 1, done.stderr
    assert told in done.stderr
    assert done.stderr.count("arena: ") == 1
    assert "Traceback" not in done.stderr
    assert "suspended" not in done.stderr
    if line == "run league":
        with closing(sqlite3.connect(desk / "league" / "league.db")) as db:
            assert db.execute("SELECT count(*) FROM match").fetchone() == (0,)


def fill(disk: Path) -> None:
    """Leave no room at all."""
    with (disk / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass


def starters(*more: str) -> list[object]:
    """Return the commands; what `play` shows of some is shown of more by the slow ones."""
    lines = (line for line in (*STARTERS, *more) if not line.startswith("play"))
    play = next(line for line in STARTERS if line.startswith("play"))
    return [play, *(pytest.param(line, marks=pytest.mark.slow) for line in lines)]


@pytest.mark.parametrize("line", starters("demo"))
def test_a_full_one_is_named_with_what_to_do(desk: Path, public: Path, line: str) -> None:
    with small_disk(public / "tmp", 64):
        fill(public / "tmp")
        refused(desk, line, public / "tmp", "No space left on device. Free some space there")


@pytest.mark.slow
def test_a_league_that_nothing_is_missing_in_needs_none(desk: Path, public: Path) -> None:
    assert call(desk, "run league").returncode == 0
    done = call(desk, "run league", TMPDIR=str(public / "gone"))
    assert (done.returncode, done.stderr.count("Nothing is missing")) == (0, 1), done.stderr


@pytest.mark.slow
def test_a_comparison_may_have_another(desk: Path, public: Path) -> None:
    """Its league is made there, which for a league of one's own would be no advice."""
    with small_disk(public / "tmp", 64):
        fill(public / "tmp")
        line = "compare random sensible --game guerra --deals 1"
        done = call(desk, line, TMPDIR=str(public / "tmp"))
    assert done.returncode == 1
    assert done.stderr.endswith("Or set TMPDIR to another folder.\n")


@pytest.mark.parametrize("line", starters())  # but for the demo, whose bots are no programs
def test_one_without_programs_is_named_before_a_bot_is(desk: Path, public: Path, line: str) -> None:
    with small_disk(public / "tmp", 4096, "noexec"):
        refused(desk, line, public / "tmp", "is mounted noexec: programs may not be executed")


@pytest.mark.parametrize("line", starters("demo"))
def test_one_that_is_not_there_is_not_replaced_by_another(
    desk: Path, public: Path, line: str
) -> None:
    refused(desk, line, public / "gone", f"TMPDIR={public}/gone is not there. Set TMPDIR to")


@pytest.mark.slow
def test_bots_that_an_interpreter_runs_play_from_one_without_programs(
    desk: Path, public: Path
) -> None:
    with small_disk(public / "tmp", 4096, "noexec"):
        done = call(desk, "play guerra random sensible", TMPDIR=str(public / "tmp"))
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("flag", "told"), [("noexec", "is mounted noexec"), ("ro", "be written")])
def test_doctor_tells_it_of_each_sandbox(desk: Path, public: Path, flag: str, told: str) -> None:
    with small_disk(public / "tmp", 4096, flag):
        done = call(desk, "doctor ./scripted --format csv", TMPDIR=str(public / "tmp"))
    assert (done.returncode, done.stderr) == (0, "")
    assert told in done.stdout
    assert "sandbox none,works" in done.stdout


def test_only_a_full_disk_asks_for_space(tmp_path: Path) -> None:
    for number, asks in ((errno.ENOSPC, True), (errno.EDQUOT, True), (errno.ENOENT, False)):
        with (
            pytest.raises(MachineError, match="TMPDIR to another folder") as raised,
            room_for("nothing can be put in", str(tmp_path)),
        ):
            raise OSError(number, "for a test")
        assert ("Free some space" in str(raised.value)) == asks
