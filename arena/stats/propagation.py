"""The batch fit: expectation propagation over all matches at once, for a prior that is given.

Every site is renewed given all others, all of them together, until no rating moves. It is the model
of "TrueSkill Through Time" (Dangauthier, Herbrich, Minka and Graepel, 2007), for skills that stand
still, with what is known of all skills as one Gaussian in place of one for each.
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.stats.gaussian import Array
from arena.stats.likelihood import (
    Duels,
    Normal,
    Tables,
    Ties,
    chance_of_draw,
    draw_margin,
    leads_of,
)
from arena.stats.links import Chain, Succession
from arena.stats.outcomes import Outcome, seated
from protocol.errors import RunError

_DRAW_PROBABILITIES = [n / 10_000 for n in range(10, 9_501)]  # those that can be fitted
_PUBLISHED_DRAW_PROBABILITY = 0.1  # the package's, where shared places are draws
_TOLERANCE = 1e-5  # mu points; at the end a full step would move nothing further than this
_DAMPING, _LEAST_DAMPING = 0.9, 0.02  # the part of a full step that is taken
_MOST_SWEEPS = 5_000

Watch: TypeAlias = Callable[["Propagation"], None]
"""Called as each sweep of a fit begins, with its state."""


class Propagation:
    """The state of a fit: every site, and the skills they add up to.

    Args:
        names: of all bots.
        counts: how often each outcome was seen.
        draw_probability: that of equals; None has it fitted.
        watch: called as each sweep begins.

    """

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
        self.number = {bot: number for number, bot in enumerate(self.names)}
        self.matches: Counter[str] = Counter()
        tables: defaultdict[int, Counter[tuple[int, ...]]] = defaultdict(Counter)
        drawn = 0
        self.outcomes = {
            outcome: count
            for outcome, count in sorted(counts.items())
            if sum(map(len, outcome)) > 1
        }
        """Of matches with other bots, and how often each was seen."""
        for outcome, count in self.outcomes.items():
            bots = seated(outcome)
            self.matches.update(dict.fromkeys(bots, count))
            tables[len(bots)][tuple(sorted(self.number[bot] for bot in bots))] += count
            drawn += count * (len(outcome) == 1)
        self.chain = Chain(links, self.number, self.matches)
        self.groups = connected([*map(seated, self.outcomes), *self.chain.pairs])
        self.group_of = np.full(len(self.names), -1)
        """By bot, the number of its group; -1 if it met nobody."""
        for at, group in enumerate(self.groups):
            self.group_of[[self.number[bot] for bot in group]] = at
        self.rows: dict[Outcome, tuple[int, int]] = {}
        """Where the outcomes of larger matches stand: the table, and its row."""
        self.pairs: dict[tuple[int, int], int] = {}
        """Where each two bots stand that met alone, the lower number first."""
        self._site(ties)
        self._sites: list[Duels | Tables] = [self.duels, *self.tables]
        self._watch = watch
        assumed = _DRAW_PROBABILITIES[0] if ties == "unordered" else _PUBLISHED_DRAW_PROBABILITY
        self._fits_draws = draw_probability is None and drawn > 0 and ties == "unordered"
        self._drawn = drawn
        self._draws_at = 0
        self._seatings = [
            (np.array(list(each)), np.array(list(each.values()), float)) for each in tables.values()
        ]
        self.draw_probability = draw_probability or assumed
        self.margin = self._margin_of_orders = draw_margin(self.draw_probability)
        self.sweeps = 0
        self.furthest = math.inf
        """How far the last full step would have moved anything, in mu points."""

    def _site(self, ties: Ties) -> None:
        """Make the sites of all that was seen.

        A match that everybody tied is the draws of all its pairs, each by itself, at the weight of
        a chain: the package compares neighbours only, so that ratings would depend on who is listed
        by whom.
        """
        duels: defaultdict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        alike: defaultdict[tuple[int, ...], list[Outcome]] = defaultdict(list)
        for outcome, count in self.outcomes.items():
            bots = [self.number[bot] for bot in seated(outcome)]
            if len(bots) == 2 or (len(outcome) == 1 and ties == "unordered"):
                for one, two in combinations(bots, 2):
                    kind = 2 if len(outcome) == 1 else int(one > two)
                    duels[min(one, two), max(one, two)][kind] += count * 2 / len(bots)
            else:
                alike[tuple(map(len, outcome))].append(outcome)
        self.pairs = {pair: at for at, pair in enumerate(sorted(duels))}
        self.duels = Duels(
            np.array(list(self.pairs), np.intp).reshape(-1, 2),
            np.array([duels[pair] for pair in self.pairs]).reshape(-1, 3),
        )
        self.tables: list[Tables] = []
        for sizes, outcomes in sorted(alike.items()):
            rows = np.array([[self.number[bot] for bot in seated(each)] for each in outcomes])
            counts = np.array([self.outcomes[each] for each in outcomes], float)
            self.rows.update((each, (len(self.tables), at)) for at, each in enumerate(outcomes))
            self.tables.append(Tables(sizes, ties, rows, counts))

    def settle(self, sigma: float) -> Normal:
        """Return what is known of all skills, given the standard deviation of the prior.

        It goes on from where the last one ended. Raises RunError if it comes to no rest.
        """
        first = np.array([bot not in self.chain.later for bot in self.names], float)
        self._prior = self.chain.prior(first / sigma**2)
        known, damping = self._known(), _DAMPING
        last = np.zeros(0)
        for _ in range(_MOST_SWEEPS):
            self.sweeps += 1
            if self._watch is not None:
                self._watch(self)
            if self._fits_draws:
                self._fit_draws(known.mean)
            for each in self._sites:
                each.renew(known, self.margin, self._margin_of_orders, damping)
            self.chain.fit(known)
            self._prior = self.chain.prior(first / sigma**2)
            before, known = known, self._known()
            step = (_state(known) - _state(before)) / damping
            self.furthest = float(np.abs(step).max(initial=0.0))
            if self.furthest <= _TOLERANCE:
                return known
            damping = _next_damping(damping, step, last)
            last = step
        raise RunError(f"the ratings have not settled after {_MOST_SWEEPS} sweeps")

    def _known(self) -> Normal:
        found = Normal(self._prior)
        for each in self._sites:
            each.tell(found)
        found.solve()
        return found

    @property
    def have_met(self) -> NDArray[np.bool_]:
        """Which bots have met alone."""
        found = np.zeros((len(self.names),) * 2, bool)
        one, two = self.duels.bots.T
        found[one, two] = found[two, one] = True
        return found

    def information(self, known: Normal) -> Array:
        """Return the precision that all results have added to the prior."""
        return known.precision - self._prior

    def log_evidence(self, known: Normal) -> Array:
        """Return the logarithm of the chance of all results of each group, given the prior."""
        found = np.zeros(len(self.groups))
        for each in self._sites:
            if len(each):
                bots, parts = each.log_evidence(known, self.margin, self._margin_of_orders)
                found += np.bincount(self.group_of[bots], parts, len(found))
        for at, group in enumerate(self.groups):
            own = np.array([self.number[bot] for bot in group])
            block = np.ix_(own, own)
            told = (
                np.linalg.slogdet(self._prior[block])[1]
                - np.linalg.slogdet(known.precision[block])[1]
            )
            found[at] += (told + known.mean[own] @ known.linear[own]) / 2
        return found

    def _fit_draws(self, mean: Array) -> None:
        """Set the draw probability by which the skills predict as many draws as were seen."""
        leads = [(counts, leads_of(mean[bots])) for bots, counts in self._seatings]

        def predicted(draw_probability: float) -> float:
            margin = draw_margin(draw_probability)
            return sum(float(counts @ chance_of_draw(each, margin)) for counts, each in leads)

        drawn, last = float(self._drawn), len(_DRAW_PROBABILITIES) - 1
        low = high = self._draws_at  # near which it is, but for the first sweeps
        reach = 1
        while low > 0 and predicted(_DRAW_PROBABILITIES[low - 1]) >= drawn:
            low, high, reach = max(0, low - reach), low - 1, reach * 4
        while high < last and predicted(_DRAW_PROBABILITIES[high]) < drawn:
            low, high, reach = high + 1, min(last, high + reach), reach * 4
        at = bisect_left(_DRAW_PROBABILITIES, drawn, low, high, key=predicted)
        self._draws_at = at
        self.draw_probability = _DRAW_PROBABILITIES[at]
        self.margin = draw_margin(self.draw_probability)


def _state(known: Normal) -> Array:
    """Return all that has to come to rest, in mu points."""
    return np.concatenate((known.mean, np.sqrt(np.diag(known.covariance))))


def _next_damping(damping: float, step: Array, last: Array) -> float:
    """Return half the damping if steps turn back undiminished, a little more if they drag on."""
    if not len(last) or step @ step < last @ last / 4:
        return damping
    if step @ last < 0:
        return max(_LEAST_DAMPING, damping / 2)
    return min(1.0, damping * 1.1)


def connected(tables: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return the groups of bots that are linked by matches."""
    parent: dict[str, str] = {}

    def root(bot: str) -> str:
        while (above := parent.setdefault(bot, bot)) != bot:
            parent[bot] = parent[above]
            bot = above
        return bot

    for table in tables:
        first, *others = map(root, table)
        for other in others:
            parent[other] = first
    found: defaultdict[str, list[str]] = defaultdict(list)
    for bot in sorted(parent):
        found[root(bot)].append(bot)
    return sorted(found.values())
