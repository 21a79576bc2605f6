"""The calibration's own sums, and a few small leagues of it."""

import math
import random
from collections import Counter
from itertools import pairwise
from statistics import fmean

import pytest

from arena.stats.likelihood import BETA
from arena.stats.outcomes import Result
from arena.stats.seats import mirror_gain
from tests.arena.stats.deals import deals_of
from tests.benchmarks.calibration import __main__ as command
from tests.benchmarks.calibration import (
    certainty,
    circles,
    coverage,
    faithfulness,
    mirroring,
    versions,
)
from tests.benchmarks.calibration.coverage import faults, observed
from tests.benchmarks.calibration.faithfulness import said, tau
from tests.benchmarks.calibration.figures import Mean, mean_of, ratio_of, root_mean_square
from tests.benchmarks.calibration.league import (
    EQUALS_DRAW,
    Kind,
    Plan,
    Row,
    Shape,
    Simulated,
    circle_between,
)
from tests.benchmarks.calibration.league import simulated as simulate
from tests.benchmarks.calibration.mirroring import points, scatters

PLACES: dict[Kind, tuple[int, ...]] = {
    "ranking": (1, 2, 3, 4),
    "winner": (1, 2, 2, 2),
    "pair": (1, 1, 3, 3),
    "pairs": (1, 1, 3, 3),
}


def duels(wins: int, losses: int, **skills: float) -> Simulated:
    """A league of A and B, with A's wins and losses as deals of their own."""
    results = [Result(("A", "B"), (1, 2))] * wins + [Result(("A", "B"), (2, 1))] * losses
    return Simulated(skills, [(str(number), result) for number, result in enumerate(results)])


def first_seat_s_points(plan: Plan) -> float:
    results = [result for _, result in simulate(plan, "seed").matches]
    return fmean((places[0] < places[1]) + (places[0] == places[1]) / 2 for _, places in results)


def test_a_mean_has_the_error_of_the_mean() -> None:
    assert mean_of([1.0, 2.0, 3.0, 4.0]) == pytest.approx((2.5, math.sqrt(5 / 3) / 2))
    assert f"{Mean(0.25, 0.0125)}" == str(Mean(0.25, 0.0125)) == "0.250 ± 0.013"
    assert f"{Mean(0.25, 0.0125):+.2f}" == "+0.25 ± 0.01"


def test_a_ratio_is_sure_if_every_pair_has_it() -> None:
    assert ratio_of([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]) == pytest.approx((2.0, 0.0))
    rng = random.Random(1)
    ratios = [
        ratio_of([rng.gauss(6, 1) for _ in range(50)], [rng.gauss(3, 1) for _ in range(50)])
        for _ in range(200)
    ]
    scatter = root_mean_square(ratio.value - 2 for ratio in ratios)
    assert fmean(ratio.error for ratio in ratios) == pytest.approx(scatter, rel=0.2)


@pytest.mark.parametrize("kind", PLACES)
def test_a_deal_goes_round_the_seats_and_gives_places_of_its_kind(kind: Kind) -> None:
    league = simulate(Plan(bots=5, seats=4, deals=2, kind=kind), "seed")
    assert len(league.skills) == 5
    assert Counter(Counter(deal for deal, _ in league.matches).values()) == {4: 10}
    for (deal, result), (next_deal, after) in pairwise(league.matches):
        assert tuple(sorted(result.places)) == PLACES[kind]
        if deal == next_deal:
            assert after.bots == (*result.bots[1:], result.bots[0])


def test_independent_deals_have_one_match() -> None:
    league = simulate(Plan(bots=3, deals=4, mirrored=False), "seed")
    assert len({deal for deal, _ in league.matches}) == len(league.matches) == 3 * 4 * 2


def test_where_all_is_luck_the_seats_decide_every_rotation_alike() -> None:
    league = simulate(Plan(bots=4, seats=4, deals=20, spread=0.0, luck=1.0), "seed")
    assert len({(deal, result.places) for deal, result in league.matches}) == 20
    mixed = simulate(Plan(bots=4, seats=4, deals=20, spread=0.0, luck=1.0, carry=0.5), "seed")
    assert len({(deal, result.places) for deal, result in mixed.matches}) > 40


def test_a_share_of_the_deals_is_played() -> None:
    league = simulate(Plan(bots=6, deals=100, share=0.3), "seed")
    assert len({deal for deal, _ in league.matches}) == pytest.approx(450, rel=0.1)


def test_equals_draw_as_often_as_is_said() -> None:
    league = simulate(Plan(bots=2, deals=5_000, kind="draws", spread=0.0), "seed")
    drawn = fmean(result.places == (1, 1) for _, result in league.matches)
    assert drawn == pytest.approx(EQUALS_DRAW, abs=0.02)


def test_the_first_seat_has_its_edge() -> None:
    equal = Plan(bots=2, deals=5_000, spread=0.0)
    assert first_seat_s_points(equal) == pytest.approx(0.5, abs=0.02)
    edged = Plan(bots=2, deals=5_000, spread=0.0, edge=BETA / 2)
    assert first_seat_s_points(edged) == pytest.approx(0.638, abs=0.02)


@pytest.mark.parametrize("shape", ["Gaussian", "good or bad", "heavy tails"])
def test_luck_of_any_shape_decides_as_much(shape: Shape) -> None:
    plan = Plan(bots=2, deals=4_000, spread=0.0, luck=0.5, shape=shape)
    deals = Counter((deal, result.places) for deal, result in simulate(plan, "seed").matches)
    alike = sum(count == 2 for count in deals.values()) / plan.deals
    assert alike == pytest.approx(2 / 3, abs=0.03)  # as the hands have it, in both rotations


def test_copies_of_a_match_are_a_deal() -> None:
    matches = simulate(Plan(bots=3, deals=2, copies=4), "seed").matches
    deals = [[result for name, result in matches if name == deal] for deal in dict(matches)]
    assert [len(own) for own in deals] == [4] * 6
    assert all(len(set(own)) == 1 for own in deals)


def test_pairs_of_six_come_one_after_the_other() -> None:
    ((_, result),) = simulate(Plan(bots=6, seats=6, deals=1, copies=1, kind="pairs"), "x").matches
    assert sorted(result.places) == [1, 1, 3, 3, 5, 5]


def test_the_truth_is_held_against_what_is_shown() -> None:
    true = observed(duels(40, 20, A=1.27, B=-1.27))
    assert (true.deals, true.cover, true.pairs, true.ranks, true.wrong) == (60, 1, 1, 1, 0)
    assert true.apart == 1
    assert max(map(abs, true.misses)) < 0.1
    assert observed(duels(31, 29, A=1.27, B=-1.27)).apart == 0


def test_only_the_gaps_between_skills_count() -> None:
    moved = observed(duels(40, 20, A=101.27, B=98.73))
    assert moved.misses == pytest.approx(observed(duels(40, 20, A=1.27, B=-1.27)).misses)


@pytest.mark.parametrize("skill", [-1.0, 0.0])
def test_a_wrong_order_is_found(skill: float) -> None:
    wrong = observed(duels(55, 5, A=skill, B=-skill))
    assert (wrong.cover, wrong.ranks, wrong.apart, wrong.wrong) == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("cover", "wrong", "spread", "says"),
    [
        (0.95, 0.0, 3.0, []),
        (0.90, 0.0, 3.0, ["too narrow: 0.900"]),
        (0.98, 0.0, 3.0, ["too wide, perhaps by chance"]),
        (0.95, 0.03, 3.0, ["told apart wrongly"]),
        (0.95, 0.03, 0.0, []),
        (0.95, 0.06, 0.0, ["told apart wrongly"]),
    ],
)
def test_a_row_that_misses_is_told(
    cover: float, wrong: float, spread: float, says: list[str]
) -> None:
    found = faults(Mean(cover, 0.01), Mean(wrong, 0.01), Plan(bots=2, deals=1, spread=spread))
    assert len(found) == len(says)
    assert all(word in fault for word, fault in zip(says, found, strict=True))


@pytest.mark.parametrize(
    "plan",
    [
        Plan(bots=4, deals=12),
        Plan(bots=3, deals=20, kind="draws", luck=0.5),
        Plan(bots=5, deals=2, spread=16.0),
        Plan(bots=4, seats=4, deals=20, kind="winner"),
    ],
    ids=["ranking", "draws", "wide", "winner"],
)
def test_small_leagues_are_covered(plan: Plan) -> None:
    line = coverage.measured(Row("small", plan, 15))
    cover = line.cells[coverage.HEADERS.index("cover")]
    assert isinstance(cover, Mean)
    assert 0.85 <= cover.value <= 1


def test_small_tables_are_as_sure_as_they_say() -> None:
    equals = certainty.measured(Row("equals", Plan(bots=8, deals=4, spread=0.0), 25))
    alone, together = (float(str(cell)) for cell in equals.cells[1:3])
    assert alone > 0.2 > together
    found = certainty.measured(Row("small", Plan(bots=5, deals=6), 25))
    said, true = (float(number) for number in str(found.cells[-3]).split(":"))
    assert said > 0.97
    assert true > 0.93
    assert 0.7 < float(str(found.cells[-2])) < 0.95
    assert 0.7 < float(str(found.cells[-1])) <= 1


@pytest.mark.slow  # it simulates leagues
def test_planted_circles_are_found_and_others_are_not() -> None:
    planted = circles.measured(Row("planted", Plan(bots=8, deals=50, circle=circles.SIXTY), 8))
    assert planted.cells[1] == "1.000"
    assert not planted.faults
    none = circles.measured(Row("none", Plan(bots=8, deals=20), 20))
    assert float(str(none.cells[1])) <= 0.1


def test_a_bot_of_each_camp_beats_the_next() -> None:
    plan = Plan(bots=8, deals=1, circle=3.0, outside=2)
    leads = [circle_between(plan, "0", other) for other in "1234567"]
    assert leads == [3, -3, 0, 3, -3, 0, 0]
    even = simulate(Plan(bots=3, deals=2_000, spread=0.0, circle=circles.SIXTY), "camps")
    won = Counter(
        places[0] < places[1] if bots == ("00", "01") else places[0] > places[1]
        for _, (bots, places) in even.matches
        if set(bots) == {"00", "01"}
    )
    assert won[True] / won.total() == pytest.approx(0.6, abs=0.03)


def test_a_linked_version_has_a_narrower_bar() -> None:
    line = versions.measured(versions.Row("normal, 2", 0, 20, 6))
    named = dict(zip(versions.HEADERS, line.cells, strict=True))
    assert float(str(named["±"])) < float(str(named["± nothing"]))


def test_ties_read_as_draws_make_bars_that_seldom_hold_the_truth() -> None:
    plan = Plan(bots=5, seats=4, deals=12, kind="winner")
    leagues = [simulate(plan, str(number)) for number in range(10)]
    assert fmean(observed(league, "draws").cover for league in leagues) < 0.5
    assert fmean(observed(league).cover for league in leagues) > 0.85


def test_tau_counts_pairs_in_order() -> None:
    truth = {"A": 3.0, "B": 2.0, "C": 1.0}
    assert tau(truth, {"A": 9.0, "B": 8.0, "C": 7.0}) == 1
    assert tau(truth, {"A": 1.0, "B": 2.0, "C": 3.0}) == -1
    assert tau(truth, {"A": 8.0, "B": 8.0, "C": 7.0}) == pytest.approx(2 / 3)


def test_every_method_finds_a_clear_order() -> None:
    league = simulate(Plan(bots=5, deals=20, spread=40.0, luck=0.0), "clear")
    orders = said(league, random.Random(1))
    assert {"ours", "trueskill", "points"} <= set(orders)
    assert all(tau(league.skills, order) == 1 for order in orders.values())


def test_a_method_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faithfulness, "PlackettLuce", None)
    line = faithfulness.measured(Row("small", Plan(bots=4, deals=2), 3))
    assert line.cells[faithfulness.HEADERS.index("openskill")] == "not installed"


def test_points_are_the_share_of_the_other_seats_beaten() -> None:
    bots = ("A", "B", "C", "D")
    pair, winner = Result(bots, (1, 1, 3, 3)), Result(bots, (1, 2, 2, 2))
    assert points([pair]) == pytest.approx({"A": 5 / 6, "B": 5 / 6, "C": 1 / 6, "D": 1 / 6})
    assert points([pair, winner])["B"] == pytest.approx((5 / 6 + 1 / 3) / 2)


def test_a_mirrored_deal_is_worth_more_the_more_is_luck() -> None:
    worth = []
    for luck in (0.0, 0.8, 0.95):
        plan = Plan(bots=2, deals=100, luck=luck)
        found = [scatters(plan, f"{luck} {number}") for number in range(20)]
        worth.append(ratio_of(*zip(*found, strict=True)).value)
    assert worth[0] == pytest.approx(1, abs=0.1)
    assert 1.5 < worth[1] < worth[2]


def test_a_table_s_own_measure_of_mirroring_is_the_same() -> None:
    plan = Plan(bots=4, seats=4, deals=2_000, kind="pair", spread=1.5)
    independent, mirrored = scatters(plan, "seed")
    gain = mirror_gain(deals_of(simulate(plan, "seed").matches))
    assert gain is not None
    assert gain.deals == pytest.approx(independent / mirrored, rel=0.1)


def test_without_skill_the_worth_is_that_of_the_theory() -> None:
    plan = Plan(bots=2, deals=4_000, luck=0.5, spread=0.0)
    independent, mirrored = scatters(plan, "theory")
    alike = 2 / math.pi * math.asin(0.5)  # the correlation of two signs
    assert independent / mirrored == pytest.approx(1 / (1 - alike), rel=0.1)


def test_the_command_prints_tables_and_names_the_rows_that_miss(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = Plan(bots=2, deals=25)
    equal = Plan(bots=2, deals=2, spread=0.0)
    monkeypatch.setattr(coverage, "rows", lambda: [Row("two deals", equal, 400)])
    monkeypatch.setattr(mirroring, "rows", lambda: [Row("duel", few, 30)])
    command.main(["--quick", "coverage", "mirroring"])
    out, err = capsys.readouterr()
    assert "coverage 1/1: two deals" in err
    assert "\ntwo deals: the bars are too wide: " in out
    assert "\nduel " in out
    assert "Kendall" not in out
