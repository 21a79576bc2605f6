"""What every game must keep, whatever its rules: each bundled one passes all of check-game."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from referee.games import GAMES
from referee.testing import check_game
from referee.testing.trial import Case
from tests.referee.games.conformance import OF_A_CASE, OF_A_GAME, cases_of

HIDING = {"duel", "guerra", "khan", "pyanitsa", "steal_war", "war", "world_war"}
"""The games in which a seat does not see everything that another one does."""

LONG = {"enough", "text", "seeds", "effect", "processes", "speed"}
"""The steps that play a match again and again, and are slow."""
LONG_OF = {"silent": {"cold_war", "world_war"}, "keyed": {"guerra", "world_war"}}
"""Steps that take long with some games."""
HEAVY = (
    *("alone", "canonical", "defaults", "draws", "handed", "hidden", "mutilated", "replayed"),
    *("resample", "scene", "stable", "world"),
)
"""The steps that copy or render a game at each move: `make test` tries each game's second case,
whose match is brief, and the last, in which the most options are changed."""
EVERY: dict[str, int] = {"enough": 3}
"""The steps that take longest, which one of so many cases each is enough for."""
EVERY |= dict.fromkeys(("canonical", "handed", "hidden", "replayed", "resample", "stable"), 2)


def steps_of_cases() -> Iterator[Any]:
    """Yield each step with each case; `make test` tries an eighth of each game's cases."""
    for step, name in product(OF_A_CASE, GAMES):
        cases = cases_of(name)
        for at, case in enumerate(cases):
            near = at in (1, len(cases) - 1) if step in HEAVY else at % 8 == 0
            if near or at % EVERY.get(step, 1) == 0:
                slow = [pytest.mark.slow] if step in LONG or not near else []
                yield pytest.param(step, case, id=f"{step}-{case}", marks=slow)


@pytest.mark.parametrize(("step", "case"), [*steps_of_cases()])
def test_a_case_of_a_game_keeps_the_contract(step: str, case: Case) -> None:
    check_game(case.kind, only=[step], cases=[case])


@pytest.mark.parametrize(
    ("name", "step"),
    [
        pytest.param(
            *(name, step),
            id=f"{step}-{name}",
            marks=[pytest.mark.slow] if step in LONG or name in LONG_OF.get(step, ()) else [],
        )
        for step, name in product(OF_A_GAME, GAMES)
    ],
)
def test_a_game_keeps_the_contract(name: str, step: str) -> None:
    check_game(GAMES[name], only=[step])


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_game_says_what_it_hides(name: str) -> None:
    (result,) = check_game(GAMES[name], only=["hidden"])
    if name == "tod_und_leben":
        assert result.detail == "nothing is ever asked"
    else:
        assert ("nothing is hidden" in result.detail) == (name not in HIDING)


@pytest.mark.parametrize("name", GAMES)
def test_the_seats_have_names_of_their_own_and_one_is_the_viewers(name: str) -> None:
    for case in cases_of(name):
        game = case.new("5")
        called = [game.called(seat) for seat in range(game.seats)]
        assert len({*called}) == len(called)
        for seat, each in enumerate(called):
            assert f"{each} (you)".lower() in game.text(seat).lower()
            assert "(you)" not in game.text()
