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
from tests.arena.schedule.test_knockout import after, bots, by_file, named, story, titles
from tests.arena.schedule.tournaments import Luck, Played, begun
from tests.golden import Golden

FILE = DoubleEliminationOptions(seeding="file")
TWO_ON = DoubleEliminationOptions(seeding="file", advance=2)
few = settings(calm, max_examples=10)


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


SCENES = {
    "who comes late takes no part": (
        *(FILE, 4, 2, [">12345"]),
        ["next: b1 b2, b3 b4\n", "\n1757 takes no part: it came after"],
    ),
    "a final is enough if it is the second loss": (FILE, 2, 2, ["", ""], ["over: "]),
    "the final is played again if it is the first loss": (
        *(FILE, 2, 2, ["", "+2"]),
        ["Final: b1 0/1 loses, b2 1/1 goes on\nFinal again: b1 , b2 \nnext: b1 b2\n"],
    ),
    "and ends then": (
        *(FILE, 2, 2, ["", "+2", ""]),
        ["again: b1 1/1 wins, b2 0/1 loses\nover: The final of the double elimination is played: "],
    ),
    "unless the file says no": (
        *(DoubleEliminationOptions(seeding="file", reset=False), 2, 2, ["", "+2"]),
        ["over: ", "places: 1 b2"],
    ),
    "who is out loses both lives": (FILE, 4, 2, ["-1 >234"], ["next: b2 b4", ", 4 b1"]),
    "whose two next opponents left is in the final at once": (
        *(FILE, 4, 2, ["-23 >14"]),
        ["b2 left, b3 left\nFinal: b1 , b4 \nnext: b1 b4\n"],
    ),
    "both brackets play while each can fill a table": (
        *(TWO_ON, 6, 3, ["", ""]),
        ["next: b1 b2 b3, b4 b5 b6\n"],
    ),
    "three are unbeaten, two are not, and none of the brackets can fill a table": (
        *(TWO_ON, 5, 4, [""]),
        ["b1 bye\nMixed stage 1: b2 , b3 , b4 , b5 \nnext: b2 b3 b4 b5\n"],
    ),
    "a mixed table is followed by the final": (
        *(TWO_ON, 5, 4, ["", "+4"]),
        ["b4 1/1 goes on, b5 0/1 loses\nFinal: b1 , b2 , b3 , b4 \n", ", 5 b5"],
    ),
    "byes of the losers go to those with fewest": (
        *(FILE, 6, 2, [""] * 6),
        ["b1 bye, b4 1/1 goes on, b5 0/1 loses, b2 bye, ", "b5 0/1 loses, b3 bye\n"],
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_who_goes_on_and_comes_where(scene: str) -> None:
    options, count, seats, rounds, told = SCENES[scene]
    said = story(after(begun(DoubleElimination, options, count, seats), *rounds))
    assert [each for each in told if each not in said] == [], said


def test_whose_files_change_loses_the_tie_and_plays_on() -> None:
    begin = begun(DoubleElimination, FILE, 4)
    changed = (replace(begin.field[0], version="another"), *begin.field[1:])
    played = begin.after(by_file(), out=frozenset(bots(1)), then=changed)
    assert sorted(named(played)) == [("b1", "b3"), ("b2", "b4")]
    assert {bot for lineup in played.lineups() for bot in lineup} == {*changed}


def test_any_pairs_cost_less_than_to_meet_again() -> None:
    """The best has met all but the second: all else would be pairs of best and last."""
    pairs = _Pairs(Course((), (), RoundTerms(1, FILE)), Bracket([*"abcdefgh"]))
    pairs.met.update(("a", other) for other in "cdefgh")
    ties = pairs._losers_ties([*"abcdefgh"])
    assert sorted(tie.bots for tie in ties) == [("a", "b"), ("c", "h"), ("d", "g"), ("e", "f")]


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


def test_too_few_bots_end_it_and_a_second_final_of_larger_tables_is_refused(golden: Golden) -> None:
    over = begun(DoubleElimination, FILE, 2, seats=3).next()
    assert isinstance(over, Over)
    golden(over.why)
    with pytest.raises(ArenaError, match="advance = 3 lets all 3 bots of a table go on"):
        check_double_elimination(DoubleEliminationOptions(advance=3), 3)
    with pytest.raises(ArenaError, match="reset = false is for games of two"):
        begun(DoubleElimination, DoubleEliminationOptions(reset=False), 8, seats=3).next()
