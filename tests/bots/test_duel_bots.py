"""The bundled bots of Duel."""

import itertools
from typing import Any

import pytest

from tests.bots.driver import Match, bundled, python, seated

NAMES = ("duel_random", "duel_sensible", "duel_turtle")


def commands(*names: str) -> list[list[str]]:
    return [python(bundled(name)) for name in names]


def wins(bot: str, other: str, deals: int) -> int:
    """Return how many matches `bot` wins, of two for each deal."""
    with seated(*commands(bot, other)) as programs:
        won = 0
        for seed in range(deals):
            won += Match("duel", programs, seed).play() == [1, 2]
            won += Match("duel", programs[::-1], seed).play() == [2, 1]
    return won


@pytest.mark.parametrize(
    "options", [{"deck": 48}, {"extra_action_cost": "instead"}, {"max_turns": 3}], ids=str
)
def test_they_make_only_legal_moves_with_any_option(options: dict[str, Any]) -> None:
    with seated(*commands(*NAMES), *commands(*NAMES)) as programs:
        for seed, (first, second) in enumerate(itertools.product(range(3), repeat=2)):
            Match("duel", [programs[first], programs[3 + second]], seed, **options).play()
        assert [program.leave() for program in programs] == [0] * 6


def test_sensible_beats_random() -> None:
    assert wins("duel_sensible", "duel_random", 15) >= 28


def test_sensible_beats_the_turtle_more_often_than_not() -> None:
    assert wins("duel_sensible", "duel_turtle", 12) >= 15


def test_the_turtle_outlasts_random() -> None:
    assert wins("duel_turtle", "duel_random", 15) >= 29


def test_the_turtle_always_defends_if_it_can() -> None:
    with seated(*commands("duel_sensible", "duel_turtle")) as programs:
        match = Match("duel", programs, 4)
        match.play()
    answers = [
        (ask["view"], reply["move"])
        for ask, reply in match.transcripts[1]
        if reply and ask["decision"] == "defend" and ask["view"]["dexterity"][1] > 2
    ]
    assert answers
    assert all(move["cards"] for _, move in answers)
