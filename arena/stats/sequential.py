"""Whether one bot is better than another, judged while the deals come in; pure.

A sequential test by betting. Against a claim such as «the bot takes half of the points at most»
one bets on every deal before it is known, at odds that are fair or worse if the claim is true.
Then the chance that the capital ever grows to 1 / rate times what it was is `rate` at most
(Ville's inequality), whatever the results of a deal can be, and however often one looks: as long
as no deal depends on those before it. The stakes let the capital grow fast if the margin, or more
if more was seen, is real; they need no variance to be known, only bound how long it takes.

Waudby-Smith and Ramdas, "Estimating Means of Bounded Random Variables by Betting", 2024. Wald's
sequential probability ratio test, which must know the laws of a deal's results, needs fewer deals:
`tests.benchmarks.wald` measures how many.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

Verdict = Literal["better", "worse", "same", "passed", "failed"]
"""What a test says of the first bot. `same`: neither is better by the margin.

`passed` and `failed` are those of a test of one side.
"""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
HALF = 0.5

_DOUBT = 2  # deals taken for lost and as many for won, before any was played
_BOLDEST = 0.75  # the most of the capital that is staked on one deal


class Claim(NamedTuple):
    """That the mean lies at a bound at most (side 1) or at least (side -1), which may be refuted.

    `evidence` is the logarithm of the capital at which it counts as refuted.
    """

    bound: float
    side: int
    evidence: float


Refuted: TypeAlias = Mapping[Verdict, tuple[Claim, ...]]
"""The claims that must be refuted for each verdict."""


@dataclass(frozen=True)
class Rates:
    """How often a test may err, and the difference that it looks for; each within 0 and 0.5.

    Equal bots, each with half of the points to be expected of any deal, are called different with
    a chance of `alpha` at most, and one better by the margin is not called so, but the opposite
    or the same, with a chance of `beta` at most.
    """

    alpha: float = 0.05
    """The chance that one of two equal bots is called better."""
    beta: float = 0.05
    """The chance that a bot better by the margin is not called better, unless undecided."""
    margin: float = 0.05
    """The lead, as a share of the points beyond a half: 0.05 is 55 % against 45 %."""

    @property
    def refuted(self) -> Refuted:
        """What each verdict rests on."""
        side, miss = -math.log(self.alpha / 2), -math.log(self.beta)
        above, below = Claim(HALF, 1, side), Claim(HALF, -1, side)
        not_worse = Claim(HALF - self.margin, 1, miss)
        not_better = Claim(HALF + self.margin, -1, miss)
        return {
            "better": (above, not_worse),
            "worse": (below, not_better),
            "same": (not_better, not_worse),
        }


@dataclass(frozen=True)
class Bounds:
    """Two shares of the points between which a test of one side decides; both within 0 and 1.

    A bot that takes `low` or less passes with a chance of `alpha` at most, and one that takes
    `high` or more fails with a chance of `beta` at most.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def margin(self) -> float:
        """How far the bounds lie apart."""
        return self.high - self.low

    @property
    def refuted(self) -> Refuted:
        """What each verdict rests on."""
        return {
            "passed": (Claim(self.low, 1, -math.log(self.alpha)),),
            "failed": (Claim(self.high, -1, -math.log(self.beta)),),
        }


class SequentialTest:
    """A test of two bots; `add` it the first bot's share of the points of one deal after another.

    It errs no more often than it was asked to, however long it goes on.
    """

    def __init__(self, asked: Rates | Bounds) -> None:
        self.verdict: Verdict | None = None
        """None while it is undecided."""
        self._seen = _Seen()
        self._refuted = asked.refuted
        claims = {claim for some in self._refuted.values() for claim in some}
        self._bets = {claim: _Bet(claim.bound, claim.side, asked.margin) for claim in claims}

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts that it may come to."""
        return tuple(self._refuted)

    def add(self, score: float) -> None:
        """Take in the next deal, from 0 for all points lost to 1; the first verdict stays."""
        for bet in self._bets.values():
            bet.settle(score, self._seen)
        self._seen.add(score)
        if self.verdict is None:
            reached = (verdict for verdict in self.verdicts if self.progress(verdict) >= 1)
            self.verdict = next(reached, None)

    def progress(self, verdict: Verdict) -> float:
        """Return how far the evidence goes towards a verdict, from 0 to 1, where it is reached."""
        claims = self._refuted[verdict]
        least = min(self._bets[claim].growth / claim.evidence for claim in claims)
        return min(max(least, 0.0), 1.0)


class _Seen:
    """The sums of the deals so far; at first as if some had been lost and as many won."""

    def __init__(self) -> None:
        self.deals = 2 * _DOUBT
        self.total = float(_DOUBT)
        self.squares = float(_DOUBT)

    def add(self, score: float) -> None:
        self.deals += 1
        self.total += score
        self.squares += score * score


class _Bet:
    """Bets that the mean lies beyond a bound, above it (side 1) or below it (side -1)."""

    def __init__(self, bound: float, side: int, margin: float) -> None:
        self.growth = 0.0
        """The logarithm of the capital, which was 1."""
        self._bound = bound
        self._side = side
        self._margin = margin
        self._boldest = _BOLDEST / (bound if side > 0 else 1 - bound)

    def settle(self, score: float, seen: _Seen) -> None:
        """Bet on a deal by what was seen before it, and take what it brings."""
        self.growth += math.log1p(self._stake(seen) * self._side * (score - self._bound))

    def _stake(self, seen: _Seen) -> float:
        """Return the stake for a point, as a part of the capital.

        It is the gain to be expected by its square's expectation (Kelly's, for small gains).
        """
        bound = self._bound
        gain = self._side * (seen.total / seen.deals - bound)
        square = (seen.squares - 2 * bound * seen.total) / seen.deals + bound * bound
        return min(self._boldest, max(self._margin, gain) / square)
