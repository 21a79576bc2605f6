"""Double elimination: nobody is out before a second loss, and it ends."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx import Graph, max_weight_matching

from arena.schedule.bracket import Bracket
from arena.schedule.elimination import (
    DoubleElimination,
    DoubleEliminationOptions,
    _Pairs,
    check_double_elimination,
)
from arena.schedule.rounds import Over, RoundTerms
from arena.schedule.ties import Course
from protocol.errors import ArenaError
from tests.arena.schedule.cases import calm
from tests.arena.schedule.test_knockout import after, bots, by_file, named, story
from tests.arena.schedule.tournaments import Luck, Played, begun
from tests.golden import Golden

FILE = DoubleEliminationOptions(seeding="file")
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


SCENES: dict[str, tuple[int, int, list[str], dict[str, Any]]] = {
    "eight bots, of whom no two meet again without need": (8, 2, [""] * 3, {}),
    "who comes late takes no part": (4, 2, [">12345"], {}),
    "a final is enough if it is the second loss": (2, 2, ["", ""], {}),
    "the final is played again if it is the first loss": (2, 2, ["", "+2"], {}),
    "and ends it then": (2, 2, ["", "+2", ""], {}),
    "unless the file says no": (2, 2, ["", "+2"], {"reset": False}),
    "who is out loses both lives": (4, 2, ["-1 >234"], {}),
    "whose two next opponents left is in the final at once": (4, 2, ["-23 >14"], {}),
    "both brackets play while each can fill a table": (6, 3, ["", ""], {"advance": 2}),
    "a mixed table as three are unbeaten and two are not": (5, 4, [""], {"advance": 2}),
    "a mixed table is followed by the final": (5, 4, ["", "+4"], {"advance": 2}),
    "byes of the losers go to those with fewest": (6, 2, [""] * 6, {}),
}


@pytest.mark.parametrize("scene", SCENES)
def test_who_goes_on_and_comes_where(scene: str, golden: Golden) -> None:
    count, seats, rounds, changes = SCENES[scene]
    options = msgspec.convert({"seeding": "file", **changes}, DoubleEliminationOptions)
    golden(story(after(begun(DoubleElimination, options, count, seats), *rounds)))


def test_whose_files_change_loses_the_tie_and_plays_on() -> None:
    begin = begun(DoubleElimination, FILE, 4)
    changed = (replace(begin.field[0], version="another"), *begin.field[1:])
    played = begin.after(by_file(), out=frozenset(bots(1)), then=changed)
    assert sorted(named(played)) == [("b1", "b3"), ("b2", "b4")]
    assert {bot for lineup in played.lineups() for bot in lineup} == {*changed}


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
        check_double_elimination(DoubleEliminationOptions(reset=False), 3)


def test_any_pairs_cost_less_than_to_meet_again() -> None:
    """The best has met all but the second: all else would be pairs of best and last."""
    pairs = _Pairs(Course((), (), RoundTerms(1, FILE)), Bracket([*"abcdefgh"]))
    pairs.met.update(("a", other) for other in "cdefgh")
    ties = pairs._losers_ties([*"abcdefgh"])
    assert sorted(tie.bots for tie in ties) == [("a", "b"), ("c", "h"), ("d", "g"), ("e", "f")]
