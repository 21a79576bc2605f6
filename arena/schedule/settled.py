"""Play until the question is answered: line-ups are chosen by what they tell about what is open."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated

import msgspec

from arena.schedule.deal import Entrant
from arena.schedule.even import PlainLineups
from arena.schedule.format_kinds import InRounds
from arena.schedule.goal import Compared, Findings, Measure, goal_of, known
from arena.schedule.misfit import narrowness, own_variance
from arena.schedule.rounds import (
    Frame,
    Lineup,
    Over,
    Places,
    Round,
    RoundTerms,
    Standings,
    check_size,
)
from arena.schedule.settled_texts import Texts
from arena.schedule.worth import Worth, precision
from arena.stats.outcomes import Deals, Result
from arena.stats.ratings import EXACT, Ratings, fit
from referee.rules.words import counted

GROWTH = 0.1
"""The deals of a round, by those before it: about 45 rounds for a hundred times the first."""
_MOST_CHOICES = 64  # different line-ups a round, or as many as all bots make: the rest repeats them

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class SettledOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The table `[settled]` of a league's file."""

    goal: str = "best"
    """What is asked: `best`, `top 3`, `order`, or `A > B`."""
    confidence: Annotated[float, msgspec.Meta(ge=0.5, lt=1)] = 0.95
    """How likely the answer is right, at least, however often one looked."""
    margin: Annotated[float, msgspec.Meta(ge=0, lt=0.5)] = 0.05
    """The share of points beyond a half that is no difference: at 0.05, 45 to 55 % are equal."""
    apart: bool = False
    """Whether equals are to be known as such, too; else they may stand in any order."""
    first_deals: Annotated[int, msgspec.Meta(ge=3)] = 6
    """How many deals every bot plays before results say who meets whom."""
    plain: _Share = 0.25
    """The share of later deals that goes to the bots with fewest, whatever the results are."""


def check_settled(options: SettledOptions, _seats: int) -> None:
    """Raise ArenaError for a goal that is none."""
    goal_of(options.goal)


def settled_by_key(options: SettledOptions, keys: Mapping[str, str]) -> SettledOptions:
    """Return options whose goal names bots by their keys, given by their present names."""
    goal = goal_of(options.goal)
    if goal.kind != "pair":
        return options
    one, other = (keys.get(name, name) for name in goal.pair)
    return msgspec.structs.replace(options, goal=f"{one} > {other}")


@dataclass(frozen=True)
class _State:
    """What a tournament's rounds come to for the present field."""

    field: tuple[Entrant, ...]
    """By key."""
    kinds: Mapping[tuple[Lineup, tuple[Places, ...]], int]
    """The deals that count, by line-up and places."""
    played: Mapping[Entrant, int]
    """How many deals of each bot count."""
    met: Mapping[tuple[Entrant, Entrant], int]
    """In how many deals that count two bots met, in both orders."""
    spent: int
    """How many deals the present field played among itself, whether they count or not."""
    counted: int
    """How many deals count, of any bots."""


@dataclass(frozen=True)
class _Everyone:
    """All that are rated, by their places: the field first, by key, then who is gone."""

    mu: tuple[float, ...]
    met: Mapping[tuple[int, int], int]
    """How many matches each two had."""
    own_variance: float
    """Of what is each two bots' own of their lead."""

    @classmethod
    def of(
        cls,
        state: _State,
        ratings: Ratings,
        field: Sequence[str],
        matches_a_deal: int,
        own_variance: float,
    ) -> "_Everyone":
        """Return those of a fit; `field` is what the bots that can play are called there."""
        names = [*field, *sorted({*ratings.bots}.difference(field))]
        at = {name: number for number, name in enumerate(names)}
        return cls(
            tuple(round(ratings.bots[name].mu, EXACT) for name in names),
            {
                _in_order(at[_name(one)], at[_name(other)]): matches_a_deal * count
                for (one, other), count in state.met.items()
            },
            own_variance,
        )

    def narrowness(self) -> list[float]:
        """Return by how much each one's opponents were fewer than all others."""
        told: list[dict[int, float]] = [{} for _ in self.mu]
        for (one, other), matches in sorted(self.met.items()):
            told[one][other] = told[other][one] = matches * precision(self.mu[one] - self.mu[other])
        return narrowness(told)


def _own_variance(state: _State, ratings: Ratings) -> float:
    mu = {bot: round(rating.mu, EXACT) for bot, rating in ratings.bots.items()}
    kinds = {
        (tuple(map(_name, lineup)), matches): count
        for (lineup, matches), count in state.kinds.items()
    }
    return own_variance(mu, kinds)


def _rated(deals: Deals, bots: Sequence[str]) -> Ratings:
    return fit(deals, bots=bots)


@dataclass(frozen=True)
class Settled:
    """The format: rounds of chosen line-ups until the goal is known, or the limit is reached.

    The limit is as many deals as a round-robin of the same field would have: `RoundTerms.deals` of
    each line-up. Deals with bots or versions that have left inform the ratings, and do not count
    towards it. It is not seen whether a game without chance repeats its matches move by move: there
    another deal tells less than is thought.
    """

    frame: Frame
    rate: Callable[[Deals, Sequence[str]], Ratings] = _rated
    """What rates these bots and all others; simulations know faster ways to the same numbers."""

    def next_round(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> Sequence[Lineup] | Over:
        """Return the line-ups of the next round, one for each deal, in the order of play."""
        options: SettledOptions = terms.options
        state = _state_of(past, field)
        if why := self._why_never(state, options):
            return Over(why)
        left = self._limit(state, terms) - state.spent
        plain = PlainLineups(
            state.field, self.frame.seats, state.played, state.met, self.frame.chance, len(past)
        )
        check_size(min(left, options.first_deals * len(state.field) // self.frame.seats))
        if lineups := plain.until_each_has(options.first_deals, left):
            return lineups
        measure, found, everyone = self._known(state, options)
        if not found.open:
            return Over(_texts(state, measure, found, options, _key).answer())
        if left <= 0:
            texts = _texts(state, measure, found, options, _key)
            return Over(texts.unanswered(self._limit(state, terms)))
        deals = min(left, self._round_size(state))
        evenly = math.floor((state.counted + deals) * options.plain) - math.floor(
            state.counted * options.plain
        )
        chosen = self._chosen(state, found, everyone, deals - evenly)
        return [*chosen, *plain.with_fewest(evenly, chosen)]

    def standings(
        self,
        past: Sequence[Round],
        field: Sequence[Entrant],
        terms: RoundTerms,
        name: Callable[[Entrant], str],
    ) -> Standings:
        """Return how it stands after the rounds that are over."""
        options: SettledOptions = terms.options
        state = _state_of(past, field)
        if why := self._why_never(state, options):
            return Standings((), notes=(why,))
        measure, found, _ = self._known(state, options)
        return _texts(state, measure, found, options, name).standings()

    def _why_never(self, state: _State, options: SettledOptions) -> str:
        """Return why nothing is to be played; empty if something is."""
        bots, seats = len(state.field), self.frame.seats
        if bots < seats:
            return f"{counted(bots, 'bot')} cannot fill {seats} seats: nothing can be played."
        goal = goal_of(options.goal)
        keys = {bot.key for bot in state.field}
        if goal.kind == "pair" and (missing := [key for key in goal.pair if key not in keys]):
            return f"Asked how two bots compare, of which {' and '.join(missing)} cannot play."
        return ""

    def _limit(self, state: _State, terms: RoundTerms) -> int:
        return math.comb(len(state.field), self.frame.seats) * terms.deals

    def _round_size(self, state: _State) -> int:
        """Return the deals of a round: as many as keep workers busy, and rounds few."""
        least = math.ceil(len(state.field) / self.frame.seats)
        return max(least, math.ceil(GROWTH * state.counted))

    def _known(self, state: _State, options: SettledOptions) -> tuple[Measure, Findings, _Everyone]:
        """Return what is known after the rounds so far."""
        names = [_name(bot) for bot in state.field]
        ratings = self.rate(_deals_of(state), names)
        goal, allowed = goal_of(options.goal), 1 - options.confidence
        # Two bots that are to be compared play each other: what is theirs alone belongs to it.
        variance = 0.0 if goal.kind == "pair" else _own_variance(state, ratings)
        everyone = _Everyone.of(state, ratings, names, self.frame.matches_a_deal, variance)
        measure = Measure(
            ratings,
            names,
            options.margin,
            [variance * each for each in everyone.narrowness()[: len(names)]] if variance else (),
        )
        keys = [bot.key for bot in state.field]
        found = known(goal, measure, keys, allowed, apart=options.apart)
        return measure, found, everyone

    def _chosen(
        self, state: _State, found: Findings, everyone: _Everyone, deals: int
    ) -> list[Lineup]:
        """Return the line-ups that tell most of what is open, each with all others in mind."""
        if deals <= 0:
            return []
        worth = Worth(
            everyone.mu,
            everyone.met,
            [(each, _weight(each)) for each in found.open],
            seats=self.frame.seats,
            matches_a_deal=self.frame.matches_a_deal,
            field=len(state.field),
            own_variance=everyone.own_variance,
        )
        choices = min(deals, max(_MOST_CHOICES, math.ceil(len(everyone.mu) / self.frame.seats)))
        lineups: list[Lineup] = []
        for number in range(choices):
            times = deals * (number + 1) // choices - deals * number // choices
            bots = worth.best()
            worth.play(bots, times)
            lineups += [tuple(state.field[bot] for bot in bots)] * times
        return lineups


def _weight(comparison: Compared) -> float:
    """Return what the variance of a comparison counts: by how small it has to become."""
    return 1 / max(0.1, abs(comparison.lead + comparison.needed)) ** 2


def _state_of(past: Sequence[Round], field: Sequence[Entrant]) -> _State:
    present = frozenset(field)
    kinds: Counter[tuple[Lineup, tuple[Places, ...]]] = Counter()
    spent = 0
    for each in past:
        for deal in each.deals:
            if deal.matches is not None:
                kinds[deal.lineup, deal.matches] += 1
            spent += present.issuperset(deal.lineup)
    played: Counter[Entrant] = Counter()
    met: Counter[tuple[Entrant, Entrant]] = Counter()
    for (lineup, _), count in kinds.items():
        for bot in lineup:
            played[bot] += count
        for pair in permutations(lineup, 2):
            met[pair] += count
    return _State(
        field=tuple(sorted(field, key=lambda bot: (bot.key, bot.version))),
        kinds=kinds,
        played=played,
        met=met,
        spent=spent,
        counted=kinds.total(),
    )


def _deals_of(state: _State) -> Deals:
    deals: Counter[tuple[Result, ...]] = Counter()
    for (lineup, matches), count in state.kinds.items():
        bots = tuple(map(_name, lineup))
        deals[tuple(sorted(Result(bots, places) for places in matches))] += count
    return deals


def _texts(
    state: _State,
    measure: Measure,
    found: Findings,
    options: SettledOptions,
    name: Callable[[Entrant], str],
) -> Texts:
    names = [name(bot) for bot in state.field]
    return Texts(found, measure, names, options.confidence, options.apart, state.counted)


def _key(bot: Entrant) -> str:
    return bot.key


def _name(bot: Entrant) -> str:
    """Return what a bot is called in the fit: another version is another bot."""
    return f"{bot.key}@{bot.version}"


def _in_order(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


SETTLED = InRounds(
    SettledOptions,
    check_settled,
    Settled,
    "no more than a round-robin of so many deals would have",
    settled_by_key,
    finishes=True,
)
