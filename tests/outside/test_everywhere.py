"""Everything works for games from outside: two of an installed package, in every command."""

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
GAMES = ("liars_dice", "auction")

pytestmark = pytest.mark.slow

every_game = pytest.mark.parametrize("game", GAMES)


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
    """A place in which the package's games are agreed to."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "home").mkdir()
    made = Place(folder, site)
    refused = made("games", "auction", code=2).stderr
    assert "the game 'auction' is code of the package outside-games 1.0, which" in refused
    made("games", "auction", "--trust")
    return made


@pytest.fixture(scope="session")
def leagues(place: Place) -> Path:
    """The folder with a league of each game, played."""
    for game in GAMES:
        bots = ["random", "other=random", *(["sensible"] if game == "auction" else [])]
        words = ["--deals", 4, "--seed", "one seed"]
        place("init", f"{game}_cup", *bots, "--game", game, *words)
        place("run", f"{game}_cup", "--workers", 2)
    return place.folder


def test_they_are_listed_and_described(place: Place) -> None:
    listed = json.loads(place("games", "--format", "json").stdout)["games"]
    assert {*GAMES} <= {row["game"] for row in listed}
    for game in GAMES:
        assert place("games", game, "--rules").stdout.startswith("# ")
        assert json.loads(place("games", game, "--format", "json").stdout)["decisions"]
        assert json.loads(place("schema", game).stdout)["$defs"]
        assert "random" in place("bots", game).stdout


@every_game
def test_a_match_is_played_by_bots_or_a_person_saved_and_shown(place: Place, game: str) -> None:
    place("play", game, "random", "random", "--seed", "1", "--save", f"{game}.json")
    assert "Ended: " in place("show", f"{game}.json", "--tables").stdout
    assert "Moves as they were recorded" not in place("show", f"{game}.json").stdout
    said = place("play", game, "human", "random", "--seed", "1", typed="?\n" + "random\n" * 200)
    assert "Ended: " in said.stdout


@every_game
@pytest.mark.parametrize("language", ["python", "shell", "javascript"])
def test_a_bot_is_begun_and_is_fit(place: Place, game: str, language: str) -> None:
    if language == "javascript" and shutil.which("node") is None:
        pytest.skip("NO node HERE")
    mine = place.folder / f"{game}_{language}"
    place("new", mine, "--lang", language, "--game", game)
    place("check", mine, "--game", game, "--seconds", 4)
    if language == "python":
        done = place("compare", mine, "random", "--game", game, "--deals", 6)
        assert f"deals of {game}" in done.stdout


@every_game
def test_it_passes_the_suite(place: Place, game: str) -> None:
    found = json.loads(place("check-game", game, "--format", "json").stdout)
    assert not [step for step in found["steps"] if step["state"] == "failed"]


@every_game
def test_a_league_is_ranked_listed_shown_and_verified(
    leagues: Path, place: Place, game: str
) -> None:
    cup = f"{game}_cup"
    assert f" of {game} in " in place("rank", cup).stdout
    assert place("table", cup).stdout
    assert ("24 of 24" if game == "auction" else "8 of 8") in place("watch", cup).stdout
    rows = json.loads(place("matches", cup, "--format", "json").stdout)["matches"]
    match = rows[0]["match"]
    assert "Moves as they were recorded" not in place("show", cup, match, "--tables").stdout
    assert place("show", cup, match, "--messages", "--seat", 0).stdout
    assert "as recorded" in place("show", cup, match, "--feed", rows[0]["seats"][0]["bot"]).stdout
    assert "none differs" in place("verify", cup).stdout
    place("report", cup, "-o", f"{game}.html")
    page = (leagues / f"{game}.html").read_text()
    assert f"League of {game}" in page
    assert "of the package outside-games 1.0" in page


def test_scores_are_ranked_and_numbers_listed(leagues: Path, place: Place) -> None:
    assert "the worth of the prizes won" in place("rank", "auction_cup", "--by", "score").stdout
    assert "rounds" in place("matches", "liars_dice_cup", "--columns", "match,rounds").stdout
    assert place("rank", "liars_dice_cup", "--by", "score", code=2).stderr


@every_game
def test_parts_make_the_same_league(leagues: Path, place: Place, game: str) -> None:
    cup = leagues / f"{game}_cup"
    for part in (1, 2):
        half = leagues / f"{game}_{part}"
        half.mkdir()
        shutil.copy(cup / "league.toml", half)
        place("run", half, "--part", f"{part}/2", "--workers", 1)
        place("export", half, leagues / f"{game}_{part}.jsonl")
    both = leagues / f"{game}_both"
    both.mkdir()
    shutil.copy(cup / "league.toml", both)
    place("import", both, *(leagues / f"{game}_{part}.jsonl" for part in (1, 2)))
    for words in (("rank",), ("table",), ("matches", "--format", "csv")):
        assert place(words[0], both, *words[1:]).stdout == place(words[0], cup, *words[1:]).stdout


@every_game
def test_a_program_plays_deals_and_has_an_environment_of_pettingzoo(
    place: Place, game: str
) -> None:
    code = f"""
import random, referee
from referee import pettingzoo
dice = random.Random(1)
choose = lambda ask: dice.choice(ask.legal or ask.samples)
print(len([*referee.play_deals({game!r}, [choose, choose], deals=2, seed="1")]))
env = pettingzoo.env({game!r})
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


def test_tables_need_no_package_at_all(leagues: Path, alone: Place, tmp_path: Path) -> None:
    alone.env["PYTHONPATH"] = str(ROOT)
    cup = shutil.copytree(leagues / "auction_cup", tmp_path / "cup")
    for words in (("rank",), ("rank", "--by", "score"), ("table",), ("matches",), ("export",)):
        assert alone(words[0], cup, *words[1:]).stdout
    said = alone("run", cup, code=2).stderr
    assert "there is no game 'auction'" in said
