"""The page on training: its programs print what it shows, and what they train is a bot."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import referee
from arena.cli import main
from protocol.errors import ArenaError
from referee.all_moves import AllMoves
from referee.games import GAMES
from referee.options import new_game, read_options

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "learn.md").read_text(encoding="utf-8")
FIRST, THIEF, TRAIN, ZOO = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run(folder: Path, *command: str) -> str:
    """Run Python with the project at hand, as after an installation; return what it prints."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def arena(folder: Path, *words: str) -> str:
    """Run a command of the arena, its bots without a sandbox."""
    return run(folder, "-m", "arena", *words, "--sandbox", "none")


def shown(command: str) -> list[str]:
    """Return the lines that the page shows below a command."""
    return PAGE.partition(f"$ {command}\n")[2].partition("```")[0].splitlines()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sequence[str]]:
    """Return the folder of the thief, trained, and what the training printed."""
    folder = tmp_path_factory.mktemp("thief")
    shutil.copy(ROOT / "bots" / "kit.py", folder)
    (folder / "thief.py").write_text(THIEF)
    (folder / "thief.py").chmod(0o755)
    (folder / "train.py").write_text(TRAIN)
    return folder, run(folder, "train.py").splitlines()


def test_the_first_match_ends_as_shown(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(FIRST)
    output = PAGE.partition(FIRST)[2].partition("```\n\n```\n")[2].partition("```")[0]
    assert run(tmp_path, "first.py") == output


def test_the_training_prints_what_is_shown(trained: tuple[Path, Sequence[str]]) -> None:
    _, lines = trained
    assert lines == shown("python train.py")


def test_the_thief_beats_random_moves_by_far(trained: tuple[Path, Sequence[str]]) -> None:
    _, (before, after, *_) = trained
    assert float(after.split()[1]) > float(before.split()[1]) + 20


def test_the_trained_bot_plays_as_a_process(trained: tuple[Path, Sequence[str]]) -> None:
    folder, _ = trained
    said = arena(folder, *shown("chmod +x thief.py")[0].split()[2:], "--workers", "1")
    assert said.startswith("thief is better than random: ")


def test_the_example_of_pettingzoo_plays_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "zoo.py").write_text(ZOO)
    ends = run(tmp_path, "zoo.py").splitlines()
    assert [line.split()[0] for line in ends] == ["seat_0", "seat_1", "seat_2"]
    assert all("'place': " in line and "'reason': " in line for line in ends)


def test_it_names_the_games_that_pettingzoo_can_have() -> None:
    section = PAGE.partition("## PettingZoo\n")[2]
    named = {name.lower().replace(" ", "_") for name in re.findall(r"\*([A-Z][\w ]+)\*", section)}
    for name, kind in GAMES.items():
        game = new_game(kind, kind.seat_counts[0], read_options(kind, {}), "1")
        if name in named:
            assert len(AllMoves(game))
        else:
            with pytest.raises(ArenaError):
                AllMoves(game)


def test_it_names_the_functions_there_are() -> None:
    named = re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)
    assert {*named} <= {*referee.__all__}
    assert {*re.findall(r"from referee import (.*)", PAGE)[1].split(", ")} <= {*referee.__all__}


def test_it_names_only_commands_there_are() -> None:
    assert {*re.findall(r"(?:`|\$ )arena (\w+)", PAGE)} <= {*main.commands}


def test_it_can_be_read_in_a_terminal() -> None:
    assert all(len(line) <= 120 for line in PAGE.splitlines() if line[:1] != "|")
