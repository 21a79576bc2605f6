"""Guerra's turtle and general: what they do in a given position, and what they are worth."""

from typing import Any

import pytest

from tests.bots.driver import Match, called, decided
from tests.referee.games.guerra_positions import order_attacks, position, stop


def test_the_general_breaks_through_in_the_order_that_works() -> None:
    match = Match("guerra", called("guerra", "general", "random"), 1)
    match.game = position("V 5O 6C 7E / R 2B", "V 3O / C 4C / R 5E", packs=("3B", "6O"))
    assert match.play() == [1, 2]
    assert (match.game.turn, match.game.reason) == (1, "breakthrough")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("bot", "armies", "hands", "orders"),
    [
        (
            *("general", ("V 5O 6C / C 7E / R 2B", "V 3O / C 4C / R 5E"), ("", "")),
            {"action": "attack", "transfers": [{"card": "7E", "to": "vanguard"}]},
        ),
        ("general", ("V 2O", "V 7O 6C / R 2C"), ("7E 10O", "3B"), {"action": "incorporate"}),
        (
            *("turtle", ("V 5O / R 2B", "V 7C / R 2C"), ("3O 7E", "3B")),
            {"action": "incorporate", "card": "7E", "zone": "rearguard"},
        ),
    ],
    ids=["breaks through", "holds the line", "hides behind"],
)
def test_what_it_orders(
    bot: str, armies: tuple[str, str], hands: tuple[str, str], orders: dict[str, Any]
) -> None:
    game = position(*armies, hands=hands, packs=("3O 4O", "6O 5O"))
    assert orders.items() <= decided(bot, game).items()


def test_the_general_discards_what_it_prices_least() -> None:
    game = position("R 5O", "R 2C", hands=("7E 11E 2C 12O 1B 10E 3B 4O", ""), packs=("3O", "6O"))
    order_attacks(game)
    stop(game)
    assert decided("general", game) == {"cards": ["2C"]}
