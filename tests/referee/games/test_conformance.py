"""What every game must keep, whatever its rules: each bundled one passes all of check-game."""

import pytest

from referee.games import GAMES
from referee.testing import check_game
from referee.testing.cases import Case
from tests.referee.games.conformance import OF_A_CASE, OF_A_GAME, cases_of

HIDING = {"duel", "guerra", "khan", "pyanitsa", "steal_war", "war", "world_war"}
"""The games in which a seat does not see everything that another one does."""

every_game = pytest.mark.parametrize("name", GAMES)

LONG = {"enough", "text", "seeds", "effect", "processes", "speed"}
"""The steps that play a match again and again, and are slow."""


EVERY: dict[str, int] = {"enough": 3}
"""The steps that take longest, which one of so many cases each is enough for."""
EVERY |= dict.fromkeys(("canonical", "handed", "hidden", "replayed", "resample", "stable"), 2)


# `make test` tries an eighth of each game's cases
@pytest.mark.parametrize(
    ("step", "case"),
    [
        pytest.param(
            *(step, case),
            id=f"{step}-{case}",
            marks=[pytest.mark.slow] if step in LONG or at % 8 else [],
        )
        for step in OF_A_CASE
        for name in GAMES
        for at, case in enumerate(cases_of(name))
        if at % EVERY.get(step, 1) == 0
    ],
)
def test_a_case_of_a_game_keeps_the_contract(step: str, case: Case) -> None:
    check_game(case.kind, only=[step], cases=[case])


@every_game
@pytest.mark.parametrize(
    "step",
    [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in OF_A_GAME],
)
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
