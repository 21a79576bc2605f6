import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UV = (sys.executable, "-m", "uv")
pytestmark = pytest.mark.slow


def done(*words: object, folder: Path = ROOT, **variables: object) -> str:
    """Run a program; return what it says of errors, if it ends well."""
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    how = {"cwd": folder, "env": environment, "text": True}
    ended = subprocess.run([*map(str, words)], capture_output=True, **how)  # type: ignore[call-overload]
    assert ended.returncode == 0, ended.stderr
    return str(ended.stderr)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done(*UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    return next(folder.glob("bot_arena-*.whl"))


def test_the_wheel_holds_the_four_packages_with_bots_and_rules(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    names.remove(next(name for name in names if name.endswith(".data/data/share/man/man1/arena.1")))
    packages = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert packages == {"arena", "bots", "protocol", "referee"}
    assert not any("playthroughs" in name for name in names)
    kit = "arena/author/game_template/cpp/game_kit.hpp.txt"
    bot = "bots/guerra/guerra_sensible.py"
    assert {"bots/templates/python/kit.py", bot, "referee/games/guerra/rules.md", kit} <= set(names)


def test_what_the_wheel_installs_plays_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done(*UV, "pip", "install", "--quiet", "--no-deps", "--target", site, wheel)
    code = f"import sys; sys.path.insert(0, {str(site)!r}); from arena.cli import main; main()"
    for words in (["games", "guerra", "--rules"], ["demo", "--keep", "here"]):
        assert "Traceback" not in done(sys.executable, "-c", code, *words, folder=tmp_path)
    assert (tmp_path / "here" / "cold_war" / "league.db").is_file()


def test_pipx_installs_the_command_and_its_manual(wheel: Path, tmp_path: Path) -> None:
    folders = {"HOME": tmp_path, "PIPX_HOME": tmp_path / "pipx", "XDG_CACHE_HOME": tmp_path}
    folders |= {"PIPX_BIN_DIR": tmp_path / "bin", "PIPX_MAN_DIR": tmp_path / "man"}
    install = ("install", "--python", sys.executable, wheel)
    done(*UV, "tool", "run", "pipx", *install, **folders)
    assert done(tmp_path / "bin" / "arena", "games") == ""
    assert (tmp_path / "man" / "man1" / "arena.1").is_file()


def test_uvx_runs_the_command_without_a_word_of_its_packages(wheel: Path, tmp_path: Path) -> None:
    uvx = (*UV, "tool", "run", "--quiet", "--python", sys.executable, "--from", wheel)
    words = ("arena", "init", "cup", "--game", "khan", "random", "quiet")
    assert "Warning" not in done(*uvx, *words, folder=tmp_path, UV_TOOL_DIR=tmp_path / "tools")
    assert (tmp_path / "cup" / "league.toml").is_file()
