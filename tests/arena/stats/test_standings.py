"""The leaderboard's arithmetic; and that no order of matches or bots leaves a trace."""

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.encounters import encounters
from arena.stats.outcomes import Result
from arena.stats.ratings import Rating, Ratings, fit
from arena.stats.standings import Standing, standings
from tests.arena.stats.deals import Played, deals_of, matches
from tests.arena.stats.deals import placed as result


def rows_of(played: Played, **others: Any) -> list[Standing]:
    deals = deals_of(played)
    return standings(deals, fit(deals), **others)


def board(played: Played) -> dict[str, Standing]:
    return {row.bot: row for row in rows_of(played)}


DUELS = [result("1", A=1, B=2), result("1", A=2, B=1), result("2", A=1, B=2), result("3", A=1, B=1)]
TABLES = [
    result("1", A=1, B=2, C=2, D=2),
    result("2", A=1, B=1, C=3, D=4),
    result("3", A=1, B=1, C=1, D=1),
]
COUNTED: list[tuple[Played, dict[str, tuple[float | None, ...]]]] = [
    (DUELS, {"A": (4, 3, 2, 1, 1, 0.625, 1.25), "B": (4, 3, 1, 1, 2, 0.375, 1.5)}),
    (  # a shared first place is a win, unless everybody has it
        TABLES,
        {
            "A": (3, 3, 2, 1, 0, (1 + 5 / 6 + 1 / 2) / 3, 1),
            "B": (3, 3, 1, 1, 1, (1 / 3 + 5 / 6 + 1 / 2) / 3, 4 / 3),
            "C": (3, 3, 0, 1, 2, (1 / 3 + 1 / 3 + 1 / 2) / 3, 2),
        },
    ),
    ([result("1", A=1, B=1, C=2), result("2", A=7, B=3, C=3)], {"A": (2, 2, 1, 0, 1, 0.375, 2)}),
    ([result("1", A=1, B=2), result("2", A=4, B=1, C=2, D=3)], {"A": (2, 2, 1, 0, 1, 0.5, 2.5)}),
    ([result("1", A=1)], {"A": (1, 1, 0, 1, 0, None, 1)}),
]
"""What comes of matches: how many, their deals, wins, draws, losses, points and mean place."""


def test_a_bot_that_is_out_has_no_rank_and_the_others_are_ranked_as_if_it_were_not_there() -> None:
    played = [
        result(f"{n} {one}{other}", **{one: 1, other: 2})
        for n in range(30)
        for one, other in ("AB", "BC", "AC")
    ]
    found = [(row.bot, row.ranks) for row in rows_of(played, out=["A"])]
    assert found == [("B", (1, 1)), ("C", (2, 2)), ("A", None)]


def test_points_are_seats_beaten_and_half_of_those_tied_with_and_places_count_who_did_better() -> (
    None
):
    keys = ("matches", "deals", "wins", "draws", "losses", "points", "mean_place")
    for played, expected in COUNTED:
        rows = board(played)
        for bot, facts in expected.items():
            assert [getattr(rows[bot], key) for key in keys] == pytest.approx([*facts])
    (idle,) = standings({}, fit({}, bots=["A"]))
    assert (idle.matches, idle.deals, idle.points, idle.mean_place) == (0, 0, None, None)


def test_rows_are_sorted_by_rating_then_name() -> None:
    """Ratings that differ by less than a fit settles are equal."""
    mus = {"B": 20 + 1e-7, "C": 30.0, "A": 20.0}
    rated = {bot: Rating(mu, 1.0, 40, 40) for bot, mu in mus.items()}
    leads = np.full((3, 3), math.sqrt(2))
    rows = standings({}, Ratings(rated, [list(rated)], 0.001, np.eye(3), leads))
    assert [(row.bot, row.ranks) for row in rows] == [("C", (1, 1)), ("A", (2, 3)), ("B", (2, 3))]


def test_groups_are_numbered_by_size_and_who_met_nobody_is_in_none() -> None:
    deals = deals_of([result("1", A=1, B=2), result("2", D=1, E=2), result("3", E=1, F=2)])
    found = [(row.group, row.bot) for row in standings(deals, fit(deals, bots=["C"]))]
    assert sorted(found[:3]) == [(1, "D"), (1, "E"), (1, "F")]
    assert found[3:] == [(2, "A"), (2, "B"), (0, "C")]


def test_faults_and_forfeits_are_passed_on() -> None:
    rows = rows_of(DUELS, faults={"A": {"late": 2, "illegal": 1}}, forfeits={"A": 1})
    found = [(row.bot, [*row.faults.items()], row.forfeits) for row in rows]
    assert found == [("A", [("illegal", 1), ("late", 2)], 1), ("B", [], 0)]


@settings(max_examples=6)
@given(st.lists(matches, max_size=6), st.randoms(use_true_random=False))
def test_shuffled_results_give_the_same_bytes(played: Played, chance: random.Random) -> None:
    pairs = [(deal, list(zip(*result, strict=True))) for deal, result in played]
    shuffled = []
    for deal, seats in chance.sample(pairs, len(pairs)):
        bots, places = zip(*chance.sample(seats, len(seats)), strict=True)
        shuffled.append((deal, Result(bots, places)))
    one, other = deals_of(played), deals_of(shuffled)
    assert repr(encounters(other)) == repr(encounters(one))
    rated, again = fit(one), fit(other)
    assert repr(again) == repr(rated)
    assert repr(standings(other, again)) == repr(standings(one, rated))
