"""The sequential test of two bots: what it says, and that it errs no more than it states."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.sequential import VERDICTS, Bounds, Rates, SequentialTest, Verdict
from tests.benchmarks.false_alarms import FIELDS, law_of, simulate
from tests.benchmarks.wald import ended, one_sided, two_sided

SCORES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
OPPOSITE = {"better": "worse", "worse": "better", "same": "same", None: None}
BOTH_SIDES: tuple[Verdict, ...] = ("better", "worse", "same")
LOOSE = Rates(alpha=0.4, beta=0.3, margin=0.3)


def after(scores: Iterable[float], rates: Rates | Bounds = Rates()) -> SequentialTest:  # noqa: B008
    test = SequentialTest(rates)
    for score in scores:
        test.add(score)
    return test


def needed(score: float, rates: Rates | Bounds = Rates()) -> tuple[Verdict | None, int]:  # noqa: B008
    """Return the verdict where all deals give the same, and after how many."""
    test = SequentialTest(rates)
    deals = 0
    while test.verdict is None and deals < 1000:
        test.add(score)
        deals += 1
    return test.verdict, deals


def test_a_bot_that_wins_every_deal_is_soon_better_and_remains_so() -> None:
    test = SequentialTest(Rates())
    assert test.verdict is None
    assert [test.progress(verdict) for verdict in test.verdicts] == [0, 0, 0]
    assert needed(1.0) == ("better", 10)
    assert needed(0.0) == ("worse", 10)
    assert after([1.0] * 10 + [0.0] * 500).verdict == "better"
    verdict, deals = needed(0.5)
    assert verdict == "same"
    assert 20 < deals < 100
    for splits in (1, 10, 50):  # a few wins after deals that split decide nothing
        assert after([0.5] * splits + [1.0, 1.0, 1.0]).verdict is None


def test_stricter_rates_take_more_deals() -> None:
    usual, _ = needed(1.0)[1], needed(0.5)[1]
    assert needed(1.0, Rates(alpha=0.01))[1] > usual > needed(1.0, Rates(alpha=0.2))[1]
    assert needed(0.5, Rates(beta=0.01))[1] > needed(0.5)[1] > needed(0.5, Rates(beta=0.2))[1]
    assert needed(0.5, Rates(margin=0.02))[1] > needed(0.5)[1] > needed(0.5, Rates(margin=0.1))[1]


@given(st.lists(SCORES, max_size=60))
def test_the_other_bot_is_told_the_opposite(scores: list[float]) -> None:
    one, other = after(scores), after(1 - score for score in scores)
    assert OPPOSITE[one.verdict] == other.verdict
    for verdict in BOTH_SIDES:
        opposite: Verdict = OPPOSITE[verdict]  # type: ignore[assignment]
        assert one.progress(verdict) == pytest.approx(other.progress(opposite))


@given(st.lists(SCORES, max_size=60), st.floats(0.001, 0.499), st.floats(0.001, 0.499))
def test_progress_is_a_share_and_whole_at_the_verdict(
    scores: list[float], rate: float, margin: float
) -> None:
    test = after(scores, Rates(rate, rate, margin))
    assert all(0 <= test.progress(verdict) <= 1 for verdict in BOTH_SIDES)
    if test.verdict is None:
        assert all(test.progress(verdict) < 1 for verdict in BOTH_SIDES)


def chances(
    scores: Sequence[tuple[float, float]], deals: int, rates: Rates | Bounds
) -> dict[Verdict | None, float]:
    """Return how likely each verdict is after so many deals of these scores and their chances."""
    found = dict.fromkeys((*VERDICTS, None), 0.0)

    def go_on(course: tuple[float, ...], chance: float) -> None:
        verdict = after(course, rates).verdict
        if verdict is not None or len(course) == deals:
            found[verdict] += chance
            return
        for score, share in scores:
            go_on((*course, score), chance * share)

    go_on((), 1.0)
    return found


@pytest.mark.parametrize(
    ("scores", "deals"),
    [
        ([(0.0, 0.5), (1.0, 0.5)], 11),
        ([(0.0, 0.2), (0.5, 0.6), (1.0, 0.2)], 7),
        ([(0.0, 0.1), (0.5555555, 0.9)], 11),
        ([(0.4, 0.8), (0.9, 0.2)], 11),
    ],
    ids=["coin", "pairs", "rare loss", "rare win"],
)
def test_equal_bots_are_called_different_no_more_often_than_stated(
    scores: list[tuple[float, float]], deals: int
) -> None:
    found = chances(scores, deals, LOOSE)
    assert found["better"] <= LOOSE.alpha / 2 + 1e-6
    assert found["worse"] <= LOOSE.alpha / 2 + 1e-6
    assert found["better"] + found["worse"] > 0


@pytest.mark.parametrize(
    "scores", [[(0.0, 0.2), (1.0, 0.8)], [(0.5, 0.4), (1.0, 0.6)], [(0.0, 0.1), (0.8889, 0.9)]]
)
def test_a_better_bot_is_missed_no_more_than_stated(scores: list[tuple[float, float]]) -> None:
    found = chances(scores, 11, LOOSE)
    assert found["worse"] + found["same"] <= LOOSE.beta + 1e-6
    assert found["better"] > 0.2


@pytest.mark.parametrize("low", [0.3, 0.5])
@pytest.mark.parametrize(
    ("scores", "deals"),
    [
        ([(0.0, 0.5), (1.0, 0.5)], 9),
        ([(0.0, 0.2), (0.5, 0.6), (1.0, 0.2)], 6),
        ([(0.4, 0.8), (0.9, 0.2)], 9),
    ],
)
def test_a_test_of_one_side_errs_no_more_often_than_stated(
    scores: list[tuple[float, float]], deals: int, low: float
) -> None:
    """The mean is at one of its bounds: exactly so much that it may neither pass nor fail."""
    mean = sum(score * chance for score, chance in scores)
    at_low = chances(scores, deals, Bounds(mean, mean + low / 2, alpha=0.3, beta=0.2))
    at_high = chances(scores, deals, Bounds(mean - low / 2, mean, alpha=0.3, beta=0.2))
    assert at_low["passed"] <= 0.3 + 1e-6
    assert at_high["failed"] <= 0.2 + 1e-6
    assert at_low["passed"] + at_high["failed"] > 0


def test_a_test_of_one_side_passes_or_fails_by_where_the_mean_lies() -> None:
    bounds = Bounds(0.48, 0.52)
    assert needed(1.0, bounds)[0] == "passed"
    assert needed(0.0, bounds)[0] == "failed"
    lower, higher = (needed(0.6, Bounds(low, low + 0.05)) for low in (0.4, 0.5))
    assert lower[0] == higher[0] == "passed"
    assert lower[1] < higher[1]
    assert SequentialTest(bounds).verdicts == ("passed", "failed")


@pytest.mark.slow
def test_among_equals_it_takes_more_deals_than_wald_s_as_the_page_on_comparisons_says() -> None:
    even, better = law_of(FIELDS[3], 0.5), law_of(FIELDS[3], 0.55)
    for asked, wald, least, most in (
        (Rates(), two_sided, 1.2, 1.5),
        (Bounds(0.5, 0.55), one_sided, 1.1, 1.35),
    ):
        ours = simulate(even, 0.5, asked, 500, seed=1)
        theirs = ended(even, wald(better, even), seed=2)
        assert least < ours.deals / theirs.deals < most
