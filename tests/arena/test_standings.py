"""The leaderboard's arithmetic and the cross-table."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import Rating, Ratings, Result, fit
from arena.standings import Encounter, Standing, cross_table, standings


def result(deal: str, **places: int) -> Result:
    return Result(deal, tuple(places.items()))


def board(played: list[Result]) -> dict[str, Standing]:
    return {row.bot: row for row in standings(played, fit(played))}


DUELS = [result("1", A=1, B=2), result("1", A=2, B=1), result("2", A=1, B=2), result("3", A=1, B=1)]
TABLES = [
    result("1", A=1, B=2, C=2, D=2),
    result("2", A=1, B=1, C=3, D=4),
    result("3", A=1, B=1, C=1, D=1),
]


def test_duels_are_won_drawn_and_lost() -> None:
    rows = board(DUELS)
    a, b = rows["A"], rows["B"]
    assert (a.matches, a.deals, a.wins, a.draws, a.losses) == (4, 3, 2, 1, 1)
    assert (b.matches, b.deals, b.wins, b.draws, b.losses) == (4, 3, 1, 1, 2)
    assert (a.points, b.points) == (0.625, 0.375)
    assert (a.win_share, a.mean_place) == (0.5, 1.25)


def test_points_are_the_seats_beaten_and_half_of_those_tied_with() -> None:
    rows = board(TABLES)
    assert rows["A"].points == pytest.approx((1 + 5 / 6 + 1 / 2) / 3)
    assert rows["B"].points == pytest.approx((1 / 3 + 5 / 6 + 1 / 2) / 3)
    assert rows["C"].points == pytest.approx((1 / 3 + 1 / 3 + 1 / 2) / 3)
    assert sum(row.points or 0 for row in rows.values()) == pytest.approx(2)


def test_shared_first_place_is_a_win_unless_everybody_has_it() -> None:
    rows = board(TABLES)
    assert [(row.wins, row.draws, row.losses) for row in (rows["A"], rows["B"], rows["C"])] == [
        (2, 1, 0),
        (1, 1, 1),
        (0, 1, 2),
    ]


def test_mean_place_counts_the_seats_that_did_better() -> None:
    rows = board([result("1", A=1, B=1, C=2), result("2", A=7, B=3, C=3)])
    assert (rows["A"].mean_place, rows["C"].mean_place) == (2.0, 2.0)


def test_tables_of_different_sizes_count_alike() -> None:
    played = [result("1", A=1, B=2), result("2", A=4, B=1, C=2, D=3)]
    assert board(played)["A"].points == 0.5


def test_rows_are_sorted_by_rating_then_name() -> None:
    rated = {bot: Rating(mu, 1.0, 1.0, 40) for bot, mu in [("B", 20), ("C", 30), ("A", 20)]}
    rows = standings([], Ratings(rated, 0.001, 8.333, 1))
    assert [(row.bot, row.ranks) for row in rows] == [("C", (1, 1)), ("A", (2, 3)), ("B", (2, 3))]


def test_bot_without_matches_has_no_shares() -> None:
    (row,) = standings([], fit([], bots=["A"]))
    assert (row.matches, row.deals, row.points, row.win_share, row.mean_place) == (
        0,
        0,
        None,
        None,
        None,
    )


def test_lone_seat_earns_no_points() -> None:
    row = board([result("1", A=1)])["A"]
    assert (row.matches, row.points, row.mean_place) == (1, None, 1.0)


def test_faults_and_forfeits_are_passed_on() -> None:
    faults = {"A": {"late": 2, "illegal": 1}}
    first, second = standings(DUELS, fit(DUELS), faults=faults, forfeits={"A": 1})
    assert (first.bot, list(first.faults.items()), first.forfeits) == (
        "A",
        [("illegal", 1), ("late", 2)],
        1,
    )
    assert (second.bot, second.faults, second.forfeits) == ("B", {}, 0)


def test_cross_table() -> None:
    assert cross_table(DUELS) == {("A", "B"): Encounter(4, 2.5), ("B", "A"): Encounter(4, 1.5)}
    table = cross_table(TABLES)
    assert table["A", "B"] == Encounter(3, 2.0)
    assert table["C", "A"] == Encounter(3, 0.5)
    assert table["D", "C"] == Encounter(3, 1.0)
    assert list(table) == sorted(table)


def test_cross_table_shows_only_bots_that_met() -> None:
    assert set(cross_table([result("1", A=1, B=2), result("2", C=1)])) == {("A", "B"), ("B", "A")}


matches = st.builds(
    lambda bots, places, deal: Result(f"deal {deal}", tuple(zip(bots, places, strict=False))),
    st.permutations("ABCDE"),
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.integers(1, 4),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(matches, max_size=12), st.randoms(use_true_random=False))
def test_shuffled_results_give_the_same_bytes(played: list[Result], chance: random.Random) -> None:
    shuffled = chance.sample(played, len(played))
    assert repr(standings(shuffled, fit(shuffled))) == repr(standings(played, fit(played)))
    assert repr(cross_table(shuffled)) == repr(cross_table(played))


@given(st.lists(matches, max_size=12))
def test_points_of_a_match_add_up_to_half_its_seats(played: list[Result]) -> None:
    encounters = cross_table(played)
    for (bot, other), encounter in encounters.items():
        assert encounter.points + encounters[other, bot].points == encounter.matches
