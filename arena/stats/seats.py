"""What it is worth to sit where, and how much luck mirrored deals take out; pure."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from arena.stats.encounters import Share
from arena.stats.outcomes import Deals, Result, results_of

EVERYBODY = None
"""Stands for all bots together, in place of a name."""
ENOUGH_FREEDOM = 30
"""The degrees of freedom from which a gain is estimated."""

Who: TypeAlias = str | None
"""A bot, or everybody."""

_Sheet: TypeAlias = tuple[tuple[int, ...], ...]
"""By seat, what somebody scored there in the matches of a deal: twice the seats beaten, and one
for each tied with."""


@dataclass(slots=True)
class Sitting:
    """What was scored in one seat, by a bot or by everybody."""

    matches: int = 0
    wins: int = 0
    """Matches in first place, shared or not, unless everybody tied."""
    draws: int = 0
    """Matches that everybody tied."""
    places: int = 0
    """The sum of the places, each one plus the seats that did better."""
    points: Share = field(default_factory=Share)
    """By deal, the mean share of the other seats beaten, half for those tied with."""
    edge: Share = field(default_factory=Share)
    """By deal, a half and half of what was scored here beyond the other seats of that deal."""

    @property
    def losses(self) -> int:
        """Matches in which another won."""
        return self.matches - self.wins - self.draws

    @property
    def lead(self) -> int:
        """1 if more is surely scored here than in the other seats, -1 if less, otherwise 0."""
        low, high = self.edge.interval
        return (low > 0.5) - (high < 0.5)


class Gain(NamedTuple):
    """How many independent deals, of as many matches, a mirrored deal is worth."""

    deals: float
    """Infinite where mirrored deals all gave the same, though their matches did not."""
    error: float | None
    """The standard error, roughly; None where the gain is infinite."""


def sittings(deals: Deals) -> dict[tuple[Who, int], Sitting]:
    """Return what was scored by (bot, seat) and by (EVERYBODY, seat), the latter first.

    The matches of a deal have as many seats.
    """
    found: defaultdict[tuple[Who, int], Sitting] = defaultdict(Sitting)
    for result, count in results_of(deals).items():
        for bot, seat, better, beaten in _seated(result):
            for who in (EVERYBODY, bot):
                sitting = found[who, seat]
                sitting.matches += count
                sitting.wins += count * (beaten > 0 == better)
                sitting.draws += count * (beaten == 0 == better)
                sitting.places += count * (better + 1)
    sheets: Counter[tuple[Who, _Sheet]] = Counter()
    for by_who, count in _by_deal(deals):
        for who, sheet in by_who.items():
            sheets[who, sheet] += count
    for (who, sheet), count in sheets.items():
        for seat, points, edge in _shares(sheet):
            found[who, seat].points.add(points, count)
            if edge is not None:
                found[who, seat].edge.add(edge, count)
    return {key: found[key] for key in sorted(found, key=lambda key: (key[0] or "", key[1]))}


def mirror_gain(deals: Deals) -> Gain | None:
    """Return what mirroring is worth among these deals, by line-ups and bots, pooled.

    A bot's mean over the matches of a deal varies from deal to deal. If they were independent,
    its variance would be that of the matches, seat by seat, divided by their number; the gain is
    how many times smaller it is. None if there is nothing to measure it by: line-ups have fewer
    deals than it takes, not every deal has every bot equally often in every seat, or all matches
    end alike.
    """
    lineups: defaultdict[tuple[str, ...], list[tuple[Sequence[_Sheet], int]]] = defaultdict(list)
    for sheets, count in _by_deal(deals):
        bots = tuple(sorted(who for who in sheets if who is not EVERYBODY))
        own = [sheets[bot] for bot in bots]
        if len(bots) < 2 or len({len(scores) for sheet in own for scores in sheet}) > 1:
            return None
        lineups[bots].append((own, count))
    freedom = sum(sum(count for _, count in played) - 1 for played in lineups.values())
    if freedom < ENOUGH_FREEDOM:
        return None
    spreads = [_spread(played) for played in lineups.values()]
    whole = _Spread(*(sum(part, Fraction()) for part in zip(*spreads, strict=True)))
    if not whole.mirrored:
        return Gain(math.inf, None) if whole.independent else None
    gain = whole.independent / whole.mirrored
    square = whole.independent_squared - 2 * gain * whole.product + gain**2 * whole.mirrored_squared
    return Gain(float(gain), math.sqrt(square) / float(whole.mirrored))


def _seated(result: Result) -> Iterator[tuple[str, int, int, int]]:
    """Yield each bot with its seat and how many did better and worse than it."""
    for seat, (bot, place) in enumerate(zip(*result, strict=True)):
        better = sum(other < place for other in result.places)
        yield bot, seat, better, sum(other > place for other in result.places)


def _by_deal(deals: Deals) -> Iterator[tuple[Mapping[Who, _Sheet], int]]:
    """Yield what each bot, and everybody, scored in a deal, with how often that deal came."""
    scores = {
        result: [
            (who, seat, len(result.bots) - 1 - better + beaten)
            for bot, seat, better, beaten in _seated(result)
            for who in (EVERYBODY, bot)
        ]
        for result in results_of(deals)
    }
    for results, count in deals.items():
        seats = max(len(result.bots) for result in results)
        sheets: dict[Who, list[list[int]]] = {}
        for result in results:
            for who, seat, score in scores[result]:
                if who not in sheets:
                    sheets[who] = [[] for _ in range(seats)]
                sheets[who][seat].append(score)
        yield {who: tuple(tuple(sorted(each)) for each in sheets[who]) for who in sheets}, count


def _shares(sheet: _Sheet) -> Iterator[tuple[int, Fraction, Fraction | None]]:
    """Yield each seat with the points scored there, and the edge over the other seats if any."""
    most = 2 * (len(sheet) - 1)
    if not most:
        return
    shares = {
        seat: Fraction(sum(scores), most * len(scores))
        for seat, scores in enumerate(sheet)
        if scores
    }
    total, others = sum(shares.values(), Fraction()), len(shares) - 1
    for seat, share in shares.items():
        edge = (1 + share - (total - share) / others) / 2 if others else None
        yield seat, share, edge


class _Spread(NamedTuple):
    """Sums over deals of the squares by which bots are off their means, and of their squares.

    Divided by the degrees of freedom, the first two are the variance that a deal of independent
    matches would have, and the one that the mirrored deals have.
    """

    independent: Fraction
    mirrored: Fraction
    independent_squared: Fraction
    product: Fraction
    mirrored_squared: Fraction


def _spread(played: Sequence[tuple[Sequence[_Sheet], int]]) -> _Spread:
    """Return the spread of one line-up's deals, each with how often it came.

    In whole numbers, which are scaled at the end.
    """
    deals = sum(count for _, count in played)
    first = played[0][0]
    bots, seats, each = len(first), len(first[0]), len(first[0][0])
    means = [
        [sum(count * sum(sheets[bot][seat]) for sheets, count in played) for seat in range(seats)]
        for bot in range(bots)
    ]
    sums = [0] * 5
    for sheets, count in played:
        independent = mirrored = 0
        for sheet, mean in zip(sheets, means, strict=True):
            mirrored += (deals * sum(map(sum, sheet)) - sum(mean)) ** 2
            for scores, total in zip(sheet, mean, strict=True):
                off = sum((deals * each * score - total) ** 2 for score in scores)
                independent += (deals - 1) * off + each * (deals * sum(scores) - total) ** 2
        mirrored *= deals * each**2
        for at, part in enumerate(
            (independent, mirrored, independent**2, independent * mirrored, mirrored**2)
        ):
            sums[at] += count * part
    scale = Fraction(1, deals**3 * (seats * each**2 * 2 * (seats - 1)) ** 2)
    powers = (1, 1, 2, 2, 2)
    return _Spread(*(part * scale**power for part, power in zip(sums, powers, strict=True)))
