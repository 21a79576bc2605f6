"""A bot may be any program: the protocol by hand in three languages, whole matches of each."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.bots.driver import BOTS, PROGRAMS, Match, bundled, python, seated


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the commands of the programs that can be tried here."""
    found = {"sh": ["sh", str(PROGRAMS / "pass.sh")]}
    if node := shutil.which("node"):
        found["node"] = [node, str(PROGRAMS / "pass.js")]
    if cc := shutil.which("cc"):
        program = tmp_path_factory.mktemp("c") / "pass"
        flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([cc, *flags, "-o", program, PROGRAMS / "pass.c"], check=True)
        found["cc"] = [str(program)]
    return found


@pytest.fixture
def command(commands: dict[str, list[str]], language: str) -> list[str]:
    if language not in commands:
        pytest.skip(f"no {language}: its program is not tried")
    return commands[language]


@pytest.mark.parametrize("talk", [False, True])
@pytest.mark.parametrize("language", ["sh", "cc", "node"])
def test_it_plays_cold_war(command: list[str], talk: bool) -> None:
    names = ("cold_war_random", "cold_war_random", "cold_war_sensible")
    with seated(command, *(python(bundled(name)) for name in names)) as programs:
        for seed in range(3):
            Match("cold_war", programs, seed, talk=talk).play()
        assert programs[0].leave() == 0


@pytest.mark.parametrize("language", ["cc", "node"])
def test_it_plays_guerra(command: list[str]) -> None:
    with seated(command, python(BOTS / "guerra" / "guerra_random.py")) as programs:
        for seed in range(3):
            Match("guerra", programs, seed).play()
            Match("guerra", programs[::-1], seed).play()
        assert programs[0].leave() == 0


@pytest.mark.parametrize("language", ["cc"])
def test_it_echoes_the_first_legal_move_whatever_it_holds(command: list[str]) -> None:
    legal = [{"say": 'a "}" and a \\', "deep": {"of": [{}]}}, {"say": "no"}]
    with seated(command) as (program,):
        program.tell({"type": "ask", "id": 12, "decision": "any", "view": {}, "legal": legal})
        assert program.hear() == {"id": 12, "move": legal[0]}


def test_the_scripts_can_be_started_by_themselves() -> None:
    for name in ("pass.sh", "pass.js"):
        assert Path(PROGRAMS / name).stat().st_mode & 0o111
