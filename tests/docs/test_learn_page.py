"""The page on training names the games and functions there are."""

import re
from pathlib import Path

import pytest

import referee
from protocol.errors import ArenaError
from referee.all_moves import AllMoves
from referee.games import GAMES
from referee.options import new_game, read_options

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "learn.md").read_text(encoding="utf-8")


def test_it_names_the_games_that_pettingzoo_can_have() -> None:
    section = PAGE.partition("## PettingZoo\n")[2]
    named = {name.lower().replace(" ", "_") for name in re.findall(r"\*([A-Z][\w ]+)\*", section)}
    for name, kind in GAMES.items():
        game = new_game(kind, kind.seat_counts[0], read_options(kind, {}), "1")
        if name in named:
            assert len(AllMoves(game))
        else:
            with pytest.raises(ArenaError):
                AllMoves(game)


def test_it_names_the_functions_there_are() -> None:
    named = re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)
    assert {*named} <= {*referee.__all__}
    assert {*re.findall(r"from referee import (.*)", PAGE)[1].split(", ")} <= {*referee.__all__}


def test_it_can_be_read_in_a_terminal() -> None:
    assert all(len(line) <= 120 for line in PAGE.splitlines() if line[:1] != "|")
