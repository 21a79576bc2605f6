"""The normal distribution cut off: as the package has it, and where the package gives up."""

import math

import numpy as np
import pytest

from arena.stats.gaussian import cdf, draw, log_cdf, pdf, win
from arena.stats.likelihood import environment

LEADS = np.linspace(-3, 9, 49)


def test_wins_and_draws_are_those_of_the_package() -> None:
    model = environment(0.1)
    for margin in (0.01, 0.5, 2.0):
        v, w = win(LEADS - margin)
        assert v == pytest.approx([model.v_win(lead, margin) for lead in LEADS], rel=1e-5)
        assert w == pytest.approx([model.w_win(lead, margin) for lead in LEADS], abs=1e-7)
        v, w = draw(LEADS[:29], np.full(29, margin))
        assert v == pytest.approx(
            [model.v_draw(lead, margin) for lead in LEADS[:29]], rel=1e-6, abs=1e-9
        )
        assert w == pytest.approx([model.w_draw(lead, margin) for lead in LEADS[:29]], abs=1e-5)


@pytest.mark.parametrize("far", [-20.0, -25.0, -26.0, -100.0, -1e4])
def test_far_out_they_come_to_the_edge(far: float) -> None:
    """A number that is known to lie beyond an edge far out lies close behind it."""
    (v,), (w,) = win(np.array([far]))
    assert v == pytest.approx(-far + 1 / -far, rel=3 / far**2)
    assert 1 - w == pytest.approx(1 / far**2, rel=8 / far**2)
    for margin in (0.001, 1.0):
        (moved,), (shrunk,) = draw(np.array([far]), np.array([margin]))
        assert margin >= far + moved >= -margin
        assert 0 < 1 - shrunk <= max(margin**2, 1e-11)


def test_the_logarithm_is_right_from_one_end_to_the_other() -> None:
    near = np.linspace(-37, 9, 999)
    exact = [math.log(math.erfc(-x / math.sqrt(2)) / 2) for x in near]
    assert log_cdf(near) == pytest.approx(exact, rel=1e-9, abs=1e-10)
    assert cdf(near) == pytest.approx(np.exp(exact), rel=1e-8)
    far = np.array([-40.1, -39.9, -1e3, 10.1, 1e5])
    found = log_cdf(far)
    assert found[0] < found[1]
    assert found[2:] == pytest.approx([-(1e6) / 2 - math.log(1e3 * math.sqrt(2 * math.pi)), 0, 0])
    assert pdf(np.array([0.0, 2.0])) == pytest.approx([0.3989422804, 0.0539909665])
