"""How the ratings of a league came to be: fits of its first matches, of ever more of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from arena.league.plan import LeaguePlan
from arena.stats.elo import Elo
from arena.stats.outcomes import Result, outcome_of
from arena.stats.ratings import Rating, Ratings, fit
from arena.store.store import Store
from arena.tables.elo import anchor_in, elo_in
from arena.tables.field import Field

MOST_POINTS = 24
LEAST_POINTS = 3
_WORK = 200_000  # the results rated for it in all, each times the square of its seats

Played = tuple[Result, ...]


@dataclass(frozen=True)
class Point:
    """What the bots were rated after so many matches."""

    matches: int
    ratings: Mapping[str, Rating]
    """The ratings of the bots that had played by then."""
    elo: Mapping[str, Elo] = field(default_factory=dict)
    """Their strengths on Elo's scale, if the league has an anchor that had played by then."""


def progress(
    league: LeaguePlan,
    store: Store,
    played: Field,
    ratings: Ratings,
    results: Mapping[int, Result],
    watch: Callable[[str], None] = lambda _: None,
) -> list[Point]:
    """Return the ratings at evenly spaced points of the deals, in the order of their storing.

    The last point is that of all deals, whose ratings are given; `results` are the
    `present_results`. There are fewer points where a fit takes long. `watch` is called with the
    progress.
    """
    counted = played.deal_count  # and not those stored since
    deals = list(islice(_deals(league, store, results), counted))
    if not deals:
        return []
    count = min(_points(played), len(deals))
    points = []
    so_far: Counter[Played] = Counter()
    done = 0
    for number in range(1, count):
        watch(f"Rating the first matches: point {number} of {count}")
        until = len(deals) * number // count
        so_far.update(deals[done:until])
        done = until
        found = fit(so_far)
        matches = sum(len(deal) for deal in deals[:until])
        points.append(Point(matches, found.bots, _elo(played, found)))
    met = {bot: rating for bot, rating in ratings.bots.items() if rating.deals}
    return [*points, Point(played.matches, met, _elo(played, ratings))]


def _elo(played: Field, ratings: Ratings) -> Mapping[str, Elo]:
    return elo_in(ratings, anchor_in(played, ratings, None)) or {}


def _points(field: Field) -> int:
    """Return how many points there is time for; the same for the same league on any machine."""
    outcomes = {outcome_of(result) for result in field.results}
    work = sum(sum(map(len, outcome)) ** 2 for outcome in outcomes)
    return max(LEAST_POINTS, min(MOST_POINTS, _WORK // max(1, work)))


def _deals(league: LeaguePlan, store: Store, results: Mapping[int, Result]) -> Iterator[Played]:
    """Yield the deals that count, as `field_of` chooses them, in the order of their storing."""
    played: set[str] = set()
    has_chance = league.game.has_chance
    for numbers, moves in store.tallies.in_order(moves=not has_chance):
        if len(numbers) < league.rotation_count or not results.keys() >= set(numbers):
            continue
        if not has_chance and moves in played:
            continue
        played.add(moves)
        yield tuple(sorted(results[number] for number in numbers))


def present_results(league: LeaguePlan, store: Store) -> dict[int, Result]:
    """Return the results by number in which the present versions of the present bots sat alone."""
    present = {(bot.name, bot.version) for bot in league.bots}
    return {
        number: Result(tuple(bot.name for bot in each.bots), each.places)
        for number, each in store.tallies.results().items()
        if present >= {(bot.name, bot.version) for bot in each.bots}
    }
