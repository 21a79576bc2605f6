"""World War's bots: they keep to the rules, whatever the options, and each beats the one below."""

from itertools import product

import pytest

from tests.bots.driver import BOTS, Match, python, seated

VARIANTS = [
    {},
    {"objective": "world", "max_rounds": 15},
    {"setup": "in_turn", "attack_mode": "single", "defence": "max", "max_rounds": 15},
    {"victory_check": "next_turn", "min_reinforcement": 3, "safe_rounds": 0, "max_attacks": 3},
]
NAMES = ("cautious", "random", "sensible")


def commands(*names: str) -> list[list[str]]:
    return [python(BOTS / "world_war" / f"world_war_{name}.py") for name in names]


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: "-".join(options) or "default")
def test_the_bots_make_only_legal_moves(options: dict[str, object]) -> None:
    with seated(*commands(*NAMES, *NAMES)) as programs:
        for seed, seats in product(range(2), (3, 6)):
            Match("world_war", programs[:seats], seed, **options).play()
        assert [program.leave() for program in programs] == [0] * 6


def wins(ours: str, other: str, deals: int) -> int:
    """Return how often the first of three wins, in every seat of each deal."""
    with seated(*commands(ours, other, other)) as programs:
        won = 0
        for seed in range(deals):
            for turned in range(3):
                line_up = programs[turned:] + programs[:turned]
                won += Match("world_war", line_up, seed).play()[-turned % 3] == 1
    return won


def test_sensible_beats_random() -> None:
    assert wins("sensible", "random", 6) >= 15


def test_sensible_beats_cautious() -> None:
    assert wins("sensible", "cautious", 6) >= 12


def test_cautious_beats_random() -> None:
    assert wins("cautious", "random", 3) >= 6
