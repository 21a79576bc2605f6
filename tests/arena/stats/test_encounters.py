"""Two bots against each other: exact sums, and intervals that hold what they promise."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.encounters import Encounter, Share, encounters
from arena.stats.outcomes import Result
from tests.arena.stats.deals import Played, deals_of, matches
from tests.arena.stats.deals import placed as result


def met(*played: tuple[str, Result]) -> dict[tuple[str, str], Encounter]:
    return encounters(deals_of(played))


def counts(encounter: Encounter) -> tuple[int, int, int, int, int]:
    own = encounter
    return own.matches, own.points.deals, own.wins, own.draws, own.losses


@given(st.lists(matches, max_size=12))
def test_sums_are_what_counting_gives(played: Played) -> None:
    """Also where the matches of a deal have different bots."""
    found, tables = (
        met(*played),
        [(deal, dict(zip(*result, strict=True))) for deal, result in played],
    )
    pairs = {(one, two) for _, places in tables for one, two in permutations(places, 2)}
    assert list(found) == sorted(pairs)
    for (one, two), encounter in found.items():
        met_in = [(deal, places) for deal, places in tables if {one, two} <= places.keys()]
        points: defaultdict[str, list[Fraction]] = defaultdict(list)
        for deal, places in met_in:
            better = (places[one] < places[two]) - (places[one] > places[two])
            points[deal].append(Fraction(1 + better, 2))
        won, drawn = (
            sum(each.count(Fraction(half, 2)) for each in points.values()) for half in (2, 1)
        )
        lost = len(met_in) - won - drawn
        assert counts(encounter) == (len(met_in), len(points), won, drawn, lost)
        means = [sum(each, Fraction()) / len(each) for each in points.values()]
        assert encounter.points.total == sum(means)
        assert encounter.points.squares == sum(mean**2 for mean in means)
        for bot, total in ((one, encounter.places), (two, encounter.other_places)):
            assert total == sum(
                1 + sum(other < places[bot] for other in places.values()) for _, places in met_in
            )
        turned = found[two, one]
        assert encounter.lead == -turned.lead
        low, high = turned.points.interval
        assert encounter.points.interval == pytest.approx((1 - high, 1 - low))


@pytest.mark.slow
def test_a_deal_of_very_many_matches_takes_no_longer_than_many_deals() -> None:
    played = [result("1", A=1 + n % 3, B=2, C=3) for n in range(300_000)]
    began = process_time()
    assert counts(met(*played)["A", "B"]) == (300_000, 1, 100_000, 100_000, 100_000)
    assert process_time() - began < 5.0  # it takes 1; one number of all the places takes 12


def share_of(scores: Counter[Fraction]) -> Share:
    share = Share()
    for score, deals in scores.items():
        share.add(score, deals)
    return share


LOST, DRAWN, WON = Fraction(0), Fraction(1, 2), Fraction(1)
scores = st.dictionaries(
    st.fractions(0, 1, max_denominator=12), st.integers(1, 10**6), min_size=1
).map(Counter)


@settings(max_examples=50)
@given(scores)
def test_the_interval_holds_the_mean_and_only_what_a_share_can_be(found: Counter[Fraction]) -> None:
    share = share_of(found)
    low, high = share.interval
    assert 0 <= low < high <= 1
    assert low <= share.mean + 1e-12
    assert share.mean - 1e-12 <= high


def test_deals_that_all_went_the_same_way_leave_doubt() -> None:
    for score in (LOST, DRAWN, WON):
        ends = [share_of(Counter({score: deals})).interval for deals in (1, 10, 100, 1000)]
        widths = [high - low for low, high in ends]
        assert widths == sorted(widths, reverse=True)
        assert widths[0] > 0.8
        assert 0 < widths[-1] < 0.01
    for score, lead in ((WON, 1), (LOST, -1)):  # a sweep of five is not sure, and one of six is
        sweeps = [Encounter(points=share_of(Counter({score: n}))).lead for n in (1, 5, 6)]
        assert sweeps == [0, 0, lead]
    assert Encounter(points=share_of(Counter({DRAWN: 1000}))).lead == 0
    share = Share()
    for score, error in ((WON, None), (LOST, 0.5)):
        assert share.error is None
        share.add(score)
        assert share.error == error


def sets_of(deals: int, *chances: float) -> Iterator[tuple[float, Share]]:
    """Every way that so many deals may go, each lost, drawn or won, with its probability."""
    for won in range(deals + 1):
        for drawn in range(deals - won + 1):
            numbers = (deals - won - drawn, drawn, won)
            ways = math.comb(deals, won) * math.comb(deals - won, drawn)
            likely = ways * math.prod(map(pow, chances, numbers))
            if likely:
                found = zip((LOST, DRAWN, WON), numbers, strict=True)
                yield likely, share_of(Counter({score: n for score, n in found if n}))


@pytest.mark.parametrize(
    ("chances", "deals", "least", "most"),
    [
        ((0.5, 0, 0.5), 100, 0.94, 0.97),  # wins and losses of equals
        ((0.3, 0, 0.7), 60, 0.94, 0.97),  # wins and losses
        ((0.05, 0, 0.95), 100, 0.94, 0.97),  # one-sided
        ((0.2, 0.5, 0.3), 60, 0.94, 0.97),  # draws
        ((0.05, 0.9, 0.05), 80, 0.94, 0.995),  # almost only draws
        ((0.4, 0, 0.6), 5, 0.94, 1),  # few deals
        ((0.2, 0, 0.8), 8, 0.94, 1),  # few deals, one-sided
        ((0, 0, 1.0), 10, 1, 1),  # nothing but wins
        ((0, 1.0, 0), 10, 1, 1),  # nothing but draws
    ],
)
def test_the_interval_holds_the_truth_95_times_in_100(
    chances: tuple[float, ...], deals: int, least: float, most: float
) -> None:
    truth = chances[1] / 2 + chances[2]
    held = sum(
        likely
        for likely, share in sets_of(deals, *chances)
        if share.interval.low <= truth <= share.interval.high
    )
    assert least <= held <= most


def test_equals_are_told_apart_about_once_in_twenty_at_most() -> None:
    for drawn, deals in product((0, 0.6), (1, 3, 10, 30)):
        either = (1 - drawn) / 2
        told = [
            likely
            for likely, share in sets_of(deals, either, drawn, either)
            if Encounter(points=share).lead
        ]
        assert sum(told) <= 0.06
