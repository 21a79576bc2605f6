"""The format `settled`: what it asks for, when it ends and what it says, and that it is pure."""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, count, pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule.deal import Entrant
from arena.schedule.goal import Compared, Findings, Goal, Measure, doubt, goal_of, lead_of
from arena.schedule.rounds import Frame, Lineup, Over, Places, Round, RoundDeal, RoundTerms
from arena.schedule.settled import Settled, SettledOptions, _state_of, _weight, settled_by_key
from arena.schedule.settled_texts import Texts
from arena.schedule.worth import Worth, precision
from arena.stats.likelihood import BETA
from arena.stats.ratings import fit
from protocol.errors import ArenaError
from tests.arena.schedule.cases import calm
from tests.golden import Golden


@dataclass
class Tournament:
    """Bots whose every match falls as their skills say, with some noise that is seeded."""

    skills: Mapping[str, float]
    seats: int = 2
    deals: int = 50
    options: SettledOptions = field(default_factory=SettledOptions)
    seed: str = "1"
    past: list[Round] = field(default_factory=list)
    played: Counter[Lineup] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.field = tuple(Entrant(key, "1") for key in self.skills)
        self.format = Settled(Frame(self.seats, self.seats, lambda: "chance"))
        self.terms = RoundTerms(self.deals, self.options)

    @property
    def total(self) -> int:
        return sum(len(each.deals) for each in self.past)

    def asked(self) -> Sequence[Lineup] | Over:
        return self.format.next_round(self.past, self.field, self.terms)

    def next(self) -> Sequence[Lineup]:
        asked = self.asked()
        assert not isinstance(asked, Over), asked
        return asked

    def rounds(self, count: int) -> None:
        for _ in range(count):
            self.play(self.next())

    def play(self, asked: Sequence[Lineup], out: Sequence[str] = ()) -> None:
        deals = []
        gone = frozenset(bot for bot in self.field if bot.key in out)
        for lineup in asked:
            matches = None if gone & {*lineup} else self.matches(lineup)
            deals.append(RoundDeal(lineup, self.played[lineup], matches))
            self.played[lineup] += 1
        self.past.append(Round(self.terms, self.field, tuple(deals), gone))

    def matches(self, lineup: Lineup) -> tuple[Places, ...]:
        number, keys = self.played[lineup], [bot.key for bot in lineup]
        dice = random.Random(f"{self.seed} {keys} {number}")
        forms = [[self.skills[key] + dice.gauss(0, BETA) for key in keys] for _ in keys]
        return tuple(
            tuple(1 + sum(other > own for other in each) for own in each) for each in forms
        )

    def to_the_end(self, most: int = 200) -> Over:
        for _ in range(most):
            if isinstance(asked := self.asked(), Over):
                return asked
            self.play(asked)
        raise AssertionError("it does not end")


def options(**fields: object) -> SettledOptions:
    return SettledOptions(**fields)  # type: ignore[arg-type] # fields of any kind


FOUR = {"a": 6.0, "b": 2.0, "c": -2.0, "d": -6.0}


@pytest.mark.parametrize("goal", ["best", "top 2", "top 7", "order", "a > d", "d > a", "a > x"])
def test_what_was_asked_for_is_found_and_said(goal: str, golden: Golden) -> None:
    league = Tournament(FOUR, options=options(goal=goal))
    golden(league.to_the_end().why)
    assert league.total < (100 if goal == "best" else 300)


def test_equal_bots_are_known_to_be_equal_or_named_as_such(golden: Golden) -> None:
    equal = options(goal="a > b", margin=0.2)
    golden(Tournament({"a": 0.0, "b": 0.0}, deals=2_000, options=equal).to_the_end().why)
    apart = options(margin=0.2, apart=True)
    league = Tournament({"a": 0.0, "b": 0.0, "c": -5.0}, deals=2_000, options=apart)
    golden(league.to_the_end().why)
    less = Tournament(league.skills, deals=2_000, options=options(margin=0.2))
    less.to_the_end()
    assert less.total < league.total


@pytest.mark.parametrize("goal", ["best", "order", "a > b"])
def test_equal_bots_without_a_margin_end_at_the_limit_of_a_round_robin(goal: str) -> None:
    equal = Tournament(dict.fromkeys("abc", 0.0), deals=30, options=options(goal=goal, margin=0.0))
    assert "not known for sure at the limit of 90 deals, which a round-robin" in (
        equal.to_the_end().why
    )
    assert equal.total == 90


@pytest.mark.parametrize("seats", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_tables_of_several_seats_are_chosen(seats: int) -> None:
    skills = {f"{bot}": 2.0 * bot for bot in range(6)}
    league = Tournament(skills, seats=seats, options=options(goal="top 2"))
    why = league.to_the_end().why
    assert why.startswith("Asked for the top 2 of 6 bots: they are 5 and 4;")
    lineups = [deal.lineup for each in league.past for deal in each.deals]
    assert all(len({*lineup}) == seats for lineup in lineups)
    assert all([*lineup] == sorted(lineup, key=lambda bot: bot.key) for lineup in lineups)


def test_who_matters_plays_most() -> None:
    skills = {"a": 1.5, "b": 1.2, **{f"c{bot}": -4.0 for bot in range(8)}}
    league = Tournament(skills, options=options(margin=0.02))
    league.rounds(12)
    counts = Counter(bot.key for each in league.past for deal in each.deals for bot in deal.lineup)
    rest = max(count for key, count in counts.items() if key not in "ab")
    assert min(counts["a"], counts["b"]) > 2 * rest


def test_all_play_before_results_choose() -> None:
    first = Tournament(FOUR, options=options(first_deals=7)).next()
    counts = Counter(bot.key for lineup in first for bot in lineup)
    assert 7 <= min(counts.values()) <= max(counts.values()) <= 8
    met = Counter(first)
    assert max(met.values()) - min(met.values()) <= 1


def test_a_bot_that_comes_late_plays_first_against_many() -> None:
    skills = {f"{bot}": 0.1 * bot for bot in range(10)}
    league = Tournament(skills, options=options(goal="order", margin=0.01))
    league.rounds(4)
    late = Entrant("late", "1")
    league.field = (*league.field, late)
    league.skills = {**skills, "late": 0.0}
    asked = league.next()
    assert len({*asked}) == len(asked) == league.options.first_deals
    assert all(late in lineup for lineup in asked)
    league.play(asked)
    assert any(late not in lineup for lineup in league.next())
    newer = Entrant("9", "2")  # another version is a late bot, too
    league.field = tuple(newer if bot.key == "9" else bot for bot in league.field)
    asked = league.next()
    assert all(newer in lineup for lineup in asked)
    league.play(asked)
    rated: set[str] = set()

    def rate(deals: Any, bots: Sequence[str]) -> Any:
        rated.update((found := fit(deals, bots=bots)).bots)
        return found

    replace(league.format, rate=rate).next_round(league.past, league.field, league.terms)
    assert rated > {"9@1", "9@2"}, "the old one still informs"


def test_who_is_suspended_plays_no_more_and_its_last_deals_do_not_count() -> None:
    league = Tournament(FOUR, options=options(goal="order", margin=0.0))
    league.rounds(2)
    league.play(league.next(), out=["a"])
    league.field = league.field[1:]
    while not isinstance(asked := league.asked(), Over):
        assert all("a" not in {bot.key for bot in lineup} for lineup in asked)
        league.play(asked)
    assert asked.why.startswith("Asked for the order of 3 bots")


def test_too_few_bots_for_a_table_end_it_with_a_sentence() -> None:
    few = Tournament({"a": 0.0, "b": 0.0}, seats=3)
    why = few.to_the_end().why
    assert why == "2 bots cannot fill 3 seats: nothing can be played."
    assert few.format.standings(few.past, few.field, few.terms, str).notes == (why,)


def test_a_round_that_counts_for_nothing_is_played_again_up_to_the_limit() -> None:
    league = Tournament(FOUR, deals=5)
    while not isinstance(asked := league.asked(), Over):
        league.play(asked, out=["a", "b", "c"])
    assert "not known for sure at the limit of 30 deals" in asked.why


@settings(calm, max_examples=5)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False), st.sampled_from([2, 3]))
def test_a_round_depends_on_nothing_but_results(seed: int, dice: random.Random, seats: int) -> None:
    skills = {f"{bot}": 0.5 * bot for bot in range(5)}
    goal = dice.choice(["best", "top 2", "order", "1 > 3"])
    league = Tournament(skills, seats=seats, seed=f"{seed}", options=options(goal=goal))
    for _ in range(3):
        asked = league.asked()
        if isinstance(asked, Over):
            return
        again = replace(league, skills={key: skills[key] for key in dice.sample([*skills], 5)})
        again.past = [
            replace(each, deals=tuple(dice.sample(each.deals, len(each.deals))))
            for each in league.past
        ]
        assert again.asked() == asked
        league.play(asked)


def test_as_many_more_deals_are_wanted_as_make_it_sure() -> None:
    one = _comparison(0, 1)
    found = Findings(goal_of("order"), (one,), (one,), (0, 1), "better", allowed=0.05)
    measure = Measure(fit(Counter(), bots=["a", "b"]), ["a", "b"], 0.05)
    texts = Texts(found, measure, ["a", "b"], 0.95, apart=False, deals=5)
    enough = (more for more in count(1) if doubt(1.7, math.sqrt(5 / (5 + more))) <= 0.05)
    assert texts._wanted(one) == next(enough)


def test_standings_say_what_is_open_and_what_is_known() -> None:
    league = Tournament({**FOUR, "e": 5.5}, options=options(goal="order", margin=0.01))
    league.rounds(12)
    shown = league.format.standings(
        league.past, league.field, league.terms, lambda bot: bot.key.upper()
    )
    ranks, still_open = shown.grids
    first = {row[1]: str(row[0]) for row in ranks.rows}
    assert {*first} == {*"ABCDE"}
    assert first["D"].endswith("5")
    assert all(first[bot].startswith("1-") for bot in "AE")
    assert {*still_open.rows[0][:2]} == {"A", "E"}
    lead, better, more = map(float, still_open.rows[0][2:5])
    assert (lead >= 0, 0.5 <= better < 1, more > 0) == (True, True, True)
    [note] = shown.notes
    assert note.startswith("Asked for the order of 5 bots. Most likely, it is ")


def test_goals_are_read_and_written() -> None:
    for text, goal in [
        ("best", Goal("top", 1)),
        ("top 1", Goal("top", 1)),
        (" top  12 ", Goal("top", 12)),
        ("order", Goal("order")),
        ("A > B", Goal("pair", pair=("A", "B"))),
        ("top 3 > best", Goal("pair", pair=("top 3", "best"))),
    ]:
        assert goal_of(text) == goal
        assert goal_of(str(goal)) == goal
    for text in ("", "first", "top", "top 0", "top -1", "A >", "A > A", "> B"):
        with pytest.raises(ArenaError, match="ask for 'best', 'top 3'"):
            goal_of(text)


def test_a_goal_names_bots_by_key_if_it_names_any() -> None:
    named = settled_by_key(options(goal="new > two"), {"new": "one"})
    assert named == options(goal="one > two")
    assert settled_by_key(options(goal="best"), {"best": "one"}) == options(goal="best")


def test_options_have_their_limits() -> None:
    for name, value in {"confidence": 1.0, "margin": 0.5, "plain": 1.5, "first_deals": 2}.items():
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({name: value}, SettledOptions)
    assert msgspec.convert({}, SettledOptions) == SettledOptions()


def test_a_lead_stands_for_a_share_of_the_points() -> None:
    assert lead_of(0.5, 0.001) == 0
    assert lead_of(0.55, 0.001) == pytest.approx(0.74, abs=0.005)
    assert lead_of(0.55, 0.4) > lead_of(0.55, 0.001)  # draws bring the shares nearer


def test_doubt_holds_however_often_one_looks() -> None:
    wrong = 0
    for number in range(1_000):
        dice = random.Random(number)
        total, count, least = 0.0, 0, 1.0
        while count < 3_000:
            more = max(5, count // 20)
            count += more
            total += dice.gauss(0, 4 * math.sqrt(more))
            least = min(least, doubt(total / count, 4 / math.sqrt(count)))
        wrong += least <= 0.05
    assert 0.01 < wrong / 1_000 <= 0.05


def test_worth_is_what_a_deal_takes_from_the_open_variances() -> None:
    mu = [25.0, 24.0, 22.0, 30.0, 21.0]
    met = {(0, 1): 4, (1, 2): 2, (0, 3): 6, (2, 4): 3}
    opened = [(_comparison(0, 1), 1.0), (_comparison(3, 2), 0.5)]

    def worth(more: Mapping[tuple[int, int], int]) -> Worth:
        counts = {pair: met.get(pair, 0) + more.get(pair, 0) for pair in {*met, *more}}
        return Worth(mu, counts, opened, seats=2, matches_a_deal=2, field=5)

    def variance(found: Worth) -> float:
        c = found._covariance
        return sum(
            weight * (c[a.better][a.better] + c[a.other][a.other] - 2 * c[a.better][a.other])
            for a, weight in opened
        )

    base = variance(worth({}))
    taken = {pair: base - variance(worth({pair: 2})) for pair in combinations(range(5), 2)}
    best = worth({})
    assert best.best() == max(taken, key=taken.__getitem__)
    for pair in pairwise(range(5)):
        best.play(pair)
    after = worth(dict.fromkeys(pairwise(range(5)), 2))
    assert variance(best) == pytest.approx(variance(after))
    for own, other in zip(best._gain, after._gain, strict=True):
        assert own == pytest.approx(other)


def _comparison(better: int, other: int) -> Compared:
    return Compared(better, other, 1.0, 1.0, 0.7, 5)


def test_a_comparison_counts_by_the_square_of_how_far_it_has_to_go() -> None:
    found = [_weight(replace(_comparison(0, 1), lead=lead)) for lead in (1.3, -2.7, -0.65)]
    assert found == pytest.approx([1 / 4, 1 / 4, 100])


def test_a_match_of_equals_tells_most() -> None:
    assert precision(0) == pytest.approx(2 / math.pi / (2 * BETA**2))
    assert precision(0) > precision(3) == precision(-3) > precision(30) > 0 == precision(60)


def test_a_field_of_many_is_looked_at_in_part() -> None:
    worth = Worth(
        [25.0] * 130, {}, [(_comparison(128, 129), 1.0)], seats=2, matches_a_deal=2, field=130
    )
    assert worth.best() == (128, 129)


def test_a_round_has_a_seat_for_every_bot() -> None:
    league = Tournament({**FOUR, "e": 5.5})
    assert league.format._round_size(_state_of((), league.field)) == 3
