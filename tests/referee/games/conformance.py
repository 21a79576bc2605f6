"""The bundled games by name, as `referee.testing` tries them: their cases, and ways to play."""

from collections.abc import Iterator

from referee import testing
from referee.games import GAMES
from referee.rules.game import Game, Move
from referee.testing import trial
from referee.testing.trial import Case, Choose, GameTrial


def cases_of(name: str) -> list[Case]:
    """Return the defaults with every number of seats, then each option set with one of them."""
    return trial.cases_of(GAMES[name])


CASES = [case for name in GAMES for case in cases_of(name)]
OF_A_GAME = (
    *("fields", "options", "schemas", "asked", "anything", "processes", "seeds", "keyed"),
    *("effect", "speed", "silent"),
)
"""The steps that need no case of their own: they are tried once with each game."""
OF_A_CASE = tuple(name for name in testing.STEPS if name not in OF_A_GAME)


def moments(game: Game, choose: Choose) -> Iterator[tuple[int, Move]]:
    """Play `game` to its end, yielding each seat and its move before the move is made."""
    return GameTrial(type(game), []).moments(game, choose)


def finish(game: Game, choose: Choose) -> None:
    """Play `game` to its end."""
    GameTrial(type(game), []).finish(game, choose)
