"""Versions of a bot that are linked: a new one starts from the one before."""

from itertools import pairwise
from statistics import fmean

import pytest

from arena.stats.likelihood import MEAN
from arena.stats.links import USUAL_STEP, Succession
from arena.stats.outcomes import Deals
from arena.stats.ratings import Ratings, fit
from tests.arena.stats.deals import deals_of, duels

OLD, NEW = "A", "A2"
LINK = Succession(OLD, NEW)


def deals(**wins: tuple[int, int]) -> Deals:
    """Deals of one match: `A_B=(3, 1)` are three that A won against B, and one that it lost."""
    return deals_of(duels(*((*pair.split("_"), *won) for pair, won in wins.items())))


HISTORY = {"A_B": (60, 20), "A_C": (50, 30), "B_C": (40, 40)}


def lead(ratings: Ratings, bot: str, other: str) -> float:
    return ratings.bots[bot].mu - ratings.bots[other].mu


def test_a_version_that_has_not_played_is_rated_as_the_one_before() -> None:
    ratings = fit(deals(**HISTORY), links=[LINK])
    assert ratings.bots[NEW].mu == pytest.approx(ratings.bots[OLD].mu, abs=0.01)
    assert ratings.step == USUAL_STEP
    assert ratings.error_between(NEW, OLD) == pytest.approx(USUAL_STEP, rel=0.02)
    assert ratings.bots[NEW].error > ratings.bots[OLD].error


def test_a_link_narrows_the_bar_and_moves_the_rating_toward_the_one_before() -> None:
    played = deals(**HISTORY, A2_B=(4, 6), A2_C=(4, 6))
    linked, alone = fit(played, links=[LINK]), fit(played)
    assert linked.bots[NEW].error < alone.bots[NEW].error
    assert lead(linked, OLD, NEW) < lead(alone, OLD, NEW)
    assert lead(linked, OLD, NEW) > 0
    assert linked.error_between(NEW, OLD) < alone.error_between(NEW, OLD)


def test_many_deals_speak_for_themselves() -> None:
    played = deals(**HISTORY, A2_B=(400, 600), A2_C=(400, 600))
    linked, alone = fit(played, links=[LINK]), fit(played)
    assert linked.bots[NEW].mu == pytest.approx(alone.bots[NEW].mu, abs=0.3)
    assert linked.bots[NEW].error == pytest.approx(alone.bots[NEW].error, rel=0.1)


def test_versions_that_met_nobody_in_common_are_linked_all_the_same() -> None:
    played = deals(A_B=(8, 2), A2_C=(8, 2))
    assert fit(played).bots == fit(played, links=[]).bots
    assert (len(fit(played).groups), fit(played).step) == (2, None)
    linked = fit(played, links=[LINK, Succession(NEW, "A3")])
    assert linked.groups == [["A", "A2", "A3", "B", "C"]]
    assert fmean(each.mu for each in linked.bots.values()) == pytest.approx(MEAN, abs=1e-6)


def test_steps_are_fitted_to_all_changes() -> None:
    steps = []
    for wins in (50, 75, 98):  # by which each version beats the one before
        chain = [f"V{number}" for number in range(6)]
        played = deals(**{f"{new}_{old}": (wins, 100 - wins)
                          for old, new in pairwise(chain)})  # fmt: skip
        links = [Succession(*pair) for pair in pairwise(chain)]
        ratings = fit(played, links=links)
        assert ratings.step is not None
        steps.append(ratings.step)
    assert steps[0] < USUAL_STEP < steps[1] < steps[2]


def test_versions_in_a_row_without_results_say_no_more_than_one() -> None:
    row = [Succession("A", "A2"), Succession("A2", "A3"), Succession("A3", "A4")]
    plain, linked = fit(deals(**HISTORY)), fit(deals(**HISTORY), links=row)
    assert lead(linked, "A", "B") == pytest.approx(lead(plain, "A", "B"), abs=0.01)
