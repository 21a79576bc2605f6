"""The benchmark of mirrored deals leaves no game out, and plays what it says."""

import math

import pytest

from arena.league.finding import bundled
from arena.stats.seats import Gain
from referee.games import GAMES
from tests.benchmarks.mirrored import LEAGUES, Mirrored, main, results, row, told, wavers


def test_every_game_has_leagues_of_bots_that_known() -> None:
    assert set(LEAGUES) == set(GAMES)
    for game, leagues in LEAGUES.items():
        for league in leagues:
            assert set(league.bots) <= set(bundled(game))
            assert len(league.bots) >= GAMES[game].seat_counts[0]
            assert wavers(league) or len(set(league.bots)) == len(league.bots)


@pytest.mark.slow  # it plays matches with processes
def test_wavering_copies_play_alike_but_not_the_same() -> None:
    field = results("steal_war", Mirrored(("sensible", "sensible"), 40))
    assert field.bots == ("copy 0", "copy 1")
    assert (field.deal_count, field.matches) == (40, 80)
    assert not any(sum(kinds.values()) for kinds in field.faults.values())
    assert {one.places == other.places for one, other in field.deals} == {True, False}


@pytest.mark.slow  # it plays a league
def test_a_row_tells_of_one_league() -> None:
    game, bots, deals, matches, gain, *_ = row(
        "tod_und_leben", Mirrored(("sensible", "random"), 40)
    )
    assert (game, bots, deals, matches) == ("tod_und_leben", "sensible, random", 40, 80)
    assert gain == "infinite"


@pytest.mark.parametrize(
    ("gain", "says"),
    [(None, "not measured"), (Gain(math.inf, None), "infinite"), (Gain(2.5, 0.1), "2.50 ± 0.20")],
)
def test_gains_are_told_with_two_standard_errors(gain: Gain | None, says: str) -> None:
    assert told(gain) == says


def test_an_unknown_game_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chess"]) == 1
    assert "no game chess" in capsys.readouterr().out
