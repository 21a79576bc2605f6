"""The leaderboard, one row a bot, and the cross-table, from results and ratings; pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

from arena.outcomes import Outcome, Result, outcome_of
from arena.ratings import Ratings, rank_intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One row of the leaderboard."""

    ranks: tuple[int, int]
    """The first and the last rank among the bots this one is not separated from."""
    bot: str
    mu: float
    error: float
    """The standard deviation of `mu`."""
    matches: int
    deals: int
    points: float | None
    """The mean share of the other seats beaten, half for those tied with; None if none sat."""
    wins: int
    """Matches in first place, shared or not, unless everybody tied."""
    draws: int
    """Matches that everybody tied."""
    losses: int
    win_share: float | None
    """Wins a match; None before the first match."""
    mean_place: float | None
    """The mean of one plus the seats that did better; None before the first match."""
    faults: Mapping[str, int]
    forfeits: int


@dataclass(frozen=True, slots=True)
class Encounter:
    """What one bot did against another in the matches they both sat in."""

    matches: int
    points: float
    """1 for every match with the better place, 0.5 for every shared one."""


@dataclass(slots=True)
class _Tally:
    """Sums without rounding, so that the order of the results leaves no trace."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    places: int = 0
    contests: int = 0
    points: Fraction = Fraction()


def standings(
    results: Iterable[Result],
    ratings: Ratings,
    *,
    faults: Mapping[str, Mapping[str, int]] | None = None,
    forfeits: Mapping[str, int] | None = None,
) -> list[Standing]:
    """Return a row for every rated bot, best rating first, equal ratings by name."""
    tallies = _tallies(results)
    ranks = rank_intervals(ratings)
    return [
        Standing(
            ranks=ranks[bot],
            bot=bot,
            mu=rating.mu,
            error=rating.error,
            matches=(tally := tallies[bot]).matches,
            deals=rating.deals,
            points=_share(tally.points, tally.contests),
            wins=tally.wins,
            draws=tally.draws,
            losses=tally.matches - tally.wins - tally.draws,
            win_share=_share(tally.wins, tally.matches),
            mean_place=_share(tally.places, tally.matches),
            faults=dict(sorted((faults or {}).get(bot, {}).items())),
            forfeits=(forfeits or {}).get(bot, 0),
        )
        for bot, rating in sorted(ratings.bots.items(), key=lambda item: (-item[1].mu, item[0]))
    ]


def cross_table(results: Iterable[Result]) -> dict[tuple[str, str], Encounter]:
    """Return what every bot did against every other it met, by (bot, other), in order of name."""
    matches: Counter[tuple[str, str]] = Counter()
    halves: Counter[tuple[str, str]] = Counter()
    for outcome, count in _outcomes(results).items():
        for bot, other, points in _duels(outcome):
            matches[bot, other] += count
            halves[bot, other] += count * points
    return {pair: Encounter(matches[pair], halves[pair] / 2) for pair in sorted(matches)}


def _outcomes(results: Iterable[Result]) -> Counter[Outcome]:
    read = cache(outcome_of)
    return Counter(read(result.places) for result in results)


def _tallies(results: Iterable[Result]) -> defaultdict[str, _Tally]:
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    for outcome, count in _outcomes(results).items():
        better, others = 0, sum(map(len, outcome)) - 1
        for sharing in outcome:
            tied = len(sharing) - 1
            beaten = others - better - tied
            for bot in sharing:
                tally = tallies[bot]
                tally.matches += count
                tally.wins += count * (better == 0 and beaten > 0)
                tally.draws += count * (len(outcome) == 1)
                tally.places += count * (better + 1)
                if others:
                    tally.contests += count
                    tally.points += Fraction(count * (2 * beaten + tied), 2 * others)
            better += len(sharing)
    return tallies


def _duels(outcome: Outcome) -> Iterator[tuple[str, str, int]]:
    """Yield every ordered pair of bots with the half points of the first against the second."""
    for sharing in outcome:
        for bot, other in combinations(sharing, 2):
            yield bot, other, 1
            yield other, bot, 1
    for better, worse in combinations(outcome, 2):
        for bot in better:
            for other in worse:
                yield bot, other, 2
                yield other, bot, 0


def _share(part: int | Fraction, whole: int) -> float | None:
    return float(Fraction(part, whole)) if whole else None
