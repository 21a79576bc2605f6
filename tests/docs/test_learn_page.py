"""The page on training names the games and functions there are."""

import re
from pathlib import Path

import referee
from protocol.errors import ArenaError
from referee.actions import AllMoves, actions_of
from referee.games import GAMES
from referee.options import new_game, read_options

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "learn.md").read_text(encoding="utf-8")


def test_it_names_what_pettingzoo_has_for_each_game() -> None:
    section = PAGE.partition("## PettingZoo\n")[2]
    told = {
        name.lower().replace(" ", "_"): what
        for names, what in re.findall(r"^\| \*(.*?)\* \| (.*?) \|$", section, re.MULTILINE)
        for name in names.split("*, *")
    }
    found = {}
    for name, kind in GAMES.items():
        game = new_game(kind, kind.seat_counts[0], read_options(kind, {}), "1")
        try:
            actions = actions_of(game)
        except ArenaError as error:
            found[name] = str(error)
        else:
            found[name] = "a number" if isinstance(actions, AllMoves) else "a row of numbers"
    assert told.keys() == found.keys()
    for name, what in found.items():
        if what.startswith("a "):
            assert told[name] == what
        else:  # each field that has no end stands in both, or that nothing is asked
            assert re.findall(r"`(\w+)`", told[name]) == re.findall(r'"(\w+)"', what), what


def test_it_names_the_functions_there_are() -> None:
    named = re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE)
    assert {*named} <= {*referee.__all__}
    assert {*re.findall(r"from referee import (.*)", PAGE)[1].split(", ")} <= {*referee.__all__}


def test_it_can_be_read_in_a_terminal() -> None:
    assert all(len(line) <= 120 for line in PAGE.splitlines() if line[:1] != "|")
