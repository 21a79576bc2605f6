"""Elo's scale: shares and leads, and distances from an anchor."""

import math

import pytest

from arena.stats.elo import elo_from, elo_lead, elo_of, score_of
from arena.stats.outcomes import Deals, Result
from arena.stats.ratings import fit
from tests.arena.stats.deals import deals_of


@pytest.mark.parametrize(("lead", "share"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11)])
def test_a_lead_stands_for_a_share_and_a_share_for_a_lead(lead: float, share: float) -> None:
    assert score_of(lead) == pytest.approx(share)
    assert elo_of(share) == pytest.approx(lead)


def league(won: int, drawn: int, lost: int) -> Deals:
    places = [(1, 2)] * won + [(1, 1)] * drawn + [(2, 1)] * lost
    return deals_of((f"{number}", Result(("a", "b"), each)) for number, each in enumerate(places))


@pytest.mark.parametrize("counts", [(600, 0, 300), (300, 500, 200), (130, 800, 70), (95, 0, 5)])
def test_a_lead_is_that_of_the_points_that_were_taken_draws_as_halves(
    counts: tuple[int, int, int],
) -> None:
    """As Ordo, cutechess and fastchess have it; the prior hardly matters after so many."""
    won, drawn, _lost = counts
    share = (won + drawn / 2) / sum(counts)
    found = elo_from(fit(league(*counts), bots=["c"]), "b", 1000.0)
    assert found["b"] == (1000.0, 0.0)
    points, error = found["a"]
    assert error is not None
    assert points == pytest.approx(1000 + elo_of(share), abs=0.15 * error + 2)
    square = (won + drawn / 4) / sum(counts) - share * share  # of what a match brings
    wide = 400 / math.log(10) / (share * (1 - share)) * math.sqrt(square / sum(counts))
    assert error == pytest.approx(wide, rel=0.25)
    assert {*found} == {"a", "b"}


def test_a_lead_of_any_size_has_points_and_an_error() -> None:
    leads = [elo_lead(lead, 1.0, 0.3) for lead in (0.0, 1.0, 30.0, 300.0, 3000.0)]
    assert leads[0].points == pytest.approx(0.0)
    assert leads == sorted(leads)
    back = elo_lead(-300.0, 1.0, 0.3)
    assert (-back.points, back.error) == pytest.approx(leads[3])
