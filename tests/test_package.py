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
