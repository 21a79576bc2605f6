"""Formats that no result changes: who plays whom, how often, and what cannot be meant."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.asked import AskedDeals
from arena.schedule.deal import BotIndex, Deal, rotation_count
from arena.schedule.even import even_deals
from arena.schedule.format_kinds import FormatTerms, InRounds, NoOptions, Plain
from arena.schedule.formats import FORMATS, USUAL_DEALS, FormatName
from arena.schedule.plain_formats import GauntletOptions
from arena.schedule.swiss import SwissOptions
from protocol.errors import ArenaError
from referee.rules.chance import Chance
from tests.arena.schedule.cases import Case, calm, case, cases

NAMES = tuple("abcdefghij")
TERMS = FormatTerms(
    names=NAMES,
    first="c",
    seats=2,
    matches_a_deal=2,
    deals=50,
    says_deals=False,
    share=1.0,
    is_in_share=lambda *_: True,
    matches=None,
    matches_per_bot=None,
    chance=lambda: Chance("key"),
)


def terms(found: Case) -> FormatTerms:
    return replace(
        TERMS,
        names=tuple(entrant.key for entrant in found.entrants),
        first=found.entrants[-1].key,
        seats=found.seats,
        matches_a_deal=rotation_count(found.rotations, found.seats),
        deals=found.deals,
        says_deals=True,
        share=found.share,
        is_in_share=found.schedule.is_in_share,
        chance=lambda: Chance(found.key),
    )


PLAIN = {name: form for name, form in FORMATS.items() if isinstance(form, Plain)}
IN_ROUNDS = {name: form for name, form in FORMATS.items() if isinstance(form, InRounds)}


def test_each_format_is_known_by_name_with_its_usual_deals() -> None:
    assert get_args(FormatName) == (*FORMATS,) == (*USUAL_DEALS,)
    assert [*USUAL_DEALS.values()] == [50, 50, 10, 10, 10, 50]
    assert all(form.deals_are for form in FORMATS.values())


def asked_of(name: FormatName, told: FormatTerms, options: msgspec.Struct) -> AskedDeals:
    return PLAIN[name].asked(told, options)


def check(asked: AskedDeals, found: FormatTerms) -> list[Deal]:
    """Check that all that a format says of its deals is true of its plan, and return that."""
    plan = [*asked.plan()]
    assert len(plan) == len(set(plan)) == asked.deal_count
    assert asked.match_count == len(plan) * found.matches_a_deal
    assert all(deal.lineup == tuple(sorted({*deal.lineup})) for deal in plan)
    assert all(len(deal.lineup) == found.seats for deal in plan)
    assert all(map(asked.asks_for, plan))
    some = {BotIndex(bot) for bot in range(len(found.names))}
    if comb(len(some), found.seats) < 500:
        others = [
            Deal(lineup, number)
            for lineup in combinations(sorted(some), found.seats)
            for number in range(3)
        ]
        assert {deal for deal in others if asked.asks_for(deal)} == {*others} & {*plan}
        for number in range(asked.complete_below):
            assert {deal.lineup for deal in plan if deal.number == number} == {
                *combinations(sorted(some), found.seats)
            }
    few = [deal for deal in plan if deal.number < 2]
    assert sorted(few, key=repr) == sorted(asked.plan(2), key=repr)
    numbers: Counter[tuple[BotIndex, ...]] = Counter()
    if found.share >= 1:
        for deal in plan:  # none is left out before it
            assert deal.number == numbers[deal.lineup]
            numbers[deal.lineup] += 1
    return plan


def test_as_many_matches_as_a_deal_has_are_enough() -> None:
    told = replace(TERMS, matches=2, deals=1)
    assert asked_of("round-robin", told, NoOptions()).match_count == 2
    some = asked_of("round-robin", replace(told, matches=5), NoOptions())
    assert (some.deal_count, some.match_count, len([*some.plan()])) == (2, 4, 2)
    IN_ROUNDS["swiss"].check("swiss", told, SwissOptions())
    with pytest.raises(ArenaError, match="pairs two bots"):
        IN_ROUNDS["swiss"].check("swiss", replace(TERMS, seats=3), SwissOptions(pairing="dutch"))


@calm
@given(cases(), st.sampled_from([*PLAIN]), st.integers(0, 40))
def test_what_a_format_says_of_its_deals_is_true_of_its_plan(
    found: Case, name: FormatName, matches: int
) -> None:
    told = terms(found)
    told = replace(told, matches=told.matches_a_deal + matches if matches else None)
    check(asked_of(name, told, PLAIN[name].options()), told)


@calm
@given(cases(), st.data())
def test_in_a_gauntlet_one_challenger_plays_in_each_match(found: Case, data: st.DataObject) -> None:
    told = replace(terms(found), share=1.0)
    challengers = data.draw(st.sets(st.sampled_from(told.names)))
    options = GauntletOptions(challengers=sorted(challengers))
    plan = check(asked_of("gauntlet", told, options), told)
    names = challengers or {told.first}
    for deal in plan:
        assert sum(told.names[bot] in names for bot in deal.lineup) == 1
    field = len(told.names) - len(names)
    assert len(plan) == len(names) * comb(field, told.seats - 1) * found.deals


@calm
@given(st.integers(2, 40), st.integers(2, 5), st.integers(1, 60), st.text(max_size=4))
def test_every_bot_plays_as_often_to_within_one_deal(
    bots: int, seats: int, matches: int, key: str
) -> None:
    even = even_deals(bots, seats, seats, matches, lambda: Chance(key))
    told = replace(TERMS, names=tuple(map(str, range(bots))), seats=seats, matches_a_deal=seats)
    plan = check(even, told)
    played = Counter(bot for deal in plan for bot in deal.lineup)
    wanted = matches // seats if bots >= seats else 0
    assert all(wanted - 1 <= played[BotIndex(bot)] <= wanted for bot in range(bots))
    assert [*even.plan()] == [*even_deals(bots, seats, seats, matches, lambda: Chance(key)).plan()]


def test_a_bot_that_sits_at_a_table_is_not_looked_at_for_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.schedule.even._LOOKS", 1)
    plan = [*even_deals(5, 2, 2, 80, lambda: Chance("key")).plan()]
    assert Counter(bot for deal in plan for bot in deal.lineup) == dict.fromkeys(range(5), 40)


@pytest.mark.parametrize(("bots", "seats", "rounds"), [(20, 2, 19), (21, 2, 40), (12, 4, 33)])
def test_who_plays_as_often_meets_all_others_about_as_often(
    bots: int, seats: int, rounds: int
) -> None:
    even = even_deals(bots, seats, seats, rounds * seats, lambda: Chance("key"))
    met = Counter(pair for deal in even.plan() for pair in combinations(deal.lineup, 2))
    mean = rounds * (seats - 1) / (bots - 1)
    counts = [met[pair] for pair in combinations(map(BotIndex, range(bots)), 2)]
    assert max(counts) <= mean + 2
    assert sum(count < mean - 1.5 for count in counts) < 0.02 * len(counts)


def test_what_cannot_be_meant_is_refused() -> None:
    rows: tuple[tuple[FormatName, dict[str, Any], msgspec.Struct, str], ...] = (
        ("round-robin", {"matches_per_bot": 8, "says_deals": True}, NoOptions(), "place of deals"),
        ("round-robin", {"matches_per_bot": 8, "share": 0.5}, NoOptions(), "the place of deals"),
        ("round-robin", {"matches": 1}, NoOptions(), "less than the 2 matches of a deal"),
        ("round-robin", {"matches_per_bot": 1}, NoOptions(), "less than the 2 matches of a deal"),
        ("round-robin", {"matches_per_bot": 10**7}, NoOptions(), "at most 2,000,000"),
        ("round-robin", {"deals": 10**6, "share": 0.01}, NoOptions(), "among at most 20,000,000"),
        ("gauntlet", {"matches_per_bot": 8}, GauntletOptions(), "use deals"),
        ("gauntlet", {}, GauntletOptions(challengers=["x"]), "no bot 'x'"),
        ("gauntlet", {"deals": 10**6}, GauntletOptions(), "ask for fewer deals or bots"),
    )
    for name, changes, options, said in rows:
        with pytest.raises(ArenaError, match=said):
            asked_of(name, replace(TERMS, **changes), options)


def test_fewer_bots_than_seats_play_nothing_in_any_format() -> None:
    few = terms(case("a", "b", seats=4))
    for name, kind in PLAIN.items():
        assert check(asked_of(name, few, kind.options()), few) == []
