"""The schedule: every line-up and deal once, fair seats, and nothing that moves without need."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, groupby, permutations, product
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.deal import DEALS_LIMIT, Deal, Entrant
from protocol.errors import ArenaError
from tests.arena.schedule.cases import Case, calm, case, cases, names


def told(found: Case) -> dict[tuple[tuple[str, ...], int], tuple[object, ...]]:
    """Return all that the schedule says of each deal, bots by name."""
    keys, schedule = [entrant.key for entrant in found.entrants], found.schedule
    said = {}
    for deal in found.asked.plan():
        matches = []
        for rotation in range(found.rotation_count):
            match = schedule.match_id(deal, rotation)
            seats = [keys[index] for index in schedule.seating(deal, rotation)]
            seeds = [schedule.bot_seed(match, index) for index in deal.lineup]
            matches.append((schedule.seed(deal, rotation), seats, seeds))
        lineup = tuple(keys[index] for index in deal.lineup)
        said[lineup, deal.number] = (schedule.deal_id(deal), matches)
    return said


@calm
@given(cases())
def test_every_line_up_plays_every_deal_once_and_at_any_time_about_as_much_as_others(
    found: Case,
) -> None:
    assert found.asked.deal_count == len(list(found.asked.plan()))
    whole = replace(found, share=1.0)
    plan = list(whole.asked.plan())
    assert whole.asked.deal_count == len(plan)
    played = Counter(dict.fromkeys(combinations(range(len(found.entrants)), found.seats), 0))
    assert sorted((deal.lineup, deal.number) for deal in plan) == [
        *product(sorted(played), range(found.deals))
    ]
    for deal in plan:
        assert deal.number <= 2 * min(played.values()) + 9
        assert deal.number == 0 or min(played.values()) > 0, "somebody has played nothing yet"
        played[deal.lineup] += 1


@pytest.mark.parametrize(("bots", "most"), [(32, 1), (33, 10)])
def test_only_where_processes_do_not_all_live_deals_are_played_in_a_row(
    bots: int, most: int
) -> None:
    plan = list(case(*(f"bot{n:02}" for n in range(bots)), deals=30).asked.plan())
    in_a_row = [len(list(same)) for _, same in groupby(plan, key=lambda deal: deal.lineup)]
    assert max(in_a_row) == most
    assert {deal.number for deal in plan[: comb(bots, 2)]} == {0}


@calm
@given(cases(most_seats=3))
def test_rotations_are_one_order_or_those_of_a_ring_or_all_and_the_latter_two_are_fair(
    found: Case,
) -> None:
    one, ring, every = (replace(found, rotations=each) for each in ("one", "cyclic", "all"))
    sat: Counter[tuple[bool, int, int]] = Counter()
    for deal in ring.asked.plan():
        (alone,) = orders(one, deal)
        first, *_ = turned = orders(ring, deal)
        assert alone == first
        assert sorted(first) == sorted(deal.lineup)
        assert turned == [first[n:] + first[:n] for n in range(found.seats)]
        all_of_them = orders(every, deal)
        assert sorted(all_of_them) == sorted(permutations(deal.lineup))
        for is_all, seatings in ((False, turned), (True, all_of_them)):
            for order in seatings:
                sat.update((is_all, seat, bot) for seat, bot in enumerate(order))
    for is_all, bot in product((False, True), range(len(found.entrants))):
        assert len({sat[is_all, seat, bot] for seat in range(found.seats)}) == 1


def orders(found: Case, deal: Deal) -> list[tuple[int, ...]]:
    return [found.schedule.seating(deal, number) for number in range(found.rotation_count)]


def test_over_many_deals_every_order_of_the_seats_comes_first() -> None:
    found = case("a", "b", "c", seats=3, deals=100)
    assert len({found.schedule.seating(deal, 0) for deal in found.asked.plan()}) == factorial(3)


@calm
@given(cases(), st.sets(names, min_size=1, max_size=3))
def test_adding_or_removing_bots_leaves_the_deals_of_the_others(
    found: Case, more: set[str]
) -> None:
    keys = {entrant.key for entrant in found.entrants}
    larger = replace(found, entrants=case(*keys | more).entrants)
    after = told(larger)
    assert told(found) == {
        deal: all_of_it for deal, all_of_it in after.items() if keys.issuperset(deal[0])
    }


@calm
@given(cases(), st.integers(1, 5))
def test_more_deals_are_added_to_those_there_were(found: Case, more: int) -> None:
    before, after = told(found), told(replace(found, deals=found.deals + more))
    assert before.items() <= after.items()
    assert {deal for deal in after if deal[1] < found.deals} == set(before)


def test_about_the_share_that_is_asked_for_is_kept_and_a_larger_one_only_adds_deals() -> None:
    smaller: set[Deal] = set()
    for share in (0.05, 0.3, 0.9):
        found = case("a", "b", "c", deals=2000, share=share)
        assert smaller <= {*found.asked.plan()}
        smaller = {*found.asked.plan()}
        assert found.asked.deal_count / (comb(3, 2) * 2000) == pytest.approx(share, abs=0.02)


@calm
@given(cases())
def test_every_match_has_an_id_and_every_bot_in_it_a_seed_of_its_own(found: Case) -> None:
    ids = [
        found.schedule.match_id(deal, number)
        for deal in found.asked.plan()
        for number in range(found.rotation_count)
    ]
    assert len(set(ids)) == len(ids)
    seeds = [found.schedule.bot_seed(match, bot) for match in ids for bot in range(found.seats)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_the_seeds_of_bots_use_all_of_53_bits_and_do_not_tell_the_deals() -> None:
    found = case("a", "b", deals=200)
    seeds = [
        found.schedule.bot_seed(found.schedule.match_id(deal, 0), 0) for deal in found.asked.plan()
    ]
    assert min(seeds) < 2**52 < max(seeds)
    assert f"{seeds[0]:x}" not in found.schedule.seed(Deal((0, 1), 0), 0)


def test_no_version_of_a_bot_is_dealt_the_cards_of_another() -> None:
    """Nor those of another key or game; which deals are chosen stays."""
    found = case("a", "b", deals=20, share=0.5)
    first, second = found.entrants
    newer = replace(found, entrants=(first, Entrant(second.key, "a later version")))
    deals = list(found.asked.plan())
    assert deals == list(newer.asked.plan())
    for changed in (newer, replace(found, key="2"), replace(found, game="cold_war")):
        for deal in deals:
            assert found.schedule.seed(deal, 0) != changed.schedule.seed(deal, 0)
            assert found.schedule.deal_id(deal) != changed.schedule.deal_id(deal)


def test_another_version_of_a_bundled_bot_plays_the_same_cards_under_other_ids() -> None:
    found = case("a", "b", deals=5)
    first, second = found.entrants
    one, other = (
        replace(found, entrants=(first, Entrant(second.key, version, is_bundled=True)))
        for version in ("this", "that")
    )
    for deal in found.asked.plan():
        assert one.schedule.seed(deal, 0) == other.schedule.seed(deal, 0)
        assert one.schedule.seating(deal, 0) == other.schedule.seating(deal, 0)
        assert one.schedule.deal_id(deal) != other.schedule.deal_id(deal)
        assert one.schedule.seed(deal, 0) != found.schedule.seed(deal, 0)


def test_rotations_have_the_same_cards_only_where_a_deal_is_mirrored() -> None:
    schedule = case("a", "b", "c", seats=3).schedule
    mirrored, apart = Deal((0, 1, 2), 0), Deal((0, 1, 2), 0, is_mirrored=False)
    assert len({schedule.seed(mirrored, number) for number in range(3)}) == 1
    seeds = {schedule.seed(apart, number) for number in range(3)}
    assert len(seeds | {schedule.seed(mirrored, 0)}) == 4
    assert schedule.deal_id(mirrored) == schedule.deal_id(apart)
    for number in range(3):
        assert schedule.seating(mirrored, number) == schedule.seating(apart, number)


def test_too_many_deals_are_refused() -> None:
    assert case("a", "b", deals=DEALS_LIMIT).asked
    with pytest.raises(ArenaError, match="ask for fewer deals or bots"):
        _ = case("a", "b", "c", deals=DEALS_LIMIT).asked


def test_a_deal_is_the_same_in_every_release() -> None:
    """If this fails, every stored league would be played anew: think twice."""
    found = case("a", "b", "c", seats=3, key="golden")
    bundled = tuple(replace(each, is_bundled=True) for each in found.entrants)
    found = replace(found, entrants=bundled)
    deal = Deal((0, 1, 2), 1)
    match = found.schedule.match_id(deal, 2)
    assert found.schedule.seed(deal, 2) == "9924cfe6a75091f55a0e467f939f42a6"
    assert match == "a54c32635c528c85-2"
    assert found.schedule.seating(deal, 2) == (0, 1, 2)
    assert found.schedule.bot_seed(match, 0) == 71383163979746
