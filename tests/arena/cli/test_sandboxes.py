"""Sandboxes as they are met on the command line: by default, refused, told, and left behind."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path

import pytest

from arena.cli import main
from referee.sandbox import SANDBOXES
from referee.sandbox.cgroup import delegated
from referee.sandbox.errors import CgroupError
from referee.sandbox.kinds import LandlockSandbox
from tests.arena.conftest import Arena, League
from tests.arena.play.sandboxed_leagues import LEAGUE, OTHERS, TWO, WITHOUT, refused
from tests.referee.process_watch import until
from tests.referee.sandbox.sandboxed import SANDBOXED, need


@pytest.fixture(params=SANDBOXED)
def sandbox(request: pytest.FixtureRequest) -> str:
    """The name of each sandbox that protects; a loud skip where it cannot be had."""
    need(request.param)
    return str(request.param)


@pytest.fixture
def leaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the filter of system calls out of the default sandbox."""
    need("landlock")
    whole = LandlockSandbox.around
    monkeypatch.setattr(
        LandlockSandbox, "around", lambda *words: {**whole(*words), "seccomp": None}
    )


# Which sandbox


@pytest.mark.parametrize("command", ["init", "play", "demo"])
def test_landlock_is_the_default(command: str) -> None:
    (option,) = (each for each in main.commands[command].params if each.name == "sandbox")
    assert option.default == SANDBOXES[0] == "landlock"


def test_a_new_league_says_so_in_its_file(arena: Arena, tmp_path: Path) -> None:
    assert arena("init", tmp_path / "cup", "random", "rusher", "--game", "guerra").exit_code == 0
    assert 'sandbox = "landlock"' in (tmp_path / "cup" / "league.toml").read_text()


def test_a_league_that_names_none_is_played_in_landlock(arena: Arena, league: League) -> None:
    need("landlock")
    league.write(LEAGUE + TWO)
    assert arena("run", league.folder, "--workers", "1").exit_code == 0
    match = league.stored()[0][0].id
    shown = arena("show", league.folder, match).stdout
    assert re.search(r"Played .*, sandbox landlock \(ABI \d+\), \d", shown)


def test_a_match_tells_the_version_of_bwrap(arena: Arena, league: League) -> None:
    need("bwrap")
    league.write(f'{LEAGUE}limits.sandbox = "bwrap"\n{TWO}')
    assert arena("run", league.folder, "--workers", "1").exit_code == 0
    shown = arena("show", league.folder, league.stored()[0][0].id).stdout
    assert re.search(r"Played .*, sandbox bwrap \d+\.\d+\.\d+, \d", shown)


def test_no_sandbox_at_all_is_warned_of(arena: Arena, league: League) -> None:
    warning = "Warning: bots run unprotected (sandbox none): they can do whatever you can.\n"
    league.write(f'{LEAGUE}limits.sandbox = "none"\n{TWO}')
    assert warning in arena("run", league.folder, "--workers", "1").stderr
    words = ("play", "guerra", "random", "random", "--quiet", "--option", "max_turns=20")
    assert warning in arena(*words, "--sandbox", "none").stderr
    need("landlock")
    assert "Warning" not in arena(*words).stderr


# A run that is refused


@pytest.mark.usefixtures("leaking")
def test_a_wall_that_does_not_hold_refuses_a_run(arena: Arena, league: League) -> None:
    league.write(LEAGUE + TWO)
    failed = "sandbox: the self test failed: a sandboxed process could open a socket."
    refused(arena("run", league.folder), failed, "No match was played.", WITHOUT)
    assert league.count() == 0


@pytest.mark.usefixtures("leaking")
def test_the_sandbox_is_proved_before_every_run(
    arena: Arena, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a single match, and of the demo."""
    for words in (("play", "guerra", "random", "random"), ("demo", "--keep", tmp_path / "demo")):
        result = arena(*words)
        refused(result, "the self test failed")
        assert result.stdout == "", "what is refused has no title"


def test_a_sandbox_that_is_not_there_is_not_replaced_by_another(
    arena: Arena, league: League
) -> None:
    league.write(f'{LEAGUE}limits.sandbox = "bwrap"\n{TWO}')
    remedy = "Install bubblewrap 0.8 or newer (apt-get install bubblewrap)"
    result = arena("run", league.folder, env={"PATH": "/nowhere"})
    refused(result, "sandbox: bwrap not found. ", remedy, OTHERS, WITHOUT)
    assert league.count() == 0


def test_a_bwrap_that_is_too_old_is_refused(arena: Arena, league: League, tmp_path: Path) -> None:
    old = tmp_path / "bin" / "bwrap"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho bubblewrap 0.4.1\n")
    old.chmod(0o755)
    league.write(f'{LEAGUE}limits.sandbox = "bwrap"\n{TWO}')
    result = arena("run", league.folder, env={"PATH": str(old.parent)})
    refused(result, "bwrap 0.4 is too old. Install bubblewrap 0.8 or newer")


@pytest.mark.parametrize(
    ("words", "lacks"),
    [
        (("--sandbox", "bwrap"), "sandbox: bwrap not found. Install bubblewrap"),
        (("--sandbox", "none", "--limit", "cgroup=true"), "cgroup = true: "),
        (("--sandbox", "none"), ""),
    ],
)
def test_a_league_is_made_that_cannot_be_played_here_and_that_is_said(
    arena: Arena, tmp_path: Path, words: tuple[str, ...], lacks: str
) -> None:
    if "cgroup" in lacks:
        with suppress(CgroupError):
            pytest.skip(f"A LACK OF CGROUPS IS NOT TESTED HERE: {delegated()} is delegated")
    command = ("init", tmp_path / "cup", "random", "rusher", "--game", "guerra", *words)
    made = arena(*command, env={"PATH": "/nowhere"})
    assert made.exit_code == 0, made.stderr
    said = [line for line in made.stderr.splitlines() if "cannot be played here" in line]
    assert len(said) == bool(lacks)
    assert all(line.startswith(f"It cannot be played here: {lacks}") for line in said), said


# What is the same whatever the sandbox, and what is left


@pytest.mark.quick(1)
@pytest.mark.parametrize("game", ["guerra", "cold_war"])
def test_the_sandbox_changes_no_result(arena: Arena, tmp_path: Path, game: str) -> None:
    tables = {}
    for sandbox in SANDBOXES:
        if sandbox != "none":
            need(sandbox)
        folder = tmp_path / sandbox
        words = ("--game", game, "--seed", "7", "--deals", "1", "--sandbox", sandbox)
        bots = ("random", "sensible")
        seats = () if game == "guerra" else ("--seats", "4")
        more = () if game == "guerra" else ("echo", "again=random")
        generous = ("--limit", "move_time=10")
        assert arena("init", folder, *bots, *more, *words, *seats, *generous).exit_code == 0
        assert arena("run", folder).exit_code == 0
        tables[sandbox] = json.loads(arena("rank", folder, "--format", "json").stdout)
    assert tables["none"].pop("sandboxes").keys() == {"none"}
    assert tables["landlock"] == tables["none"]
    assert tables["bwrap"] == tables["none"]


TOKEN = "arena-test-{}"


def processes_with(word: str) -> list[int]:
    """Return the pids of the processes on whose command line a word stands."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if word.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


@pytest.fixture
def token(league: League) -> str:
    """A word on the command line of every bot of the league `slow`."""
    return TOKEN.format(f"{os.getpid()}-{league.home.name}")


@pytest.fixture
def temporary(public: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files of the commands that are started."""
    monkeypatch.setenv("TMPDIR", str(public))
    return public


def write_slow(league: League, sandbox: str, token: str, deals: int) -> None:
    """Write a league of bots that take a moment for each match."""
    source = "import time, kit, guerra_random\nkit.run(guerra_random.choose, {})\n"
    bots = ""
    for name in ("one", "two"):
        entry = league.bot(name, source.format("on_start=lambda match: time.sleep(0.1)"))
        bots += entry.replace('"bot.py"', f'"bot.py", "{token}"')
    top = LEAGUE.replace("deals = 1", f"deals = {deals}")
    league.write(f'{top}limits.sandbox = "{sandbox}"\n{bots}')


@pytest.mark.quick(1)
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_nothing_is_left_after_a_run(
    league: League, sandbox: str, token: str, temporary: Path
) -> None:
    if sandbox != "none":
        need(sandbox)
    write_slow(league, sandbox, token, 1)
    league.call("run")
    assert league.count() == 2
    assert processes_with(token) == []
    assert league.is_left_clean()
    assert list(temporary.iterdir()) == []


@pytest.mark.quick(1)
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_nothing_is_left_within_3_seconds_of_a_kill(
    league: League, sandbox: str, token: str, temporary: Path
) -> None:
    if sandbox != "none":
        need(sandbox)
    write_slow(league, sandbox, token, 500)
    runner = league.start("run")
    until(lambda: league.count() and processes_with(token), 30)
    runner.kill()
    until(lambda: not processes_with(token), 3)
    until(lambda: not league.processes(), 3)
    until(lambda: list(temporary.glob("*arena*")) == [], 3)


@pytest.mark.quick(1)
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_run_that_was_killed_is_completed(
    league: League, sandbox: str, token: str, temporary: Path
) -> None:
    if sandbox != "none":
        need(sandbox)
    write_slow(league, sandbox, token, 4)
    runner = league.start("run")
    until(league.count, 30)
    runner.kill()
    until(lambda: not processes_with(token), 3)
    league.call("run")
    assert league.count() == 8


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("play", "guerra", "random", "random"), "say it by --sandbox"),
        (("check", "random", "--game", "guerra"), "say it by --sandbox"),
        (("compare", "random", "rusher", "--game", "guerra"), "say it by --sandbox"),
        (("doctor",), "each one is tried"),
    ],
    ids=lambda words: words[0],
)
def test_a_sandbox_among_the_limits_is_not_passed_over(
    arena: Arena, words: tuple[str, ...], remedy: str
) -> None:
    told = arena(*words, "--limit", "sandbox=bwrap")
    assert told.exit_code == 2
    assert f"limit sandbox = bwrap: {remedy}." in " ".join(told.stderr.split())
