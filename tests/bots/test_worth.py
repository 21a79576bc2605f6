"""What bundled bots are worth: a better one wins most of so many matches, from every seat."""

from typing import Any

import pytest

from referee.games import GAMES
from tests.bots.driver import Match, called

BETTER: list[tuple[str, str, str, int, float, dict[str, Any]]] = [
    ("casino_war", "sensible", "cautious", 20, 32, {}),
    ("casino_war", "cautious", "random", 20, 22, {}),
    ("cold_war", "diplomat", "sensible", 20, 15, {}),
    ("cold_war", "sensible", "random", 20, 16, {}),
    ("duel", "sensible", "random", 15, 28, {}),
    ("duel", "turtle", "random", 15, 29, {}),
    ("duel", "maestro", "sensible", 20, 24, {}),
    ("guerra", "sensible", "rusher", 10, 15, {}),
    ("guerra", "general", "sensible", 10, 19, {}),
    ("guerra", "rusher", "turtle", 10, 11, {}),
    ("guerra", "turtle", "random", 10, 19, {}),
    ("khan", "quiet", "random", 20, 30, {}),
    ("khan", "sensible", "quiet", 20, 23, {}),
    ("khan", "warlord", "sensible", 20, 21, {}),
    ("pyanitsa", "sensible", "lowest", 20, 26, {}),
    ("pyanitsa", "sensible", "random", 8, 14, {"aim": "avoid_empty"}),
    ("steal_war", "sensible", "random", 15, 21, {}),
    ("war", "highest", "random", 20, 23, {}),
    ("war", "sensible", "highest", 8, 15, {}),
    ("world_war", "cautious", "random", 3, 6, {}),
    ("world_war", "sensible", "cautious", 6, 12, {}),
    ("world_war", "marshal", "sensible", 10, 15, {}),
]
"""Games with a better bot and the others at its table, the deals, and the least it has to win."""
NEAR = {("khan", "random"), ("steal_war", "random"), ("duel", "random")}
"""What `make test` plays besides, in a few deals: the others take seconds."""


def won(game: str, bot: str, other: str, deals: int, options: dict[str, Any]) -> float:
    """Return how many matches a bot wins; where level ends are common, one counts for half."""
    seats = min(GAMES[game].seat_counts)
    programs = called(game, bot, *[other] * (seats - 1))
    points = 0.0
    for seed in range(deals):
        for own in range(1 if game == "cold_war" else seats):
            line_up = [programs[(seat - own) % seats] for seat in range(seats)]
            places = Match(game, line_up, seed, **options).play()
            if len({*places}) == 1:
                points += 0.5 if game in ("casino_war", "cold_war") else 0
            else:
                points += places[own] == 1
    return points


@pytest.mark.slow
@pytest.mark.parametrize(("game", "bot", "other", "deals", "least", "options"), BETTER)
def test_a_better_bot_wins_most(
    game: str, bot: str, other: str, deals: int, least: float, options: dict[str, Any]
) -> None:
    assert won(game, bot, other, deals, options) >= least


@pytest.mark.parametrize(("game", "other"), sorted(NEAR))
def test_sensible_wins_most_of_a_few(game: str, other: str) -> None:
    assert won(game, "sensible", other, 3, {}) >= 4
