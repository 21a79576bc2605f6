"""`arena check-game`: steps as they are tried, the failing one in full, and JSON."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from referee.games import GAMES
from referee.testing import STEPS
from tests.arena.conftest import ROOT
from tests.referee.testing.faulty import Dies, LeakInView, Prints
from tests.referee.testing.heights import Heights


@pytest.fixture
def heights(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setitem(GAMES, "heights", Heights)
    return monkeypatch


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["check-game", *words], prog_name="arena")


def test_a_failing_step_is_told_in_full(heights: pytest.MonkeyPatch) -> None:
    heights.setitem(GAMES, "heights", LeakInView)
    result = run("heights", "--only", "hidden", "--only", "json")
    assert result.exit_code == 1
    assert "FAILED" in result.output
    assert "Where: seed 'conformance'" in result.output
    assert "\nHeights, turn " in result.output
    assert "Remedy: leave it out for this seat" in result.output
    assert "does not keep the contract of a game. Failed: hidden." in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())


@pytest.mark.slow
def test_no_file_is_executed_that_only_lies_beside_a_game(tmp_path: Path) -> None:
    """Python itself executes modules of some names as it starts, and so may a library's."""
    game = shutil.copy(ROOT / "tests" / "referee" / "testing" / "heights.py", tmp_path)
    for name in ("sitecustomize", "usercustomize", "pip", "json", "tests"):
        (tmp_path / f"{name}.py").write_text("open(__file__ + '.ran', 'w')\n")
    words = ["check-game", game, "--trust", "--only", "processes", "--only", "json"]
    arena = Path(sys.executable).with_name("arena")
    done = subprocess.run([arena, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.glob("*.ran"))


def test_a_program_that_is_older_than_its_source_is_named(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "referee" / "program" / "nim.py", tmp_path)
    (tmp_path / "game").write_text("#!/bin/sh\nexec python3 nim.py\n")
    (tmp_path / "game").chmod(0o755)
    (tmp_path / "game.toml").write_text('command = ["./game"]\n')
    (tmp_path / "game.cpp").touch()
    os.utime(tmp_path / "game.cpp", (0, 0))
    assert run(str(tmp_path), "--only", "ends-random").stderr == ""
    os.utime(tmp_path / "game.cpp")
    os.utime(tmp_path / "game", (0, 0))
    told = run(str(tmp_path), "--only", "ends-random")
    assert told.stderr == (
        "game.cpp is newer than the program that is played, game; build it first.\n"
    )
    assert told.exit_code == 0


@pytest.mark.slow
def test_a_game_that_ends_its_process_is_named_and_the_other_steps_are_tried(
    heights: pytest.MonkeyPatch,
) -> None:
    heights.setitem(GAMES, "heights", Dies)
    result = run("heights", "--only", "deciders", "--only", "text", "--only", "schemas")
    assert result.exit_code == 1
    words = " ".join(result.output.split())
    assert words.startswith("1 ok 0.0 s schemas: ")
    assert "the process in which the game was tried was killed by SIGSEGV" in words
    assert "faulty.py:" in words
    assert " in apply: os.kill(os.getpid(), signal.SIGSEGV)" in words
    assert "Where: seed 'conformance', 3 seats, rounds=3, after 3 decisions" in words
    assert "Failed: deciders, text." in words
    needed = run("heights", "--only", "ends-random", "--only", "text", "--format", "json")
    assert needed.exit_code == 1
    ends, text = json.loads(needed.output)["steps"]
    assert (ends["step"], ends["state"]) == ("ends-random", "failed")
    assert (text["step"], text["detail"]) == ("text", "step ends-random has to be mended first")


@pytest.mark.quick(1)
@pytest.mark.parametrize("steps", [("json", "schemas", "silent"), STEPS], ids=len)
def test_a_sound_game_passes_every_step_has_a_line_and_json_what_failed(
    heights: pytest.MonkeyPatch, steps: Collection[str]
) -> None:
    result = run("heights", *(word for step in steps for word in ("--only", step)))
    assert result.exit_code == 0, result.output
    for name in steps:
        assert f" s {name}: " in result.output
    assert f"heights keeps the contract of a game. {len(steps)} steps, 0 skipped" in result.output
    heights.setitem(GAMES, "heights", Prints)
    result = run("heights", "--only", "silent", "--only", "text", "--format", "json")
    told = json.loads(result.output)  # in which nothing is that the game prints
    assert (result.exit_code, told["ok"]) == (1, False)
    states = {step["step"]: step["state"] for step in told["steps"]}
    assert states == {"text": "ok", "silent": "failed"}
    assert told["steps"][1]["failure"]["position"]["seats"] in Heights.seat_counts
    for words, error in (
        (["heigths"], "there is no game 'heigths'. Did you mean 'heights'?"),
        (["heights", "--only", "hiden"], "there is no step 'hiden'. Did you mean 'hidden'?"),
        (["heights", "--seats", "9"], "heights is played by 2, 3 seats, not by 9."),
    ):
        result = run(*words)
        assert (result.exit_code, error in result.output) == (2, True)
