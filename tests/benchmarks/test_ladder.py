"""The ladder's own sums, and that it leaves no game out."""

import math

import pytest

from arena.league.finding import bundled
from arena.stats.outcomes import Result
from arena.tables.field import Field
from referee.games import GAMES
from tests.arena.stats.deals import deals_of
from tests.benchmarks import ladder
from tests.benchmarks.ladder import LADDERS, Step, climbed, main, measured


def field(*matches: tuple[str, dict[str, int]], faults: int = 0) -> Field:
    """Matches of deals, with some faults of y's."""
    deals = deals_of(
        (deal, Result(tuple(places), tuple(places.values()))) for deal, places in matches
    )
    return Field(name="ladder", bots=("x", "y"), deals=deals, faults={"y": {"illegal": faults}})


def step(points: float, error: float, faults: int = 0) -> Step:
    return Step(deals=2, matches=4, points=points, error=error, faults=faults)


def test_the_points_are_means_and_the_error_goes_by_deal() -> None:
    played = field(
        ("a", {"x": 1, "y": 2}),
        ("a", {"y": 2, "x": 1}),
        ("b", {"x": 1, "y": 1}),
        ("b", {"y": 1, "x": 2}),
    )
    found = measured(played, "x", ["y"])
    assert (found.deals, found.matches, found.faults) == (2, 4, 0)
    assert found.points == pytest.approx((1 + 0.25) / 2)
    assert found.error == pytest.approx(0.75 / 2)


def test_a_pair_s_win_at_a_table_of_four_is_five_sixths() -> None:
    places = {"x": 1, "y 1": 3, "y 2": 1, "y 3": 3}
    found = measured(field(("a", places), ("b", places), faults=8), "x", ["y 1", "y 2", "y 3"])
    assert found.points == pytest.approx(5 / 6)
    assert found.faults == 8


@pytest.mark.parametrize(
    ("points", "error", "sigma"),
    [(0.6, 0.05, 2.0), (0.4, 0.05, -2.0), (1.0, 0.0, math.inf), (0.5, 0.0, 0.0), (0.5, 0.1, 0.0)],
)
def test_sigma_counts_errors_above_the_fair_share(
    points: float, error: float, sigma: float
) -> None:
    assert step(points, error).sigma == pytest.approx(sigma)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (step(0.6, 0.01), []),
        (step(0.51, 0.01), ["below 2"]),
        (step(0.9, 0.01, faults=3), ["3 faults"]),
    ],
)
def test_a_step_that_is_too_low_or_at_fault_is_told(
    monkeypatch: pytest.MonkeyPatch, found: Step, says: list[str]
) -> None:
    monkeypatch.setattr(ladder, "played_step", lambda *_: found)
    rows, wrong = climbed("guerra")
    assert len(rows) == len(LADDERS["guerra"].bots) - 1
    assert len(wrong) == len(rows) * len(says)
    assert all(word in line for word, line in zip(says, wrong, strict=False))


def test_a_game_without_a_ladder_is_wrong_unless_it_is_pure_luck(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ladder, "LADDERS", {})
    assert main(["tod_und_leben"]) == 0
    assert "pure luck" in capsys.readouterr().out
    assert main(["guerra"]) == 1
    assert "guerra has no ladder" in capsys.readouterr().out


def test_an_unknown_game_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chess"]) == 1
    assert "no game chess" in capsys.readouterr().out


def test_every_rung_is_a_bundled_bot() -> None:
    for game, rungs in LADDERS.items():
        assert set(rungs.bots) <= set(bundled(game)), game


def test_every_game_with_decisions_has_a_ladder() -> None:
    assert {name for name, game in GAMES.items() if game.decisions} == set(LADDERS)
