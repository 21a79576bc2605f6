"""Points by seat, and what mirrored deals are worth."""

import math
import random
import statistics
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.outcomes import Deals, Result
from arena.stats.seats import ENOUGH_FREEDOM, EVERYBODY, mirror_gain, sittings
from tests.arena.stats.deals import deals_of

Played = list[tuple[str, Result]]


def match(deal: object, bots: str, *places: int) -> tuple[str, Result]:
    """A match of a deal, its bots by seat."""
    return str(deal), Result(tuple(bots), places)


DUELS = [
    match(1, "AB", 1, 2), match(1, "BA", 1, 2),
    match(2, "AB", 1, 2), match(2, "BA", 2, 1),
    match(3, "AB", 1, 1), match(3, "BA", 1, 2)
]  # fmt: skip
"""A draws once, and loses once more in seat 1 than there is reason to."""


def test_points_go_by_seat_and_deal() -> None:
    found = sittings(deals_of(DUELS))
    first, second = found["A", 0], found["A", 1]
    assert (first.matches, first.wins, first.draws, first.losses, first.places) == (3, 2, 1, 0, 3)
    assert (second.wins, second.draws, second.losses, second.places) == (1, 0, 2, 5)
    assert list(found)[:3] == [(EVERYBODY, 0), (EVERYBODY, 1), ("A", 0)]
    assert {key: each.points.mean for key, each in found.items()} == pytest.approx(
        {
            (EVERYBODY, 0): 4.5 / 6,
            (EVERYBODY, 1): 1.5 / 6,
            ("A", 0): 2.5 / 3,
            ("A", 1): 1 / 3,
            ("B", 0): 2 / 3,
            ("B", 1): 0.5 / 3,
        }
    )
    assert {each.points.deals for each in found.values()} == {3}
    everybody = [(1 + 1) / 2, (1 + 0) / 2, (0.5 + 1) / 2]
    expected = statistics.stdev(everybody) / math.sqrt(3)
    assert found[EVERYBODY, 0].points.error == pytest.approx(expected)


def test_points_are_the_seats_beaten_and_half_of_those_tied_with() -> None:
    found = sittings(deals_of([match(1, "ABCD", 1, 2, 2, 4)]))
    seats = [found[EVERYBODY, seat] for seat in range(4)]
    assert [each.points.mean for each in seats] == pytest.approx([1, 1 / 2, 1 / 2, 0])
    assert [each.places for each in seats] == [1, 2, 2, 4]
    # a shared first place is a win, unless everybody has it
    found = sittings(deals_of([match(1, "ABC", 1, 1, 3), match(2, "ABC", 1, 1, 1)]))
    assert (found["B", 1].wins, found["B", 1].draws, found["B", 1].losses) == (1, 1, 0)
    assert (found["C", 2].wins, found["C", 2].draws, found["C", 2].losses) == (0, 1, 1)
    lone = sittings(deals_of([match(1, "A", 1)]))["A", 0]
    assert (lone.matches, lone.wins, lone.draws, lone.points.deals) == (1, 0, 1, 0)
    assert sittings({}) == {}


def test_the_edge_is_what_was_scored_beyond_the_other_seats_of_the_deal() -> None:
    edge = sittings(deals_of(DUELS[:2]))["A", 0].edge
    assert (edge.deals, edge.mean) == (1, 1.0)
    edge = sittings(deals_of(DUELS))["A", 0].edge
    assert edge.mean == pytest.approx((1 + (1 + 0 + 0.5) / 3) / 2)
    # none for a bot that never sat elsewhere in a deal
    won = [match(n, "AB" if n % 2 else "BA", 1, 2) for n in range(40)]
    found = sittings(deals_of(won))
    assert found["A", 0].points.mean == 1.0
    assert (found["A", 0].edge.deals, found["A", 0].lead) == (0, 0)
    assert found[EVERYBODY, 0].lead == 1


def test_a_seat_in_which_all_win_surely_leads_but_not_one_in_which_the_better_bot_sat() -> None:
    won = [match(n, bots, 1, 2) for n in range(20) for bots in ("AB", "BA")]
    assert {key: each.lead for key, each in sittings(deals_of(won)).items()} == {
        (who, seat): 1 - 2 * seat for who in (EVERYBODY, "A", "B") for seat in (0, 1)
    }
    won = [match(n, *lost) for n in range(20) for lost in (("AB", 1, 2), ("BA", 2, 1))]
    assert {each.lead for each in sittings(deals_of(won)).values()} == {0}


def simulated(
    deals: int, *, seats: int = 2, luck: float = 0.0, seed: int = 1, every_order: bool = False
) -> Deals:
    """Equal bots, whose hands decide `luck` of a result and pass on from match to match."""
    chance = random.Random(seed)
    played: Played = []
    for deal in range(deals):
        hands = [chance.gauss(0, math.sqrt(luck)) for _ in range(seats)]
        bots = chance.sample("ABCDEF"[:seats], seats)
        turned = [tuple(bots[seat:] + bots[:seat]) for seat in range(seats)]
        for order in permutations(bots) if every_order else turned:
            forms = [hand + chance.gauss(0, math.sqrt(1 - luck)) for hand in hands]
            places = tuple(1 + sum(other > form for other in forms) for form in forms)
            played.append((f"deal {deal}", Result(order, places)))
    return deals_of(played)


def test_the_gain_is_how_many_times_smaller_the_variance_is() -> None:
    twenty = [(f"{deal} {number}", result) for number in range(20) for deal, result in DUELS]
    gain = mirror_gain(deals_of(twenty))
    in_seats = [1, 1, 0.5] * 20, [0, 1, 0] * 20
    means = [(one + other) / 2 for one, other in zip(*in_seats, strict=True)]
    independent = sum(map(statistics.variance, in_seats)) / 4
    assert gain
    assert gain.deals == pytest.approx(independent / statistics.variance(means))
    # the more luck is dealt, the more it is worth; nothing but luck, any number
    gains = [mirror_gain(simulated(300, luck=luck)) for luck in (0.3, 0.6, 0.9)]
    assert [gain.deals for gain in gains if gain] == sorted(gain.deals for gain in gains if gain)
    assert mirror_gain(simulated(300, luck=1.0)) == (math.inf, None)


@pytest.mark.parametrize("every_order", [False, True])
@pytest.mark.parametrize("seats", [2, 3])
def test_without_luck_a_mirrored_deal_is_worth_one(seats: int, every_order: bool) -> None:
    gain = mirror_gain(simulated(600, seats=seats, every_order=every_order))
    assert gain
    assert gain.error
    assert abs(gain.deals - 1) < 3 * gain.error < 0.2


def test_luck_that_helps_the_same_bot_in_every_seat_makes_mirroring_worse_than_none() -> None:
    won = [
        match(n, *places)
        for n in range(40)
        for places in ([("AB", 1, 2), ("BA", 2, 1)] if n % 2 else [("AB", 2, 1), ("BA", 1, 2)])
    ]
    gain = mirror_gain(deals_of(won))
    assert gain
    assert gain.deals == pytest.approx(0.5)


def test_the_error_is_how_far_gains_scatter() -> None:
    gains = [mirror_gain(simulated(200, luck=0.6, seed=seed)) for seed in range(40)]
    found = [gain.deals for gain in gains if gain]
    errors = [gain.error for gain in gains if gain and gain.error]
    assert statistics.fmean(errors) == pytest.approx(statistics.stdev(found), rel=0.3)


def test_line_ups_are_measured_each_by_itself() -> None:
    """What one line-up does better than another is no luck."""
    one = {tuple(DUELS[at : at + 2][each][1] for each in (0, 1)): 20 for at in (0, 2, 4)}
    other = {
        tuple(Result(tuple("CD"[bot == "B"] for bot in bots), places) for bots, places in deal): n
        for deal, n in one.items()
    }
    alone, together = mirror_gain(one), mirror_gain({**one, **other})
    assert alone
    assert together
    assert together.deals == pytest.approx(alone.deals)


def test_few_deals_and_such_as_are_not_mirrored_or_all_end_alike_tell_no_gain() -> None:
    assert mirror_gain({}) is None
    assert mirror_gain(simulated(ENOUGH_FREEDOM)) is None
    assert mirror_gain(simulated(ENOUGH_FREEDOM + 1)) is not None
    played = simulated(100)
    assert mirror_gain({deal[:1]: count for deal, count in played.items()}) is None
    assert mirror_gain({**played, (Result(("A", "B"), (1, 2)),): 1}) is None
    assert mirror_gain({(Result(("A", "B"), (1, 2)), Result(("B", "A"), (2, 1))): 100}) is None


@settings(max_examples=25)
@given(st.integers(2, 3), st.integers(0, 5), st.randoms(use_true_random=False))
def test_shuffled_deals_give_the_same_bytes(seats: int, seed: int, chance: random.Random) -> None:
    played = simulated(40, seats=seats, luck=0.5, seed=seed)
    shuffled = dict(chance.sample(list(played.items()), len(played)))
    assert repr(sittings(shuffled)) == repr(sittings(played))
    assert repr(mirror_gain(shuffled)) == repr(mirror_gain(played))
