"""Khan's warlord: combats in its head end as the rules have it, and it beats the other bots."""

import importlib
from random import Random
from types import ModuleType
from typing import Any

import pytest

from referee.game import twin
from referee.games.khan.game import Khan
from tests.bots.driver import BOTS, decided
from tests.referee.games.khan_positions import fight, position

FEW = (
    *("E1", "B1", "O1", "C1", "C10", "C11", "C12", "E2", "E3"),
    *("E4", "B2", "B3", "B4", "O2", "O3", "O4"),
)
"""Cards of which a few make ladders and meet specials."""


@pytest.fixture
def warlord(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BOTS)
    monkeypatch.syspath_prepend(BOTS / "khan")
    return importlib.import_module("khan_warlord")


def attacker_wins(game: Khan) -> bool:
    """Return whether seat 0 wins the combat if both sides know everything and play their best."""
    if game.combat is None:
        return game.recent[-1]["winner"] == 0
    if game.combat.winner is not None:
        return game.combat.winner == 0
    (seat,) = game.deciders()
    moves = game.decision(seat).legal or ()
    results = (attacker_wins(after(game, seat, move)) for move in moves)
    return any(results) if seat == 0 else all(results)


def after(game: Khan, seat: int, move: dict[str, Any]) -> Khan:
    later = twin(game)
    later.apply({seat: move})
    return later


@pytest.mark.parametrize("seed", range(40))
def test_a_combat_in_the_head_ends_as_by_the_rules(warlord: ModuleType, seed: int) -> None:
    rng = Random(seed)
    ours, theirs = (rng.sample(FEW, rng.randint(4, 6)) for _ in range(2))
    game = fight(cards=[" ".join(ours), " ".join(theirs)])
    game.chance = None  # it cannot be copied, and a combat needs none
    assert warlord.wins(ours, theirs) == attacker_wins(game)


STRONG = "E3 E4 E5 O6 O7 C12"


@pytest.mark.parametrize(
    ("theirs", "front", "action"),
    [
        ("", "wood, steel, cloth, horses", "attack"),
        ("B2 B3", "wood, steel, cloth, horses", "attack"),
        ("", "", "draw"),
    ],
)
def test_it_attacks_for_loot_that_it_can_win(theirs: str, front: str, action: str) -> None:
    assert decided("warlord", position(STRONG, theirs, front=["", front]))["action"] == action


def test_it_takes_the_victory_that_lies_in_sight() -> None:
    game = position(
        STRONG,
        "B2",
        "O2",
        front=["", "wood", "wood, steel, horses"],
        behind=["3 gold, 3 water, 3 cloth, 3 cattle"],
    )
    assert decided("warlord", game) == {"action": "attack", "target": 2}


def test_it_discards_what_is_of_least_use() -> None:
    game = position("E3 E4 E5 O6 O7 C12", "B2 B3 C10", deck="B4")
    game.apply({0: {"action": "draw"}})
    assert decided("warlord", game)["discard"] == "B4"


def test_it_turns_up_what_it_can_spare() -> None:
    game = fight("E3 E4 E5", "B6 B7", cards=["E3 E4 E5 B6 B7 O3", "C12"])
    while game.asked != "place_front":
        (seat,) = game.deciders()
        game.apply({seat: game.default(seat)})
    assert "O3" in decided("warlord", game)["cards"]
