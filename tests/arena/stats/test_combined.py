"""Several leagues in one rating."""

import math
from statistics import fmean

import pytest

from arena.stats.combined import Combined, combined, combined_elo
from arena.stats.elo import elo_lead
from arena.stats.likelihood import MEAN
from arena.stats.ratings import Ratings, fit
from tests.arena.stats.deals import deals_of, results


def league(*wins: str, copies: int = 40) -> Ratings:
    """Ratings of duels, written `AB` for A beats B, each so many times."""
    return fit(deals_of(results(*map(" > ".join, wins), copies=copies)))


def by_bot(*leagues: Ratings) -> dict[str, Combined]:
    return {row.bot: row for row in combined(leagues)}


EVEN = league("AB", "BA")
ONE_SIDED = league("AB", "AB", "AB", "BA")


@pytest.mark.slow
def test_a_rating_is_the_mean_of_those_in_the_leagues_whose_errors_are_independent() -> None:
    rows = by_bot(EVEN, ONE_SIDED)
    assert rows["A"].mu == pytest.approx((MEAN + ONE_SIDED.bots["A"].mu) / 2)
    assert rows["A"].ratings == pytest.approx([MEAN, ONE_SIDED.bots["A"].mu])
    assert rows["A"].mu - MEAN == pytest.approx(MEAN - rows["B"].mu)
    errors = (each.bots["A"].error for each in (EVEN, ONE_SIDED))
    assert rows["A"].error == pytest.approx(math.hypot(*errors) / 2)
    # they count alike, however much was played in them
    long = league("AB", "AB", "AB", "BA", copies=4000)
    assert by_bot(EVEN, long)["A"].mu == pytest.approx(rows["A"].mu, abs=0.05)


def test_a_bot_of_one_league_only_changes_neither_mean_nor_error_of_the_others() -> None:
    wider = league("AB", "BA", "CA", "CB", "BC", "AC")
    rows = by_bot(EVEN, wider)
    assert set(rows) == {"A", "B"}
    assert rows["A"].mu + rows["B"].mu == pytest.approx(2 * MEAN)
    assert rows["A"].error == pytest.approx(rows["B"].error)
    apart = math.hypot(EVEN.error_between("A", "B"), wider.error_between("A", "B"))
    assert rows["A"].error == pytest.approx(apart / 4)


def test_strengths_are_measured_from_the_anchor() -> None:
    found = combined_elo(combined([EVEN, ONE_SIDED]), [EVEN, ONE_SIDED], ("B", 1500.0))
    assert found["B"] == (1500.0, 0.0)
    rows = by_bot(EVEN, ONE_SIDED)
    apart = math.hypot(*(each.error_between("A", "B") for each in (EVEN, ONE_SIDED))) / 2
    draws = fmean(each.draw_probability for each in (EVEN, ONE_SIDED))
    lead = elo_lead(rows["A"].mu - rows["B"].mu, apart, draws)
    assert found["A"] == pytest.approx((1500.0 + lead.points, lead.error))


def test_two_leagues_separate_what_one_does_not() -> None:
    close = league("AB", "BA", "AB", copies=8)
    assert by_bot(close)["A"].ranks == (1, 2)
    assert by_bot(*[close] * 9)["A"].ranks == (1, 1)
    assert by_bot(*[close] * 9)["B"].ranks == (2, 2)


def test_bots_that_one_league_does_not_link_are_not_ranked_against_each_other() -> None:
    linked = league("AB", "BC", "CD", "DE")
    apart = league("AB", "BA", "CD", "DE", "EC")
    rows = combined([linked, apart])
    assert [(row.group, row.bot) for row in rows] == [
        *[(1, "C"), (1, "D"), (1, "E")],
        *[(2, "A"), (2, "B")],
    ]
    assert all(row.ranks[1] <= 3 for row in rows)


def test_leagues_without_two_bots_in_common_have_nothing_to_combine() -> None:
    assert combined([EVEN, league("CD")]) == []
    assert combined([EVEN, league("AC")]) == []
    assert combined([EVEN, fit({})]) == []
