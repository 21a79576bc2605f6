"""Commands whose temporary folder is full, cannot run programs, or is none: no bot is charged."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.arena.conftest import ARENA, ROOT, Arena, League, matches_stored
from tests.faults.workshop import small_disk
from tests.referee.sandbox.sandboxed import need


@pytest.fixture
def desk(league: League, public: Path, arena: Arena) -> Path:
    """A folder with a bot that is a program, a league of it, a match, and a temporary folder."""
    need("landlock")
    scripted = league.bot("scripted", "import kit, guerra_random\nkit.run(guerra_random.choose)\n")
    program = league.home / "scripted" / "bot"
    program.write_text("#!/bin/sh\nexec /usr/bin/python3 bot.py\n")
    program.chmod(0o755)
    (league.home / "scripted" / "bot.toml").write_text('command = ["./bot"]\n')
    other = '\n[[bot]]\nname = "b"\nshipped = "random"\n'
    limits = '\n[limits]\nsandbox = "landlock"\n'
    entry = scripted.replace('"{python}", "bot.py"', '"./bot"')
    league.write(f'game = "guerra"\nseed = 1\ndeals = 1\n{limits}{entry}{other}')
    file = league.home / "match.json"
    match = "play guerra random random --option max_turns=5 --sandbox none --save"
    assert arena(*match.split(), file).exit_code == 0
    # the match was without a sandbox, and so would the feeding be
    file.write_text(file.read_text().replace('"sandbox":"none"', '"sandbox":"landlock"'))
    (public / "tmp").mkdir(mode=0o777)
    return league.home


def call(folder: Path, line: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | settings
    words = [*ARENA, *line.split()]
    return subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env=environment, timeout=120
    )


@contextmanager
def full(folder: Path) -> Iterator[str]:
    """Leave no room at all."""
    with small_disk(folder / "tmp", 64):
        with (folder / "tmp" / "filler").open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass
        yield str(folder / "tmp")


@contextmanager
def without_programs(folder: Path) -> Iterator[str]:
    with small_disk(folder / "tmp", 4096, "noexec"):
        yield str(folder / "tmp")


FULL = "No space left on device. Free some space there", full
NOEXEC = "is mounted noexec: programs may not be executed", without_programs
GONE = "/gone is not there. Set TMPDIR to", lambda public: nullcontext(f"{public}/gone")
STARTERS = [
    *(("play guerra ./scripted random", bad) for bad in (FULL, NOEXEC, GONE)),
    *(("run league", FULL), ("check scripted --game guerra", NOEXEC), ("demo", GONE)),
    ("compare ./scripted random --game guerra --deals 1", FULL),
    ("show match.json --feed ./scripted --seat 0", FULL),
]
"""The commands that run bots, but for `doctor`, which tells all it finds; and a bad folder."""


@pytest.mark.quick(3)
@pytest.mark.parametrize(("line", "bad"), STARTERS)
def test_a_bad_one_is_named_with_what_to_do_before_a_bot_is_and_not_replaced(
    desk: Path, public: Path, line: str, bad: tuple[str, Callable[[Path], Any]]
) -> None:
    says, made = bad
    with made(public) as temporary:
        done = call(desk, line, TMPDIR=temporary)
    assert done.returncode == 1, done.stderr
    assert says in done.stderr
    assert done.stderr.count("arena: ") == 1
    assert "Traceback" not in done.stderr
    assert "suspended" not in done.stderr
    assert line != "run league" or matches_stored(desk / "league") == 0
    if line.startswith("compare"):  # no advice for a league of one's own
        assert done.stderr.endswith("Or set TMPDIR to another folder.\n")


@pytest.mark.slow
def test_a_league_that_nothing_is_missing_in_needs_none(desk: Path, public: Path) -> None:
    assert call(desk, "run league").returncode == 0
    done = call(desk, "run league", TMPDIR=str(public / "gone"))
    assert (done.returncode, done.stderr.count("Nothing is missing")) == (0, 1), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("flag", "told"), [("noexec", "is mounted noexec"), ("ro", "be written")])
def test_doctor_tells_it_of_each_sandbox(desk: Path, public: Path, flag: str, told: str) -> None:
    with small_disk(public / "tmp", 4096, flag):
        done = call(desk, "doctor ./scripted --format csv", TMPDIR=str(public / "tmp"))
    assert (done.returncode, done.stderr) == (0, "")
    assert told in done.stdout
    assert "sandbox none,works" in done.stdout
