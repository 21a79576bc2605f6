"""The batch fit: expectation propagation over all matches at once.

Every distinct outcome keeps the message that one match of it sends to each of its bots, and all
messages are renewed together until no rating moves: the method of "TrueSkill Through Time"
(Dangauthier, Herbrich, Minka and Graepel, 2007), for skills that stand still. Only from one version
of a bot to the next they may move, by that paper's factor between two skills (`links`).
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import TypeAlias

from arena.stats.likelihood import (
    MEAN,
    SIGMA,
    Belief,
    MatchFactor,
    Ties,
    chance_of_draw,
    draw_margin,
)
from arena.stats.links import Chain, Succession
from arena.stats.outcomes import Outcome, seated
from protocol.errors import ArenaError, RunError

_DRAW_PROBABILITIES = [n / 10_000 for n in range(10, 9_501)]  # those that can be fitted
_PUBLISHED_DRAW_PROBABILITY = 0.1  # the package's, where shared places are draws
_WIDEST = 3 * SIGMA  # mu points; bots that never lose would widen the prior for ever
_TOLERANCE = 0.001  # mu points; at the end a full step would move nothing further than this
_DAMPING, _LEAST_DAMPING = 0.7, 0.05  # the part of a full step that is taken
_MOST_SWEEPS = 20_000
_OUTCOMES_BETWEEN_LOOKS = 200
_NOTHING = Belief(0.0, 0.0)

Watch: TypeAlias = Callable[["Propagation", float], None]
"""Called now and then during a fit, with its state and the part of the sweep that is done."""


@dataclass(slots=True)
class OutcomeFactor:
    """An outcome, how often it was seen, and the message one match of it sends to each bot."""

    outcome: Outcome
    count: int
    bots: list[str]
    match: MatchFactor
    messages: list[Belief]


class Propagation:
    """The state of a fit: every outcome's messages, and the skills they add up to."""

    def __init__(
        self,
        names: Iterable[str],
        counts: Mapping[Outcome, int],
        draw_probability: float | None,
        ties: Ties,
        watch: Watch | None,
        links: Iterable[Succession] = (),
    ) -> None:
        self.names = sorted(names)
        self.chain = Chain(links, SIGMA)
        self._first = [bot for bot in self.names if bot not in self.chain.later]
        self._watch = watch
        self.factors = [
            OutcomeFactor(
                outcome, counts[outcome], bots, MatchFactor(outcome, ties), [_NOTHING] * len(bots)
            )
            for outcome in sorted(counts)
            if len(bots := seated(outcome)) > 1
        ]
        self.groups = connected([*(each.bots for each in self.factors), *self.chain.pairs])
        self.drawn = sum(each.count for each in self.factors if len(each.outcome) == 1)
        self.tables: Counter[tuple[str, ...]] = Counter()
        self.matches: Counter[str] = Counter()
        for each in self.factors:
            self.tables[tuple(sorted(each.bots))] += each.count
            self.matches.update(dict.fromkeys(each.bots, each.count))
        assumed = _DRAW_PROBABILITIES[0] if ties == "unordered" else _PUBLISHED_DRAW_PROBABILITY
        self.fits_draws = draw_probability is None and self.drawn > 0 and ties == "unordered"
        self.draw_probability = draw_probability or assumed
        self.margin = self.margin_of_orders = draw_margin(self.draw_probability)
        self.prior_sigma = SIGMA
        self.sweeps = 0
        self.furthest = math.inf
        """How far the last full step would have moved anything, in mu points."""
        self._add_up()

    def settle(self) -> None:
        """Sweep until a full step would move nothing further than the tolerance."""
        damping = _DAMPING
        last: list[float] = []
        while self.sweeps < _MOST_SWEEPS:
            before = self._numbers()
            self._sweep(damping)
            step = [(now - was) / damping for now, was in zip(self._numbers(), before, strict=True)]
            self.furthest = max(map(abs, step))
            if self.furthest <= _TOLERANCE:
                return
            damping = _next_damping(damping, step, last)
            last = step
        raise RunError(f"the ratings have not settled after {_MOST_SWEEPS} sweeps")

    def _numbers(self) -> list[float]:
        """Return all that has to come to rest, in mu points."""
        skills = self.skills.values()
        fitted = self.prior_sigma, self.margin, self.chain.step
        return [*(s.mu for s in skills), *(s.sigma for s in skills), *fitted]

    def _sweep(self, damping: float) -> None:
        self.sweeps += 1
        self.prior_sigma = self._spread()
        if self.fits_draws:
            self._fit_draws()
        for number, each in enumerate(self.factors):
            if self._watch is not None and number % _OUTCOMES_BETWEEN_LOOKS == 0:
                self._watch(self, number / len(self.factors))
            pairs = zip(each.messages, self._renewed(each), strict=True)
            each.messages = [_between(old, new, damping) for old, new in pairs]
        self.chain.renew(self.skills, damping)
        self._add_up()
        self._pin()

    def _renewed(self, each: OutcomeFactor) -> list[Belief]:
        """Return an outcome's messages, given all other evidence."""
        others = []
        for bot, (pi, tau) in zip(each.bots, each.messages, strict=True):
            skill = self.skills[bot]
            others.append(Belief(skill.pi - pi, skill.tau - tau))
        margin = self.margin_of_orders if len(each.outcome) > 2 else self.margin
        try:
            return each.match.messages(others, margin)
        except (ArithmeticError, ValueError) as error:
            result = " > ".join(" = ".join(sharing) for sharing in each.outcome)
            text = f"the result {result} is too unlikely beside all others to be rated; check it."
            raise ArenaError(text) from error

    def _add_up(self) -> None:
        """Set every skill to the prior and all messages to the bot."""
        pi = {bot: self.prior_of(bot) for bot in self.names}
        tau = {bot: prior * MEAN for bot, prior in pi.items()}
        for each in self.factors:
            for bot, message in zip(each.bots, each.messages, strict=True):
                pi[bot] += each.count * message.pi
                tau[bot] += each.count * message.tau
        for bot, message in self.chain.messages():
            pi[bot] += message.pi
            tau[bot] += message.tau
        self.skills = {bot: Belief(pi[bot], tau[bot]) for bot in self.names}

    def prior_of(self, bot: str) -> float:
        """Return the precision of what is known of a bot that no version was before."""
        return 0.0 if bot in self.chain.later else self.prior_sigma**-2

    def _pin(self) -> None:
        """Shift all messages so that the mean of every connected group is `MEAN`.

        It is so in any finished fit, of bots that no version was before: results and links only
        speak of differences. Left to itself, the common level of the skills would take hundreds
        of sweeps to find its place.
        """
        prior = self.prior_sigma**-2
        shifts = dict.fromkeys(self.names, 0.0)
        for group in self.groups:
            skills = [self.skills[bot] for bot in group if bot not in self.chain.later]
            if free := math.fsum(1 - prior / skill.pi for skill in skills):
                shift = math.fsum(MEAN - skill.mu for skill in skills) / free
                shifts.update(dict.fromkeys(group, shift))
        for each in self.factors:
            shift = shifts[each.bots[0]]
            each.match.shift(shift)
            each.messages = [Belief(pi, tau + shift * pi) for pi, tau in each.messages]
        self.chain.shift(shifts)
        for bot, (pi, tau) in self.skills.items():
            self.skills[bot] = Belief(pi, tau + shifts[bot] * (pi - self.prior_of(bot)))

    def _spread(self) -> float:
        """Return the prior's sigma: the published one, or the spread of a wider field.

        A single match says nothing of that, however many sat at the table.
        """
        known = [bot for bot in self._first if self.matches[bot] > 1]
        squares = [(self.skills[bot].mu - MEAN) ** 2 for bot in known]
        spread = math.sqrt(math.fsum(squares) / max(1, len(squares)))
        return min(_WIDEST, max(SIGMA, spread))

    def _fit_draws(self) -> None:
        """Set the draw probability by which the skills predict as many draws as were seen."""
        candidates = _DRAW_PROBABILITIES
        at = bisect_left(candidates[:-1], float(self.drawn), key=self._predicted_draws)
        self.draw_probability = candidates[at]
        self.margin = draw_margin(self.draw_probability)

    def _predicted_draws(self, draw_probability: float) -> float:
        margin = draw_margin(draw_probability)
        return math.fsum(
            count * chance_of_draw([self.skills[bot].mu for bot in bots], margin)
            for bots, count in self.tables.items()
        )


def _next_damping(damping: float, step: Sequence[float], last: Sequence[float]) -> float:
    """Return half the damping if steps turn back undiminished, a little more if they drag on.

    Unbeaten pairs would swing for ever without the one and crawl without the other.
    """
    length, last_length = _product(step, step), _product(last, last)
    if length < last_length / 4:
        return damping
    if _product(step, last) < 0:
        return max(_LEAST_DAMPING, damping / 2)
    return min(1.0, damping * 1.1)


def _product(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(map(mul, left, right))


def _between(old: Belief, new: Belief, part: float) -> Belief:
    return Belief(old.pi + part * (new.pi - old.pi), old.tau + part * (new.tau - old.tau))


def connected(tables: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return the groups of bots that are linked by matches."""
    groups: list[set[str]] = []
    for table in tables:
        joined = set(table)
        apart = [group for group in groups if group.isdisjoint(joined)]
        groups = [*apart, joined.union(*(group for group in groups if group not in apart))]
    return [sorted(group) for group in groups]
