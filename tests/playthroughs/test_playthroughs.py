"""The golden playthroughs: what a game did once, it does again."""

import re
from pathlib import Path

import pytest

from referee.games import GAMES
from tests.playthroughs.regenerate import PLAYTHROUGHS, STEPS, transcript

ROOT = Path(__file__).parents[2]
COMMAND = ".venv/bin/python -m tests.playthroughs.regenerate"


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_game_is_played_as_recorded(name: str) -> None:
    path = PLAYTHROUGHS[name].file
    assert path.exists(), f"write it with `{COMMAND} {name}`"
    text = path.read_text(encoding="utf-8")
    meant = f"if the change is meant, run `{COMMAND} {name}`"
    assert text.splitlines() == transcript(name).splitlines(), meant
    assert text.count("==== step") <= STEPS, "shorten it with an option, in its cases.toml"


@pytest.mark.parametrize("game", GAMES)
def test_each_decision_of_a_game_is_shown_in_a_playthrough(game: str) -> None:
    texts = [play.file.read_text() for play in PLAYTHROUGHS.values() if play.game.name == game]
    found = re.findall(r"^---- seat \d+: (.+)$", "\n".join(texts), re.MULTILINE)
    assert {*found} == {*GAMES[game].decisions}


def test_every_file_is_still_played() -> None:
    kept = {*(ROOT / "referee" / "games").glob("*/playthroughs/*.txt")}
    assert kept == {match.file for match in PLAYTHROUGHS.values()}
