"""Double elimination: nobody is out before a second loss, and it ends."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx import Graph, max_weight_matching

from arena.schedule.bracket import Bracket
from arena.schedule.course import Course
from arena.schedule.double_elimination import (
    DoubleElimination,
    DoubleEliminationOptions,
    _Pairs,
    check_double_elimination,
)
from arena.schedule.rounds import Over, RoundTerms
from protocol.errors import ArenaError
from tests.arena.schedule.cases import calm
from tests.arena.schedule.test_knockout import bots, by_file, grid, named, places
from tests.arena.schedule.tournaments import Luck, Played, begun, entrants
from tests.golden import Golden

FILE = DoubleEliminationOptions(seeding="file")
few = settings(calm, max_examples=10)


def titles(played: Played) -> list[str]:
    return [each.title for each in played.standings.grids[1:]]


def losses(played: Played) -> Counter[str]:
    """Return how often each bot lost; the final of larger tables does not count."""
    pairs = len(played.past[0].deals[0].lineup) == 2
    return Counter(
        str(row[2])
        for each in played.standings.grids[1:]
        for row in each.rows
        if row[5] == "loses" and (pairs or each.title != "Final")
    )


def test_the_usual_order_of_eight() -> None:
    played = begun(DoubleElimination, FILE, 8)
    assert named(played) == [("b1", "b8"), ("b4", "b5"), ("b2", "b7"), ("b3", "b6")]
    played = played.after(by_file())
    assert named(played) == [("b1", "b4"), ("b2", "b3"), ("b5", "b8"), ("b6", "b7")]
    played = played.after(by_file())
    assert sorted(named(played)) == [("b3", "b5"), ("b4", "b6")], "by seeds, 3 would meet 6 again"
    assert titles(Luck(3).whole(played))[:8] == [
        "Winners' stage 1",
        *("Winners' stage 2", "Losers' stage 1"),
        "Losers' stage 2",
        *("Winners' stage 3", "Losers' stage 3"),
        "Losers' stage 4",
        "Final",
    ]


@few
@given(st.integers(0, 10**6), st.integers(2, 14), st.sampled_from([0.0, 0.1]))
def test_who_loses_twice_is_out_and_no_one_meets_again_without_need(
    seed: int, count: int, out: float
) -> None:
    options = DoubleEliminationOptions()
    played = Luck(seed, out=out).whole(begun(DoubleElimination, options, count))
    lost = losses(played)
    champions = {str(row[2]) for row in played.standings.grids[0].rows if row[0] == "1"}
    if not out:
        assert len(champions) == 1
        assert all(lost[bot.key] == 2 for bot in played.field if bot.key not in champions)
        assert all(lost[bot] < 2 for bot in champions)
    met: set[frozenset[str]] = set()
    for each in played.standings.grids[1:]:
        ties: dict[int, list[str]] = {}
        for row in each.rows:
            ties.setdefault(int(row[0] or 0), []).append(str(row[2]))
        pairs = {frozenset(tie) for tie in ties.values() if len(tie) == 2}
        if each.title.startswith("Losers'") and pairs & met:
            playing = sorted(bot for pair in pairs for bot in pair)
            graph = Graph(pair for pair in combinations(playing, 2) if frozenset(pair) not in met)
            assert 2 * len(max_weight_matching(graph, maxcardinality=True)) < len(playing)
        met |= pairs


def test_the_final_is_played_again_only_if_it_is_the_first_loss_and_the_file_lets_it() -> None:
    final = begun(DoubleElimination, FILE, 2).after(by_file())
    assert isinstance(final.after(by_file()).next(), Over)
    played = final.after(by_file(2))
    assert titles(played)[1:] == ["Final", "Final again"]
    assert named(played) == [("b1", "b2")]
    played = played.after(by_file())
    assert isinstance(over := played.next(), Over)
    assert over.why.startswith("The final of the double elimination is played: ")
    assert places(played) == [("1", "b1"), ("2", "b2")]
    assert grid(played, "Final") == [("b1", 0.0, 1, "loses"), ("b2", 1.0, 1, "goes on")]
    assert grid(played, "Final again") == [("b1", 1.0, 1, "wins"), ("b2", 0.0, 1, "loses")]
    once = DoubleEliminationOptions(seeding="file", reset=False)
    played = begun(DoubleElimination, once, 2).after(by_file()).after(by_file(2))
    assert isinstance(played.next(), Over)
    assert places(played)[0] == ("1", "b2")


def test_who_is_out_loses_both_lives() -> None:
    begin = begun(DoubleElimination, FILE, 4)
    gone = bots(1)
    left = tuple(bot for bot in begin.field if bot not in gone)
    played = begin.after(by_file(), out=gone, then=left)
    assert named(played) == [("b2", "b4")]
    played = played.after(by_file()).after(by_file())
    assert places(Luck(1).whole(played))[-1] == ("4", "b1")


def test_whose_files_change_loses_the_tie_and_plays_on() -> None:
    begin = begun(DoubleElimination, FILE, 4)
    changed = tuple(
        replace(bot, version="another") if bot in bots(1) else bot for bot in begin.field
    )
    played = begin.after(by_file(), out=bots(1), then=changed)
    assert sorted(named(played)) == [("b1", "b3"), ("b2", "b4")]
    playing = {bot for lineup in played.lineups() for bot in lineup}
    assert set(changed) == playing


def test_a_bot_whose_two_next_opponents_left_is_in_the_final_at_once() -> None:
    begin = begun(DoubleElimination, FILE, 4)
    left = tuple(bot for bot in begin.field if bot not in bots(2, 3))
    played = begin.after(by_file(), out=bots(2, 3), then=left)
    assert named(played) == [("b1", "b4")]
    assert titles(played) == ["Winners' stage 1", "Final"]


def test_any_pairs_cost_less_than_to_meet_again() -> None:
    """The best has met all but the second: all else would be pairs of best and last."""
    pairs = _Pairs(Course((), (), RoundTerms(1, FILE)), Bracket([*"abcdefgh"]))
    pairs.met.update(("a", other) for other in "cdefgh")
    ties = pairs._losers_ties([*"abcdefgh"])
    assert sorted(tie.bots for tie in ties) == [("a", "b"), ("c", "h"), ("d", "g"), ("e", "f")]


def test_both_brackets_play_while_each_can_fill_a_table() -> None:
    options = DoubleEliminationOptions(seeding="file", advance=2)
    played = begun(DoubleElimination, options, 6, seats=3).after(by_file()).after(by_file())
    assert named(played) == [("b1", "b2", "b3"), ("b4", "b5", "b6")]


def test_byes_of_the_losers_go_to_those_with_fewest() -> None:
    played = begun(DoubleElimination, FILE, 6)
    while not isinstance(played.next(), Over):
        played = played.after(by_file())
    byes = Counter(
        row[0] for title in titles(played) for row in grid(played, title) if row[3] == "bye"
    )
    assert byes == {"b1": 1, "b2": 1, "b3": 1}


def test_a_mixed_table_when_no_bracket_can_fill_one() -> None:
    options = DoubleEliminationOptions(seeding="file", advance=2)
    played = begun(DoubleElimination, options, 5, seats=4)
    assert named(played) == [("b2", "b3", "b4", "b5")]
    played = played.after(by_file())
    assert named(played) == [("b2", "b3", "b4", "b5")], "three are unbeaten, and two are not"
    assert titles(played)[-1] == "Mixed stage 1"
    played = played.after(by_file(4))
    assert named(played) == [("b1", "b2", "b3", "b4")]
    assert titles(played)[-1] == "Final"


@few
@given(st.integers(0, 10**6), st.integers(3, 13), st.integers(3, 5), st.data())
def test_at_larger_tables_the_last_fill_one_and_who_is_out_lost_twice(
    seed: int, count: int, seats: int, data: st.DataObject
) -> None:
    advance = data.draw(st.integers(1, seats - 1))
    options = DoubleEliminationOptions(advance=advance)
    played = Luck(seed).whole(begun(DoubleElimination, options, count, seats))
    if count < seats:
        assert not played.past
        return
    final = [str(row[2]) for row in played.standings.grids[-1].rows]
    assert len(final) == seats
    lost = losses(played)
    assert all(lost[bot.key] == 2 for bot in played.field if bot.key not in final)


@pytest.mark.slow
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("out", [0.0, 0.1])
def test_it_ends_for_every_field(seats: int, out: float) -> None:
    for advance in range(1, seats):
        options = DoubleEliminationOptions(advance=advance)
        for count in (*range(seats, 13), 16, 17, 24, 30):
            played = Luck(count, out=out).whole(begun(DoubleElimination, options, count, seats))
            assert out or "final" in str(played.next())


def test_its_options_are_checked_as_those_of_every_bracket() -> None:
    with pytest.raises(ArenaError, match="advance = 3 lets all 3 bots of a table go on"):
        check_double_elimination(DoubleEliminationOptions(advance=3), 3)


def test_too_few_bots_end_it_and_a_second_final_of_larger_tables_is_refused(golden: Golden) -> None:
    over = begun(DoubleElimination, FILE, 2, seats=3).next()
    assert isinstance(over, Over)
    golden(over.why)
    with pytest.raises(ArenaError, match="reset = false is for games of two"):
        begun(DoubleElimination, DoubleEliminationOptions(reset=False), 8, seats=3).next()


def test_who_comes_late_takes_no_part() -> None:
    played = begun(DoubleElimination, FILE, 4).after(by_file(), then=entrants(5))
    assert len(played.standings.notes) == 1
    assert all("b5" not in lineup for lineup in named(played))
