"""The Swiss tournament: who plays whom, what a round brings, and how it stands."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any, TypeVar

import msgspec
import pytest
from caissify_pairings import generate_pairings
from caissify_pairings.fpc import check_trf
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.schedule.deal import Entrant
from arena.schedule.matching import cheapest_pairs
from arena.schedule.rounds import Lineup, Over, Places, Round, RoundDeal, RoundTerms, drawn
from arena.schedule.swiss import Swiss, SwissOptions, check_swiss
from arena.schedule.swiss_dutch import Colour, colour_of_higher
from arena.schedule.swiss_scores import SwissScores
from protocol.errors import ArenaError
from tests.arena.schedule import tournaments
from tests.arena.schedule.cases import calm
from tests.arena.schedule.swiss_breaches import breaches
from tests.arena.schedule.tournaments import Luck, Played, all_draw, begun, best_wins, entrants
from tests.benchmarks.swiss import trf
from tests.golden import Golden

T = TypeVar("T")
few = settings(calm, max_examples=14)
"""As each example is a tournament; the benchmark plays thousands."""
DUTCH = SwissOptions(pairing="dutch")
lucks = st.builds(
    Luck,
    st.integers(0, 10**6),
    draws=st.sampled_from([0.0, 0.3, 1.0]),
    out=st.sampled_from([0.0, 0.1]),
    late=st.sampled_from([0.0, 0.3]),
)


@few
@example(Luck(6, draws=0.0), 5, "dutch", True)
@given(lucks, st.integers(2, 12), st.sampled_from(["matching", "dutch"]), st.booleans())
def test_pairs_keep_the_absolute_criteria_also_when_all_have_met(
    luck: Luck, bots: int, pairing: str, longer: bool
) -> None:
    more = {"rounds": bots + 2} if longer and bots < 9 else {}
    options = msgspec.convert({"pairing": pairing, **more}, SwissOptions)
    played = luck.whole(begun(Swiss, options, bots))
    assert breaches(played.past) == []
    assert not more or len(played.past) == bots + 2 or len(played.field) < 2


@few
@given(lucks, st.integers(3, 16), st.integers(3, 5))
def test_at_larger_tables_everybody_sits_once_and_sits_out_in_turn(
    luck: Luck, bots: int, seats: int
) -> None:
    assert breaches(luck.whole(begun(Swiss, SwissOptions(), bots, seats)).past, seats) == []


def column(played: Played, at: int, grid: int = 0) -> dict[Any, Any]:
    """Return what stands in a column of the standings, or of the rounds, for each bot."""
    return {row[1]: row[at] for row in played.standings.grids[grid].rows}


def test_the_checker_finds_breaches() -> None:
    one, two, three, four = bots = entrants(4)
    terms = RoundTerms(1, SwissOptions())

    def over(*lineups: Lineup) -> Round:
        return Round(terms, bots, tuple(RoundDeal(each, 0, best_wins(each)) for each in lineups))

    twice = over((one, two), (three, four))
    assert breaches([twice]) == []
    assert breaches([twice, twice]) == ["round 2: 2 pairs meet again"]
    assert breaches([over((one, two))]) == ["round 1: 2 have a bye"]
    assert breaches([over((one, two), (two, three))]) != []
    three_play = replace(over((one, two)), field=bots[:3])
    unlike = replace(over((one, three)), field=bots[:3])
    assert breaches([three_play, unlike]) == []
    assert breaches([three_play, three_play])[0] == "round 2: who has a bye had more than others"


def all_pairs(left: Sequence[T]) -> Iterator[list[tuple[T, T]]]:
    """Yield all ways to pair an even number."""
    if not left:
        yield []
    for other in left[1:]:
        rest = [bot for bot in left[1:] if bot != other]
        for pairs in all_pairs(rest):
            yield [(left[0], other), *pairs]


@few
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(0, 6))
def test_pairs_are_the_best_by_the_order_of_what_counts(seed: int, count: int, rounds: int) -> None:
    """Against all pairs there are; seven rounds make some bots meet again."""
    luck, played = Luck(seed, draws=0.4, out=0.05), begun(Swiss, SwissOptions(rounds=7), count)
    for _ in range(rounds):
        played = luck.round(played)
        if isinstance(played.next(), Over):
            return
    scores = SwissScores(played.past, played.field, seats=2, win=True)
    keys: list[str | None] = [bot.key for bot in played.field]

    def worth(pairs: Sequence[tuple[str | None, str | None]]) -> tuple[object, ...]:
        free = [scores.by_bot[one or other or ""] for one, other in pairs if not (one and other)]
        both = [(one, other) for one, other in pairs if one and other]
        points = [(scores.by_bot[one].points, scores.by_bot[other].points) for one, other in both]
        return (
            [(each.count("bye"), each.count("walkover")) for each in free],
            sum(scores.met[pair] ** 2 for pair in both),
            [each.points for each in free],
            sum((one - other) ** 2 for one, other in points),
        )

    pairs: list[tuple[str | None, str | None]] = [(one, other) for one, other in played.keyed()]
    free = set(keys) - {key for pair in pairs for key in pair}
    pairs += [(key, None) for key in free]
    odd: list[str | None] = [None] if len(keys) % 2 else []
    assert worth(pairs) == min(map(worth, all_pairs([*keys, *odd])))


@calm
@given(st.integers(2, 4), st.randoms(use_true_random=False))
def test_pairs_cost_as_little_as_the_best_of_all(count: int, rng: Random) -> None:
    bots = list(range(2 * count))
    costs = {pair: rng.choice([None, *range(9)]) for pair in combinations(bots, 2)}

    def total(pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
        known = [cost for pair in pairs if (cost := costs[pair]) is not None]
        return -len(known), sum(known)

    found = cheapest_pairs(bots, lambda one, other: costs[one, other])
    assert all(costs[pair] is not None for pair in found)
    assert total(found) == min(map(total, all_pairs(bots)))


def test_at_larger_tables_neighbours_in_points_sit_together_and_who_met_elsewhere() -> None:
    played = begun(Swiss, SwissOptions(), 12, seats=3).after(best_wins)
    points = column(played, 2)
    assert sorted([sorted(str(points[key]) for key in table) for table in played.keyed()]) == [
        *(["0.0"] * 3, ["0.0", "0.5", "0.5"], ["0.5", "0.5", "1.0"], ["1.0"] * 3)
    ]
    played = begun(Swiss, SwissOptions(rounds=3), 9, seats=3)
    for _ in range(3):
        played = played.after(all_draw)
    lineups = [deal.lineup for each in played.past for deal in each.deals]
    met = Counter(pair for lineup in lineups for pair in combinations(lineup, 2))
    assert set(met.values()) == {1}


def test_rounds_are_those_of_a_knockout_and_two_but_fewer_than_bots() -> None:
    for bots, seats, rounds in (
        *((2, 2, 1), (3, 2, 2), (4, 2, 3), (6, 2, 5), (8, 2, 5), (9, 2, 6), (17, 2, 7), (8, 4, 5)),
    ):
        played = begun(Swiss, SwissOptions(), bots, seats)
        while not isinstance(asked := played.next(), Over):
            played = played.after(best_wins)
        assert len(played.past) == rounds
        are = (
            "round of the Swiss tournament is"
            if rounds == 1
            else "rounds of the Swiss tournament are"
        )
        assert asked.why == f"{rounds} {are} played."


def test_the_number_of_rounds_is_that_of_the_first_field_and_more_go_on_where_it_ended() -> None:
    played = begun(Swiss, SwissOptions(), 4, deals=2)
    asked = played.lineups()
    assert [asked.index(lineup) for lineup in asked] == [0, 0, 2, 2], "deals of a pair in a row"
    played = Luck(1).whole(played.after(best_wins, then=entrants(20)))
    assert len(played.past) == 3
    more = replace(played, terms=RoundTerms(1, SwissOptions(rounds=4)))
    assert len(Luck(2).whole(more).past) == 4


def test_a_round_brings_a_point_or_a_share_of_it_and_equals_are_ranked_by_shares() -> None:
    results: dict[int, tuple[Places, ...]] = {0: ((1, 2), (1, 2)), 1: ((1, 2), (2, 1))}
    for options, points in ((SwissOptions(), [1, 0]), (SwissOptions(points="share"), [0.75, 0.25])):
        played = begun(Swiss, options, 2, deals=2)
        deals = [RoundDeal(each, at, results[at]) for at, each in enumerate(played.lineups())]
        played = replace(played, past=(Round(played.terms, played.field, tuple(deals)),))
        assert [*column(played, 2).values()] == points
    played = begun(Swiss, SwissOptions(), 4)
    assert {*column(played.after(all_draw), 2).values()} == {0.5}
    first, second = played.lineups()
    played = played.after(lambda lineup: ((1, 2), (1, 2 if lineup == first else 1)))
    order = [first[0].key, second[0].key, second[1].key, first[1].key]
    assert [row[:2] for row in played.standings.grids[0].rows] == [*enumerate(order, 1)]


def test_who_plays_against_one_that_is_out_wins_and_may_meet_it_again() -> None:
    played = begun(Swiss, SwissOptions(rounds=1), 2)
    absent, there = played.field
    played = played.after(best_wins, out=frozenset([absent]))
    assert column(played, 2) == {absent.key: 0, there.key: 1}
    assert column(played, 2, grid=1) == {absent.key: "out", there.key: "walkover"}
    again = replace(played, terms=RoundTerms(1, SwissOptions(rounds=2))).after(best_wins)
    assert breaches(again.past) == []
    assert again.standings.grids[0].rows[0][6] == 1
    played = begun(Swiss, SwissOptions(), 4, seats=3)
    (lineup,) = played.lineups()
    found = column(played.after(best_wins, out=frozenset(lineup[:1])), 2)
    assert found.pop(lineup[0].key) == 0
    assert [*found.values()] == [0.5] * 3, "one of them had a bye"


def test_who_comes_late_has_nothing_for_the_rounds_missed_and_who_left_stays_in_the_table() -> None:
    played = begun(Swiss, SwissOptions(rounds=2), 4).after(all_draw, then=entrants(6))
    late = {bot.key for bot in entrants(6)[4:]}
    assert {key for pair in played.keyed() for key in pair} >= late
    assert {column(played, 2)[key] for key in late} == {0}
    assert {column(played, 2, grid=1)[key] for key in late} == {""}
    left = played.field[0].key
    played = replace(played, field=played.field[1:])
    assert left in column(played, 2)
    assert f"Not in the field now: {left}." in played.standings.notes


def test_a_bot_of_another_version_keeps_what_it_has() -> None:
    played = begun(Swiss, SwissOptions(), 4).after(best_wins)
    renewed = tuple(Entrant(bot.key, "2") for bot in played.field)
    assert replace(played, field=renewed).keyed() == played.keyed()
    assert {
        bot.version for lineup in replace(played, field=renewed).lineups() for bot in lineup
    } == {"2"}


def test_the_table_by_hand() -> None:
    """Four bots, all pairs, the lower key wins, but for a draw of the last two."""

    def results(lineup: Lineup) -> tuple[Places, ...]:
        keys = sorted(bot.key for bot in entrants(4))
        return all_draw(lineup) if [bot.key for bot in lineup] == keys[2:] else best_wins(lineup)

    played = begun(Swiss, SwissOptions(), 4)
    for _ in range(3):
        played = played.after(results)
    first, second, third, fourth = sorted(bot.key for bot in entrants(4))
    table = played.standings.grids[0]
    assert table.headers == (*("rank", "bot", "points", "buchholz", "sb", "share", "rounds"),)
    assert table.rows == (
        (1, first, 3.0, 3.0, 3.0, 1.0, 3),
        (2, second, 2.0, 4.0, 1.0, 0.667, 3),
        (3, third, 0.5, 5.5, 0.25, 0.167, 3),
        (3, fourth, 0.5, 5.5, 0.25, 0.167, 3),
    )
    crossed = {row[1]: sorted(map(str, row[2:])) for row in played.standings.grids[1].rows}
    assert crossed[first] == ["+2", "+3", "+4"]
    assert crossed[third] == ["-1", "-2", "=4"]


def test_a_bye_counts_as_an_opponent_with_as_many_points() -> None:
    played = begun(Swiss, SwissOptions(), 3).after(best_wins)
    (free,) = (key for key, said in column(played, 2, grid=1).items() if said == "bye")
    assert [column(played, at)[free] for at in (2, 3, 4)] == [1.0] * 3


def test_too_few_bots_end_it(golden: Golden) -> None:
    for bots, seats in ((1, 2), (3, 4)):
        asked = begun(Swiss, SwissOptions(), bots, seats).next()
        assert isinstance(asked, Over)
    golden(asked.why)


def test_what_cannot_be_meant_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for options, seats, words in (
        (SwissOptions(points="win"), 3, 'points = "win" is for games of two'),
        (DUTCH, 3, 'pairing = "dutch" pairs two bots'),
        (SwissOptions(pairing="dutch", points="share"), 2, "take points out"),
    ):
        with pytest.raises(ArenaError, match=words):
            check_swiss(options, seats)
    with pytest.raises(msgspec.ValidationError, match=">= 1"):
        msgspec.convert({"rounds": 0}, SwissOptions)
    monkeypatch.setitem(sys.modules, "caissify_pairings", None)
    with pytest.raises(ArenaError, match=r"pip install 'bot-arena\[dutch\]'"):
        begun(Swiss, DUTCH, 4).next()


@pytest.mark.quick(3)
@pytest.mark.parametrize("seed", range(5))
def test_pairs_and_colours_are_those_that_the_library_checks(seed: int) -> None:
    """Its checker reads the colours, and pairs and colours each round again by itself."""
    played = Luck(seed).whole(begun(Swiss, DUTCH, 8 + seed))
    numbered = drawn(tournaments.CHANCE, (bot.key for bot in played.field), "swiss", "number")
    summary = check_trf(trf(played, numbered, len(played.past)))["summary"]
    assert summary["rounds_matched"] == len(played.past)
    assert summary["rounds_mismatched"] == 0


W: Colour = "white"
B: Colour = "black"


def test_who_gets_which_colour() -> None:
    rows: tuple[tuple[list[Colour], list[Colour], bool, Colour], ...] = (
        ([W], [B], True, B),  # E.1: both get what is due
        ([], [W], True, W),  # and who has none what is left
        ([W, B], [B, W, B], True, B),  # E.2: the stronger
        ([B, W, W], [W, W], True, W),  # the wider difference, as both are absolute
        ([B, W, B], [W, B, B], True, B),  # E.2: the last two of the lower were alike
        ([W, B, W, B], [B, W, W, B], True, W),  # E.3: the last time that they differed, it had B
        ([W], [W], True, B),  # E.4: what is due to the higher
        ([], [], True, W),  # E.5
        ([], [], False, B),
    )
    for higher, lower, odd, colour in rows:
        assert colour_of_higher(higher, lower, odd=odd) == colour


def test_the_library_is_told_which_round_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def pairs(*words: Any) -> Any:
        told.append(words[3:])
        return generate_pairings(*words)

    monkeypatch.setattr("caissify_pairings.generate_pairings", pairs)
    Luck(1).whole(begun(Swiss, SwissOptions(pairing="dutch", rounds=3), 6))
    assert {*told} == {(1, 3), (2, 3), (3, 3)}


def test_nobody_has_a_table_without_rounds() -> None:
    assert begun(Swiss, SwissOptions(), 0).standings.grids[1].headers == ("no.", "bot")
