"""What two bots did against each other, and how sure that is; pure."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from arena.stats.outcomes import Deals, Result

SURE = 2.0
"""The standard errors on either side of a share that make its interval, of about 95 %."""
_NO_CHANCE = 3.0  # standard errors, of each of the leads that make a cycle
_LANES = 64  # matches that are compared at once
_DOUBT = 2  # deals taken for lost and as many for won, before any was played


class Interval(NamedTuple):
    """The range in which a true share most likely lies, within 0 and 1."""

    low: float
    high: float


@dataclass(slots=True)
class Mean:
    """The mean of what deals gave, without rounding."""

    deals: int = 0
    total: Fraction = Fraction()
    squares: Fraction = Fraction()

    def add(self, score: Fraction, deals: int = 1) -> None:
        """Count some deals that gave the same."""
        self.deals += deals
        self.total += score * deals
        self.squares += score * score * deals

    @property
    def mean(self) -> float:
        """The mean of all deals, of which there must be one."""
        return float(self.total / self.deals)

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None for fewer than two deals."""
        if self.deals < 2:
            return None
        square = (self.squares - self.total**2 / self.deals) / (self.deals - 1)
        return math.sqrt(square / self.deals)


@dataclass(slots=True)
class Share(Mean):
    """The mean of what deals gave, each from 0 to 1."""

    @property
    def interval(self) -> Interval:
        """The interval about the mean, of about 95 %."""
        return self.within(SURE)

    def within(self, errors: float) -> Interval:
        """Return the interval of so many errors, as if two more deals had been lost and two won.

        Agresti and Coull, "Approximate Is Better than 'Exact' for Interval Estimation of
        Binomial Proportions", 1998, with deals for trials: few deals, or deals that all went
        the same way, leave doubt.
        """
        padded = Share(self.deals, self.total, self.squares)
        padded.add(Fraction(0), _DOUBT)
        padded.add(Fraction(1), _DOUBT)
        assert padded.error is not None
        reach = errors * padded.error
        return Interval(max(0.0, padded.mean - reach), min(1.0, padded.mean + reach))


@dataclass(slots=True)
class Encounter:
    """What one bot did against another in the matches they both sat in."""

    matches: int = 0
    wins: int = 0
    """Matches with the better place."""
    draws: int = 0
    """Matches with the same place."""
    places: int = 0
    other_places: int = 0
    """The sums of the places of both."""
    points: Share = field(default_factory=Share)
    """By deal, 1 for every match with the better place and 0.5 for every shared one."""

    @property
    def losses(self) -> int:
        """Matches with the worse place."""
        return self.matches - self.wins - self.draws

    @property
    def lead(self) -> int:
        """1 if the bot is surely ahead of the other, -1 if surely behind, otherwise 0."""
        low, high = self.points.interval
        return (low > 0.5) - (high < 0.5)


class DealPoints(NamedTuple):
    """What one bot got against another in a deal: 2 for every match won, 1 for every drawn one."""

    bot: str
    other: str
    points: int
    most: int
    """What it could have got."""


class _Score(NamedTuple):
    """What one bot did against another in the matches of one deal."""

    bot: str
    other: str
    matches: int
    wins: int
    losses: int
    places: int
    other_places: int

    def mirrored(self) -> "_Score":
        """Return what the other did."""
        bot, other, matches, wins, losses, places, other_places = self
        return _Score(other, bot, matches, losses, wins, other_places, places)


def encounters(deals: Deals) -> dict[tuple[str, str], Encounter]:
    """Return what every bot did against every other it met, by (bot, other), in order of name."""
    scores: Counter[_Score] = Counter()
    for results, count in deals.items():
        for score in _scores(results):
            scores[score] += count
    met: defaultdict[tuple[str, str], Encounter] = defaultdict(Encounter)
    points: Counter[tuple[tuple[str, str], int, int]] = Counter()
    for score, count in scores.items():
        for each in (score, score.mirrored()):
            pair = (each.bot, each.other)
            encounter = met[pair]
            draws = each.matches - each.wins - each.losses
            encounter.matches += count * each.matches
            encounter.wins += count * each.wins
            encounter.draws += count * draws
            encounter.places += count * each.places
            encounter.other_places += count * each.other_places
            points[pair, 2 * each.wins + draws, 2 * each.matches] += count
    for (pair, won, most), count in points.items():
        met[pair].points.add(Fraction(won, most), count)
    return {pair: met[pair] for pair in sorted(met)}


def seated_in(deals: Deals, bot: str, seat: int | None = None) -> Deals:
    """Return the matches of deals in which a bot sat, in one seat or in any."""
    found: Counter[tuple[Result, ...]] = Counter()
    for results, count in deals.items():
        its = tuple(
            result
            for result in results
            if bot in result.bots and seat in (None, result.bots.index(bot))
        )
        if its:
            found[its] += count
    return found


def points_by_deal(deals: Deals) -> Counter[tuple[DealPoints, ...]]:
    """Count the deals that gave each two of their bots the same points, in order.

    The bot of a pair whose name comes first has these points, and the other one the rest.
    """
    kinds: Counter[tuple[DealPoints, ...]] = Counter()
    for results, count in deals.items():
        points = (
            DealPoints(each.bot, each.other, 2 * each.wins + draws, 2 * each.matches)
            for each in _scores(results)
            for draws in [each.matches - each.wins - each.losses]
        )
        kinds[tuple(sorted(points))] += count
    return Counter(dict(sorted(kinds.items())))


def cycles(
    met: Mapping[tuple[str, str], Encounter], bots: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield all (A, B, C) of which A surely beats B, B surely beats C and C surely beats A.

    Each begins with the bot that comes first in `bots`, in whose order they come. Among many
    bots there are so many threes that a lead has to be surer than usual.
    """
    sure = {pair for pair, each in met.items() if each.points.within(_NO_CHANCE).low > 0.5}
    beaten = {bot: [other for other in bots if (bot, other) in sure] for bot in bots}
    later = set(bots)
    for first in bots:
        later.discard(first)
        for second in filter(later.__contains__, beaten[first]):
            for third in beaten[second]:
                if third in later and (third, first) in sure:
                    yield first, second, third


def never_crossed(
    met: Mapping[tuple[str, str], Encounter], bots: Sequence[str], *, duels: bool
) -> list[tuple[str, str]]:
    """Return the neighbours in an order where nobody below ever did better than anybody above.

    In duels, nor as well; in larger matches a shared place need not compare the two.
    """
    number = {bot: at for at, bot in enumerate(bots)}
    crossed: set[int] = set()
    for (one, other), each in met.items():
        if other in number and one in number and (each.wins or (duels and each.draws)):
            crossed.update(range(number[other], number[one]))
    return [pair for at, pair in enumerate(pairwise(bots)) if at not in crossed]


def _scores(results: Sequence[Result]) -> Iterable[_Score]:
    """Return a score for each two bots of a deal, the one whose name comes first being the bot."""
    tables: defaultdict[tuple[str, ...], list[Result]] = defaultdict(list)
    for result in results:
        tables[tuple(sorted(result.bots))].append(result)
    parts = [
        (bots, played[start : start + _LANES])
        for bots, played in tables.items()
        for start in range(0, len(played), _LANES)
    ]
    if len(parts) == 1:  # as in every league
        return _table_scores(*parts[0])
    sums: dict[tuple[str, str], list[int]] = {}
    for part in parts:
        for bot, other, *counts in _table_scores(*part):
            before = sums.get((bot, other), [0] * len(counts))
            sums[bot, other] = [one + more for one, more in zip(before, counts, strict=True)]
    return [_Score(*pair, *counts) for pair, counts in sums.items()]


def _table_scores(bots: Sequence[str], results: Sequence[Result]) -> Iterator[_Score]:
    """Yield the scores in some matches of a deal, in all of which the same bots played.

    A bot's places are written side by side into one number, a lane of some bits for each match,
    so that two bots are compared in all matches at once: with the top bit of every lane set, a
    subtraction borrows from it just where the place is the lower one.
    """
    width = len(bots).bit_length() + 1
    tops = sum(1 << (lane * width + width - 1) for lane in range(len(results)))
    lanes, sums = dict.fromkeys(bots, 0), dict.fromkeys(bots, 0)
    for seated, written in results:
        for bot, place in zip(seated, _places(tuple(written)), strict=True):
            lanes[bot] = lanes[bot] << width | place
            sums[bot] += place
    matches = len(results)
    for bot, other in combinations(bots, 2):
        wins = matches - ((lanes[bot] | tops) - lanes[other] & tops).bit_count()
        losses = matches - ((lanes[other] | tops) - lanes[bot] & tops).bit_count()
        yield _Score(bot, other, matches, wins, losses, sums[bot], sums[other])


@lru_cache(maxsize=4096)
def _places(written: tuple[int, ...]) -> list[int]:
    """Return places that are one plus the seats that did better, whatever was written."""
    return [1 + sum(better < place for better in written) for place in written]
