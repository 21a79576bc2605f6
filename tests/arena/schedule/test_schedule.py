"""The schedule: every line-up and deal once, fair seats, and nothing that moves without need."""

from collections import Counter, OrderedDict
from dataclasses import replace
from itertools import combinations, groupby, permutations, product
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.deal import LIVE_PROCESSES, Deal, Entrant
from arena.schedule.round_robin import DEALS_LIMIT
from protocol.errors import ArenaError
from tests.arena.schedule.cases import Case, calm, case, cases, names


def lineup(found: Case, deal: Deal) -> tuple[str, ...]:
    return tuple(found.entrants[index].key for index in deal.lineup)


def told(found: Case) -> dict[tuple[tuple[str, ...], int], tuple[object, ...]]:
    """Return all that the schedule says of each deal, bots by name."""
    return {
        (lineup(found, deal), deal.number): (
            found.schedule.deal_seed(deal),
            found.schedule.deal_id(deal),
            [
                [found.entrants[index].key for index in found.schedule.seating(deal, rotation)]
                for rotation in range(found.rotation_count)
            ],
            [
                [
                    found.schedule.bot_seed(found.schedule.match_id(deal, rotation), index)
                    for index in deal.lineup
                ]
                for rotation in range(found.rotation_count)
            ],
        )
        for deal in found.asked.plan()
    }


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


def test_rounds_that_grow_cost_as_many_starts_as_the_page_says() -> None:
    found = case(*(f"bot{n:02}" for n in range(100)), deals=20)
    kept: OrderedDict[tuple[int, int], None] = OrderedDict()
    starts = 0
    for deal in found.asked.plan():
        for process in product(range(found.rotation_count), deal.lineup):
            if process not in kept:
                starts += 1
                if len(kept) == LIVE_PROCESSES:
                    kept.popitem(last=False)
            kept[process] = None
            kept.move_to_end(process)
    assert starts == 5835


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
    """Return who sits where in each match of a deal."""
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


def test_about_the_share_that_is_asked_for_is_kept() -> None:
    for share in (0.05, 0.3, 0.9):
        found = case("a", "b", "c", deals=2000, share=share)
        assert found.asked.deal_count / (comb(3, 2) * 2000) == pytest.approx(share, abs=0.02)


@calm
@given(cases(), st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_larger_share_only_adds_deals(found: Case, one: float, other: float) -> None:
    smaller = set(replace(found, share=min(one, other)).asked.plan())
    assert smaller <= set(replace(found, share=max(one, other)).asked.plan())


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
    assert f"{seeds[0]:x}" not in found.schedule.deal_seed(Deal((0, 1), 0))


def test_another_version_of_a_bot_plays_the_same_deals_under_other_ids() -> None:
    found = case("a", "b", deals=20, share=0.5)
    first, second = found.entrants
    newer = replace(found, entrants=(first, Entrant(second.key, "a later version")))
    deals = list(found.asked.plan())
    assert deals == list(newer.asked.plan())
    for deal in deals:
        assert found.schedule.deal_seed(deal) == newer.schedule.deal_seed(deal)
        assert found.schedule.seating(deal, 0) == newer.schedule.seating(deal, 0)
        assert found.schedule.deal_id(deal) != newer.schedule.deal_id(deal)


@pytest.mark.parametrize("other", [{"key": "2"}, {"game": "cold_war"}])
def test_another_key_or_game_has_other_deals(other: dict[str, str]) -> None:
    found = case("a", "b")
    changed = replace(found, **other)  # type: ignore[arg-type] # one field of any
    deal = Deal((0, 1), 0)
    assert found.schedule.deal_seed(deal) != changed.schedule.deal_seed(deal)
    assert found.schedule.deal_id(deal) != changed.schedule.deal_id(deal)


def test_too_many_deals_are_refused() -> None:
    assert case("a", "b", deals=DEALS_LIMIT).asked
    with pytest.raises(ArenaError, match="ask for fewer deals or bots"):
        _ = case("a", "b", "c", deals=DEALS_LIMIT).asked


def test_a_deal_is_the_same_in_every_release() -> None:
    """If this fails, every stored league would be played anew: think twice."""
    found = case("a", "b", "c", seats=3, key="golden")
    deal = Deal((0, 1, 2), 1)
    match = found.schedule.match_id(deal, 2)
    assert found.schedule.deal_seed(deal) == "9924cfe6a75091f55a0e467f939f42a6"
    assert match == "a54c32635c528c85-2"
    assert found.schedule.seating(deal, 2) == (0, 1, 2)
    assert found.schedule.bot_seed(match, 0) == 71383163979746
