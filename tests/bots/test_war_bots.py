"""The bots of War and P'yanitsa: legal with every option, and the sensible ones above the rest."""

import itertools
from typing import Any

import pytest

from tests.bots.driver import BOTS, Match, python, seated, shipped

BRIEF = {"max_battles": 150}
VARIANTS: list[tuple[str, int, dict[str, Any]]] = [
    ("war", 2, {"war_length": "razboi", "razboi_ace": 1, "jokers": "buried"}),
    ("war", 2, {"war_length": 3, "out_of_cards": "last_card", "jokers": "shuffled"}),
    ("war", 3, {"order_seen": "winner", "out_of_cards": "last_card"}),
    ("war", 4, {"war_length": 3, "jokers": "two_buried"}),
    ("war", 10, {"jokers": "buried"}),
    ("pyanitsa", 2, {"deck": 52, "tie": "face_down", "aim": "avoid_empty"}),
    ("pyanitsa", 3, {"out_of_cards": "last_card", "placing": "order"}),
    ("pyanitsa", 4, {"order_seen": "winner", "tie": "face_down", "out_of_cards": "last_card"}),
    ("pyanitsa", 12, {"tie": "face_down"}),
]


@pytest.mark.quick(2)
@pytest.mark.parametrize(("game", "seats", "options"), VARIANTS)
def test_the_bots_make_only_legal_moves(game: str, seats: int, options: dict[str, Any]) -> None:
    bots = shipped(game)
    apart = 1 if seats == 2 else max(7, len(bots) ** seats // 9)
    with seated(*(python(path) for path in bots for _ in range(seats))) as programs:
        for seed, line_up in enumerate(itertools.product(range(len(bots)), repeat=seats)):
            if seed % apart == 0:
                at_table = [programs[bot * seats + seat] for seat, bot in enumerate(line_up)]
                Match(game, at_table, seed, **BRIEF | options).play()


def wins(game: str, one: str, other: str, deals: int, **options: Any) -> int:
    """Return how many of both seats of so many deals `one` wins against `other`."""
    commands = [python(BOTS / game / f"{game}_{name}.py") for name in (one, other)]
    with seated(*commands) as programs:
        found = 0
        for seed in range(deals):
            found += Match(game, programs, seed, **options).play() == [1, 2]
            found += Match(game, programs[::-1], seed, **options).play() == [2, 1]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("other", ["highest", "random"])
def test_sensible_beats_the_others_in_war(other: str) -> None:
    assert wins("war", "sensible", other, 8) >= 15


@pytest.mark.slow
def test_highest_first_beats_random_in_war() -> None:
    assert wins("war", "highest", "random", 20) > 22


@pytest.mark.slow
@pytest.mark.parametrize("other", ["lowest", "random"])
def test_sensible_is_seldom_the_drunkard(other: str) -> None:
    assert wins("pyanitsa", "sensible", other, 20) >= 26


@pytest.mark.slow
def test_sensible_seldom_runs_out_where_that_is_the_aim() -> None:
    assert wins("pyanitsa", "sensible", "random", 8, aim="avoid_empty") >= 14
