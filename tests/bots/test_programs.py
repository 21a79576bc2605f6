"""A bot may be any program: the protocol by hand in three languages, whole matches of each."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.bots.driver import BOTS, PROGRAMS, Match, bundled, python, seated


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> str:
    cc = shutil.which("cc")
    if not cc:
        pytest.skip("no C compiler: pass.c is not tried")
    program = tmp_path_factory.mktemp("c") / "pass"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([cc, *flags, "-o", program, PROGRAMS / "pass.c"], check=True)
    return str(program)


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if not found:
        pytest.skip("no node: pass.js is not tried")
    return found


def cold_war(command: list[str], *, talk: bool) -> None:
    names = ("cold_war_random", "cold_war_random", "cold_war_sensible")
    others = [python(bundled(name)) for name in names]
    with seated(command, *others) as programs:
        for seed in range(3):
            Match("cold_war", programs, seed, talk=talk).play()
        assert programs[0].leave() == 0


def guerra(command: list[str]) -> None:
    with seated(command, python(BOTS / "guerra" / "guerra_random.py")) as programs:
        for seed in range(3):
            Match("guerra", programs, seed).play()
            Match("guerra", programs[::-1], seed).play()
        assert programs[0].leave() == 0


@pytest.mark.parametrize("talk", [False, True])
def test_the_shell_plays_cold_war(talk: bool) -> None:
    cold_war(["sh", str(PROGRAMS / "pass.sh")], talk=talk)


@pytest.mark.parametrize("talk", [False, True])
def test_c_plays_cold_war(compiled: str, talk: bool) -> None:
    cold_war([compiled], talk=talk)


def test_c_plays_guerra(compiled: str) -> None:
    guerra([compiled])


def test_c_echoes_the_first_legal_move_whatever_it_holds(compiled: str) -> None:
    legal = [{"say": 'a "}" and a \\', "deep": {"of": [{}]}}, {"say": "no"}]
    with seated([compiled]) as (program,):
        program.tell({"type": "ask", "id": 12, "decision": "any", "view": {}, "legal": legal})
        assert program.hear() == {"id": 12, "move": legal[0]}


@pytest.mark.parametrize("talk", [False, True])
def test_node_plays_cold_war(node: str, talk: bool) -> None:
    cold_war([node, str(PROGRAMS / "pass.js")], talk=talk)


def test_node_plays_guerra(node: str) -> None:
    guerra([node, str(PROGRAMS / "pass.js")])


def test_the_scripts_can_be_started_by_themselves() -> None:
    for name in ("pass.sh", "pass.js"):
        assert Path(PROGRAMS / name).stat().st_mode & 0o111
