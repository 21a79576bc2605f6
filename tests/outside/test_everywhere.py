"""Everything works for a game from outside: one of an installed package, in every command."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "package"
KIT = ROOT / "bots" / "templates" / "python" / "kit.py"
GAME = "auction"

pytestmark = pytest.mark.slow

Done = subprocess.CompletedProcess[str]


class Place:
    """A folder with a user of its own, in whose Python the package is installed."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder = folder
        self.env = os.environ | {
            "PYTHONPATH": f"{site}:{ROOT}",
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "home" / "state"),
            "COLUMNS": "80",
        }

    def __call__(self, *words: object, code: int = 0, typed: str | None = None) -> Done:
        """Call a command, which ends with an exit code."""
        return self.python("-m", "arena", *words, code=code, typed=typed)

    def python(self, *words: object, code: int = 0, typed: str | None = None) -> Done:
        """Call Python."""
        done = subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=self.folder,
            env=self.env,
            input=typed,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == code, f"{words}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package was installed into, by pip."""
    source = shutil.copytree(PACKAGE, tmp_path_factory.mktemp("source") / "package")
    shutil.copy(KIT, source / "outside_games" / "auction" / "bots")  # as --kit gives it
    folder = tmp_path_factory.mktemp("site")
    words = [*("install", "--quiet", "--no-deps", "--disable-pip-version-check"), "--target"]
    subprocess.run([sys.executable, "-m", "pip", *words, folder, source], check=True)
    return folder


@pytest.fixture(scope="session")
def place(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place in which the package's game is agreed to."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "home").mkdir()
    made = Place(folder, site)
    refused = made("games", GAME, code=2).stderr
    assert "the game 'auction' is code of the package outside-games 1.0, which" in refused
    made("games", GAME, "--trust")
    return made


@pytest.fixture(scope="session")
def cup(place: Place) -> Path:
    """A league of the game, played."""
    bots = ["random", "other=random", "sensible"]
    place("init", "cup", *bots, "--game", GAME, "--deals", 4, "--seed", "one seed")
    place("run", "cup", "--workers", 2)
    return place.folder / "cup"


def test_it_is_listed_and_described(place: Place) -> None:
    listed = json.loads(place("games", "--format", "json").stdout)["games"]
    assert GAME in {row["game"] for row in listed}
    assert place("games", GAME, "--rules").stdout.startswith("# ")
    assert json.loads(place("games", GAME, "--format", "json").stdout)["decisions"]
    assert json.loads(place("games", GAME, "--schema").stdout)["$defs"]
    assert "random" in place("bots", GAME).stdout


def test_a_match_is_played_by_bots_or_a_person_saved_and_shown(place: Place) -> None:
    place("play", GAME, "random", "random", "--seed", "1", "--save", "match.json")
    assert "Ended: " in place("show", "match.json", "--tables").stdout
    assert "Moves as they were recorded" not in place("show", "match.json").stdout
    said = place("play", GAME, "human", "random", "--seed", "1", typed="?\n" + "random\n" * 200)
    assert "Ended: " in said.stdout


@pytest.mark.parametrize("language", ["python", "shell", "javascript"])
def test_a_bot_is_begun_and_is_fit(place: Place, language: str) -> None:
    if language == "javascript" and shutil.which("node") is None:
        pytest.skip("NO node HERE")
    mine = place.folder / language
    place("new", mine, "--lang", language, "--game", GAME)
    place("check", mine, "--game", GAME, "--seconds", 4)
    if language == "python":
        done = place("compare", mine, "random", "--game", GAME, "--deals", 6)
        assert f"deals of {GAME}" in done.stdout


def test_it_passes_the_suite(place: Place) -> None:
    found = json.loads(place("check-game", GAME, "--format", "json").stdout)
    assert not [step for step in found["steps"] if step["state"] == "failed"]


def test_a_league_is_ranked_listed_shown_and_verified(cup: Path, place: Place) -> None:
    assert f" of {GAME} in " in place("rank", cup).stdout
    assert "the worth of the prizes won" in place("rank", cup, "--by", "score").stdout
    assert place("table", cup).stdout
    assert "24 of 24" in place("rank", cup, "--live").stdout
    assert "rounds" in place("matches", cup, "--columns", "match,rounds").stdout
    rows = json.loads(place("matches", cup, "--format", "json").stdout)["matches"]
    match = rows[0]["match"]
    assert "Moves as they were recorded" not in place("show", cup, match, "--tables").stdout
    assert place("show", cup, match, "--messages", "--seat", 0).stdout
    assert "as recorded" in place("show", cup, match, "--feed", rows[0]["seats"][0]["bot"]).stdout
    assert "none differs" in place("verify", cup).stdout
    place("report", cup, "-o", "cup.html")
    page = (place.folder / "cup.html").read_text()
    assert f"League of {GAME}" in page
    assert "of the package outside-games 1.0" in page


def test_parts_make_the_same_league(cup: Path, place: Place, tmp_path: Path) -> None:
    for part in (1, 2, "both"):
        (tmp_path / f"{part}").mkdir()
        shutil.copy(cup / "league.toml", tmp_path / f"{part}")
    for part in (1, 2):
        place("run", tmp_path / f"{part}", "--part", f"{part}/2", "--workers", 1)
        place("export", tmp_path / f"{part}", tmp_path / f"{part}.jsonl")
    both = tmp_path / "both"
    place("import", both, *(tmp_path / f"{part}.jsonl" for part in (1, 2)))
    for words in (("rank", "--format", "csv"), ("table",), ("matches", "--format", "csv")):
        assert place(words[0], both, *words[1:]).stdout == place(words[0], cup, *words[1:]).stdout


def test_a_program_plays_deals_and_has_an_environment_of_pettingzoo(place: Place) -> None:
    code = f"""
import random, referee
from referee.training import pettingzoo
dice = random.Random(1)
choose = lambda ask: dice.choice(ask.legal or ask.samples)
print(len([*referee.play_deals({GAME!r}, [choose, choose], deals=2, seed="1")]))
env = pettingzoo.env({GAME!r})
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, ended, cut, info = env.last()
    env.step(None if ended or cut else int(observation["action_mask"].argmax()))
print("over")
"""
    assert place.python("-c", code).stdout == "4\nover\n"


@pytest.fixture
def alone(site: Path, tmp_path: Path) -> Place:
    """A place of another user, who has agreed to nothing."""
    (tmp_path / "home").mkdir()
    return Place(tmp_path, site)


def test_tables_need_no_package_at_all(cup: Path, alone: Place, tmp_path: Path) -> None:
    alone.env["PYTHONPATH"] = str(ROOT)
    cup = shutil.copytree(cup, tmp_path / "cup")
    for words in (("rank",), ("rank", "--by", "score"), ("table",), ("matches",), ("export",)):
        assert alone(words[0], cup, *words[1:]).stdout
    said = alone("run", cup, code=2).stderr
    assert "there is no game 'auction'" in said
