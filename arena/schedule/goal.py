"""What a tournament is to find out, the comparisons it rests on, and how sure they are; pure.

Whoever looks after every round, and stops when the numbers please, errs more often than their
error bars say. So a comparison is judged by a bet against the claim that it is the other way round:
were that true, the capital would exceed 1 / doubt at any time with a chance of `doubt` at most
(Ville's inequality). The bet is the likelihood ratio of leads spread as half a normal curve (a
mixture: Robbins, "Statistical methods related to the law of the iterated logarithm", 1970).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import NormalDist
from typing import Literal

from arena.stats.likelihood import BETA, draw_margin
from arena.stats.ratings import EXACT, Ratings
from protocol.errors import ArenaError

Kind = Literal["top", "order", "pair"]

_REACHES = {4.0: 0.8, 32.0: 0.2}
"""How far a lead is thought to lie beyond what is asked, in mu points, and what is staked on that:
a performance's spread, and what only straight wins show.

Bets are best where it is right; they hold wherever it is.
"""
_SPREAD = BETA * math.sqrt(2)
_HALVINGS = 50
_WIDEST = 100.0  # mu points

_normal = NormalDist()


@dataclass(frozen=True, slots=True)
class Goal:
    """What is asked: who the best few are, the whole order, or how two bots compare."""

    kind: Kind
    count: int = 1
    """How many the best few are; of no meaning for other kinds."""
    pair: tuple[str, str] = ("", "")
    """The two bots that are to be compared; of no meaning for other kinds."""

    def __str__(self) -> str:
        if self.kind == "pair":
            return " > ".join(self.pair)
        if self.kind == "order":
            return "order"
        return "best" if self.count == 1 else f"top {self.count}"


def goal_of(text: str) -> Goal:
    """Read a goal: `best`, `top 3`, `order`, or `A > B` for two bots; raise ArenaError if none."""
    words = text.split()
    if words == ["best"]:
        return Goal("top")
    if words == ["order"]:
        return Goal("order")
    if len(words) == 2 and words[0] == "top" and words[1].isdecimal() and int(words[1]) > 0:
        return Goal("top", int(words[1]))
    one, sign, other = (part.strip() for part in text.partition(" > "))
    if sign and one and other and one != other:
        return Goal("pair", pair=(one, other))
    raise ArenaError(
        f"the goal {text!r} is none: ask for 'best', 'top 3' (or any number), 'order', or how two "
        f"bots compare: 'first > second'."
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """Two bots, by their places in the field, and how sure it is that the first is no worse.

    It is no worse if it takes no less than a half of the points, less the margin.
    """

    better: int
    other: int
    lead: float
    """By how much the first is rated above the other, in mu points."""
    error: float
    """The standard deviation of the lead; infinite where nothing links the two."""
    needed: float
    """How far from zero the lead may be in truth for the claim to hold, in mu points.

    The claim is that the lead lies above -needed.
    """
    deals: int
    """The fewer of the deals of the two."""

    @property
    def doubt(self) -> float:
        """A bound of the chance that it is said at any time, and wrong."""
        return doubt(self.lead + self.needed, self.error)

    @property
    def better_by_chance(self) -> float | None:
        """How likely the first is the better one, looking once; None where nothing is known."""
        if not 0 < self.error < math.inf:
            return None
        return _normal.cdf(self.lead / self.error)


def doubt(beyond: float, error: float) -> float:
    """Return a bound of the chance ever to see a lead so far beyond one that it does not exceed.

    Both are in mu points.
    """
    if beyond <= 0 or not 0 < error < math.inf:
        return 1.0
    errors, capital = beyond / error, 0.0
    for reach, stake in _REACHES.items():
        part = reach**2 / (reach**2 + error * error)
        growth = min(700.0, errors * errors * part / 2)  # beyond it, no doubt is left anyway
        won = math.sqrt(1 - part) * math.exp(growth) * _normal.cdf(errors * math.sqrt(part))
        capital += 2 * stake * won
    return round(min(1.0, 1 / capital), 12)


@lru_cache(maxsize=64)
def lead_of(share: float, draw_probability: float) -> float:
    """Return the lead, in mu points, by which a bot takes so large a share of the points."""
    margin = draw_margin(draw_probability)

    def taken(lead: float) -> float:
        wins, losses = (lead - margin) / _SPREAD, (-lead - margin) / _SPREAD
        return (1 + _normal.cdf(wins) - _normal.cdf(losses)) / 2

    low, high = 0.0, _WIDEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if taken(middle) < share else (low, middle)
    return round(low, EXACT)


@dataclass(frozen=True)
class Findings:
    """What a fit says of a goal."""

    goal: Goal
    open: tuple[Compared, ...]
    """What has to hold for the answer to be right and is not sure enough yet, the surest first."""
    order: tuple[int, ...]
    """The bots of the field by their ratings, the best first."""
    verdict: str
    """Of a pair, what the claims say: `better`, `worse` or `equal`."""
    pair: tuple[int, ...] = ()
    """The two bots of a pair, by their places in the field."""
    allowed: float = 0.0
    """The most doubt of a claim that is sure enough."""


@dataclass(frozen=True)
class Measure:
    """A fit, asked about bots by their places in the field."""

    ratings: Ratings
    names: Sequence[str]
    """What the bots of the field are called in the fit."""
    margin: float
    """The share of the points beyond a half that is no difference."""
    own_variances: Sequence[float] = ()
    """By bot of the field: by how much more its rating may be off, as it met few others."""

    def mu(self, bot: int) -> float:
        """Return a bot's rating as far as the fit settles it."""
        return round(self.ratings.bots[self.names[bot]].mu, EXACT)

    @property
    def needed(self) -> float:
        """The margin in mu points."""
        return lead_of(0.5 + self.margin, round(self.ratings.draw_probability, EXACT))

    def ordered(self) -> list[int]:
        """Return the bots, the best first; equal ones as in the field."""
        return sorted(range(len(self.names)), key=lambda bot: (-self.mu(bot), bot))

    def _error(self, one: str, other: str) -> float:
        """Return the standard deviation of a lead; infinite where nothing is known of it."""
        if not self.ratings.are_linked(one, other):
            return math.inf
        return round(self.ratings.error_of_lead(one, other), EXACT)

    def compared(self, better: int, other: int, needed: float) -> Compared:
        """Return what is known of two bots."""
        one, two = self.names[better], self.names[other]
        error = self._error(one, two)
        if self.own_variances:
            more = self.own_variances[better] + self.own_variances[other]
            error = round(math.sqrt(error * error + more), EXACT)
        return Compared(
            better=better,
            other=other,
            lead=round(self.mu(better) - self.mu(other), EXACT),
            error=error,
            needed=needed,
            deals=min(self.ratings.bots[one].deals, self.ratings.bots[two].deals),
        )


def known(
    goal: Goal, measure: Measure, keys: Sequence[str], allowed: float, *, apart: bool = False
) -> Findings:
    """Return what a fit says of a goal, so that no wrong answer is ever given but with a chance.

    That chance is `allowed`, whoever is named. An answer is wrong only if one of its claims is; and
    all claims that are wrong, of all answers that could ever be given, are no more than one answer
    has. (Only who is truly among the best can be behind who is wrongly called that; of two bots,
    one order is wrong, and with a verdict on them one more.) So each is sure enough whose doubt is
    its part of what is allowed: the chances of all that could be wrong add up to no more.

    Bots of a pair are found by `keys`, which are those of the field. It is enough that nobody who
    stands behind another is the better one by the margin; or, where bots are to be told `apart`,
    each two must be known to be unequal, or equal within the margin.
    """
    order = measure.ordered()
    pairs: list[tuple[int, ...]]
    verdict, pair = "", tuple(keys.index(key) for key in goal.pair if key)
    if goal.kind == "pair":
        verdict, claims = _of_pair(measure, *pair)
        pairs = [pair]
    else:
        needed = measure.needed
        if goal.kind == "top":
            top, rest = order[: goal.count], order[goal.count :]
            pairs = [(one, other) for one in top for other in rest]
        else:
            pairs = [*combinations(order, 2)]
        if apart:
            claims = [claim for pair in pairs for claim in _of_pair(measure, *pair)[1]]
        else:
            claims = [measure.compared(one, other, needed) for one, other in pairs]
    claims.sort(key=lambda claim: (claim.doubt, claim.better, claim.other))
    part = allowed / max(1, len(pairs) * (2 if apart or verdict else 1))
    left = tuple(claim for claim in claims if claim.doubt > part)
    return Findings(goal, left, tuple(order), verdict, pair, part)


def _of_pair(measure: Measure, one: int, other: int) -> tuple[str, list[Compared]]:
    """Return the likeliest verdict on two bots, and what it rests on.

    One is the better, or each is known to be no worse than the other by the margin.
    """
    needed = measure.needed
    equal = [measure.compared(one, other, needed), measure.compared(other, one, needed)]
    ahead = measure.mu(one) >= measure.mu(other)
    first, second = (one, other) if ahead else (other, one)
    better = measure.compared(first, second, 0.0)
    if max(claim.doubt for claim in equal) < better.doubt:
        return "equal", equal
    return "better" if ahead else "worse", [better]
