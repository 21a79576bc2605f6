"""How sure it is which of two bots is better, alone and for a whole table at once."""

import random

import pytest

from arena.stats.pairs import Pair, neighbours, pairs
from arena.stats.ratings import SEPARATED, Ratings, fit, rank_intervals
from arena.stats.together import SURE, errors_together
from tests.arena.stats.deals import deals_of, duels
from tests.benchmarks.calibration.league import Plan, simulated


def played(*won: tuple[str, str, int, int]) -> Ratings:
    """Return the ratings of duels, each a deal of its own: two bots, and how often each won."""
    return fit(deals_of(duels(*won)))


def only(ratings: Ratings) -> Pair:
    [found] = pairs(ratings)
    return found


def test_the_better_one_comes_first_and_is_the_surer_the_more_it_leads() -> None:
    close = only(played(("a", "b", 11, 9)))
    clear = only(played(("b", "a", 18, 4)))
    assert (close.bot, close.other, clear.bot, clear.other) == ("a", "b", "b", "a")
    assert close.better is not None
    assert clear.better is not None
    assert 0.5 < close.better < 0.8
    assert 0.97 < clear.better < 1
    assert (close.is_separated, clear.is_separated, clear.more) == (False, True, 0)


def test_equals_are_a_toss_up_and_would_need_deals_without_end() -> None:
    ratings = played(("a", "b", 10, 10))
    equal = only(ratings)
    assert equal.better == pytest.approx(0.5, abs=1e-6)
    assert (equal.more, equal.more_to) == (None, None)
    assert equal.more_from is not None
    close = neighbours(ratings)
    assert close is not None
    assert (close.more, close.more_to, close.part) == (None, None, None)
    assert close.more_from is not None


def test_where_one_error_more_would_do_a_deal_more_may() -> None:
    found = only(played(("a", "b", 15, 9)))
    assert found.error is not None
    assert found.error < found.lead < SEPARATED * found.error
    assert found.more_from == 1


def test_of_too_few_deals_nothing_is_said_and_bots_that_no_match_links_are_no_pair() -> None:
    few = only(played(("a", "b", 2, 0)))
    assert (few.better, few.error, few.more, few.is_separated) == (None, None, None, False)
    assert neighbours(played(("a", "b", 2, 0))) is None
    found = list(pairs(played(("a", "b", 5, 0), ("c", "d", 5, 0))))
    assert [(pair.bot, pair.other) for pair in found] == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize("deals", [40, 160])
def test_as_many_more_deals_as_are_told_separate_what_they_are_to_separate(deals: int) -> None:
    """The results so far, so often again that both have played as many more as it says."""
    wins = round(0.55 * deals)
    now = only(played(("a", "b", wins, deals - wins)))
    assert now.more is not None
    times = (deals + now.more) / deals
    then, fewer = (
        only(played(("a", "b", round(share * wins * times), round(share * (deals - wins) * times))))
        for share in (1, 0.8)
    )
    assert then.lead / (then.error or 1) == pytest.approx(SEPARATED, abs=0.1)
    assert not fewer.is_separated
    assert now.more_from is not None
    assert now.more_from < now.more < (now.more_to or 10**9)


def test_half_of_the_neighbours_are_those_that_need_the_fewest_deals() -> None:
    ratings = played(("a", "b", 12, 8), ("b", "c", 11, 9), ("c", "d", 20, 1))
    close = neighbours(ratings)
    assert close is not None
    assert [(pair.bot, pair.other) for pair in close.pairs] == [("a", "b"), ("b", "c")]
    needed = sorted(pair.more or 0 for pair in close.pairs)
    assert (close.more, close.more_to) == (needed[0], None)
    assert close.part is not None
    least = min(ratings.bots[bot].deals for bot in ("a", "b"))
    assert close.part == pytest.approx(needed[0] / least)


def test_neighbours_that_are_separated_are_not_told() -> None:
    assert neighbours(played(("a", "b", 18, 4))) is None
    close = neighbours(played(("a", "b", 18, 4)), lambda _: 9.0)
    assert close is not None
    assert [(pair.bot, pair.is_separated) for pair in close.pairs] == [("a", False)]


@pytest.mark.parametrize(
    ("bots", "errors"),
    # Of the studentized range at 95.45 % and endless degrees of freedom, over the root of two
    [(2, 2.0), (3, 2.381), (10, 3.195), (20, 3.572), (100, 4.327)],
)
def test_errors_together_are_of_the_studentized_range(bots: int, errors: float) -> None:
    assert errors_together(bots) == pytest.approx(errors, abs=0.002)
    chance = random.Random(bots)
    spans = [
        max(sample) - min(sample)
        for sample in ([chance.gauss(0, 1) for _ in range(bots)] for _ in range(4000))
    ]
    within = sum(span <= errors_together(bots) * 2**0.5 for span in spans) / len(spans)
    assert within == pytest.approx(SURE, abs=0.012)


def test_ranks_for_a_whole_table_are_never_narrower() -> None:
    ratings = fit(deals_of(simulated(Plan(bots=8, deals=8), "ranks").matches))
    alone, together = rank_intervals(ratings), rank_intervals(ratings, errors_together)
    assert alone != together
    for bot, (first, last) in alone.items():
        assert together[bot][0] <= first <= last <= together[bot][1]
