"""What holds for the scene of every game: no secrets, plain JSON, 80 columns, never a change."""

from random import Random
from typing import Any

import msgspec
import pytest

from referee.game import Game
from referee.games import GAMES
from referee.testing.cases import Case
from referee.testing.trial import sampling
from referee.words import width
from tests.referee.games.conformance import cases_of, moments

CASES = [case for name in GAMES for case in cases_of(name)]
each_case = pytest.mark.parametrize("case", CASES, ids=str)


def shown(game: Game, seat: int | None) -> bytes:
    """Return a scene as it goes to a page."""
    return msgspec.json.encode([*game.scene(seat)])


def some_moments(game: Game) -> Any:
    """Yield now and then, and at the end."""
    for at, _ in enumerate(moments(game, sampling(5))):
        if at % 12 == 0:
            yield at
    yield -1


@each_case
def test_a_scene_tells_a_seat_nothing_of_what_it_may_not_know(case: Case) -> None:
    game, rng = case.new("5"), Random(5)
    for _ in some_moments(game):
        if not game.deciders():
            continue  # at the end, more may be shown than a seat knows before
        for seat in range(game.seats):
            other = game.resample(seat, rng)
            assert other is not None
            assert shown(other, seat) == shown(game, seat)


@pytest.mark.quick(2)
@each_case
def test_a_scene_is_json_fits_80_columns_and_changes_nothing(case: Case) -> None:
    game = case.new("5")
    for _ in some_moments(game):
        for seat in (None, *range(game.seats)):
            assert shown(game, seat) == shown(game, seat)
            text = game.text(seat)
            assert max(map(width, text.splitlines())) <= 80
            assert text == text.strip("\n")
            assert "\ue000" not in text
            assert game.text(seat) == text


@each_case
def test_the_seats_have_names_of_their_own_and_one_is_the_viewers(case: Case) -> None:
    game = case.new("5")
    called = [game.called(seat) for seat in range(game.seats)]
    assert len({*called}) == len(called)
    for seat, name in enumerate(called):
        assert f"{name} (you)".lower() in game.text(seat).lower()
        assert "(you)" not in game.text()
