"""Elo's scale: shares and leads, and distances from an anchor."""

import pytest

from arena.stats.elo import ELO_PER_MU, elo_from, elo_of, score_of
from arena.stats.outcomes import Result
from arena.stats.ratings import fit
from tests.arena.stats.deals import deals_of


@pytest.mark.parametrize(("lead", "share"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11)])
def test_a_lead_stands_for_a_share_and_a_share_for_a_lead(lead: float, share: float) -> None:
    assert score_of(lead) == pytest.approx(share)
    assert elo_of(share) == pytest.approx(lead)


def test_points_and_errors_are_measured_from_the_anchor() -> None:
    won = [(f"{number}", Result(("a", "b"), (1, 2))) for number in range(6)]
    lost = [(f"{number}", Result(("a", "b"), (2, 1))) for number in range(6, 9)]
    ratings = fit(deals_of([*won, *lost]), bots=["c"])
    found = elo_from(ratings, "b", 1000.0)
    lead = ELO_PER_MU * (ratings.bots["a"].mu - ratings.bots["b"].mu)
    error = ELO_PER_MU * ratings.error_between("a", "b")
    assert found["b"] == (1000.0, 0.0)
    assert found["a"] == pytest.approx((1000.0 + lead, error))
    assert {*found} == {"a", "b"}
