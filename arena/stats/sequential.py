"""Whether one bot is better than another, judged while the deals come in; pure.

A sequential test by betting. Against a claim such as «the bot takes half of the points at most»
one bets on every deal before it is known, at odds that are fair or worse if the claim is true.
Then the chance that the capital ever grows to 1 / rate times what it was is `rate` at most
(Ville's inequality), whatever the results of a deal can be, and however often one looks: as long
as no deal depends on those before it. The stakes let the capital grow fast if the margin, or more
if more was seen, is real; they need no variance to be known, only bound how long it takes.

Waudby-Smith and Ramdas, "Estimating Means of Bounded Random Variables by Betting", 2024. Wald's
sequential probability ratio test, which must know the laws of a deal's results, needs fewer deals.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

Verdict = Literal["better", "worse", "same"]
"""What a test says of the first bot; `same`: neither is better by the margin."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
HALF = 0.5

_DOUBT = 2  # deals taken for lost and as many for won, before any was played
_BOLDEST = 0.75  # the most of the capital that is staked on one deal


@dataclass(frozen=True)
class Rates:
    """How often a test may err, and the difference that it looks for; each within 0 and 0.5."""

    alpha: float = 0.05
    """The chance that one of two equal bots is called better."""
    beta: float = 0.05
    """The chance that a bot better by the margin is not called better, unless undecided."""
    margin: float = 0.05
    """The lead, as a share of the points beyond a half: 0.05 is 55 % against 45 %."""


class SequentialTest:
    """A test of two bots; `add` it the first bot's share of the points of one deal after another.

    Equal bots, each with half of the points to be expected of any deal, are called different with
    a chance of `alpha` at most, and one better by the margin is not called so, but the opposite
    or the same, with a chance of `beta` at most.
    """

    def __init__(self, rates: Rates) -> None:
        self.verdict: Verdict | None = None
        """None while it is undecided."""
        self._seen = _Seen()
        above, below = _Bet(HALF, 1, rates.margin), _Bet(HALF, -1, rates.margin)
        not_worse = _Bet(HALF - rates.margin, 1, rates.margin)
        not_better = _Bet(HALF + rates.margin, -1, rates.margin)
        self._bets = (above, below, not_worse, not_better)
        side, miss = -math.log(rates.alpha / 2), -math.log(rates.beta)
        self._needed: dict[Verdict, tuple[tuple[_Bet, float], ...]] = {
            "better": ((above, side), (not_worse, miss)),
            "worse": ((below, side), (not_better, miss)),
            "same": ((not_better, miss), (not_worse, miss)),
        }

    def add(self, score: float) -> None:
        """Take in the next deal, from 0 for all points lost to 1; the first verdict stays."""
        for bet in self._bets:
            bet.settle(score, self._seen)
        self._seen.add(score)
        if self.verdict is None:
            reached = (verdict for verdict in VERDICTS if self.progress(verdict) >= 1)
            self.verdict = next(reached, None)

    def progress(self, verdict: Verdict) -> float:
        """Return how far the evidence goes towards a verdict, from 0 to 1, where it is reached."""
        least = min(bet.growth / needed for bet, needed in self._needed[verdict])
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
