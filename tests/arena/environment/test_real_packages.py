"""Packages as they are on PyPI: numpy and onnxruntime, fetched once, in each sandbox."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.arena.conftest import Arena
from tests.arena.environment.conftest import bot
from tests.referee.sandbox.sandboxed import need

PLAYS = {
    "numpy": "import kit, numpy\nkit.run(lambda ask: (ask.legal or ask.samples)"
    "[int(numpy.argmin(numpy.arange(3)))])\n",
    "onnxruntime": "import kit, onnxruntime\nassert onnxruntime.get_available_providers()\n"
    "kit.run(lambda ask: (ask.legal or ask.samples)[0])\n",
}


@cache
def unreachable() -> str:
    """Say why the package index cannot be reached; nothing if it can."""
    words = [sys.executable, "-m", "pip", "index", "versions", "--quiet", "packaging"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


@pytest.mark.slow
@pytest.mark.parametrize("package", PLAYS)
def test_a_bot_plays_with_a_package_of_the_index(package: str, public: Path, arena: Arena) -> None:
    if why := unreachable():
        pytest.skip(f"PACKAGES OF THE INDEX ARE NOT TESTED HERE: {why}")
    folder = bot(public / "mine", f"{package}\n")
    (folder / "bot.py").write_text(PLAYS[package])
    done = arena("env", "build", folder, "--fetch")
    assert done.exit_code == 0, done.output
    for sandbox in ("landlock", "bwrap"):
        need(sandbox)
        words = ("--game", "war", "--seats", 2, "--seconds", 3, "--sandbox", sandbox)
        result = arena("check", folder, *words)
        assert result.exit_code == 0, result.output
