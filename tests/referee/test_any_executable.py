"""A bot may be any executable: a shell, a Node and a C program play whole matches, refereed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.game import Game
from referee.games.cold_war.game import ColdWar
from referee.sandbox import Program
from tests.referee.games_for_tests import dealt
from tests.referee.process_watch import gone
from tests.referee.table import Table, pid_of

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "bots" / "programs"
LANGUAGES = ("shell", "node", "c")
PATIENT = {"move_time": 5.0, "startup": 30.0}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The C program, compiled; tests that need it are skipped where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler (cc) here: that a C program can play is not tried")
    program = str(tmp_path_factory.mktemp("c") / "pass")
    subprocess.run([compiler, "-o", program, str(PROGRAMS / "pass.c")], check=True)
    return program


@pytest.fixture
def words(language: str, request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The command of a bot in a language; a skip where it cannot be run."""
    if language == "c":
        return (request.getfixturevalue("compiled"),)
    if language == "node" and shutil.which("node") is None:
        pytest.skip("there is no node here: that a Node program can play is not tried")
    return (str(PROGRAMS / {"shell": "pass.sh", "node": "pass.js"}[language]),)


def shipped(table: Table, name: str) -> Program:
    """Return the command of a bundled bot."""
    kit, program = ROOT / "bots" / "kit.py", next((ROOT / "bots").glob(f"*/{name}.py"))
    argv = (sys.executable, program.name)
    files = (kit.name, program.name)
    return Program(argv, str(program.parent), files, ((kit.name, str(kit)),))


def play(table: Table, game: Game, *programs: Program) -> None:
    """Play a match to the end of its rules, without any fault."""
    bots = [table.start(program, **PATIENT) for program in programs]
    played = table.play(game, bots, **PATIENT)
    faults = [(entry.seat, entry.fault) for entry in played.replay.entries if entry.fault]
    assert faults == []
    assert played.replay.reason == game.reason != ""
    assert played.replay.places == game.places()
    for bot in bots:
        bot.stop()
    assert gone(*map(pid_of, bots))


@pytest.mark.parametrize("talk", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_plays_cold_war(table: Table, words: tuple[str, ...], talk: bool) -> None:
    rest = [shipped(table, f"cold_war_{name}") for name in ("random", "echo", "sensible")]
    game = dealt(ColdWar, 4, max_rounds=20, talk=talk)
    play(table, game, Program(words, str(table.folder)), *rest)
