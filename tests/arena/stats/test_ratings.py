"""The fit: published tables, order, ties, draws, error bars, rank intervals."""

import json
import math
import random
from collections.abc import Iterable
from itertools import product
from operator import mul
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trueskill import Rating as Prior

from arena.stats import likelihood
from arena.stats.covariance import Covariances
from arena.stats.likelihood import BETA, MEAN, SIGMA, Belief, MatchFactor, draw_margin, environment
from arena.stats.outcomes import Result, outcome_of
from arena.stats.ratings import SEPARATED, Rating, Ratings, rank_intervals, widened
from arena.stats.ratings import fit as fit_deals
from protocol.errors import ArenaError, RunError
from tests.arena.stats.deals import Played, deals_of, matches, result, results

VECTORS = Path(__file__).parents[2] / "vectors"
PUBLISHED = json.loads((VECTORS / "trueskill_published.json").read_text())
BATCH = json.loads((VECTORS / "ratings_batch.json").read_text())


def by_case(vectors: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=[vector["case"] for vector in vectors])


def fit(played: Iterable[tuple[str, Result]], **how: Any) -> Ratings:
    return fit_deals(deals_of(played), **how)


def numbers(ratings: Ratings) -> list[tuple[float, float]]:
    return [(rating.mu, rating.sigma) for rating in ratings.bots.values()]


def test_a_lead_is_known_as_well_as_the_bot_with_fewer_deals() -> None:
    found = fit([*results("A > B", "B > A", copies=20), *results("B > C", "C > B", copies=2)])
    rows = found.covariances.of_width
    square = rows["A"]["A"] + rows["C"]["C"] - 2 * rows["A"]["C"]
    assert found.error_between("A", "C") == pytest.approx(widened(4) * math.sqrt(square))
    assert widened(4) > 1.1 * widened(40)


def test_a_fit_that_does_not_settle_is_no_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.stats.propagation._MOST_SWEEPS", 1)
    with pytest.raises(RunError, match="have not settled after 1 sweeps"):
        fit(results("A > B", "B > C"))


def beliefs(chance: random.Random, count: int) -> list[Belief]:
    return [Belief(1 / s**2, chance.gauss(25, 6) / s**2) for s in [chance.uniform(1, 9)] * count]


def test_a_match_tells_what_the_package_says() -> None:
    env = environment(0.2)
    for seed, drawn in product(range(20), (False, True)):
        chance = random.Random(seed)
        count = 2 if drawn else chance.randint(2, 7)
        names = "ABCDEFG"[:count]
        outcome = (tuple(names),) if drawn else tuple((name,) for name in names)
        priors = beliefs(chance, count)
        groups = [(Prior(prior.mu, prior.sigma),) for prior in priors]
        expected = env.rate(groups, ranks=[0] * count if drawn else range(count), min_delta=1e-9)
        match = MatchFactor(outcome, "unordered")
        for _ in range(10):
            told = match.messages(priors, draw_margin(0.2))
        for prior, message, (own,) in zip(priors, told, expected, strict=True):
            after = Belief(prior.pi + message.pi, prior.tau + message.tau)
            assert (after.mu, after.sigma) == pytest.approx(tuple(own), abs=2e-3)


@by_case(BATCH)
def test_batch_vectors_in_any_order(vector: dict[str, Any]) -> None:
    played = [result(text, str(n)) for n, text in enumerate(vector["results"])]
    orders = [random.Random(seed).sample(played, len(played)) for seed in range(6)]
    fits = [fit(order, draw_probability=vector.get("draw_probability")) for order in orders]
    assert len({repr(each) for each in fits}) == 1
    for bot, expected in vector["expected"].items():
        rating = fits[0].bots[bot]
        assert (rating.mu, rating.sigma) == pytest.approx(expected, abs=0.002)


@settings(max_examples=12)
@given(st.lists(matches, max_size=8), st.permutations("ABCDE"))
def test_names_do_not_matter(played: Played, names: list[str]) -> None:
    new = dict(zip("ABCDE", names, strict=True))
    renamed = [(deal, Result(tuple(new[bot] for bot in r.bots), r.places)) for deal, r in played]
    after = fit(renamed).bots
    for bot, rating in fit(played).bots.items():
        assert after[new[bot]].mu == pytest.approx(rating.mu, abs=1e-3)
        assert after[new[bot]].sigma == pytest.approx(rating.sigma, abs=1e-3)


def test_an_unbeaten_pair_comes_to_rest_further_apart_the_more_it_won() -> None:
    gaps = []
    for wins in (1, 3, 10, 100, 1_000, 10_000, 100_000):
        rated = fit([result("A > B")] * wins)
        better, worse = rated.bots.values()
        assert rated.sweeps < 250
        assert better.mu - MEAN == pytest.approx(MEAN - worse.mu)
        assert wins < 10 or 5 < better.mu - MEAN < 30
        assert 1 < better.sigma < 10
        gaps.append(better.mu)
    assert gaps == sorted(gaps)
    rated = fit(results("A > B", copies=7000) + results("B > A", copies=3000)).bots
    likeliest = 0.524401 * BETA * math.sqrt(2)
    assert rated["A"].mu - rated["B"].mu == pytest.approx(likeliest, abs=0.01)


def test_a_foregone_win_changes_nothing_and_one_beyond_arithmetic_is_refused() -> None:
    match = MatchFactor((("A",), ("B",)), "unordered")
    sure, upset = [Belief(1.0, 400.0), Belief(1.0, 0.0)], [Belief(1.0, 0.0), Belief(1.0, 400.0)]
    for message in match.messages(sure, 0.1):
        assert message == pytest.approx((0.0, 0.0))
    with pytest.raises(ArithmeticError):
        match.messages(upset, 0.1)


def test_result_that_cannot_be_rated_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr(MatchFactor, "messages", fail)
    with pytest.raises(ArenaError, match="the result A > B is too unlikely"):
        fit([result("A > B")])


def test_tied_equals_are_rated_alike() -> None:
    for text in ("A > B = C = D", "A = B = C > D", "A > B = C > D", "A = B > C = D"):
        rated = fit([result(text)]).bots
        for group in text.split(" > "):
            first, *others = group.split(" = ")
            for other in others:
                assert rated[other].mu == pytest.approx(rated[first].mu, abs=1e-4)
                assert rated[other].sigma == pytest.approx(rated[first].sigma, abs=1e-4)
    for draw_probability in (0.001, 0.1, 0.6):
        drawn = fit([result("A = B = C = D")], draw_probability=draw_probability)
        assert len(set(numbers(drawn))) == 1
        assert drawn.bots["A"].mu == pytest.approx(MEAN)
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


def test_a_comparison_renews_only_its_two_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a match that all of many bots draw, each with all the others: its work was their cube."""
    bots = 20
    calls = []
    through = likelihood._through_noise

    def counting(pi: float, tau: float) -> Belief:
        calls.append(pi)
        return through(pi, tau)

    match = MatchFactor((tuple(f"bot {number}" for number in range(bots)),), "unordered")
    monkeypatch.setattr(likelihood, "_through_noise", counting)
    match.messages([Belief(1 / SIGMA**2, MEAN / SIGMA**2)] * bots, 0.1)
    assert len(calls) == bots + 2 * math.comb(bots, 2)


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


def test_a_wide_field_widens_the_prior_thrice_at_most() -> None:
    skills, played = league(12, 20.0, 1500, margin=0.0, seed=3)
    rated = fit(played)
    centre = math.fsum(skills) / len(skills)
    distances = [(skill - centre) ** 2 for skill in skills]
    assert rated.prior_sigma == pytest.approx(math.sqrt(sum(distances) / len(skills)), rel=0.3)
    spread = math.sqrt(math.fsum((r.mu - MEAN) ** 2 for r in rated.bots.values()) / 12)
    assert rated.prior_sigma == pytest.approx(spread, abs=0.01)
    # a ladder that never fails; a narrow field; one match, however many sat at the table
    assert fit(results("A > B > C > D", copies=200)).prior_sigma == 3 * SIGMA
    assert fit(league(12, 5.0, 400, margin=0.0, seed=2)[1]).prior_sigma == SIGMA
    assert fit([result(" > ".join("ABCDEFGHIJKLMNOPQRSTUVWX"))]).prior_sigma == SIGMA


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
        assert together[bot].sigma == pytest.approx(rating.sigma, abs=0.005)


def test_bots_without_evidence_stay_at_the_prior() -> None:
    assert fit([]) == Ratings({}, [], 0.001, SIGMA, 1, Covariances({}, {}))
    rated = fit([result("A > B"), result("C")], bots=["D"]).bots
    found = (rated["C"].mu, rated["C"].sigma, rated["C"].sigma_by_deal)
    assert found == pytest.approx((MEAN, SIGMA, SIGMA))
    assert (rated["C"].deals, rated["D"].deals) == (1, 0)
    assert rated["D"].error == rated["D"].sigma == pytest.approx(SIGMA)
    alone = [(rated[bot].mu, rated[bot].sigma) for bot in "AB"]
    assert numbers(fit([result("A > B")])) == alone


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
    assert Rating(25, 2.0, 1.0, deals=3, matches=40).error == widened(3)
    assert Rating(25, 2.0, 3.0, deals=9, matches=9).error == 3.0  # no less than deals bear out
    rated = fit(mirrored(0.8, 12, seed=1)).bots["A"]
    assert rated.error == widened(12) * rated.sigma_by_deal > rated.sigma_by_deal
    assert rated.error < rated.sigma


def test_a_deal_or_two_show_the_models_error() -> None:
    """As of that many matches: those of a deal may all have been the same."""
    for deals in (1, 2):
        single = fit(results("A > B", copies=deals)).bots["A"]
        assert single.error == single.sigma
        four = [result("A > B", str(deal)) for deal in range(deals) for _ in range(4)]
        whole = fit(four).bots["A"]
        assert whole.error == 2 * whole.sigma
    # and the same once more in a deal is no new evidence, though it counts for mu
    once = results("A > B", copies=40) + results("B > A", copies=30)
    thrice = fit([match for match in once for _ in range(3)])
    assert thrice.bots["A"].error == pytest.approx(fit(once).bots["A"].error, rel=0.1)
    texts = ["A > B", "B > A", "A > B", "B > C", "C > A = B"]
    assert numbers(fit(result(text, str(n)) for n, text in enumerate(texts))) == numbers(
        fit(map(result, texts))
    )


def from_the_mean(bots: int, sigma: float) -> float:
    """The error of a bot measured from the mean of all, which it is itself a part of."""
    return sigma * (bots - 1) / bots


def test_independent_deals_bear_out_the_model() -> None:
    for rating in fit(league(8, 3.0, 1200, margin=0.0, seed=5)[1]).bots.values():
        assert rating.error == pytest.approx(from_the_mean(8, rating.sigma), rel=0.08)
    for rating in fit(results("A > B > C", copies=100)).bots.values():  # never lost, nor certain
        assert rating.error >= 0.9 * from_the_mean(3, rating.sigma) > 1
    rated = fit(results("A > B", copies=70) + results("B > A", copies=30))
    assert rated.error_between("A", "B") == pytest.approx(2 * rated.bots["A"].error)


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
    rating = fit(mirrored(0.95, 300, seed=1)).bots["A"]
    assert rating.error < 0.6 * from_the_mean(2, rating.sigma)
    rating = fit(mirrored(0.0, 300, seed=1)).bots["A"]
    assert rating.error == pytest.approx(from_the_mean(2, rating.sigma), rel=0.15)


def test_straight_wins_say_little_of_the_gap_however_many() -> None:
    """Its true standard deviation, by summing up its prior times the chance of the wins."""
    gaps = [step / 25 for step in range(5000)]
    for wins in (5, 30, 1000):
        rated = fit(results("A > B", copies=wins))
        spread, noise = rated.prior_sigma * math.sqrt(2), NormalDist(0, BETA * math.sqrt(2))
        weights = [NormalDist(0, spread).pdf(gap) * noise.cdf(gap) ** wins for gap in gaps]
        mean = math.fsum(map(mul, gaps, weights)) / math.fsum(weights)
        off = [(gap - mean) ** 2 for gap in gaps]
        true = math.sqrt(math.fsum(map(mul, off, weights)) / math.fsum(weights))
        shown = rated.error_between("A", "B") / widened(wins)
        assert shown == pytest.approx(true, rel=0.1)
        assert abs(rated.bots["A"].mu - rated.bots["B"].mu - mean) < shown


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
    rated = {bot: Rating(mu, sigma, sigma, 10**9, 10**9) for bot, (mu, sigma) in bots.items()}
    apart = {bot: dict.fromkeys(bots, 0.0) | {bot: s**2} for bot, (_, s) in bots.items()}
    return Ratings(rated, [list(bots)], 0.001, SIGMA, 1, Covariances(apart, apart))


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
    for bots, deals in (("AB", 6), ("ABC", 4), ("ABCD", 3), ("ABCDEFGH", 3)):
        match = " > ".join(bots)
        played = [result(match, str(deal)) for deal in range(deals) for _ in bots]
        few = [match for match in played if match[0] != "0"]
        assert not fit(few).separated(bots[0], bots[-1])
        assert fit(played).separated(bots[0], bots[-1])


def test_who_watches_a_fit_is_called_as_every_sweep_begins() -> None:
    seen: list[float] = []
    found = fit(results("A > B", "B > C"), watch=lambda _, share: seen.append(share))
    assert seen == [0.0] * found.sweeps
