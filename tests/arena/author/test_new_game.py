"""A game that was added as docs/write-a-game.md says, and with it nothing more."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.conftest import ROOT

PAGE = ROOT / "docs" / "write-a-game.md"
LINE = '    {\n        "nim": "referee.games.nim.game:Nim",\n'
BOT = "import random, kit\nkit.run(lambda ask: random.choice(ask.legal))\n"

pytestmark = pytest.mark.slow
"""As every command is a process: it imports another copy of the project."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the game of the page, and a league of it that was played."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("protocol", "referee", "arena", "bots"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    source = re.search(r"```python\n(\"\"\"Nim: .*?)```", PAGE.read_text(), re.DOTALL)
    assert source is not None
    (folder / "referee" / "games" / "nim").mkdir()
    (folder / "referee" / "games" / "nim" / "__init__.py").touch()
    (folder / "referee" / "games" / "nim" / "game.py").write_text(source[1])
    listed = folder / "referee" / "games" / "__init__.py"
    listed.write_text(listed.read_text().replace("    {\n", LINE, 1))
    for name in ("ann", "bob"):
        (folder / name).mkdir()
        shutil.copy(ROOT / "bots" / "kit.py", folder / name)
        (folder / name / "bot.py").write_text(BOT)
        (folder / name / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    for words in ("init cup --game nim ./ann ./bob --deals 2 --sandbox none", "run cup"):
        done = call(folder, *words.split())
        assert done.returncode == 0, done.stderr
    return folder


def call(folder: Path, *words: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a command of the copy."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        input=typed,
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        timeout=60,
    )


def test_a_game_without_a_rules_page_is_told_and_the_page_missed(project: Path) -> None:
    done = call(project, "games", "nim")
    assert (done.returncode, done.stderr) == (0, "")
    assert "A heap of matches" in done.stdout
    page = project / "referee" / "games" / "nim" / "rules.md"
    assert f"nim has no rules page: its author wrote no {page}." in done.stdout
    done = call(project, "games", "nim", "--rules")
    assert done.returncode == 2
    assert done.stderr == f"arena: nim has no rules page: its author wrote no {page}.\n"
    words = ("play", "nim", "human", "human", "--seed", "1")
    done = call(project, *words, typed="rules\n" + "random\n" * 40)
    assert "nim has no rules page" in done.stdout
    assert done.returncode == 0, done.stderr


def test_a_bot_is_begun_for_it_and_is_fit_to_play(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    done = call(project, "new", str(folder), "--game", "nim", "--lang", "python")
    assert done.returncode == 0, done.stderr
    assert 'if ask.decision == "take":' in (folder / "bot.py").read_text()
    readme = (folder / "README.md").read_text()
    assert "Nobody has written down ideas" in readme
    assert "worked example" not in readme
    assert "arena init ../cup --game nim . random\n" in readme
    done = call(project, "check", str(folder), "--game", "nim")
    assert "mine is fit to play nim." in done.stdout, done.stdout + done.stderr


def test_the_word_random_means_a_bot_that_plays_it(project: Path) -> None:
    done = call(project, "bots", "nim", "--format", "json")
    (bot,) = json.loads(done.stdout)["bots"]
    assert (bot["game"], bot["bot"]) == ("nim", "random")
    done = call(project, "bots", "nim", "--show", "random")
    assert done.stdout == (project / "bots" / "any" / "any_random.py").read_text()
    done = call(project, "play", "nim", "random", "random", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert call(project, "play", "nim", "random", "random", "--seed", "1").stdout == done.stdout
    words = ["init", "lots", "--game", "nim", "random", "./ann", "./bob", "--deals", "2"]
    assert call(project, *words).returncode == 0
    done = call(project, "run", "lots")
    assert "0 faults" in done.stderr, done.stderr
    assert call(project, "verify", "lots").returncode == 0


def test_a_league_without_a_board_of_its_own_has_a_page(project: Path) -> None:
    done = call(project, "report", "cup", "-o", "cup.html")
    assert (done.returncode, "matches" in done.stderr) == (0, True), done.stderr
    assert (project / "cup.html").stat().st_size > 10_000
