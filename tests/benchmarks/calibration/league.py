"""Leagues of bots of known skill, simulated: what a rating should find, and what was played.

A bot's form in a match is its skill, the luck of what its seat was dealt, and a chance of its
own; the best form gets the first place. In the rotations of a mirrored deal the luck stays with
the seats, and the bots pass from seat to seat.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Literal, NamedTuple

from arena.stats.likelihood import BETA
from arena.stats.outcomes import Result

Kind = Literal["ranking", "winner", "pair", "pairs", "draws"]
"""What a match tells: the whole order, who is best, who the best two are, which two are best, which
two come next and so on, or also equality."""
Shape = Literal["Gaussian", "good or bad", "heavy tails"]

EQUALS_DRAW = 0.3
"""The chance that two equally good bots draw, where draws are."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A league to simulate."""

    bots: int
    deals: int
    """For each line-up; of matches that share no luck, if not mirrored."""
    seats: int = 2
    kind: Kind = "ranking"
    luck: float = 0.8
    """The share of a form's variance that is dealt to the seat."""
    carry: float = 1.0
    """The correlation of a seat's luck between the rotations of a deal."""
    mirrored: bool = True
    """Whether the rotations share luck at all."""
    copies: int = 0
    """If any: a deal is a single match, so many times the same, in place of its rotations."""
    spread: float = 3.0
    """The standard deviation of the skills, in mu points."""
    share: float = 1.0
    """The part of the deals that is played."""
    edge: float = 0.0
    """What the first seat adds to a form, in mu points."""
    shape: Shape = "Gaussian"
    """Of the luck that is dealt to the seats."""
    circle: float = 0.0
    """By how much a bot of each camp beats those of the next beside its skill, in mu points."""
    camps: int = 3
    """Of bots by their numbers, where there is a circle; of two seats."""
    outside: int = 0
    """The bots that are in no camp: the last ones."""


class Row(NamedTuple):
    """A row of a table: so many leagues of one plan."""

    name: str
    plan: Plan
    leagues: int


class Simulated(NamedTuple):
    """A league that was played."""

    skills: Mapping[str, float]
    matches: Sequence[tuple[str, Result]]
    """Each with the name of its deal."""


def simulated(plan: Plan, seed: str) -> Simulated:
    """Play a league."""
    chance = random.Random(seed)
    skills = {f"{bot:02}": chance.gauss(0, plan.spread) for bot in range(plan.bots)}
    return Simulated(skills, list(_matches(plan, skills, chance)))


def _matches(
    plan: Plan, skills: Mapping[str, float], chance: random.Random
) -> Iterator[tuple[str, Result]]:
    for number, bots in enumerate(combinations(sorted(skills), plan.seats)):
        for deal in range(plan.deals):
            if plan.share == 1 or chance.random() < plan.share:
                played = deal_of(plan, bots, skills, chance)
                for turn, result in enumerate(played):
                    own = "" if plan.mirrored else f" {turn}"
                    yield f"{number} {deal}{own}", result


def deal_of(
    plan: Plan, bots: Sequence[str], skills: Mapping[str, float], chance: random.Random
) -> Iterator[Result]:
    """Yield the matches of one deal: one for every rotation of the seats, or copies of one."""
    luck, places = _SHAPES[plan.shape], _KINDS[plan.kind]
    kept = plan.luck * plan.carry if plan.mirrored else 0.0
    dealt = [BETA * math.sqrt(kept) * luck(chance) for _ in bots]
    dealt[0] += plan.edge
    skills = {bot: skills[bot] + turn for bot, turn in zip(bots, _turns(plan, bots), strict=True)}
    own = BETA * math.sqrt(1 - kept)
    for turn in range(1 if plan.copies else len(bots)):
        line_up = (*bots[turn:], *bots[:turn])
        forms = [
            skills[bot] + hand + chance.gauss(0, own)
            for bot, hand in zip(line_up, dealt, strict=True)
        ]
        result = Result(line_up, places(forms))
        yield from [result] * max(1, plan.copies)


def _turns(plan: Plan, bots: Sequence[str]) -> Iterator[float]:
    """Yield what each bot has of the circle against the one other at the table."""
    for bot, other in zip(bots, reversed(bots), strict=True):
        yield circle_between(plan, bot, other) / 2 if plan.circle else 0.0


def circle_between(plan: Plan, bot: str, other: str) -> float:
    """Return by how much a bot beats another beside their skills, in mu points."""
    one, two = int(bot), int(other)
    if max(one, two) >= plan.bots - plan.outside:
        return 0.0
    step = (two - one) % plan.camps
    return plan.circle * ((step == 1) - (step == plan.camps - 1))


def _ranking(forms: Sequence[float]) -> tuple[int, ...]:
    order = sorted(forms, reverse=True)
    return tuple(1 + order.index(form) for form in forms)


def _winner(forms: Sequence[float]) -> tuple[int, ...]:
    best = max(forms)
    return tuple(1 if form == best else 2 for form in forms)


def _pair(forms: Sequence[float]) -> tuple[int, ...]:
    second = sorted(forms)[-2]
    return tuple(1 if form >= second else 3 for form in forms)


def _pairs(forms: Sequence[float]) -> tuple[int, ...]:
    return tuple((place - 1) // 2 * 2 + 1 for place in _ranking(forms))


def _draws(forms: Sequence[float]) -> tuple[int, ...]:
    one, two = forms
    if abs(one - two) <= _MARGIN:
        return (1, 1)
    return _ranking(forms)


def _gaussian(chance: random.Random) -> float:
    return chance.gauss(0, 1)


def _good_or_bad(chance: random.Random) -> float:
    return chance.choice((-1.0, 1.0))


def _heavy_tails(chance: random.Random) -> float:
    """Return one of Student's t with four degrees of freedom, scaled to a variance of one."""
    return chance.gauss(0, 1) / math.sqrt(chance.gammavariate(2, 1))


_MARGIN = BETA * math.sqrt(2) * NormalDist().inv_cdf((1 + EQUALS_DRAW) / 2)
_KINDS: Mapping[Kind, Callable[[Sequence[float]], tuple[int, ...]]] = {
    "ranking": _ranking,
    "winner": _winner,
    "pair": _pair,
    "pairs": _pairs,
    "draws": _draws,
}
_SHAPES: Mapping[Shape, Callable[[random.Random], float]] = {
    "Gaussian": _gaussian,
    "good or bad": _good_or_bad,
    "heavy tails": _heavy_tails,
}
