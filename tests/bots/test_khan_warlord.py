"""Khan's warlord: combats in its head end as the rules have it, and it beats the other bots."""

import pytest

from tests.bots.driver import decided
from tests.referee.games.khan_positions import fight, position

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
