"""Leagues of bots of known skill, played by the format `settled` and as a round-robin; judged."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

from arena.schedule.deal import Entrant
from arena.schedule.goal import Findings, Measure, goal_of, known, lead_of
from arena.schedule.rounds import Frame, Lineup, Over, Places, Round, RoundDeal, RoundTerms
from arena.schedule.settled import GROWTH, Settled, SettledOptions
from arena.stats.likelihood import BETA
from arena.stats.outcomes import Deals, Result
from arena.stats.ratings import Ratings, fit

DRAW_PROBABILITY = 0.001


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A field to simulate."""

    bots: int
    spread: float
    """The standard deviation of the skills, in mu points."""
    seats: int = 2
    luck: float = 0.8
    """The share of a form's variance that is dealt to the seat, and mirrored."""
    cycles: float = 0.0
    """The standard deviation of what a bot is better against one other, in mu points."""
    ahead: float | None = None
    """If given, all bots are equal but the first, who is so far ahead, in mu points."""
    deals: int = 50
    """How many deals of each line-up a round-robin has, and the limit."""


@dataclass
class World:
    """Bots of known skill that play."""

    plan: Plan
    seed: str
    skills: list[float] = field(init=False)
    extra: list[list[float]] = field(init=False)
    """By how much a bot is better than its skill against each other."""

    def __post_init__(self) -> None:
        plan = self.plan
        self.chance = chance = random.Random(self.seed)
        size = plan.bots
        if plan.ahead is None:
            self.skills = [chance.gauss(0, plan.spread) for _ in range(size)]
        else:
            self.skills = [0.0] * size
            self.skills[chance.randrange(size)] = plan.ahead
        self.extra = [[0.0] * size for _ in range(size)]
        if plan.cycles:
            for one, other in combinations(range(size), 2):
                more = chance.gauss(0, plan.cycles)
                self.extra[one][other], self.extra[other][one] = more, -more
        names = [f"{bot:02}" for bot in range(size)]
        self.field = tuple(Entrant(name, "1") for name in names)
        self.at = {bot: number for number, bot in enumerate(self.field)}

    @property
    def strengths(self) -> list[float]:
        """What a round-robin would rate in the end: the skill, and what is better on average."""
        return [
            skill + sum(extra) / max(1, len(extra))
            for skill, extra in zip(self.skills, self.extra, strict=True)
        ]

    def deal(self, lineup: Lineup) -> tuple[Places, ...]:
        """Play one deal: each rotation of the seats, whose luck stays with the seats."""
        gauss, seats = self.chance.gauss, len(lineup)
        bots = [self.at[bot] for bot in lineup]
        kept, own = BETA * math.sqrt(self.plan.luck), BETA * math.sqrt(1 - self.plan.luck)
        dealt = [gauss(0, kept) for _ in bots]
        known = [
            self.skills[bot] + sum(self.extra[bot][other] for other in bots) / 2 for bot in bots
        ]
        found: list[Places] = []
        for turn in range(seats):
            forms = [known[n] + dealt[n - turn] + gauss(0, own) for n in range(seats)]
            if seats == 2:
                found.append((1, 2) if forms[0] > forms[1] else (2, 1))
            else:
                order = sorted(forms, reverse=True)
                found.append(tuple(1 + order.index(form) for form in forms))
        return tuple(found)


def is_right(found: Findings, strengths: Sequence[float], margin: float) -> bool:
    """Return whether an answer is right: no bot stands behind one that it is better than.

    Better is who is so by more than the margin, in mu points. Of a pair, the verdict has to hold:
    equal bots are not to be told apart.
    """
    goal, level = found.goal, [strengths[bot] for bot in found.order]
    if goal.kind == "pair":
        lead = strengths[0] - strengths[1]
        if found.verdict == "equal":
            return abs(lead) <= margin
        return lead > 0 if found.verdict == "better" else lead < 0
    if goal.kind == "top":
        return max(level[goal.count :]) - min(level[: goal.count]) <= margin
    best_behind = -math.inf
    for strength in reversed(level):
        if best_behind - strength > margin:
            return False
        best_behind = max(best_behind, strength)
    return True


@dataclass(frozen=True)
class Look:
    """What was known after so many matches."""

    matches: int
    right: bool
    sure: bool


@dataclass(frozen=True)
class Course:
    """How one league went."""

    looks: tuple[Look, ...]
    cover: float
    """In the end, the share of the pairs whose true difference lies within two errors."""
    leader: float
    """The same of the pairs of the leader and another."""
    ahead: float
    """By how many errors the leader is rated too high over the mean of the others, in the end."""
    answered: bool
    """Whether it ended with an answer, not at the limit."""

    @property
    def last(self) -> Look:
        return self.looks[-1]


def settled_course(plan: Plan, seed: str, options: SettledOptions) -> Course:
    """Play a league by the format, and judge what it said."""
    world = World(plan, seed)
    fits: list[Ratings] = []

    def rate(deals: Deals, bots: Sequence[str]) -> Ratings:
        fits.append(fit(deals, bots=bots))
        return fits[-1]

    frame = Frame(plan.seats, plan.seats, lambda: seed)
    format_, terms = Settled(frame, rate), RoundTerms(plan.deals, options)
    past: list[Round] = []
    numbers: Counter[Lineup] = Counter()
    looks = []
    matches = 0
    while True:
        seen = len(fits)
        asked = format_.next_round(past, world.field, terms)
        if len(fits) > seen:
            looks.append(_look(plan, world, fits[-1], matches, options))
        if isinstance(asked, Over):
            break
        deals = []
        for lineup in asked:
            deals.append(RoundDeal(lineup, numbers[lineup], world.deal(lineup)))
            numbers[lineup] += 1
        matches += len(deals) * plan.seats
        past.append(Round(terms, world.field, tuple(deals)))
    return _course(world, fits[-1], looks, answered=looks[-1].sure)


def round_robin_course(plan: Plan, seed: str, options: SettledOptions, longer: int = 1) -> Course:
    """Play a round-robin, and judge it at intervals by the same rule, until that is satisfied.

    It goes on as long as nothing is sure, but for no more than `longer` times its deals.
    """
    world = World(plan, seed)
    deals: Counter[tuple[Result, ...]] = Counter()
    looks: list[Look] = []
    next_look = plan.bots * options.first_deals // plan.seats
    ratings = None
    names = [f"{bot.key}@{bot.version}" for bot in world.field]
    for done, lineup in enumerate(_in_rounds(world, plan, longer), 1):
        bots = tuple(f"{bot.key}@{bot.version}" for bot in lineup)
        deals[tuple(sorted(Result(bots, places) for places in world.deal(lineup)))] += 1
        if done >= next_look:
            ratings = fit(deals, bots=names)
            looks.append(_look(plan, world, ratings, done * plan.seats, options))
            next_look = done + max(math.ceil(plan.bots / plan.seats), math.ceil(GROWTH * done))
            if looks[-1].sure:
                break
    assert ratings is not None
    return _course(world, ratings, looks, answered=looks[-1].sure)


def _in_rounds(world: World, plan: Plan, longer: int) -> Iterator[Lineup]:
    """Yield all line-ups again and again, each time in another order.

    The order of the format itself is made for few starts of programs; it would look worse here.
    """
    count = comb(plan.bots, plan.seats)
    lineups = [*combinations(world.field, plan.seats)]
    chance = random.Random(f"{world.seed} order")
    for _ in range(plan.deals * longer):
        yield from chance.sample(lineups, count)


def _look(
    plan: Plan, world: World, ratings: Ratings, matches: int, options: SettledOptions
) -> Look:
    names = [f"{bot.key}@{bot.version}" for bot in world.field]
    goal = goal_of(options.goal)
    keys = [bot.key for bot in world.field]
    found = known(
        goal,
        Measure(ratings, names, options.margin),
        keys,
        1 - options.confidence,
        apart=options.apart,
    )
    margin = lead_of(0.5 + options.margin, DRAW_PROBABILITY)
    right = is_right(found, world.strengths, margin)
    return Look(matches, right, not found.open)


def _course(world: World, ratings: Ratings, looks: Sequence[Look], *, answered: bool) -> Course:
    names = [f"{bot.key}@{bot.version}" for bot in world.field]
    truth: Mapping[str, float] = dict(zip(names, world.strengths, strict=True))
    leader = max(names, key=lambda name: ratings.bots[name].mu)
    off = [ratings.bots[name].mu - truth[name] for name in names]
    by_name = dict(zip(names, off, strict=True))
    within = {
        (one, two): abs(by_name[one] - by_name[two]) <= 2 * ratings.error_between(one, two)
        for one, two in combinations(names, 2)
    }
    of_leader = [found for pair, found in within.items() if leader in pair]
    mean = (math.fsum(off) - off[names.index(leader)]) / (len(names) - 1)
    high = (off[names.index(leader)] - mean) * (1 - 1 / len(names))
    return Course(
        tuple(looks),
        sum(within.values()) / len(within),
        sum(of_leader) / len(of_leader),
        high / ratings.bots[leader].error,
        answered,
    )
