"""The bots of Casino War: legal with every option, and sensible the one that ends up richer."""

import itertools
from typing import Any

import pytest

from tests.bots.driver import BOTS, Match, python, seated, shipped

VARIANTS: list[tuple[int, dict[str, Any]]] = [
    (2, {"tie_bet": False, "decks": 1, "reshuffle": "shoe"}),
    (2, {"bankroll": 25, "min_bet": 2}),
    (2, {"min_bet": 10, "max_bet": 10, "bankroll": 10}),
    (5, {"decks": 8, "reshuffle": "shoe", "rounds": 20}),
    (8, {"rounds": 10}),
]


def commands(*names: str) -> list[list[str]]:
    return [python(BOTS / "casino_war" / f"casino_war_{name}.py") for name in names]


def wins(one: str, other: str, deals: int) -> float:
    """Return how many matches `one` wins of two for each deal; a tie counts half."""
    with seated(*commands(one, other)) as programs:
        won = 0.0
        for seed in range(deals):
            for seat in (0, 1):
                places = Match("casino_war", programs[:: 1 - 2 * seat], seed).play()
                won += (1 + places[1 - seat] - places[seat]) / 2
    return won


def test_these_bots_come_along() -> None:
    assert [path.stem for path in shipped("casino_war")] == [
        f"casino_war_{name}" for name in ("cautious", "random", "sensible")
    ]


@pytest.mark.parametrize(("seats", "options"), VARIANTS, ids=str)
def test_they_make_only_legal_moves_with_any_option(seats: int, options: dict[str, Any]) -> None:
    names = list(itertools.islice(itertools.cycle(("sensible", "random", "cautious")), seats))
    with seated(*commands(*names)) as programs:
        for seed in range(4):
            Match("casino_war", programs, seed, **options).play()
        assert [program.leave() for program in programs] == [0] * seats


@pytest.mark.parametrize(("other", "least"), [("cautious", 32), ("random", 25)])
def test_sensible_ends_richer(other: str, least: int) -> None:
    assert wins("sensible", other, 20) >= least


def test_caution_beats_chance() -> None:
    assert wins("cautious", "random", 20) >= 22


def test_the_cautious_bot_bets_the_least_and_goes_to_war() -> None:
    with seated(*commands("cautious", "random")) as programs:
        match = Match("casino_war", programs, 5)
        match.play()
    moves = [reply["move"] for _, reply in match.transcripts[0] if reply]
    assert {str(move) for move in moves} == {"{'bet': 10}", "{'action': 'war'}"}
