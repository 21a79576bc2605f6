"""What the tests of a comparison cost beside Wald's, as the page on comparisons says."""

from collections.abc import Callable

import pytest

from arena.stats.sequential import Bounds, Rates
from tests.benchmarks.false_alarms import FIELDS, Law, law_of, simulate
from tests.benchmarks.wald import Evidence, ended, one_sided, seen, two_sided

MIRRORED = FIELDS[3]
BOUNDS = Bounds(0.5, 0.55)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "wald", "least", "most"),
    [(Rates(), two_sided, 1.2, 1.5), (BOUNDS, one_sided, 1.1, 1.35)],
    ids=["two sides", "one side"],
)
def test_among_equals_it_takes_more_deals_than_wald_s(
    asked: Rates | Bounds, wald: Callable[[Law, Law], Evidence], least: float, most: float
) -> None:
    even, better = law_of(MIRRORED, 0.5), law_of(MIRRORED, 0.55)
    ours = simulate(even, 0.5, asked, 500, seed=1)
    theirs = ended(even, wald(better, even), seed=2)
    assert least < ours.deals / theirs.deals < most
    assert theirs.passed < 0.07


@pytest.mark.slow
def test_the_likelihood_of_what_was_seen_errs_about_as_often_as_asked() -> None:
    at_low = ended(law_of(MIRRORED, 0.5), seen(5), seed=3, comparisons=300)
    assert 0.02 < at_low.passed < 0.08
    at_high = ended(law_of(MIRRORED, 0.55), seen(5), seed=4, comparisons=300)
    assert at_high.passed > 0.91
