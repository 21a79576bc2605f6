"""Seeds: the order in which bots are set into a bracket."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

from arena.schedule.course import Course, Steps, drawn
from arena.schedule.deal import DEALS_LIMIT
from arena.schedule.rounds import Frame, Round
from protocol.errors import ArenaError


def seeds(course: Course, frame: Frame, event: str) -> Steps[list[str]]:
    """Return the bots in the order of their seeds, the best first; of those that left, none.

    A rating by a full round-robin, such as Bradley and Terry's, has the order of the points in it;
    equal ones are drawn. Raises ArenaError if that has too many deals.
    """
    options, keys = course.first_terms.options, course.first_field
    order = drawn(frame.chance, keys, event, "seed")
    if options.seeding == "file":
        order = list(keys)
    elif options.seeding == "rating" and len(keys) >= frame.seats:
        count = comb(len(keys), frame.seats) * options.seeding_deals
        if count > DEALS_LIMIT:
            raise ArenaError(
                f"the round-robin of {len(keys)} bots for their seeds has {count:,} deals; at most "
                f'{DEALS_LIMIT:,} can be played: use seeding = "drawn" or "file".'
            )
        lineups = combinations(sorted(keys), frame.seats)
        played = yield from course.ask(
            lineup for lineup in lineups for _ in range(options.seeding_deals)
        )
        shares = _shares(played)
        order.sort(key=lambda key: -shares.get(key, Fraction(-1)))
    return [key for key in order if key in course.field]


def _shares(played: Round) -> dict[str, Fraction]:
    """Return the mean share of the points of each bot that has played."""
    sums: dict[str, Fraction] = {}
    deals: Counter[str] = Counter()
    for deal in played.deals:
        if deal.matches is not None:
            for entrant, share in zip(deal.lineup, deal.shares(), strict=True):
                sums[entrant.key] = sums.get(entrant.key, Fraction()) + share
                deals[entrant.key] += 1
    return {key: total / deals[key] for key, total in sums.items()}
