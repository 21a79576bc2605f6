"""The figures of the rules pages: every game has them, and a wrong one would be noticed."""

import importlib
import math
from random import Random

import pytest

from referee.games import GAMES
from tests.benchmarks.figures import __main__ as command
from tests.benchmarks.figures.figure import Figure, mean, share


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_figures(name: str) -> None:
    assert name in command.GAMES
    module = importlib.import_module(f"tests.benchmarks.figures.{name}")
    assert callable(module.figures)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cold_war", "tod_und_leben"])
def test_a_quick_game_keeps_its_figures(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([name]) == 0
    assert f"\n{name} (" in capsys.readouterr().out


def test_an_exact_figure_that_differs_is_infinitely_off() -> None:
    assert Figure("", 1.0, 1.0).off == 0
    assert Figure("", 1.0, 1.001).off == math.inf


def test_a_sampled_figure_is_off_by_its_standard_errors() -> None:
    assert Figure("", page=10.0, found=12.0, error=1.0).off == 2
    rng = Random(1)
    sample = [rng.gauss(5, 1) for _ in range(10_000)]
    assert mean("", 5.0, sample).off < 4 < mean("", 5.1, sample).off
    hits = sum(rng.random() < 0.3 for _ in range(10_000))
    assert share("", 0.3, hits, 10_000).off < 4 < share("", 0.33, hits, 10_000).off
    assert share("", 0.33, hits, 10_000, page_trials=100).off < 4
