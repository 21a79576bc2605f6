"""The leaderboard, one row a bot, from deals and their ratings; pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from arena.stats.outcomes import Deals, Outcome, outcome_of, results_of
from arena.stats.ratings import EXACT, SEPARATED, Ratings, rank_intervals
from arena.stats.together import errors_together


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One row of the leaderboard."""

    group: int
    """The number of the group of bots linked by matches; 0 for a bot that met none."""
    ranks: tuple[int, int] | None
    """The first and the last rank among the group's bots this one is not separated from."""
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
    mean_place: float | None
    """The mean of one plus the seats that did better; None before the first match."""
    faults: Mapping[str, int]
    forfeits: int


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
    deals: Deals,
    ratings: Ratings,
    *,
    faults: Mapping[str, Mapping[str, int]] | None = None,
    forfeits: Mapping[str, int] | None = None,
    together: bool = False,
    out: Collection[str] = (),
) -> list[Standing]:
    """Return a row for every rated bot: group by group, best rating first, equal ones by name.

    The largest group comes first; bots that never met another come last, and in each group those
    that are `out`, which have no rank. Ranks hold pair by pair, or for all pairs `together`.
    """
    tallies = _tallies(deals)
    errors = errors_together if together else lambda _: SEPARATED
    ranks = rank_intervals(ratings, errors, out)
    return [
        Standing(
            group=group,
            ranks=ranks.get(bot),
            bot=bot,
            mu=rating.mu,
            error=rating.error,
            matches=(tally := tallies[bot]).matches,
            deals=rating.deals,
            points=_share(tally.points, tally.contests),
            wins=tally.wins,
            draws=tally.draws,
            losses=tally.matches - tally.wins - tally.draws,
            mean_place=_share(tally.places, tally.matches),
            faults=dict(sorted((faults or {}).get(bot, {}).items())),
            forfeits=(forfeits or {}).get(bot, 0),
        )
        for group, bot in _in_order(ratings, out)
        if (rating := ratings.bots[bot])
    ]


def _in_order(ratings: Ratings, out: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield the bots in the order of the leaderboard, with the number of their group."""
    linked = sorted(ratings.groups, key=lambda group: (-len(group), group))
    alone = set(ratings.bots).difference(*linked)
    for number, group in [*enumerate(linked, 1), (0, sorted(alone))]:
        ordered = sorted(group, key=lambda bot: (-round(ratings.bots[bot].mu, EXACT), bot))
        yield from ((number, bot) for bot in sorted(ordered, key=lambda bot: bot in out))


def _tallies(deals: Deals) -> defaultdict[str, _Tally]:
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    outcomes: Counter[Outcome] = Counter()
    for result, count in results_of(deals).items():
        outcomes[outcome_of(result)] += count
    for outcome, count in outcomes.items():
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


def _share(part: int | Fraction, whole: int) -> float | None:
    return float(Fraction(part, whole)) if whole else None
