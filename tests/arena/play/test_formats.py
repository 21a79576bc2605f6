"""Leagues of every format, played by one worker or two, in parts, and killed on the way."""

import json
import shutil
import signal
import subprocess
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import main
from tests.arena.conftest import ARENA, ROOT, matches_stored
from tests.arena.inline import inline_runs
from tests.referee.process_watch import until

BOTS = ("one=random", "two=sensible", "three=rusher", "four=random", "five=turtle")
FORMATS = {
    "round-robin": ["--deals", "3"],
    "share": ["--deals", "8", "--share", "0.4"],
    "first": ["--deals", "6", "--matches", "45"],
    "even": ["--matches-per-bot", "18"],
    "gauntlet": ["--tournament", "gauntlet", "--deals", "5"],
    "two challengers": [
        *("--tournament", "gauntlet", "--deals", "3"),
        *("--tournament-option", "challengers=two,five"),
    ],
    "swiss": ["--tournament", "swiss", "--deals", "6"],
    "knockout": ["--tournament", "knockout", "--deals", "4"],
    "settled": ["--tournament", "settled", "--deals", "3", "--tournament-option", "goal=order"],
    "double elimination": ["--tournament", "double-elimination", "--deals", "3"],
}

_MOST_ROUNDS = 20


def arena(*words: object) -> str:
    """Call a command inside this process: many are needed between the runs, which are processes."""
    done = CliRunner().invoke(main, list(map(str, words)), catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def run(folder: Path, *words: object) -> str:
    """Play a league by a process of its own, whose sets and hashes have another order each time."""
    command = [*ARENA, "run", str(folder), *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def made(folder: Path, name: str) -> Path:
    arena(
        *("init", folder, *BOTS, "--game", "guerra", "--seed", "a seed of some length"),
        *("--sandbox", "none", *FORMATS[name]),
    )
    return folder


def table(folder: Path) -> Any:
    return json.loads(arena("rank", folder, "--format", "json"))


def matches(folder: Path) -> set[str]:
    found = set()
    for line in arena("export", folder, "-").splitlines()[1:]:
        match = json.loads(line)
        for key in ("clock", "seconds", "played_at", "machine", "sandbox", "evidence"):
            del match[key]
        found.add(json.dumps(match))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_format_gives_the_same_bytes_whoever_plays_it(tmp_path: Path, name: str) -> None:
    whole = made(tmp_path / "whole", name)
    shown = json.loads(run(whole, "--workers", "2", "--format", "json"))
    assert shown["missing"] == 0
    alone = made(tmp_path / "alone", name)
    command = [*ARENA, "run", str(alone), "--workers", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=DEVNULL, stderr=DEVNULL) as struck:
        until(lambda: matches_stored(alone) > 3, 60)
        struck.send_signal(signal.SIGKILL)
    assert table(alone)["missing"] > 0
    run(alone, "--workers", "1")
    with inline_runs():
        together = played_in_parts(tmp_path, name)
    for told in (table, matches, rounds):
        assert told(whole) == told(alone) == told(together)
    assert "none differs" in arena("verify", together)


def played_in_parts(folder: Path, name: str) -> Path:
    """Have two machines play their parts of a league, and of each of its rounds."""
    parts = [made(folder / f"part {number}", name) for number in (1, 2)]
    for _ in range(_MOST_ROUNDS):
        for number, part in enumerate(parts, 1):
            arena("run", part, "--part", f"{number}/2", "--workers", "1")
            arena("export", "--force", part, folder / f"{number}.jsonl")
        arena("import", parts[0], folder / "2.jsonl")
        arena("import", parts[1], folder / "1.jsonl")
        one, other = map(table, parts)
        assert one == other
        if not one["missing"]:
            return parts[0]
    raise AssertionError("the rounds have no end")


def rounds(folder: Path) -> Any:
    return json.loads(arena("export", folder, "-").splitlines()[0]).get("rounds")


@pytest.mark.usefixtures("inline")
def test_results_of_a_gauntlet_make_no_league_as_nobody_says_who_challenges(tmp_path: Path) -> None:
    folder, new = made(tmp_path / "trial", "two challengers"), tmp_path / "new"
    arena("run", folder, "--part", "1/9")
    arena("export", folder, tmp_path / "trial.jsonl")
    words = ["import", str(new), str(tmp_path / "trial.jsonl")]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 2
    assert "do not say who the challengers of a gauntlet are" in done.stderr
    assert not new.exists()
    new.mkdir()
    shutil.copy(folder / "league.toml", new)
    arena(*words)
    assert table(new) == table(folder)
