"""The golden playthroughs: what a game did once, it does again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.playthroughs.regenerate import PLAYTHROUGHS, transcript

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "referee" / "games"
COMMAND = ".venv/bin/python tests/playthroughs/regenerate.py"


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_game_is_played_as_recorded(name: str) -> None:
    path = PLAYTHROUGHS[name].file
    assert path.exists(), f"write it with `{COMMAND} {name}`"
    assert path.read_text(encoding="utf-8").splitlines() == transcript(name).splitlines(), (
        f"if the change is meant, run `{COMMAND} {name}`"
    )


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_playthrough_can_be_read(name: str) -> None:
    size = PLAYTHROUGHS[name].file.stat().st_size
    assert size < 300_000, "shorten it with an option, in its cases.toml"


def test_every_file_is_still_played() -> None:
    kept = set(GAMES.glob("*/playthroughs/*.txt"))
    assert kept == {match.file for match in PLAYTHROUGHS.values()}


def transcripts(hash_seed: str) -> bytes:
    """Return all playthroughs, made by a program that orders its sets by `hash_seed`."""
    script = "from tests.playthroughs.regenerate import *; print(*map(transcript, PLAYTHROUGHS))"
    return subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"},
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout


@pytest.mark.slow  # it starts an interpreter
def test_play_does_not_depend_on_the_order_of_sets() -> None:
    assert transcripts("1") == transcripts("2") != b""
