import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip(["wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)])
    return next(folder.glob("bot_arena-*.whl"))


def pip(words: list[str]) -> None:
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", *words, *quiet], check=True, capture_output=True)


@pytest.mark.slow
def test_the_wheel_holds_the_four_packages_with_bots_and_rules(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    names.remove(next(name for name in names if name.endswith(".data/data/share/man/man1/arena.1")))
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {
        "arena",
        "bots",
        "protocol",
        "referee",
    }
    bot = "bots/guerra/guerra_sensible.py"
    assert not any("playthroughs" in name for name in names)
    kit = "arena/author/game_template/cpp/game_kit.hpp.txt"
    assert {"bots/kit.py", bot, "referee/games/guerra/rules.md", kit} <= set(names)


@pytest.mark.slow
def test_what_the_wheel_installs_plays_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    pip(["install", "--no-deps", "--target", str(site), str(wheel)])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code = f"import sys; sys.path.insert(0, {str(site)!r}); from arena.cli import main; main()"
    for words in (["games", "guerra", "--rules"], ["demo", "--keep", "here"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=elsewhere, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    assert (elsewhere / "here" / "cold_war" / "league.db").is_file()


@pytest.mark.slow
def test_pipx_installs_the_command_and_its_manual(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    folders = {"HOME": str(home), "PIPX_HOME": str(home / "pipx"), "XDG_CACHE_HOME": str(home)}
    folders |= {"PIPX_BIN_DIR": str(home / "bin"), "PIPX_MAN_DIR": str(home / "man")}
    pipx = [sys.executable, "-m", "uv", "tool", "run", "pipx"]
    done = subprocess.run(
        [*pipx, "install", "--python", sys.executable, str(wheel)],
        env=os.environ | folders,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = subprocess.run([home / "bin" / "arena", "games"], capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
    assert (home / "man" / "man1" / "arena.1").is_file()


@pytest.mark.slow
def test_uvx_runs_the_command_without_a_word_of_its_packages(wheel: Path, tmp_path: Path) -> None:
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--quiet", "--python", sys.executable]
    done = subprocess.run(
        [*uvx, "--from", str(wheel), "arena", "init", "cup", "--game", "khan", "random", "quiet"],
        cwd=tmp_path,
        env=os.environ | {"UV_TOOL_DIR": str(tmp_path / "tools")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    assert (tmp_path / "cup" / "league.toml").is_file()
