"""The fit: published tables, order, ties, draws, error bars, rank intervals."""

import json
import math
import random
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, product
from operator import mul
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trueskill import Rating as Prior

from arena.stats.likelihood import (
    BETA,
    MEAN,
    SIGMA,
    Duels,
    Normal,
    Tables,
    draw_margin,
    environment,
)
from arena.stats.outcomes import Result, outcome_of
from arena.stats.propagation import Propagation
from arena.stats.ratings import SEPARATED, Rating, Ratings, rank_intervals, widened
from arena.stats.ratings import fit as fit_deals
from arena.stats.spreads import mixed
from protocol.errors import ArenaError, RunError
from tests.arena.stats.deals import Played, deals_of, matches, result, results

VECTORS = Path(__file__).parents[2] / "vectors"
PUBLISHED = json.loads((VECTORS / "trueskill_published.json").read_text())
BATCH = json.loads((VECTORS / "ratings_batch.json").read_text())


def by_case(vectors: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=[vector["case"] for vector in vectors])


def fit(played: Iterable[tuple[str, Result]], **how: Any) -> Ratings:
    return fit_deals(deals_of(played), **how)


def state_of(
    played: Iterable[tuple[str, Result]], draw_probability: float | None = None
) -> Propagation:
    counts = Counter(outcome_of(match) for _, match in played)
    names = {bot for outcome in counts for sharing in outcome for bot in sharing}
    return Propagation(names, counts, draw_probability, "unordered", None)


def by_one_prior(
    played: Iterable[tuple[str, Result]],
    draw_probability: float | None = None,
    sigma: float = SIGMA,
) -> dict[str, tuple[float, float]]:
    """What is known by one prior, the published one: mean and standard deviation."""
    state = state_of(played, draw_probability)
    known = state.settle(sigma)
    spread = np.sqrt(np.diag(known.covariance))
    return {
        bot: (MEAN + float(known.mean[at]), float(spread[at])) for at, bot in enumerate(state.names)
    }


def test_a_lead_is_known_as_well_as_the_bot_with_fewer_deals() -> None:
    found = fit([*results("A > B", "B > A", copies=20), *results("B > C", "C > B", copies=2)])
    between = found.error_between("A", "C")
    assert found.error_of_lead("A", "C") == pytest.approx(widened(4) * between, rel=0.01)
    assert widened(4) > 1.1 * widened(40)


def test_a_fit_that_does_not_settle_is_no_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.stats.propagation._MOST_SWEEPS", 1)
    with pytest.raises(RunError, match="have not settled after 1 sweeps"):
        fit(results("A > B", "B > C"))


def test_a_match_tells_what_the_package_says() -> None:
    env = environment(0.2)
    margin = draw_margin(0.2)
    for seed, drawn in product(range(20), (False, True)):
        chance = random.Random(seed)
        count = 2 if drawn else chance.randint(2, 7)
        priors = [Prior(chance.gauss(25, 6), chance.uniform(1, 9)) for _ in range(count)]
        ranks = [0] * count if drawn else list(range(count))
        expected = env.rate([(prior,) for prior in priors], ranks=ranks, min_delta=1e-9)
        before = Normal(np.diag([prior.sigma**-2 for prior in priors]))
        before.linear += [(prior.mu - MEAN) * prior.sigma**-2 for prior in priors]
        bots = np.arange(count)[None, :]
        sites = (
            Duels(bots, np.array([[0.0, 0.0, 1.0] if drawn else [1.0, 0.0, 0.0]]))
            if count == 2
            else Tables([1] * count, "unordered", bots, np.ones(1))
        )
        for _ in range(60):
            known = Normal(before.precision)
            known.linear += before.linear
            sites.tell(known)
            known.solve()
            sites.renew(known, margin, margin, 0.9)
        for bot, (own,) in enumerate(expected):
            found = MEAN + known.mean[bot], math.sqrt(known.covariance[bot, bot])
            assert found == pytest.approx(tuple(own), abs=2e-3)


@by_case(BATCH)
def test_batch_vectors_in_any_order(vector: dict[str, Any]) -> None:
    played = [result(text, str(n)) for n, text in enumerate(vector["results"])]
    found = by_one_prior(played, vector.get("draw_probability"))
    for bot, expected in vector["expected"].items():
        assert found[bot] == pytest.approx(expected, abs=0.002)
        assert found[bot] == pytest.approx(vector["summed_up"][bot], abs=0.15)  # by 4,000,000 draws
    orders = [random.Random(seed).sample(played, len(played)) for seed in range(6)]
    fits = [fit(order, draw_probability=vector.get("draw_probability")) for order in orders]
    assert len({repr(each.bots) for each in fits}) == 1


def gap_by_summing_up(wins: int, losses: int, sigma: float) -> tuple[float, float]:
    """The gap of two bots, its mean and standard deviation: prior times chance, point by point."""
    gaps = [step / 25 for step in range(-5000, 5000)]
    prior, noise = NormalDist(0, sigma * math.sqrt(2)), NormalDist(0, BETA * math.sqrt(2))
    weights = [prior.pdf(gap) * noise.cdf(gap) ** wins * noise.cdf(-gap) ** losses for gap in gaps]
    mean = math.fsum(map(mul, gaps, weights)) / math.fsum(weights)
    off = [(gap - mean) ** 2 for gap in gaps]
    return mean, math.sqrt(math.fsum(map(mul, off, weights)) / math.fsum(weights))


@pytest.mark.parametrize(("wins", "losses"), [(1, 0), (3, 0), (30, 0), (1000, 0), (7, 3), (29, 1)])
def test_two_bots_are_rated_exactly_straight_wins_included(wins: int, losses: int) -> None:
    played = results("A > B", copies=wins) + results("B > A", copies=losses)
    for sigma in (SIGMA, 2 * SIGMA):
        state = state_of(played, 1e-9)
        known = state.settle(sigma)
        mean, spread = gap_by_summing_up(wins, losses, sigma)
        gap, square = state.duels.gaps(known)
        assert (gap[0], math.sqrt(square[0])) == pytest.approx((mean, spread), abs=0.02)


@settings(max_examples=5)
@given(st.lists(matches, max_size=8), st.permutations("ABCDE"))
def test_names_do_not_matter(played: Played, names: list[str]) -> None:
    new = dict(zip("ABCDE", names, strict=True))
    renamed = [(deal, Result(tuple(new[bot] for bot in r.bots), r.places)) for deal, r in played]
    after = fit(renamed).bots
    for bot, rating in fit(played).bots.items():
        assert after[new[bot]].mu == pytest.approx(rating.mu, abs=1e-3)
        assert after[new[bot]].error == pytest.approx(rating.error, abs=1e-3)


def test_an_unbeaten_pair_comes_to_rest_further_apart_the_more_it_won() -> None:
    gaps = []
    for wins in (2, 3, 10, 100, 1_000, 10_000, 100_000):
        better, worse = fit([result("A > B")] * wins).bots.values()
        assert better.mu - MEAN == pytest.approx(MEAN - worse.mu)
        assert wins < 10 or 5 < better.mu - MEAN < 30
        gaps.append(better.mu)
    assert gaps == sorted(gaps)
    rated = fit(results("A > B", copies=7000) + results("B > A", copies=3000)).bots
    likeliest = 0.524401 * BETA * math.sqrt(2)
    assert rated["A"].mu - rated["B"].mu == pytest.approx(likeliest, abs=0.01)


def test_what_is_as_good_as_impossible_is_rated_all_the_same() -> None:
    ladder = [f"{bot:02}" for bot in range(22)]
    played = [result(f"{one} > {two}") for one, two in pairwise(ladder) for _ in range(200)]
    rated = fit([*played, result(f"{ladder[-1]} > {ladder[0]}", "upset")]).bots
    order = sorted(rated, key=lambda bot: -rated[bot].mu)
    assert order == ladder
    assert all(math.isfinite(each.error) for each in rated.values())
    many = [f"{bot:03}" for bot in range(80)]
    rated = fit([result(" > ".join(many))]).bots
    assert sorted(rated, key=lambda bot: -rated[bot].mu) == many


def test_more_bots_than_can_be_rated_are_refused_in_words() -> None:
    with pytest.raises(ArenaError, match="2,001 bots cannot be rated at once, but 2,000 at most"):
        fit([], bots=map(str, range(2_001)))


def test_tied_equals_are_rated_alike() -> None:
    for text in ("A > B = C = D", "A = B = C > D", "A > B = C > D", "A = B > C = D"):
        rated = fit([result(text)]).bots
        for group in text.split(" > "):
            first, *others = group.split(" = ")
            for other in others:
                assert rated[other].mu == pytest.approx(rated[first].mu, abs=1e-4)
                assert rated[other].error == pytest.approx(rated[first].error, abs=1e-4)
    for draw_probability in (0.001, 0.1, 0.6):
        drawn = fit([result("A = B = C = D")], draw_probability=draw_probability)
        for each in drawn.bots.values():
            assert (each.mu, each.error) == pytest.approx((MEAN, drawn.bots["A"].error))
    for outside in (0.0, 1.0, -0.1, 7.0):
        with pytest.raises(ArenaError, match="between 0 and 1"):
            fit([], draw_probability=outside)


def test_shared_places_are_no_draws_and_say_nothing_between_the_two() -> None:
    rated = fit(results("A > B = C = D", "B > A = C = D", copies=5))
    assert rated.draw_probability == 0.001
    assert rated.bots["A"].mu > rated.bots["C"].mu
    rated = fit(results("A > B", copies=20) + results("A = B > C", copies=5))
    alone = fit(results("A > B", copies=20))
    leads = [each.bots["A"].mu - each.bots["B"].mu for each in (rated, alone)]
    assert leads[0] > 0.9 * leads[1]
    only = fit(results("A = B", copies=50))
    assert only.draw_probability == 0.95
    assert only.bots["A"].mu == only.bots["B"].mu == pytest.approx(MEAN)
    assert outcome_of(Result(("B", "A", "C"), (4, 1, 4))) == (("A",), ("B", "C"))


def league(
    bots: int, spread: float, games: int, margin: float, seed: int, seats: int = 2
) -> tuple[list[float], Played]:
    """Skills, and random tables where everybody ties if all forms lie within `margin`."""
    chance = random.Random(seed)
    skills = [chance.gauss(0, spread) for _ in range(bots)]
    played = []
    for game in range(games):
        forms = {
            bot: skills[bot] + chance.gauss(0, BETA) for bot in chance.sample(range(bots), seats)
        }
        drawn = max(forms.values()) - min(forms.values()) < margin
        order = sorted(forms, key=forms.__getitem__, reverse=True)
        places = tuple(1 if drawn else 1 + n for n in range(seats))
        played.append((f"deal {game}", Result(tuple(f"{bot:02}" for bot in order), places)))
    return skills, played


def test_draw_probability_is_that_of_equals_and_drawn_tables_do_not_stretch_the_orders() -> None:
    # Equals draw six games in ten; so wide a field draws far fewer, and the share would mislead.
    _, played = league(16, 8.33, 2000, margin=0.8416 * BETA * math.sqrt(2), seed=4)
    assert sum(len(outcome_of(match)) == 1 for _, match in played) < 0.4 * 2000
    assert fit(played).draw_probability == pytest.approx(0.6, abs=0.05)
    skills, played = league(6, 3.0, 400, margin=6.0, seed=1, seats=3)
    rated = fit(played)
    assert 0.4 < rated.draw_probability < 0.8
    spread = max(r.mu for r in rated.bots.values()) - min(r.mu for r in rated.bots.values())
    assert spread == pytest.approx(max(skills) - min(skills), rel=0.25)


def test_a_prior_is_as_wide_as_the_results_have_it_and_the_published_one_at_least() -> None:
    skills, played = league(12, 30.0, 1500, margin=0.0, seed=3)
    assert mixed(state_of(played)).sigma == pytest.approx(np.std(skills), rel=0.5)
    # a narrow field; one match, however many sat at the table
    assert mixed(state_of(league(12, 5.0, 400, margin=0.0, seed=2)[1])).sigma == SIGMA
    one = [result(" > ".join("ABCDEFGHIJKLMNOPQRSTUVWX"))]
    assert fit(one).bots["A"].mu == pytest.approx(by_one_prior(one)["A"][0], abs=1e-4)


@settings(max_examples=12)
@given(st.lists(matches, min_size=1, max_size=8))
def test_mean_is_pinned_in_every_connected_group(played: Played) -> None:
    apart = [(d, Result(tuple(map(str.lower, r.bots)), r.places)) for d, r in played]
    rated = fit([*played, result("X > Y"), *apart]).bots
    for group in ("ABCDE", "abcde", "XY"):
        own = [rated[bot].mu for bot in group if bot in rated]
        assert not own or math.fsum(own) / len(own) == pytest.approx(MEAN, abs=1e-6)


def test_disconnected_groups_do_not_touch() -> None:
    one, two = results("A > B", "B > C", copies=3), results("X > Y", "Y > X")
    together = fit(one + two).bots
    for bot, rating in {**fit(one).bots, **fit(two).bots}.items():
        assert together[bot].mu == pytest.approx(rating.mu, abs=0.005)
        assert together[bot].error == pytest.approx(rating.error, abs=0.005)


def test_bots_without_evidence_stay_at_the_prior() -> None:
    assert (fit([]).bots, fit([]).groups) == ({}, [])
    rated = fit([result("A > B"), result("C")], bots=["D"]).bots
    for bot, deals in (("C", 1), ("D", 0)):
        assert (rated[bot].mu, rated[bot].error) == pytest.approx((MEAN, SIGMA))
        assert rated[bot].deals == deals
    assert fit([result("A > B")]).bots["A"].mu == rated["A"].mu


def students_t(freedom: int) -> float:
    """The distance that Student's t exceeds as seldom as a Gaussian exceeds two, by summing up."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    step, reach, held = 1e-3, 0.0, 0.0
    while held < math.erf(math.sqrt(2)) / 2:
        density = (1 + (reach + step / 2) ** 2 / freedom) ** (-(freedom + 1) / 2)
        held += step * scale / math.sqrt(freedom * math.pi) * density
        reach += step
    return reach


def test_few_deals_widen_an_interval_as_students_t_does() -> None:
    for deals in (3, 4, 5, 6, 8, 12, 20, 29, 100, 1000):
        assert SEPARATED * widened(deals) == pytest.approx(students_t(deals - 1), rel=1.2e-3)
    assert widened(10**6) == pytest.approx(1, abs=2e-6)


def test_the_same_once_more_in_a_deal_is_no_new_evidence() -> None:
    once = results("A > B", copies=40) + results("B > A", copies=30)
    thrice = fit([match for match in once for _ in range(3)])
    assert thrice.bots["A"].error == pytest.approx(fit(once).bots["A"].error, rel=0.1)
    texts = ["A > B", "B > A", "A > B", "B > C", "C > A = B"]
    apart, together = (
        fit(result(text, str(deal * n)) for n, text in enumerate(texts)) for deal in (0, 1)
    )
    assert [each.mu for each in apart.bots.values()] == pytest.approx(
        [each.mu for each in together.bots.values()]
    )


def mirrored(luck: float, deals: int, seed: int) -> Played:
    """Two bots, B slightly better; each deal twice with its luck on either side."""
    chance = random.Random(seed)
    played = []
    for deal in range(deals):
        dealt = chance.gauss(0, math.sqrt(2 * luck) * BETA)
        for side in (1, -1):
            lead = side * dealt + chance.gauss(-1, math.sqrt(2 - 2 * luck) * BETA)
            played.append(result("A > B" if lead > 0 else "B > A", f"deal {deal}"))
    return played


def test_mirrored_deals_shrink_the_error() -> None:
    lucky, plain = (fit(mirrored(luck, 300, seed=1)).bots["A"].error for luck in (0.95, 0.0))
    assert lucky < 0.6 * plain
    assert plain == pytest.approx(BETA * math.sqrt(math.pi / 600) / 2, rel=0.15)


def test_straight_wins_make_sure_of_the_order_if_not_of_the_gap() -> None:
    rated = fit(results("A > B", "A > C", "A > D", "B > C", "B > D", "C > D", copies=30))
    assert rank_intervals(rated) == {"A": (1, 1), "B": (2, 2), "C": (3, 3), "D": (4, 4)}
    assert rated.bots["A"].mu - rated.bots["B"].mu < 2 * rated.error_between("A", "B")
    # nor of a gap between two pairs of equals of which one never lost to the other
    even = results("A > B", "B > A", "C > D", "D > C", copies=30)
    rated = fit(even + results("A > C", "A > D", "B > C", "B > D", copies=30))
    assert rated.error_between("A", "B") < 1.5
    assert rated.error_between("A", "C") > 3
    # and through a third, less is sure
    direct = fit(results("A > B", "B > A", copies=30)).error_between("A", "B")
    through = fit(results("A > C", "C > A", "C > B", "B > C", copies=30)).error_between("A", "B")
    assert through == pytest.approx(math.sqrt(2) * direct, rel=0.05)


def table(**bots: tuple[float, float]) -> Ratings:
    rated = {bot: Rating(mu, sigma, 10**9, 10**9) for bot, (mu, sigma) in bots.items()}
    squares = np.array([sigma**2 for _, sigma in bots.values()])
    leads = np.sqrt(np.add.outer(squares, squares))
    return Ratings(rated, [list(bots)], 0.001, np.diag(squares), leads)


def test_rank_intervals_hold_all_that_is_not_separated() -> None:
    found = rank_intervals(table(A=(40, 1), B=(30, 1), C=(28, 1), D=(27, 1), E=(10, 1)))
    assert [*found.items()] == [
        *zip("ABCDE", [(1, 1), (2, 3), (2, 4), (3, 4), (5, 5)], strict=True)
    ]
    # it takes more than two standard errors
    assert rank_intervals(table(A=(30, 3), B=(20, 4))) == {"A": (1, 2), "B": (1, 2)}
    assert rank_intervals(table(A=(30.1, 3), B=(20, 4))) == {"A": (1, 1), "B": (2, 2)}
    assert rank_intervals(table()) == {}
    assert rank_intervals(table(A=(25, 8))) == {"A": (1, 1)}


def test_one_match_tells_nobody_apart() -> None:
    for vector in (vector for vector in PUBLISHED if set(vector["sizes"]) == {1}):
        bots = tuple(f"{bot:02}" for bot in range(len(vector["ranks"])))
        rated = fit([("deal", Result(bots, tuple(vector["ranks"])))])
        assert set(rank_intervals(rated).values()) == {(1, len(bots))}


def test_so_many_deals_it_takes_to_tell_the_first_from_the_last() -> None:
    """Every deal as mirrored, and every match the same."""
    for bots, deals in (("AB", 6), ("ABC", 4), ("ABCD", 4), ("ABCDEFGH", 3)):
        match = " > ".join(bots)
        played = [result(match, str(deal)) for deal in range(deals) for _ in bots]
        few = [match for match in played if match[0] != "0"]
        assert not fit(few).separated(bots[0], bots[-1])
        assert fit(played).separated(bots[0], bots[-1])


def test_who_watches_a_fit_is_called_as_every_sweep_begins() -> None:
    seen: list[int] = []
    fit(results("A > B", "B > C"), watch=lambda state: seen.append(state.sweeps))
    assert seen == [*range(1, len(seen) + 1)]
