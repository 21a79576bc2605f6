"""What every game must keep, whatever its rules: each bundled one passes all of check-game."""

from collections.abc import Sequence

import pytest

from referee.games import GAMES
from referee.testing import check_game
from referee.testing.cases import Case
from tests.referee.games.conformance import OF_A_CASE, OF_A_GAME, cases_of

HIDING = {"duel", "guerra", "khan", "pyanitsa", "steal_war", "war", "world_war"}
"""The games in which a seat does not see everything that another one does."""

every_game = pytest.mark.parametrize("name", GAMES)
every_case = pytest.mark.parametrize(
    "case",
    [  # `make test` tries an eighth of each game's
        pytest.param(case, id=str(case), marks=[pytest.mark.slow] if at % 8 else [])
        for name in GAMES
        for at, case in enumerate(cases_of(name))
    ],
)


def steps(names: Sequence[str]) -> pytest.MarkDecorator:
    """Try these steps, and leave to CI those that play a match again and again."""
    long = {"enough", "text", "seeds", "effect", "processes", "speed"}
    marked = [
        pytest.param(name, marks=[pytest.mark.slow] if name in long else []) for name in names
    ]
    return pytest.mark.parametrize("step", marked)


@every_case
@steps(OF_A_CASE)
def test_a_case_of_a_game_keeps_the_contract(case: Case, step: str) -> None:
    check_game(case.kind, only=[step], cases=[case])


@every_game
@steps(OF_A_GAME)
def test_a_game_keeps_the_contract(name: str, step: str) -> None:
    check_game(GAMES[name], only=[step])


@pytest.mark.quick(3)
@every_game
def test_every_game_says_what_it_hides(name: str) -> None:
    (result,) = check_game(GAMES[name], only=["hidden"])
    if name == "tod_und_leben":
        assert result.detail == "nothing is ever asked"
    else:
        assert ("nothing is hidden" in result.detail) == (name not in HIDING)
