"""The schedule: every line-up and deal once, fair seats, and nothing that moves without need."""

from collections import Counter, OrderedDict
from dataclasses import replace
from itertools import combinations, groupby, permutations, product
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.deal import LIVE_PROCESSES, Deal, Entrant, Rotations
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
def test_every_line_up_plays_every_deal_once(found: Case) -> None:
    whole = replace(found, share=1.0)
    plan = [(deal.lineup, deal.number) for deal in whole.asked.plan()]
    lineups = combinations(range(len(found.entrants)), found.seats)
    assert sorted(plan) == [(each, number) for each in lineups for number in range(found.deals)]
    assert whole.asked.deal_count == len(plan)


@calm
@given(cases())
def test_whenever_it_is_interrupted_all_line_ups_have_played_about_as_much(
    found: Case,
) -> None:
    whole = replace(found, share=1.0)
    played = Counter(dict.fromkeys(combinations(range(len(found.entrants)), found.seats), 0))
    for deal in whole.asked.plan():
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
@given(cases())
def test_the_deals_are_counted_without_being_played(found: Case) -> None:
    assert found.asked.deal_count == len(list(found.asked.plan()))


@calm
@given(cases())
def test_cyclic_rotations_pass_every_bot_through_every_seat_once(found: Case) -> None:
    cyclic = replace(found, rotations="cyclic")
    for deal in cyclic.asked.plan():
        orders = [cyclic.schedule.seating(deal, number) for number in range(cyclic.rotation_count)]
        first = orders[0]
        assert orders == [first[n:] + first[:n] for n in range(found.seats)]
        assert sorted(first) == sorted(deal.lineup)


@calm
@given(cases(most_seats=3))
def test_all_rotations_are_all_orders_once(found: Case) -> None:
    every = replace(found, rotations="all")
    for deal in every.asked.plan():
        orders = [every.schedule.seating(deal, number) for number in range(every.rotation_count)]
        assert sorted(orders) == sorted(permutations(deal.lineup))


@calm
@given(cases())
def test_one_rotation_is_one_order(found: Case) -> None:
    one = replace(found, rotations="one")
    assert one.rotation_count == 1
    for deal in one.asked.plan():
        assert sorted(one.schedule.seating(deal, 0)) == sorted(deal.lineup)
        assert (
            one.schedule.seating(deal, 0) == found.schedule.seating(deal, 0)
            or found.rotations == "all"
        )


@calm
@given(cases(), st.sampled_from(["cyclic", "all"]))
def test_each_bot_sits_equally_often_in_each_seat(found: Case, rotations: Rotations) -> None:
    fair = replace(found, rotations=rotations)
    sat: Counter[tuple[int, int]] = Counter()
    for deal in fair.asked.plan():
        for number in range(fair.rotation_count):
            sat.update(enumerate(fair.schedule.seating(deal, number)))
    for index in range(len(fair.entrants)):
        assert len({sat[seat, index] for seat in range(fair.seats)}) == 1


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


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_about_the_share_that_is_asked_for_is_kept(share: float) -> None:
    found = case("a", "b", "c", deals=2000, share=share)
    assert found.asked.deal_count / (comb(3, 2) * 2000) == pytest.approx(share, abs=0.02)


@calm
@given(cases(), st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_larger_share_only_adds_deals(found: Case, one: float, other: float) -> None:
    smaller = set(replace(found, share=min(one, other)).asked.plan())
    assert smaller <= set(replace(found, share=max(one, other)).asked.plan())


@calm
@given(cases())
def test_every_match_and_bot_has_a_seed_of_its_own(found: Case) -> None:
    seeds = [
        found.schedule.bot_seed(found.schedule.match_id(deal, number), index)
        for deal in found.asked.plan()
        for number in range(found.rotation_count)
        for index in deal.lineup
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_the_seeds_of_bots_use_all_of_53_bits() -> None:
    found = case("a", "b", deals=200)
    seeds = [
        found.schedule.bot_seed(found.schedule.match_id(deal, 0), 0) for deal in found.asked.plan()
    ]
    assert max(seeds) > 2**52
    assert min(seeds) < 2**52


@calm
@given(cases())
def test_ids_tell_all_matches_apart(found: Case) -> None:
    ids = [
        found.schedule.match_id(deal, number)
        for deal in found.asked.plan()
        for number in range(found.rotation_count)
    ]
    assert len(set(ids)) == len(ids)


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


def test_a_bots_seed_does_not_tell_the_deals() -> None:
    found = case("a", "b")
    deal = Deal((0, 1), 0)
    seed = found.schedule.bot_seed(found.schedule.match_id(deal, 0), 0)
    assert f"{seed:x}" not in found.schedule.deal_seed(deal)


def test_the_order_in_which_bots_are_given_is_of_no_account() -> None:
    assert case("b", "c", "a") == case("a", "b", "c")


def test_too_few_bots_play_nothing() -> None:
    few = case("a", "b", "c", seats=4)
    assert (few.asked.deal_count, list(few.asked.plan())) == (0, [])


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
